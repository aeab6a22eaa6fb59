// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the chosen group of nodes: first the published figures, then difficult cases.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "netload/group_search.hpp"
#include "tests/check.hpp"
#include "tests/netload/nla_cases.hpp"

using namespace placement;
using namespace placement::netload;

namespace {

// Returns the T_G of the best of all groups with enough processors.
double exhaustive_total(const GroupInput& input, const GroupChoice& choice, std::int32_t count) {
  double best = INFINITY;
  const std::size_t nodes = input.processors.size();
  for (std::uint32_t set = 1; set < 1U << nodes; ++set) {
    std::vector<std::int32_t> members;
    std::int32_t room = 0;
    for (std::size_t n = 0; n < nodes; ++n)
      if (set >> n & 1) {
        members.push_back(static_cast<std::int32_t>(n));
        room += input.processors[n];
      }
    if (room >= count) best = std::min(best, total_load(input, choice, measured_group(input, members)));
  }
  return best;
}

}  // namespace

START_TEST(worked_figure_of_candidate_groups) {
  // [NLA §5]: nodes 0 to 3 are v1 to v4. The loads are given directly, so they are not normalised.
  DensePairs pairs;
  pairs.nodes = 4;
  pairs.latency_us = {0, 0, 0, 45, 0, 0, 0, 70, 0, 0, 0, 65, 45, 70, 65, 0};
  NlaWeights weights;
  // This undoes the division by the number of nodes times the mean over the six pairs.
  weights.latency = 4.0 * (45 + 70 + 65) / 6;
  const Case four{{52, 47, 74, 38.3}, NetworkLoad(pairs, weights), {6, 8, 5, 4}, 0.4, 0.6};
  const double expected[] = {47.8, 60.8, 68.6};
  for (std::int32_t n = 0; n < 3; ++n)  // the addition loads of v4
    ck_assert_double_eq_tol(four.alpha * four.compute[static_cast<std::size_t>(n)] + four.beta * four.network.at(3, n),
                            expected[n], 1e-9);
  const std::vector<std::int32_t> group = StartGroups(four.input(), processes(16)).of_start(3);
  ck_assert(group == (std::vector<std::int32_t>{0, 1, 3}));
}
END_TEST

START_TEST(published_case) {
  for (const GroupSearch search : {GroupSearch::paper, GroupSearch::improved}) {
    const Case cluster = case_7({});
    const GroupChoice choice = choose_group(cluster.input(), processes(32), search);
    ck_assert(names_of(choice.best) == (std::vector<int>{1, 5, 8, 9, 10, 12, 15, 16}));
    double load = 0;
    for (const std::int32_t node : choice.best.nodes) load += load_7[node];
    ck_assert_double_eq_tol(load / 8, 0.6325, 1e-9);
    ck_assert_double_eq_tol(choice.best.total_load, 0.03581202964648331, 1e-12);
    ck_assert_int_eq(choice.starts, nodes_7);
  }
}
END_TEST

START_TEST(published_case_with_any_single_weights) {
  for (const double compute : {0.3, 1.0})
    for (const double network : {0.75, 1.0}) {
      NlaWeights weights;
      weights.attribute[0] = compute;
      weights.bandwidth = network;
      const Case cluster = case_7(weights);
      const GroupChoice choice = choose_group(cluster.input(), processes(32), GroupSearch::improved);
      ck_assert(names_of(choice.best) == (std::vector<int>{1, 5, 8, 9, 10, 12, 15, 16}));
    }
}
END_TEST

START_TEST(one_node_and_too_many_processes) {
  const Case one{{0.1}, NetworkLoad(1), {4}};
  GroupChoice choice = choose_group(one.input(), processes(3), GroupSearch::improved);
  ck_assert(choice.best.nodes == (std::vector<std::int32_t>{0}));
  ck_assert(!choice.short_of_processors);
  ck_assert_double_eq_tol(choice.best.total_load, 0.3, 1e-12);  // C / sum of C; a single node has no pairs
  choice = choose_group(one.input(), processes(5), GroupSearch::improved);
  ck_assert(choice.short_of_processors);
  const Case all = random_case(7, 6, 2);
  choice = choose_group(all.input(), processes(1000), GroupSearch::improved);
  ck_assert_int_eq(choice.best.nodes.size(), 6);
  ck_assert(choice.short_of_processors);
}
END_TEST

START_TEST(ties_go_to_the_first_nodes) {
  const Case equal{std::vector<double>(8, 0.125), NetworkLoad(8), std::vector<std::int32_t>(8, 2)};
  for (const GroupSearch search : {GroupSearch::paper, GroupSearch::improved}) {
    const GroupChoice choice = choose_group(equal.input(), processes(6), search);
    ck_assert(choice.best.nodes == (std::vector<std::int32_t>{0, 1, 2}));
  }
  ck_assert(StartGroups(equal.input(), processes(6)).of_start(5) == (std::vector<std::int32_t>{0, 1, 5}));
}
END_TEST

START_TEST(zero_sums_give_zero_loads) {
  const Case idle{std::vector<double>(4, 0), NetworkLoad(4), std::vector<std::int32_t>(4, 1)};
  const GroupChoice choice = choose_group(idle.input(), processes(2), GroupSearch::improved);
  ck_assert(choice.best.nodes == (std::vector<std::int32_t>{0, 1}));
  ck_assert_double_eq(choice.best.total_load, 0);
}
END_TEST

START_TEST(limits_are_kept) {
  const Case made = random_case(3, 12, 4);
  GroupRequest request = processes(6);
  request.min_nodes = 5;
  GroupChoice choice = choose_group(made.input(), request, GroupSearch::improved);
  ck_assert_int_eq(choice.best.nodes.size(), 5);
  request.min_nodes = 1;
  request.required = {11, 4};
  choice = choose_group(made.input(), request, GroupSearch::improved);
  for (const std::int32_t node : request.required)
    ck_assert_int_eq(std::count(choice.best.nodes.begin(), choice.best.nodes.end(), node), 1);
  request.max_nodes = 1;
  ck_assert_error(choose_group(made.input(), request, GroupSearch::improved), "no group");
}
END_TEST

START_TEST(nodes_without_processors_are_no_candidates) {
  Case made = random_case(5, 8, 3);
  made.compute.assign(8, 1.0);
  made.compute[2] = 0;
  made.processors[2] = 0;
  const GroupChoice choice = choose_group(made.input(), processes(4), GroupSearch::improved);
  ck_assert_int_eq(std::count(choice.best.nodes.begin(), choice.best.nodes.end(), 2), 0);
  ck_assert(StartGroups(made.input(), processes(4)).of_start(2).empty());
}
END_TEST

START_TEST(never_worse_than_the_paper_and_mostly_the_optimum) {
  struct Kind {
    const char* name;
    bool uneven, ties, missing;
  };
  for (const Kind& kind : {Kind{"nodes of 1 to 4", false, false, false}, Kind{"uneven nodes", true, false, false},
                           Kind{"ties", false, true, false}, Kind{"missing pairs", false, false, true}}) {
    int optimal = 0, optimal_paper = 0;
    constexpr int cases = 60;
    double worst = 1;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
      Case made = random_case(seed, 12, 1 + static_cast<std::int32_t>(seed % 4), kind.ties, kind.missing);
      if (kind.uneven)
        for (std::size_t n = 0; n < 12; ++n)
          made.processors[n] = (n * 5 + seed) % 3 == 0 ? 16 : 2 + static_cast<std::int32_t>((n + seed) % 3);
      made.alpha = 0.1 * static_cast<double>(seed % 11);
      made.beta = 1 - made.alpha;
      const auto count = static_cast<std::int32_t>(kind.uneven ? 10 + seed % 30 : 3 + seed % 7);
      const GroupChoice paper = choose_group(made.input(), processes(count), GroupSearch::paper);
      const GroupChoice better = choose_group(made.input(), processes(count), GroupSearch::improved);
      ck_assert_double_le(better.best.total_load, paper.best.total_load);
      ck_assert_double_eq(better.compute_sum, paper.compute_sum);
      const double least = exhaustive_total(made.input(), paper, count);
      ck_assert_double_ge(better.best.total_load, least * (1 - 1e-9));
      optimal += better.best.total_load <= least * (1 + 1e-9);
      optimal_paper += paper.best.total_load <= least * (1 + 1e-9);
      if (least > 0) worst = std::max(worst, better.best.total_load / least);
    }
    ck_assert_msg(optimal >= 58 && optimal > optimal_paper && worst < 1.2,
                  "%s: optimum in %d of %d cases, by the paper in %d; at worst %.3f times it", kind.name, optimal,
                  cases, optimal_paper, worst);
  }
}
END_TEST

// Pairs of nodes with fast links are a local optimum for exchanges of single nodes, although fours with medium links
// may be better.
static NetworkLoad network_of_pairs(std::int32_t nodes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const double four = 40e6 + 50e6 * unit(), other = 40e6 * unit();
  DensePairs pairs{nodes, {}, std::vector<double>(static_cast<std::size_t>(nodes * nodes), 0), {}};
  for (std::int32_t u = 0; u < nodes; ++u)
    for (std::int32_t v = 0; v < u; ++v)
      pairs.bandwidth_Bps[static_cast<std::size_t>(u * nodes + v)] =
          pairs.bandwidth_Bps[static_cast<std::size_t>(v * nodes + u)] = (u / 2 == v / 2   ? 100e6
                                                                          : u / 4 == v / 4 ? four
                                                                                           : other) *
                                                                         (0.6 + 0.4 * unit());
  return {pairs, {}};
}

START_TEST(never_worse_than_a_simple_rule_by_its_own_measure) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const auto nodes = static_cast<std::int32_t>(seed % 2 == 0 ? 8 : 2 + seed % 23);
    Case made = random_case(seed, nodes, 1 + static_cast<std::int32_t>(seed % 3), seed % 5 == 0, seed % 7 == 0);
    made.alpha = 0.1 * static_cast<double>(seed % 11);
    made.beta = 1 - made.alpha;
    if (seed % 2 == 0) made.network = network_of_pairs(nodes, seed);
    const GroupRequest request = processes(1 + static_cast<std::int32_t>(seed % 17));
    const std::vector<std::vector<std::int32_t>> known{{0}, {nodes - 1, 0}, {nodes / 2, 0, nodes - 1}};
    GroupInput input = made.input();
    input.known_groups = known;
    const GroupChoice chosen = choose_group(input, request, GroupSearch::improved);
    std::vector<std::vector<std::int32_t>> rules{least_loaded_group(input, request)};
    std::vector<std::int32_t> order(static_cast<std::size_t>(nodes));
    std::iota(order.begin(), order.end(), 0);
    for (std::int32_t first = 0; first < nodes; ++first) {
      rules.push_back(group_in_order(input, request, order));
      std::rotate(order.begin(), order.begin() + 1, order.end());
    }
    for (const std::vector<std::int32_t>& group : known) {
      std::int64_t room = 0;
      for (const std::int32_t node : group) room += made.processors[static_cast<std::size_t>(node)];
      if (room >= request.processes && nodes > 2) rules.push_back(group);
    }
    rules.push_back(choose_group(input, request, GroupSearch::paper).best.nodes);
    for (const std::vector<std::int32_t>& group : rules)
      ck_assert_double_le(chosen.best.total_load,
                          total_load(input, chosen, measured_group(input, group)) * (1 + 1e-12));
  }
}
END_TEST

// The clock is simulated: it advances whenever it is read.
static Deadline::Time now;

START_TEST(a_deadline_makes_it_no_worse_than_a_simple_rule_or_less_time) {
  Deadline::wall_clock = [] { return now += std::chrono::microseconds(25); };
  Deadline::processor_clock = [] { return now; };
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto nodes = static_cast<std::int32_t>(8 + seed % 23);
    Case made = random_case(seed, nodes, 1 + static_cast<std::int32_t>(seed % 3));
    if (seed % 2 == 0) made.network = network_of_pairs(nodes, seed);
    const GroupRequest request = processes(1 + static_cast<std::int32_t>(seed % 17));
    const GroupInput input = made.input();
    std::vector<std::int32_t> order(static_cast<std::size_t>(nodes));
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::int32_t> with_less_time;
    for (const int us : {0, 25, 50, 100, 200, 500, 1000, 5000, 50'000}) {
      const GroupChoice choice =
          choose_group(input, request, GroupSearch::improved, Deadline::after(std::chrono::microseconds(us)));
      for (const auto& group : {least_loaded_group(input, request), group_in_order(input, request, order)})
        ck_assert_double_le(choice.best.total_load,
                            total_load(input, choice, measured_group(input, group)) * (1 + 1e-12));
      if (!with_less_time.empty())
        ck_assert_double_le(choice.best.total_load,
                            total_load(input, choice, measured_group(input, with_less_time)) * (1 + 1e-12));
      with_less_time = choice.best.nodes;
    }
  }
}
END_TEST

START_TEST(runners_up_differ_and_come_in_order) {
  const Case cluster = case_7({});
  const GroupChoice choice = choose_group(cluster.input(), processes(32), GroupSearch::paper);
  ck_assert_int_ge(choice.runners_up.size(), 2);
  double last = choice.best.total_load;
  for (const Group& group : choice.runners_up) {
    ck_assert(group.nodes != choice.best.nodes);
    ck_assert_double_ge(group.total_load, last);
    last = group.total_load;
  }
  ck_assert(names_of(choice.runners_up[0]) == (std::vector<int>{1, 5, 6, 8, 10, 12, 15, 16}));
}
END_TEST

START_TEST(an_expired_deadline_is_reported) {
  const Case cluster = case_7({});
  ck_assert_error(
      choose_group(cluster.input(), processes(32), GroupSearch::paper, Deadline::after(std::chrono::microseconds(0))),
      "no time");
}
END_TEST

START_TEST(processes_go_round_robin_when_processors_are_too_few) {
  const std::vector<std::int32_t> processors{3, 1, 2};
  ck_assert(processes_per_node(processors, 4) == (std::vector<std::int32_t>{2, 1, 1}));
  ck_assert(processes_per_node(processors, 6) == (std::vector<std::int32_t>{3, 1, 2}));
  ck_assert(processes_per_node(processors, 10) == (std::vector<std::int32_t>{5, 2, 3}));
  ck_assert(processes_per_node({}, 4).empty());
}
END_TEST

int main() {
  Suite* suite = suite_create("group_search");
  TCase* published = tcase_create("published");
  tcase_add_test(published, worked_figure_of_candidate_groups);
  tcase_add_test(published, published_case);
  tcase_add_test(published, published_case_with_any_single_weights);
  suite_add_tcase(suite, published);
  TCase* groups = tcase_create("groups");
  tcase_add_test(groups, one_node_and_too_many_processes);
  tcase_add_test(groups, ties_go_to_the_first_nodes);
  tcase_add_test(groups, zero_sums_give_zero_loads);
  tcase_add_test(groups, limits_are_kept);
  tcase_add_test(groups, nodes_without_processors_are_no_candidates);
  tcase_add_test(groups, never_worse_than_the_paper_and_mostly_the_optimum);
  tcase_add_test(groups, never_worse_than_a_simple_rule_by_its_own_measure);
  tcase_add_test(groups, a_deadline_makes_it_no_worse_than_a_simple_rule_or_less_time);
  tcase_add_test(groups, runners_up_differ_and_come_in_order);
  tcase_add_test(groups, an_expired_deadline_is_reported);
  tcase_add_test(groups, processes_go_round_robin_when_processors_are_too_few);
  suite_add_tcase(suite, groups);
  return run_suite(suite);
}
