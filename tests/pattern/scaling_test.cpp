// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/scaling.hpp"

#include <random>

#include "pattern/pattern.hpp"
#include "tests/check.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::pattern;

namespace {

CommMatrix of(const std::string& word, std::int32_t ranks) { return matrix_of(parse_pattern(word), ranks); }

// Returns the matrix with `part` of its traffic added as traffic of random pairs.
CommMatrix with_noise(const CommMatrix& matrix, double part, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<CommEdge> edges = matrix.edges();
  for (CommEdge& edge : edges) edge.weight *= 1000;
  const auto added = static_cast<std::int64_t>(part * 1000 * static_cast<double>(matrix.total_weight()));
  for (std::int64_t left = added; left > 0; left -= 50) {
    const auto a = static_cast<std::int32_t>(random() % static_cast<unsigned>(matrix.ranks()));
    const auto b = static_cast<std::int32_t>(random() % static_cast<unsigned>(matrix.ranks()));
    if (a != b) edges.push_back({a, b, 50});
  }
  return CommMatrix::from_edges(matrix.ranks(), std::move(edges));
}

std::string structure_of(const CommMatrix& matrix, std::int32_t ranks) {
  const auto scaled = scaled_matrix(matrix, ranks);
  if (scaled) ck_assert_int_eq(scaled->matrix.ranks(), ranks);
  return scaled ? scaled->structure : "none";
}

}  // namespace

START_TEST(a_pattern_scales_to_itself_on_other_ranks) {
  for (const auto& [word, from, to] : std::vector<std::tuple<std::string, int, int>>{{"ring", 8, 24},
                                                                                     {"ring", 24, 5},
                                                                                     {"tree", 16, 64},
                                                                                     {"tree", 12, 33},
                                                                                     {"alltoall", 8, 20},
                                                                                     {"grid=auto2", 12, 40},
                                                                                     {"grid=auto2:periodic", 24, 36},
                                                                                     {"grid=auto", 64, 128},
                                                                                     {"grid=auto:periodic", 60, 27},
                                                                                     {"grid=auto2", 16, 32}}) {
    const auto scaled = scaled_matrix(of(word, from), to);
    ck_assert_msg(scaled && scaled->matrix == of(word, to), "%s from %d to %d ranks", word.c_str(), from, to);
  }
}
END_TEST

START_TEST(the_structure_is_named) {
  ck_assert_text_eq(structure_of(of("ring", 8), 9), "a ring");
  ck_assert_text_eq(structure_of(of("grid=8", 8), 9), "a chain");
  ck_assert_text_eq(structure_of(of("grid=4x2", 8), 16), "a grid of 4 x 4");
  ck_assert_text_eq(structure_of(of("grid=2x4", 8), 32), "a grid of 4 x 8");
  ck_assert_text_eq(structure_of(of("grid=2x4", 8), 4), "a grid of 2 x 2");
  ck_assert_words(structure_of(of("grid=4x4x4:periodic", 64), 128), "periodic grid 8 x 4 x 4 largest first");
  ck_assert_text_eq(structure_of(of("tree", 16), 20), "a binomial tree");
  ck_assert_text_eq(structure_of(of("alltoall", 5), 6), "all pairs");
}
END_TEST

// If each side of a square may grow, the first one does, as by MPI_Dims_create(), unless their traffic differs much.
START_TEST(a_square_has_its_largest_side_first) {
  ck_assert_words(structure_of(of("grid=4x4", 16), 32), "grid 8 x 4 largest first");
  ck_assert_text_eq(structure_of(of("grid=2x2x2", 8), 27), "none");  // a hypercube as well
  ck_assert_words(structure_of(of("grid=3x3x3:periodic", 27), 36), "periodic grid 4 x 3 x 3 largest first");
  ck_assert_text_eq(structure_of(of("grid=4x4", 16), 36), "a grid of 6 x 6");
  ck_assert_text_eq(structure_of(of("grid=6x4", 24), 32), "a grid of 8 x 4");
  const auto why = [](std::int64_t along_rows, std::int64_t along_columns, std::vector<CommEdge> edges = {}) {
    for (const CommEdge& edge : of("grid=4x4", 16).edges())
      edges.push_back({edge.a, edge.b, edge.b - edge.a == 1 ? along_rows : along_columns});
    std::string text = "scaled";
    scaled_matrix(CommMatrix::from_edges(16, edges), 32, &text);
    return text;
  };
  // Four chains of four ranks may become four of eight, or eight of four.
  const char* const chains = "dimensions grid 4 x 4 grid 8 x 4 grid 4 x 8 32 ranks";
  ck_assert_words(why(100, 5), chains);
  ck_assert_words(why(5, 100), chains);
  ck_assert_text_eq(why(100, 50), "scaled");
  // A grid of 4 x 2 x 2 has these chains too, and by the noise of a few bytes it fits better.
  const char* const no_grid = "dimensions grid 4 x 4 lengths 32 ranks";
  ck_assert_words(why(100, 0), no_grid);
  ck_assert_words(why(0, 100), no_grid);
  ck_assert_words(why(1000, 0, {{0, 4, 1}, {1, 5, 1}}), no_grid);
  // Pairs are a grid of 4 x 2, a hypercube and a tree, with one dimension or bit in use.
  for (const std::int32_t step : {1, 2, 4}) {
    std::vector<CommEdge> pairs;
    for (std::int32_t rank = 0; rank < 8; ++rank)
      if ((rank & step) == 0) pairs.push_back({rank, rank + step, 100});
    ck_assert(!scaled_matrix(CommMatrix::from_edges(8, pairs), 16));
    ck_assert(!scaled_matrix(CommMatrix::from_edges(8, pairs), 32));
  }
  std::string text;
  ck_assert(!scaled_matrix(of("grid=2x8", 16), 32, &text));
  ck_assert_words(text, "dimensions grid 2 x 2 x 4 lengths 32 ranks");
}
END_TEST

START_TEST(dimensions_keep_their_traffic) {
  std::vector<CommEdge> edges;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 3; ++column) {
      if (row + 1 < 4) edges.push_back({3 * row + column, 3 * row + column + 3, 700});
      if (column + 1 < 3) edges.push_back({3 * row + column, 3 * row + column + 1, 90});
    }
  const auto scaled = scaled_matrix(CommMatrix::from_edges(12, edges), 20);  // 5 x 4
  ck_assert(scaled && scaled->structure == "a grid of 5 x 4");
  ck_assert_int_eq(scaled->matrix.weight(0, 4), 700);
  ck_assert_int_eq(scaled->matrix.weight(0, 1), 90);
}
END_TEST

START_TEST(a_larger_hypercube_repeats_its_last_bit) {
  std::vector<CommEdge> edges;
  for (int rank = 0; rank < 16; ++rank)
    for (int bit = 0; bit < 4; ++bit)
      if (!(rank & 1 << bit)) edges.push_back({rank, rank | 1 << bit, 10 + bit});
  const auto scaled = scaled_matrix(CommMatrix::from_edges(16, edges), 32);
  ck_assert(scaled && scaled->structure == "a hypercube");
  ck_assert_int_eq(scaled->matrix.weight(0, 1), 10);
  ck_assert_int_eq(scaled->matrix.weight(0, 16), 13);
  ck_assert(!scaled_matrix(CommMatrix::from_edges(16, edges), 24));
}
END_TEST

START_TEST(irregular_or_ambiguous_matrices_are_not_scaled) {
  ck_assert_text_eq(structure_of(with_noise(of("grid=4x2", 8), 0.05, 1), 16), "a grid of 4 x 4");
  ck_assert_text_eq(structure_of(with_noise(of("grid=4x2", 8), 0.15, 1), 16), "none");
  const auto why = [](const CommMatrix& matrix, std::int32_t ranks) {
    std::string text = "scaled";
    ck_assert(!scaled_matrix(matrix, ranks, &text));
    return text;
  };
  ck_assert_words(why(of("grid=4x2", 8), 17), "grid 4 x 2 17 ranks");
  ck_assert_words(why(of("grid=2x2x2", 8), 16), "periodic grid 2 x 2 x 2 grid 2 x 2 x 2 differ 16 ranks");
  ck_assert(why(of("ring", 3), 16).find(" 4 ranks") != std::string::npos);
  ck_assert(why(CommMatrix::from_edges(8, {}), 16).ends_with("communicate"));
  ck_assert_words(why(of("alltoall", 8), 4000), "all pairs 4000 ranks");  // more than 2^22
  std::mt19937 random(7);
  std::vector<CommEdge> edges;
  for (int a = 0; a < 32; ++a)
    for (int b = a + 1; b < 32; ++b)
      if (random() % 6 == 0) edges.push_back({a, b, static_cast<std::int64_t>(random() % 1000)});
  ck_assert(why(CommMatrix::from_edges(32, edges), 64).find("regular") != std::string::npos);
}
END_TEST

START_TEST(a_sum_that_would_overflow_is_not_scaled) {
  std::vector<CommEdge> edges = of("ring", 8).edges();
  for (CommEdge& edge : edges) edge.weight = INT64_MAX / 16;
  ck_assert(scaled_matrix(CommMatrix::from_edges(8, edges), 12));
  ck_assert(!scaled_matrix(CommMatrix::from_edges(8, edges), 24));
}
END_TEST

int main() {
  Suite* const suite = suite_create("scaling");
  TCase* const tests = tcase_create("scaling");
  tcase_add_test(tests, a_pattern_scales_to_itself_on_other_ranks);
  tcase_add_test(tests, the_structure_is_named);
  tcase_add_test(tests, a_square_has_its_largest_side_first);
  tcase_add_test(tests, dimensions_keep_their_traffic);
  tcase_add_test(tests, a_larger_hypercube_repeats_its_last_bit);
  tcase_add_test(tests, irregular_or_ambiguous_matrices_are_not_scaled);
  tcase_add_test(tests, a_sum_that_would_overflow_is_not_scaled);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
