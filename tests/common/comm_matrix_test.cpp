// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/comm_matrix.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "tests/check.hpp"
#include "tests/words.hpp"

using namespace placement;

START_TEST(sums_both_directions_and_duplicates) {
  const CommMatrix matrix = CommMatrix::from_edges(4, {{1, 0, 5}, {0, 1, 2}, {2, 2, 9}, {2, 3, 0}, {3, 1, 4}});
  ck_assert_int_eq(matrix.pairs(), 2);
  ck_assert_int_eq(matrix.weight(0, 1), 7);
  ck_assert_int_eq(matrix.weight(1, 3), 4);
  ck_assert_int_eq(matrix.weight(2, 3), 0);
  ck_assert_int_eq(matrix.total_weight(), 11);
  ck_assert_int_eq(matrix.neighbours(1)[0], 0);
  ck_assert_int_eq(matrix.neighbours(1)[1], 3);
  ck_assert_uint_eq(matrix.neighbours(2).size(), 0);
}
END_TEST

START_TEST(refuses_impossible_input) {
  ck_assert_error(CommMatrix::from_edges(2, {{0, 2, 1}}), "rank 2 is outside 0..1");
  ck_assert_error(CommMatrix::from_edges(2, {{-1, 1, 1}}), "rank -1");
  ck_assert_error(CommMatrix::from_edges(2, {{0, 1, -3}}), "negative traffic -3");
  ck_assert_error(CommMatrix::from_edges(-1, {}), "-1 ranks");
  ck_assert_error(CommMatrix::from_edges(3, {{0, 1, INT64_MAX}, {1, 2, 1}}), "2^63");
  ck_assert_int_eq(CommMatrix::from_edges(2, {{0, 1, INT64_MAX}}).weight(1, 0), INT64_MAX);
}
END_TEST

START_TEST(empty_and_one) {
  ck_assert_int_eq(CommMatrix{}.ranks(), 0);
  ck_assert_int_eq(CommMatrix::from_edges(1, {{0, 0, 3}}).pairs(), 0);
}
END_TEST

START_TEST(aggregates_groups) {
  const CommMatrix matrix = CommMatrix::from_edges(4, {{0, 1, 1}, {0, 2, 10}, {1, 3, 100}, {2, 3, 5}});
  const CommMatrix groups = matrix.aggregated(std::vector<std::int32_t>{0, 0, 1, 1}, 2);
  ck_assert_int_eq(groups.ranks(), 2);
  ck_assert_int_eq(groups.weight(0, 1), 110);
  ck_assert_error_words(matrix.aggregated(std::vector<std::int32_t>{0, 0, 1}, 2), "3 ranks matrix 4");
  ck_assert_error(matrix.aggregated(std::vector<std::int32_t>{0, 0, 1, 2}, 2), "group 2 is outside 0..1");
  ck_assert_error(matrix.aggregated(std::vector<std::int32_t>{-1, -1, -1, -1}, 2), "group -1 is outside");
}
END_TEST

// Edges in any order give the matrix that a plain table of sums gives.
START_TEST(order_does_not_matter) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const auto ranks = static_cast<std::int32_t>(1 + random() % 20);
    std::vector<CommEdge> edges;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> sums;
    for (unsigned e = random() % 200; e > 0; --e) {
      const auto a = static_cast<std::int32_t>(random() % ranks);
      const auto b = static_cast<std::int32_t>(random() % ranks);
      edges.push_back({a, b, static_cast<std::int64_t>(random() % 3)});
      if (a != b) sums[std::minmax(a, b)] += edges.back().weight;
    }
    const CommMatrix matrix = CommMatrix::from_edges(ranks, edges);
    std::int64_t total = 0;
    std::int64_t pairs = 0;
    for (const auto& [pair, sum] : sums) {
      ck_assert_int_eq(matrix.weight(pair.first, pair.second), sum);
      ck_assert_int_eq(matrix.weight(pair.second, pair.first), sum);
      total += sum;
      pairs += sum > 0;
    }
    ck_assert_int_eq(matrix.pairs(), pairs);
    ck_assert_int_eq(matrix.total_weight(), total);
    for (std::int32_t r = 0; r < ranks; ++r)
      ck_assert(std::is_sorted(matrix.neighbours(r).begin(), matrix.neighbours(r).end()));
    std::shuffle(edges.begin(), edges.end(), random);
    ck_assert(CommMatrix::from_edges(ranks, edges) == matrix);
    ck_assert(CommMatrix::from_edges(ranks, matrix.edges()) == matrix);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("comm_matrix");
  TCase* all = tcase_create("all");
  tcase_add_test(all, sums_both_directions_and_duplicates);
  tcase_add_test(all, refuses_impossible_input);
  tcase_add_test(all, empty_and_one);
  tcase_add_test(all, aggregates_groups);
  tcase_add_test(all, order_does_not_matter);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
