// SPDX-License-Identifier: GPL-2.0-or-later
#include "pattern/grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "tests/check.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::pattern;

namespace {

using Sides = std::vector<std::int32_t>;

Sides coordinates(std::int32_t rank, const Sides& sides) {
  Sides at(sides.size());
  for (std::size_t k = sides.size(); k-- > 0; rank /= sides[k]) at[k] = rank % sides[k];
  return at;
}

// Two places are neighbours when they differ by one step in one coordinate alone.
bool are_neighbours(const Sides& a, const Sides& b, const Sides& sides, bool periodic) {
  int steps = 0;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    std::int32_t away = std::abs(a[k] - b[k]);
    if (periodic) away = std::min(away, sides[k] - away);
    steps += away;
  }
  return steps == 1;
}

}  // namespace

START_TEST(edges_are_those_of_a_search_over_all_pairs) {
  for (const Sides& sides :
       {Sides{1}, Sides{2}, Sides{3}, Sides{5}, Sides{1, 1}, Sides{2, 2}, Sides{2, 3}, Sides{3, 1, 2}, Sides{4, 2, 3},
        Sides{3, 3, 3}, Sides{1, 2, 1, 3}, Sides{2, 2, 2, 2}, Sides{7, 5}})
    for (const bool periodic : {false, true}) {
      std::int32_t ranks = 1;
      for (const std::int32_t side : sides) ranks *= side;
      std::map<std::pair<std::int32_t, std::int32_t>, int> seen;
      for (const CommEdge& edge : grid_edges(sides, periodic)) {
        ck_assert_int_ne(edge.a, edge.b);
        ck_assert_int_eq(edge.weight, 1);
        ++seen[std::minmax(edge.a, edge.b)];
      }
      for (const auto& [pair, times] : seen) ck_assert_int_eq(times, 1);
      for (std::int32_t a = 0; a < ranks; ++a)
        for (std::int32_t b = a + 1; b < ranks; ++b)
          ck_assert_int_eq(seen.contains({a, b}),
                           are_neighbours(coordinates(a, sides), coordinates(b, sides), sides, periodic));
    }
}
END_TEST

START_TEST(the_last_coordinate_changes_first) {
  const CommMatrix matrix = CommMatrix::from_edges(24, grid_edges({4, 3, 2}, false));
  ck_assert_int_eq(matrix.weight(0, 1), 1);  // z
  ck_assert_int_eq(matrix.weight(0, 2), 1);  // y
  ck_assert_int_eq(matrix.weight(0, 6), 1);  // x
  ck_assert_int_eq(matrix.weight(1, 2), 0);
}
END_TEST

START_TEST(a_chain_joins_consecutive_ranks) {
  ck_assert_int_eq(chain(1).pairs(), 0);
  ck_assert_int_eq(chain(5).pairs(), 4);
  for (int rank = 0; rank < 4; ++rank) ck_assert_int_eq(chain(5).weight(rank, rank + 1), 1);
}
END_TEST

START_TEST(balanced_sides_are_those_of_a_search_over_all_shapes) {
  for (std::int32_t ranks = 1; ranks <= 400; ++ranks) {
    Sides best2, best3;
    for (std::int32_t x = ranks; x >= 1; --x)
      for (std::int32_t y = x; y >= 1 && ranks % x == 0; --y) {
        if (x * y == ranks) best2 = best2.empty() ? Sides{x, y} : std::min(best2, Sides{x, y});
        const std::int32_t z = ranks / (x * y);
        if (x * y * z == ranks && z <= y) best3 = best3.empty() ? Sides{x, y, z} : std::min(best3, Sides{x, y, z});
      }
    ck_assert(balanced_sides(ranks, 2) == best2);
    ck_assert(balanced_sides(ranks, 3) == best3);
  }
  ck_assert((balanced_sides(128, 3) == Sides{8, 4, 4}));
  ck_assert((balanced_sides(72, 3) == Sides{6, 4, 3}));
  ck_assert((balanced_sides(9973, 3) == Sides{9973, 1, 1}));
  ck_assert((balanced_sides(1 << 24, 3) == Sides{256, 256, 256}));
}
END_TEST

START_TEST(texts_are_read_and_written) {
  for (const char* text :
       {"8x4x4", "8x4x4:periodic", "1", "auto", "auto2", "auto:periodic", "auto2:periodic", "2x2x2x2x2x2x2x2"})
    ck_assert_text_eq(to_string(parse_grid(text)), text);
  ck_assert_text_eq(to_string(parse_grid("Auto3:Periodic")), "auto:periodic");
  ck_assert_text_eq(to_string(parse_grid("8X4")), "8x4");
  ck_assert_int_eq(places(parse_grid("8x4x4")), 128);
  ck_assert_int_eq(places(parse_grid("auto")), 0);
}
END_TEST

START_TEST(errors_name_the_expected_form) {
  ck_assert_error_words(parse_grid("8x4x4:wrap"), "':wrap' :periodic grid=8x4x4 grid=auto");
  ck_assert_error(parse_grid("8x4x4:"), "':' is not");
  ck_assert_error(parse_grid("8x4x4:periodic:periodic"), "':periodic:periodic' is not");
  for (const char* text :
       {"", "x", "8x", "x8", "0x4", "-1x4", "8x4.5", "8*4", "auto4", "8x4x4,", "8x+4", "99999999999999999999x1"})
    ck_assert_error(parse_grid(text), " side ");
  ck_assert_error(parse_grid("65536x65536"), "more than 16777216 places");
  ck_assert_error(parse_grid("4294967296x4294967296"), "more than 16777216 places");
  ck_assert_error(parse_grid("16777217"), "more than 16777216 places");
  ck_assert_error(parse_grid("1x1x1x1x1x1x1x1x1"), "more than 8 sides");
}
END_TEST

int main() {
  Suite* suite = suite_create("grid");
  TCase* tcase = tcase_create("grid");
  tcase_add_test(tcase, edges_are_those_of_a_search_over_all_pairs);
  tcase_add_test(tcase, the_last_coordinate_changes_first);
  tcase_add_test(tcase, a_chain_joins_consecutive_ranks);
  tcase_add_test(tcase, balanced_sides_are_those_of_a_search_over_all_shapes);
  tcase_add_test(tcase, texts_are_read_and_written);
  tcase_add_test(tcase, errors_name_the_expected_form);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
