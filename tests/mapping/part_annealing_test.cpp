// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/part_annealing.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::mapping;

namespace {

using Ints = std::vector<std::int32_t>;

// Random pairs of vertices with 1 to `heaviest` of traffic.
Graph random_graph(std::int32_t vertices, std::int32_t pairs, std::int32_t heaviest, Random& random) {
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < pairs; ++k)
    edges.push_back({random.below(vertices), random.below(vertices), 1 + random.below(heaviest)});
  return scaled_graph(CommMatrix::from_edges(vertices, std::move(edges)));
}

std::int64_t cut(const Graph& graph, const Ints& part) {
  std::int64_t twice = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v)
    for (const Arc& arc : graph.arcs(v))
      if (part[v] != part[arc.to]) twice += arc.weight;
  return twice / 2;
}

bool within(const Ints& capacity, const Ints& part) {
  for (std::size_t p = 0; p < capacity.size(); ++p)
    if (std::count(part.begin(), part.end(), static_cast<std::int32_t>(p)) > capacity[p]) return false;
  return true;
}

// Fills one part after the other.
Ints in_order(const Ints& capacity, std::int32_t vertices) {
  Ints part;
  for (std::size_t p = 0; p < capacity.size(); ++p)
    for (std::int32_t k = 0; k < capacity[p] && std::ssize(part) < vertices; ++k)
      part.push_back(static_cast<std::int32_t>(p));
  return part;
}

// The least traffic between parts, of all ways to fill them.
std::int64_t least_cut(const Graph& graph, const Ints& capacity) {
  const auto parts = static_cast<std::int32_t>(capacity.size());
  Ints part(graph.vertices(), 0);
  std::int64_t least = -1;
  for (;;) {
    if (within(capacity, part)) {
      const std::int64_t now = cut(graph, part);
      if (least < 0 || now < least) least = now;
    }
    std::size_t k = 0;
    while (k < part.size() && ++part[k] == parts) part[k++] = 0;
    if (k == part.size()) return least;
  }
}

}  // namespace

START_TEST(small_graphs_keep_to_the_capacity_and_gain) {
  Random random(3);
  const WorkBudget watch;
  const int cases = instances(200);
  int gains = 0;
  for (int k = 0; k < cases; ++k) {
    const std::int32_t vertices = 6 + random.below(3);
    const std::int32_t parts = 2 + random.below(2);
    const Graph graph = random_graph(vertices, 2 * vertices, 9, random);
    Ints capacity(parts);
    for (std::int32_t left = vertices + random.below(2), p = 0; p < parts; ++p) {
      capacity[p] = p + 1 < parts ? left / (parts - p) + random.below(2) : left;
      left -= capacity[p];
    }
    Ints part = in_order(capacity, vertices);
    const std::int64_t before = cut(graph, part);
    anneal_parts(graph, capacity, part, 100, random, watch);
    ck_assert(within(capacity, part));
    const std::int64_t after = cut(graph, part), best = least_cut(graph, capacity);
    ck_assert_int_le(after, before);
    ck_assert_int_ge(after, best);
    gains += after < before;
    if (after > best) continue;
    const Ints kept = part;
    anneal_parts(graph, capacity, part, 100, random, watch);
    ck_assert(part == kept);
  }
  ck_assert_int_ge(gains, cases / 2);
}
END_TEST

START_TEST(groups_without_traffic_between_them_are_not_divided) {
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 64; ++a)
    for (std::int32_t b = a + 8; b < 64; b += 8) edges.push_back({a, b, 5});  // eight groups of eight, far apart
  const Graph graph = scaled_graph(CommMatrix::from_edges(64, std::move(edges)));
  const Ints capacity(8, 8);
  Ints part = in_order(capacity, 64);
  Random random(1);
  anneal_parts(graph, capacity, part, 200, random, WorkBudget());
  ck_assert(within(capacity, part));
  ck_assert_int_eq(cut(graph, part), 0);
}
END_TEST

START_TEST(equal_arguments_give_equal_parts) {
  Random random(5);
  const Graph graph = random_graph(300, 2400, 1000, random);
  const Ints capacity{100, 75, 50, 80};
  Ints part[2];
  for (Ints& result : part) {
    result = in_order(capacity, 300);
    Random same(7);
    anneal_parts(graph, capacity, result, 30, same, WorkBudget());
    ck_assert(within(capacity, result));
  }
  ck_assert(part[0] == part[1]);
  ck_assert_int_lt(cut(graph, part[0]), cut(graph, in_order(capacity, 300)));
}
END_TEST

START_TEST(parts_stay_when_the_time_ends) {
  Random random(5);
  const Graph graph = random_graph(300, 2400, 1000, random);
  const Ints capacity{100, 100, 100};
  for (const int us : {-1, 100, 500}) {
    Ints part = in_order(capacity, 300);
    bool ended = false;
    try {
      anneal_parts(graph, capacity, part, 1'000'000, random,
                   WorkBudget(Deadline::after(std::chrono::microseconds(us))));
    } catch (const OutOfTime&) {
      ended = true;
    }
    ck_assert(ended);
    ck_assert(part == in_order(capacity, 300));
  }
}
END_TEST

// The sizes that the header states.
START_TEST(graphs_that_suit_annealing) {
  Random random(1);
  ck_assert(!can_anneal_parts(random_graph(31, 100, 9, random), 2));
  ck_assert(can_anneal_parts(random_graph(32, 100, 9, random), 2));
  ck_assert(!can_anneal_parts(random_graph(32, 100, 9, random), 1));
  ck_assert(!can_anneal_parts(random_graph(32, 0, 9, random), 2));
  ck_assert(can_anneal_parts(random_graph(4096, 100, 9, random), 256));
  ck_assert(!can_anneal_parts(random_graph(4096, 100, 9, random), 257));
}
END_TEST

int main() {
  Suite* suite = suite_create("part_annealing");
  TCase* all = tcase_create("all");
  tcase_add_test(all, small_graphs_keep_to_the_capacity_and_gain);
  tcase_add_test(all, groups_without_traffic_between_them_are_not_divided);
  tcase_add_test(all, equal_arguments_give_equal_parts);
  tcase_add_test(all, parts_stay_when_the_time_ends);
  tcase_add_test(all, graphs_that_suit_annealing);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
