// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/pattern.hpp"

#include <bit>

#include "tests/words.hpp"

using namespace placement;
using namespace placement::pattern;

START_TEST(a_ring_joins_each_rank_to_two) {
  ck_assert_int_eq(matrix_of(parse_pattern("ring"), 1).pairs(), 0);
  ck_assert_int_eq(matrix_of(parse_pattern("ring"), 2).pairs(), 1);
  for (const std::int32_t ranks : {3, 4, 7, 100, 100'000}) {
    const CommMatrix ring = matrix_of(parse_pattern("ring"), ranks);
    ck_assert_int_eq(ring.ranks(), ranks);
    ck_assert_int_eq(ring.total_weight(), ranks);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      ck_assert_int_eq(static_cast<int>(ring.neighbours(rank).size()), 2);
      ck_assert_int_eq(ring.weight(rank, (rank + 1) % ranks), 1);
    }
  }
}
END_TEST

START_TEST(a_tree_is_binomial) {
  ck_assert_int_eq(matrix_of(parse_pattern("tree"), 1).pairs(), 0);
  for (const std::int32_t ranks : {2, 3, 8, 13, 64}) {
    const CommMatrix tree = matrix_of(parse_pattern("tree"), ranks);
    ck_assert_int_eq(tree.pairs(), ranks - 1);
    ck_assert_int_eq(static_cast<int>(tree.neighbours(0).size()),
                     std::bit_width(static_cast<std::uint32_t>(ranks - 1)));
    // In round k of a broadcast, each of the first 2^k relative ranks that have the message sends it on.
    for (std::int32_t rank = 1; rank < ranks; ++rank) {
      std::int32_t parent = rank;
      for (std::int32_t bit = 1; parent == rank; bit *= 2)
        if (rank & bit) parent = rank - bit;
      ck_assert_int_eq(tree.weight(rank, parent), 1);
    }
  }
}
END_TEST

START_TEST(all_to_all_has_all_pairs_and_a_limit) {
  for (const std::int32_t ranks : {1, 2, 9, 64}) {
    const CommMatrix all = matrix_of(parse_pattern("alltoall"), ranks);
    ck_assert_int_eq(all.pairs(), ranks * (ranks - 1) / 2);
    ck_assert_int_eq(all.total_weight(), all.pairs());
  }
  ck_assert_int_eq(pair_count(parse_pattern("alltoall"), 100'000), 4'999'950'000);
  ck_assert_error_words(matrix_of(parse_pattern("alltoall"), 100'000),
                        "alltoall 100000 ranks 4999950000 pairs 4194304");
  ck_assert_error_words(matrix_of(parse_pattern("tp=1,dp=16777216,ep=16777216"), 1 << 24), "4194304");
  ck_assert_error(matrix_of(parse_pattern("ring"), 0), "1 to 16777216");
  ck_assert_error(matrix_of(parse_pattern("ring"), CommMatrix::max_ranks + 1), "1 to 16777216");
}
END_TEST

START_TEST(a_grid_of_another_size_names_both) {
  ck_assert_int_eq(matrix_of(parse_pattern("grid=8x4x4"), 128).pairs(), 7 * 16 + 2 * 8 * 3 * 4);
  ck_assert_int_eq(matrix_of(parse_pattern("grid=8x4x4:periodic"), 128).pairs(), 3 * 128);
  for (const char* word : {"ring", "tree", "alltoall", "grid=6x1x2", "grid=3x2x2:periodic", "grid=12:periodic",
                           "grid=12", "grid=auto", "grid=auto2:periodic"})
    ck_assert_int_eq(pair_count(parse_pattern(word), 12), matrix_of(parse_pattern(word), 12).pairs());
  for (const char* word : {"ring", "tree", "grid=auto:periodic"})
    for (const std::int32_t ranks : {1, 2, 3, 4})
      ck_assert_int_eq(pair_count(parse_pattern(word), ranks), matrix_of(parse_pattern(word), ranks).pairs());
  ck_assert_int_eq(pair_count(parse_pattern("grid=2000000x1x1"), 2'000'000), 1'999'999);
  ck_assert_error_words(matrix_of(parse_pattern("grid=8x4x4"), 100), "grid=8x4x4 128 100 tasks");
  ck_assert(matrix_of(parse_pattern("grid=auto"), 128) == matrix_of(parse_pattern("grid=8x4x4"), 128));
  ck_assert(layout_note(parse_pattern("grid=auto"), 128).starts_with("grid=auto is grid=8x4x4, "));
  ck_assert_text_eq(layout_note(parse_pattern("tp=2"), 8), "tp=2 is tp=2,dp=4 with 8 ranks");
  ck_assert_text_eq(layout_note(parse_pattern("pp=1"), 8), "tp=1 is dp=8 with 8 ranks");
  ck_assert_text_eq(layout_note(parse_pattern("ring"), 8), "");
}
END_TEST

START_TEST(texts_are_read_and_written) {
  for (const char* text : {"ring", "tree", "alltoall", "grid=8x4x4:periodic", "grid=auto", "tp=8,pp=4,dp=16,cp=2,ep=8",
                           "tp=1", "tp=1,layers=3"})
    ck_assert_text_eq(to_string(parse_pattern(text)), text);
  ck_assert_text_eq(to_string(parse_pattern("RING")), "ring");
  ck_assert_text_eq(to_string(parse_pattern("pattern=Tree")), "tree");
  ck_assert_int_eq(*fixed_ranks(parse_pattern("grid=8x4x4")), 128);
  ck_assert_int_eq(*fixed_ranks(parse_pattern("tp=8,pp=4,dp=16")), 512);
  for (const char* text : {"ring", "grid=auto", "tp=8"}) ck_assert(!fixed_ranks(parse_pattern(text)));
}
END_TEST

START_TEST(a_wrong_word_names_the_known_ones_with_the_nearest_first) {
  ck_assert_error_words(parse_pattern("rign"), "'rign' ring tree");
  ck_assert_error_words(parse_pattern("alltoal"), "alltoall ring");
  ck_assert_error_words(parse_pattern("grids=8x4"), "'grids' grid=8x4x4 grid=auto ring");
  ck_assert_error_words(parse_pattern("pattern=torus"), "pattern=torus ring tree alltoall");
  ck_assert_error(parse_pattern("pattern=grid=2x2"), "write grid=2x2 without pattern=");
  ck_assert_error_words(parse_pattern("grid="), "'grid=' grid=8x4x4");
  ck_assert_error_words(parse_pattern("ring,,seed=1"), "empty item 'ring,,seed=1'");
  ck_assert_error_words(parse_pattern("ring,tree"), "two ring tree");
  ck_assert_error_words(parse_pattern("tp=4,TP=2"), "tp given 'tp=4,TP=2'");
  ck_assert_text_eq(possible_ranks(parse_pattern("tp=2,pp=2")), "a multiple of 4 ranks");
  ck_assert(possible_ranks(parse_pattern("pp=1")).starts_with("any "));
  ck_assert_text_eq(possible_ranks(parse_pattern("ep=3")), "a multiple of 3 ranks");
  ck_assert_text_eq(possible_ranks(parse_pattern("tp=2,cp=4,ep=6")), "a multiple of 24 ranks");
  ck_assert_text_eq(possible_ranks(parse_pattern("grid=2x2")), "4 ranks");
  ck_assert_error_words(parse_pattern(""), "ring");
  ck_assert_error_words(parse_pattern("ring,seed=1"), "'seed' pattern");
}
END_TEST

START_TEST(only_one_pattern_and_no_matrix) {
  ck_assert_error(parse_pattern("ring,grid=4x4"), "two patterns");
  ck_assert_error(parse_pattern("ring,pattern=tree"), "two patterns");
  ck_assert_error(parse_pattern("tp=2,grid=4x4"), "two patterns");
  ck_assert_error_words(parse_pattern("layers=3"), "layers= tp= pp= dp= cp= ep=");
  ck_assert_error_words(parse_pattern("ring,order=tp-dp"), "order= tp=");
  ck_assert_error_words(pattern_of({{"matrix", "m"}, {"tp", "2"}}), "matrix m tp=2");
  ck_assert(!pattern_of({{"matrix", "m"}, {"seed", "2"}}));
  ck_assert(!pattern_of({}));
}
END_TEST

START_TEST(a_single_word_is_a_pattern_and_a_path_is_not) {
  Parameters ring{{"matrix", "Ring"}}, file{{"matrix", "./ring"}};
  ck_assert(take_word(ring));
  ck_assert_text_eq(ring.at("pattern"), "ring");
  ck_assert(!take_word(file) && !take_word(ring));
}
END_TEST

int main() {
  Suite* suite = suite_create("pattern");
  TCase* tcase = tcase_create("pattern");
  tcase_add_test(tcase, a_ring_joins_each_rank_to_two);
  tcase_add_test(tcase, a_tree_is_binomial);
  tcase_add_test(tcase, all_to_all_has_all_pairs_and_a_limit);
  tcase_add_test(tcase, a_grid_of_another_size_names_both);
  tcase_add_test(tcase, texts_are_read_and_written);
  tcase_add_test(tcase, a_wrong_word_names_the_known_ones_with_the_nearest_first);
  tcase_add_test(tcase, only_one_pattern_and_no_matrix);
  tcase_add_test(tcase, a_single_word_is_a_pattern_and_a_path_is_not);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
