// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/graph.hpp"

#include <numeric>

#include "common/util/random.hpp"
#include "tests/check.hpp"

using namespace placement;

namespace {

// A matrix in which all ranks exchange 1 to `most`, and rank r and rank r + 1 exchange `neighbours` more.
CommMatrix dense(std::int32_t ranks, std::int32_t most, std::int64_t neighbours, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b)
      edges.push_back({a, b, 1 + random.below(most) + (b == a + 1 ? neighbours : 0)});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

std::int64_t traffic_of(const CommMatrix& matrix, std::int32_t rank) {
  const auto weights = matrix.weights(rank);
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
}

// The traffic between the ranks below `middle` and the others.
std::int64_t cut(const CommMatrix& matrix, std::int32_t middle) {
  std::int64_t sum = 0;
  for (const CommEdge& edge : matrix.edges())
    if (edge.a < middle && edge.b >= middle) sum += edge.weight;
  return sum;
}

}  // namespace

START_TEST(few_pairs_are_kept_and_the_heavy_ones_exactly) {
  for (const std::int32_t per_rank : {1, 4, 16}) {
    const CommMatrix all = dense(200, 10, 100'000);
    const CommMatrix few = mapping::sparsified(all, per_rank, 7);
    ck_assert_int_eq(few.ranks(), 200);
    ck_assert_int_le(few.pairs(), 200 * (per_rank + 1));
    const std::int64_t least = all.total_weight() / (200 * per_rank);
    for (const CommEdge& edge : all.edges())
      if (edge.weight >= least) ck_assert_int_eq(few.weight(edge.a, edge.b), edge.weight);
  }
}
END_TEST

// The total weight is 1.97 times the limit of pairs, and no pair is heavier than another.
START_TEST(equal_light_pairs_stay_within_the_limit) {
  const CommMatrix few = mapping::sparsified(dense(300, 1, 0), 76, 5);
  ck_assert_int_le(few.pairs(), 300 * (76 + 1));
  ck_assert_int_ge(few.pairs(), 300 * 70);
}
END_TEST

START_TEST(traffic_and_cuts_stay_about_equal) {
  const CommMatrix all = dense(300, 10, 0);
  const CommMatrix few = mapping::sparsified(all, 32, 3);
  const std::int64_t least = all.total_weight() / (300 * 32);
  ck_assert_int_gt(few.pairs(), 300 * 28);
  ck_assert_int_le(std::abs(few.total_weight() - all.total_weight()), 300 * least);
  for (std::int32_t rank = 0; rank < 300; ++rank)
    ck_assert_int_le(std::abs(traffic_of(few, rank) - traffic_of(all, rank)), traffic_of(all, rank) / 2);
  for (const std::int32_t middle : {50, 100, 150, 250})
    ck_assert_int_le(20 * std::abs(cut(few, middle) - cut(all, middle)), cut(all, middle));
}
END_TEST

START_TEST(a_pair_has_its_own_weight_in_the_mean) {
  const CommMatrix all = dense(40, 9, 0);
  std::vector<std::int64_t> sum(40 * 40, 0);
  constexpr int draws = 4000;
  for (int seed = 0; seed < draws; ++seed)
    for (const CommEdge& edge : mapping::sparsified(all, 4, static_cast<std::uint64_t>(seed)).edges())
      sum[edge.a * 40 + edge.b] += edge.weight;
  for (const CommEdge& edge : all.edges()) {
    const double mean = static_cast<double>(sum[edge.a * 40 + edge.b]) / draws;
    // The deviation of one draw is below sqrt(weight * t), t about 24, so that 1 is five deviations of the mean and
    // more.
    ck_assert_double_eq_tol(mean, static_cast<double>(edge.weight), 1.2);
  }
}
END_TEST

START_TEST(the_seed_decides) {
  const CommMatrix all = dense(100, 10, 50);
  ck_assert(mapping::sparsified(all, 4, 5) == mapping::sparsified(all, 4, 5));
  ck_assert(!(mapping::sparsified(all, 4, 5) == mapping::sparsified(all, 4, 6)));
}
END_TEST

START_TEST(nothing_one_rank_and_a_sparse_matrix) {
  for (const std::int32_t ranks : {0, 1, 5})
    ck_assert(mapping::sparsified(CommMatrix::from_edges(ranks, {}), 4, 1) == CommMatrix::from_edges(ranks, {}));
  const CommMatrix one = CommMatrix::from_edges(2, {{0, 1, 3}});
  ck_assert(mapping::sparsified(one, 1, 1).pairs() <= 1);
  std::vector<CommEdge> ring;
  for (std::int32_t r = 0; r < 50; ++r) ring.push_back({r, (r + 1) % 50, 7});
  const CommMatrix equal = CommMatrix::from_edges(50, ring);
  ck_assert(mapping::sparsified(equal, 1, 1) == equal);  // each pair has the weight t
}
END_TEST

START_TEST(the_greatest_weights_do_not_overflow) {
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 3; ++a)
    for (std::int32_t b = a + 1; b < 3; ++b) edges.push_back({a, b, INT64_MAX / 3});
  const CommMatrix all = CommMatrix::from_edges(3, edges);
  for (int seed = 0; seed < 50; ++seed) {
    const CommMatrix few = mapping::sparsified(all, 1, static_cast<std::uint64_t>(seed));
    ck_assert_int_le(few.pairs(), 3);
    ck_assert_int_gt(few.total_weight(), 0);
  }
  const CommMatrix many =
      mapping::sparsified(CommMatrix::from_edges(3, {{0, 1, INT64_MAX / 2}, {0, 2, 1}, {1, 2, INT64_MAX / 2}}), 1, 1);
  ck_assert_int_eq(many.weight(0, 1), INT64_MAX / 8);
}
END_TEST

int main() {
  Suite* suite = suite_create("sparsify");
  TCase* all = tcase_create("all");
  tcase_add_test(all, few_pairs_are_kept_and_the_heavy_ones_exactly);
  tcase_add_test(all, equal_light_pairs_stay_within_the_limit);
  tcase_add_test(all, traffic_and_cuts_stay_about_equal);
  tcase_add_test(all, a_pair_has_its_own_weight_in_the_mean);
  tcase_add_test(all, the_seed_decides);
  tcase_add_test(all, nothing_one_rank_and_a_sparse_matrix);
  tcase_add_test(all, the_greatest_weights_do_not_overflow);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
