// SPDX-License-Identifier: GPL-2.0-or-later
// Network- and load-aware selection: the published figures first, then what is hard.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "netload/compute_load.hpp"
#include "netload/group_search.hpp"
#include "netload/live_input.hpp"
#include "netload/load_tables.hpp"
#include "netload/network_load.hpp"
#include "netload/profile_weights.hpp"
#include "netload/row_kernels.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

namespace {

// The 19 nodes of [NLA §7]: what is missing from the peak bandwidth, and the CPU load.
constexpr int nodes_7 = 19;
constexpr int names_7[nodes_7] = {1, 4, 5, 6, 8, 9, 10, 12, 13, 15, 16, 19, 20, 23, 28, 32, 50, 51, 54};
constexpr double missing_7[nodes_7][nodes_7] = {
    {0, 50, 17, 15, 10, 22, 10, 23, 68, 11, 16, 69, 56, 44, 30, 70, 41, 36, 38},
    {50, 0, 29, 24, 14, 12, 25, 21, 32, 10, 9, 80, 71, 45, 29, 73, 61, 67, 52},
    {17, 29, 0, 29, 11, 18, 14, 13, 51, 7, 7, 70, 61, 53, 35, 55, 37, 52, 39},
    {15, 24, 29, 0, 15, 15, 9, 9, 55, 21, 31, 75, 65, 48, 38, 59, 41, 55, 51},
    {10, 14, 11, 15, 0, 23, 18, 6, 56, 9, 12, 81, 64, 57, 27, 61, 33, 60, 53},
    {22, 12, 18, 15, 23, 0, 11, 5, 50, 9, 6, 75, 37, 40, 55, 57, 22, 55, 56},
    {10, 25, 14, 9, 18, 11, 0, 5, 44, 22, 17, 66, 68, 53, 43, 61, 37, 55, 52},
    {23, 21, 13, 9, 6, 5, 5, 0, 32, 6, 9, 71, 64, 52, 43, 71, 41, 60, 53},
    {68, 32, 51, 55, 56, 50, 44, 32, 0, 43, 50, 11, 10, 8, 43, 10, 52, 69, 54},
    {11, 10, 7, 21, 9, 9, 22, 6, 43, 0, 10, 65, 66, 54, 39, 45, 50, 65, 54},
    {16, 9, 7, 31, 12, 6, 17, 9, 50, 10, 0, 44, 78, 57, 61, 60, 59, 59, 57},
    {69, 80, 70, 75, 81, 75, 66, 71, 11, 65, 44, 0, 13, 29, 11, 10, 48, 72, 38},
    {56, 71, 61, 65, 64, 37, 68, 64, 10, 66, 78, 13, 0, 14, 8, 10, 49, 69, 47},
    {44, 45, 53, 48, 57, 40, 53, 52, 8, 54, 57, 29, 14, 0, 10, 24, 43, 77, 40},
    {30, 29, 35, 38, 27, 55, 43, 43, 43, 39, 61, 11, 8, 10, 0, 15, 44, 58, 29},
    {70, 73, 55, 59, 61, 57, 61, 71, 10, 45, 60, 10, 10, 24, 15, 0, 47, 72, 38},
    {41, 61, 37, 41, 33, 22, 37, 41, 52, 50, 59, 48, 49, 43, 44, 47, 0, 5, 13},
    {36, 67, 52, 55, 60, 55, 55, 60, 69, 65, 59, 72, 69, 77, 58, 72, 5, 0, 9},
    {38, 52, 39, 51, 53, 56, 52, 53, 54, 54, 57, 38, 47, 40, 29, 38, 13, 9, 0}};
constexpr double load_7[nodes_7] = {0.68, 5.19, 0.58, 0.68, 0.66, 1.08, 0.71, 0.24, 0.78, 0.56,
                                    0.55, 0.7,  0.38, 1.1,  0.62, 0.54, 0.43, 0.35, 0.42};

// Candidates with loads and pairs of one's own choice; keeps what a GroupInput points to.
struct Case {
  std::vector<double> compute;
  NetworkLoad network;
  std::vector<std::int32_t> processors;
  double alpha = 0.3;
  double beta = 0.7;

  GroupInput input() const { return {compute, &network, processors, alpha, beta}; }
};

Case case_7(const NlaWeights& weights) {
  NodeTable table;
  table.nodes = nodes_7;
  table[NodeAttribute::cpu_load].assign(std::begin(load_7), std::end(load_7));
  DensePairs pairs;
  pairs.nodes = nodes_7;
  for (const auto& row : missing_7) pairs.bandwidth_missing_Bps.insert(pairs.bandwidth_missing_Bps.end(), row, row + nodes_7);
  return {compute_load(table, weights), NetworkLoad(pairs, weights), std::vector<std::int32_t>(nodes_7, 4)};
}

std::vector<int> names_of(const Group& group) {
  std::vector<int> names;
  for (const std::int32_t node : group.nodes) names.push_back(names_7[node]);
  return names;
}

GroupRequest processes(std::int32_t count) {
  GroupRequest request;
  request.processes = count;
  return request;
}

Case random_case(std::uint64_t seed, std::int32_t nodes, std::int32_t most_processors) {
  std::mt19937_64 random(seed);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  DensePairs pairs;
  pairs.nodes = nodes;
  const auto count = static_cast<std::size_t>(nodes);
  pairs.latency_us.assign(count * count, 0.0);
  pairs.bandwidth_Bps.assign(count * count, 0.0);
  Case made;
  for (std::size_t u = 0; u < count; ++u) {
    made.compute.push_back(unit() / nodes);
    made.processors.push_back(1 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(most_processors)));
    for (std::size_t v = 0; v < u; ++v) {
      const bool near = u / 4 == v / 4;
      pairs.latency_us[u * count + v] = pairs.latency_us[v * count + u] = (near ? 20 : 80) * (0.5 + unit());
      pairs.bandwidth_Bps[u * count + v] = pairs.bandwidth_Bps[v * count + u] = (near ? 110e6 : 60e6) * unit();
    }
  }
  made.network = NetworkLoad(pairs, {});
  return made;
}

// T_G of the best of all groups that have processors enough.
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

// ---- published figures

START_TEST(worked_figure_of_candidate_groups) {
  // [NLA §5]: v1 .. v4 are nodes 0 .. 3; loads are given as they are, so no normalisation takes part.
  DensePairs pairs;
  pairs.nodes = 4;
  pairs.latency_us = {0, 0, 0, 45, 0, 0, 0, 70, 0, 0, 0, 65, 45, 70, 65, 0};
  NlaWeights weights;
  // Undo the division by |V| times the mean over the six pairs.
  weights.latency = 4.0 * (45 + 70 + 65) / 6;
  const Case four{{52, 47, 74, 38.3}, NetworkLoad(pairs, weights), {6, 8, 5, 4}, 0.4, 0.6};
  const std::vector<double> loads = addition_loads(four.input(), 3);
  const double expected[] = {47.8, 60.8, 68.6, 0};
  for (std::size_t n = 0; n < 4; ++n) ck_assert_double_eq_tol(loads[n], expected[n], 1e-9);
  const std::vector<std::int32_t> group = candidate_group(four.input(), processes(16), 3);
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

START_TEST(published_case_whatever_the_single_weights) {
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

START_TEST(mean_of_network_load_is_that_of_a_node_attribute) {
  NlaWeights weights;
  weights.bandwidth = 1;
  const Case cluster = case_7(weights);
  double sum = 0;
  for (std::int32_t u = 0; u < nodes_7; ++u)
    for (std::int32_t v = 0; v < u; ++v) sum += cluster.network.at(u, v);
  ck_assert_double_eq_tol(sum / (nodes_7 * (nodes_7 - 1) / 2), 1.0 / nodes_7, 1e-12);
  ck_assert_double_eq_tol(std::accumulate(cluster.compute.begin(), cluster.compute.end(), 0.0), 0.3, 1e-12);
}
END_TEST

// ---- compute load and processors

START_TEST(compute_load_by_hand) {
  NodeTable table;
  table.nodes = 3;
  table[NodeAttribute::cpu_load] = {1, 2, 5};
  table[NodeAttribute::cores] = {8, 4, 12};  // maximised
  table[NodeAttribute::users] = {0, 0, 0};   // sum 0
  NlaWeights weights;
  weights.attribute[static_cast<std::size_t>(NodeAttribute::users)] = 5;
  const std::vector<double> load = compute_load(table, weights);
  const double expected[] = {0.3 / 8 + 0.1 * 4 / 24, 0.6 / 8 + 0.1 * 8 / 24, 1.5 / 8};
  for (std::size_t n = 0; n < 3; ++n) ck_assert_double_eq_tol(load[n], expected[n], 1e-12);
}
END_TEST

START_TEST(unknown_attributes_count_as_the_worst) {
  NodeTable table;
  table.nodes = 4;
  table[NodeAttribute::cpu_load] = {1, unknown_value, 3, 2};
  table[NodeAttribute::cores] = {4, 8, unknown_value, 12};
  const std::vector<double> load = compute_load(table, {});
  ck_assert_double_eq_tol(load[1] - 0.1 * 4 / 32, 0.3 * 3 / 8, 1e-12);
  ck_assert_double_eq_tol(load[2] - 0.3 * 3 / 8, 0.1 * 8 / 32, 1e-12);
  table[NodeAttribute::cpu_load].assign(4, unknown_value);
  table[NodeAttribute::cores].clear();
  for (const double value : compute_load(table, {})) ck_assert_double_eq(value, 0);
}
END_TEST

START_TEST(huge_attributes_do_not_overflow) {
  NodeTable table;
  table.nodes = 2;
  table[NodeAttribute::cpu_load] = {1e308, 1e308};
  for (const double value : compute_load(table, {})) ck_assert_double_eq_tol(value, 0.15, 1e-12);
}
END_TEST

START_TEST(processors_beside_a_load) {
  ck_assert_int_eq(effective_processors(12, 0), 12);
  ck_assert_int_eq(effective_processors(12, 0.68), 11);
  ck_assert_int_eq(effective_processors(12, 5.19), 6);
  ck_assert_int_eq(effective_processors(12, 12), 1);  // as printed: 12
  ck_assert_int_eq(effective_processors(12, 11.5), 1);
  ck_assert_int_eq(effective_processors(12, 40), 1);
  ck_assert_int_eq(effective_processors(12, 40, 3), 3);
  ck_assert_int_eq(effective_processors(12, 12, 1, ProcessorFormula::printed), 12);
  ck_assert_int_eq(effective_processors(12, 13.5, 1, ProcessorFormula::printed), 10);
  ck_assert_int_eq(effective_processors(unknown_value, 0), 1);
  ck_assert_int_eq(effective_processors(8, unknown_value), 8);
  ck_assert_int_eq(effective_processors(8, -3), 8);
  ck_assert_int_eq(effective_processors(1e300, 0), 1 << 24);
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

// ---- network load

START_TEST(available_and_missing_bandwidth_are_the_same_thing) {
  DensePairs missing, available;
  missing.nodes = available.nodes = 3;
  missing.bandwidth_missing_Bps = {0, 0, 10, 0, 0, 30, 10, 30, 0};
  available.bandwidth_Bps = {0, 100, 90, 100, 0, 70, 90, 70, 0};
  const NetworkLoad a(missing, {}), b(available, {});
  for (std::int32_t u = 0; u < 3; ++u)
    for (std::int32_t v = 0; v < 3; ++v) ck_assert_double_eq_tol(a.at(u, v), b.at(u, v), 1e-15);
  ck_assert_double_eq_tol(a.at(1, 2), 0.75 * 30 / 40, 1e-12);
  ck_assert_double_eq(a.at(0, 1), 0);
}
END_TEST

START_TEST(unknown_pairs_count_as_the_worst) {
  DensePairs pairs;
  pairs.nodes = 3;
  const double no = unknown_value;
  pairs.latency_us = {0, 10, no, 10, 0, 30, no, 30, 0};
  const NetworkLoad network(pairs, {});
  ck_assert_double_eq(network.at(0, 2), network.at(1, 2));
  ck_assert_double_eq_tol(network.at(0, 1), 0.25 * 10 / 20 / 3, 1e-12);
  ck_assert_int_eq(network.known_pairs(), 2);
  pairs.latency_us.assign(9, no);
  const NetworkLoad nothing(pairs, {});
  ck_assert_double_eq(nothing.at(0, 1), 0);
  ck_assert_double_eq(NetworkLoad(3).at(0, 1), 0);
}
END_TEST

// ---- groups

START_TEST(one_node_and_too_many_processes) {
  const Case one{{0.1}, NetworkLoad(1), {4}};
  GroupChoice choice = choose_group(one.input(), processes(3), GroupSearch::improved);
  ck_assert(choice.best.nodes == (std::vector<std::int32_t>{0}));
  ck_assert(!choice.short_of_processors);
  ck_assert_double_eq_tol(choice.best.total_load, 0.3, 1e-12);  // C / sum of C; no pair
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
  ck_assert(candidate_group(equal.input(), processes(6), 5) == (std::vector<std::int32_t>{0, 1, 5}));
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
  ck_assert_error(choose_group(made.input(), request, GroupSearch::improved), "no group of nodes");
}
END_TEST

START_TEST(nodes_without_processors_are_no_candidates) {
  Case made = random_case(5, 8, 3);
  made.compute.assign(8, 1.0);
  made.compute[2] = 0;
  made.processors[2] = 0;
  const GroupChoice choice = choose_group(made.input(), processes(4), GroupSearch::improved);
  ck_assert_int_eq(std::count(choice.best.nodes.begin(), choice.best.nodes.end(), 2), 0);
  ck_assert(candidate_group(made.input(), processes(4), 2).empty());
}
END_TEST

START_TEST(never_worse_than_the_paper_and_mostly_the_optimum) {
  int optimal = 0, optimal_paper = 0;
  constexpr int cases = 60;
  double worst = 1;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    Case made = random_case(seed, 12, 1 + static_cast<std::int32_t>(seed % 4));
    made.alpha = 0.1 * static_cast<double>(seed % 11);
    made.beta = 1 - made.alpha;
    const auto count = static_cast<std::int32_t>(3 + seed % 7);
    const GroupChoice paper = choose_group(made.input(), processes(count), GroupSearch::paper);
    const GroupChoice better = choose_group(made.input(), processes(count), GroupSearch::improved);
    ck_assert_double_le(better.best.total_load, paper.best.total_load);
    ck_assert_double_eq(better.compute_sum, paper.compute_sum);
    const double least = exhaustive_total(made.input(), paper, count);
    ck_assert_double_ge(better.best.total_load, least * (1 - 1e-9));
    optimal += better.best.total_load <= least * (1 + 1e-9);
    optimal_paper += paper.best.total_load <= least * (1 + 1e-9);
    worst = std::max(worst, better.best.total_load / least);
  }
  ck_assert_msg(optimal >= 57 && optimal > optimal_paper && worst < 1.5,
                "optimum in %d of %d cases, by the paper in %d; at worst %.3f times it", optimal, cases, optimal_paper, worst);
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

START_TEST(an_expired_deadline_is_told) {
  const Case cluster = case_7({});
  ck_assert_error(choose_group(cluster.input(), processes(32), GroupSearch::paper, Deadline::after(std::chrono::microseconds(0))),
                  "no time");
}
END_TEST

// ---- snapshots

namespace {

// A table whose groups are single nodes.
struct Snapshot {
  LiveState live;
  std::vector<std::int32_t> group, state_of;
  std::vector<float> latency, bandwidth;

  explicit Snapshot(std::int32_t nodes) {
    const auto count = static_cast<std::size_t>(nodes);
    live.nodes.resize(count);
    group.resize(count);
    std::iota(group.begin(), group.end(), 0);
    state_of = group;
    latency.assign(count * count, 50);
    bandwidth.assign(count * count, 1e8F);
    live.pairs.groups = nodes;
    live.pairs.group_of_node = group;
    live.pairs.latency_us = latency;
    live.pairs.bandwidth_Bps = bandwidth;
    for (NodeState& node : live.nodes) {
      node.cores = 8;
      node.memory_MiB = 16000;
      node.frequency_MHz = 3000;
      node.cpu_load = {1, 1, 1};
      node.memory_available_MiB = {8000, 8000, 8000};
      node.age_s = 3;
    }
  }
  void pair(std::int32_t u, std::int32_t v, float us, float Bps) {
    const auto count = group.size();
    const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
    latency[a * count + b] = latency[b * count + a] = us;
    bandwidth[a * count + b] = bandwidth[b * count + a] = Bps;
  }
};

}  // namespace

START_TEST(a_snapshot_gives_the_same_as_tables) {
  std::mt19937_64 random(11);
  Snapshot snapshot(12);
  DensePairs pairs;
  pairs.nodes = 12;
  for (std::int32_t u = 0; u < 12; ++u)
    for (std::int32_t v = 0; v < u; ++v)
      snapshot.pair(u, v, 40 + static_cast<float>(random() % 40), 1e8F + static_cast<float>(random() % 1024) * 65536);
  pairs.latency_us.assign(snapshot.latency.begin(), snapshot.latency.end());
  pairs.bandwidth_Bps.assign(snapshot.bandwidth.begin(), snapshot.bandwidth.end());
  const NetworkLoad live(snapshot.live.pairs, snapshot.state_of, {}), table(pairs, {});
  for (std::int32_t u = 0; u < 12; ++u)
    for (std::int32_t v = 0; v < 12; ++v) ck_assert_double_eq_tol(live.at(u, v), table.at(u, v), 1e-8);
}
END_TEST

START_TEST(many_nodes_give_the_same_as_few) {
  // Above a thousand nodes nothing is kept of the matrix: compare with tables, row by row.
  constexpr std::int32_t nodes = 1100;
  Snapshot snapshot(nodes);
  std::mt19937_64 random(5);
  for (std::int32_t u = 0; u < nodes; ++u)
    for (std::int32_t v = 0; v < u; ++v)
      snapshot.pair(u, v, random() % 50 == 0 ? NAN : 40 + static_cast<float>(random() % 40),
                    random() % 50 == 0 ? NAN : 5e7F + static_cast<float>(random() % 1024) * 65536);
  const NetworkLoad live(snapshot.live.pairs, snapshot.state_of, {});
  ck_assert(!live.dense());
  DensePairs pairs;
  pairs.nodes = nodes;
  pairs.latency_us.assign(snapshot.latency.begin(), snapshot.latency.end());
  pairs.bandwidth_Bps.assign(snapshot.bandwidth.begin(), snapshot.bandwidth.end());
  const NetworkLoad table(pairs, {});
  std::vector<float> base(nodes, 0), sum(nodes), least(nodes / row_block + 1), scratch;
  for (const std::int32_t u : {0, 17, 1099}) {
    live.add_row(u, 1, base, sum, least, scratch);
    const std::int32_t other = u == 0 ? 1 : 0;
    const double shift = table.at(u, other) - static_cast<double>(sum[static_cast<std::size_t>(other)]);
    for (std::size_t k = 0; k < least.size(); ++k)
      ck_assert_float_eq(least[k], *std::min_element(sum.begin() + static_cast<std::ptrdiff_t>(k * row_block),
                                                     sum.begin() + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>((k + 1) * row_block), nodes)));
    for (std::int32_t v = 0; v < nodes; ++v) {
      if (u == v) continue;
      ck_assert_double_eq_tol(live.at(u, v), table.at(u, v), 1e-5 / nodes);
      ck_assert_double_eq_tol(static_cast<double>(sum[static_cast<std::size_t>(v)]) + shift, table.at(u, v), 1e-5 / nodes);
    }
  }
}
END_TEST

START_TEST(groups_of_nodes_and_terms_of_nodes) {
  LiveState live;
  live.nodes.resize(4);
  const std::vector<std::int32_t> group{0, 0, 1, 1}, state_of{0, 1, 2, 3};
  const std::vector<float> latency{10, 40, 40, 20}, bandwidth{100, 50, 50, 100}, more{0, 5, 0, 0}, most{100, 100, 25, 100};
  live.pairs.groups = 2;
  live.pairs.group_of_node = group;
  live.pairs.latency_us = latency;
  live.pairs.bandwidth_Bps = bandwidth;
  live.pairs.node_latency_us = more;
  live.pairs.node_bandwidth_Bps = most;
  const NetworkLoad network(live.pairs, state_of, {});
  // latency: 15, 40, 40, 45, 45, 20; missing of 100: 0, 75, 50, 75, 50, 75
  const double us = 0.25 / (205.0 / 6) / 4, Bps = 0.75 / (325.0 / 6) / 4;
  ck_assert_double_eq_tol(network.at(0, 1), 15 * us, 1e-8);
  ck_assert_double_eq_tol(network.at(1, 2), 45 * us + 75 * Bps, 1e-8);
  ck_assert_double_eq_tol(network.at(3, 2), 20 * us + 75 * Bps, 1e-8);
}
END_TEST

START_TEST(nodes_outside_the_table_have_unknown_pairs) {
  Snapshot snapshot(4);
  snapshot.pair(0, 1, 200, 2e7F);
  const std::vector<std::int32_t> state_of{0, 1, -1, 2, 77};
  const NetworkLoad network(snapshot.live.pairs, state_of, {});
  ck_assert_double_eq(network.at(0, 2), network.at(0, 1));
  ck_assert_double_eq(network.at(2, 4), network.at(0, 1));
  ck_assert_double_lt(network.at(0, 3), network.at(0, 1));
}
END_TEST

START_TEST(a_liar_harms_its_own_rank_alone) {
  for (const double lie : {1e12, -5.0, static_cast<double>(INFINITY), 0.0}) {
    Snapshot honest(10);
    for (std::size_t n = 0; n < 10; ++n) {
      const double load = 0.5 * static_cast<double>(n);
      honest.live.nodes[n].cpu_load = {load, load, load};
    }
    Snapshot lied = honest;
    NodeState& liar = lied.live.nodes[9];
    liar.cpu_load = liar.cpu_utilisation = liar.flow_rate_Bps = liar.users = {lie, lie, lie};
    liar.memory_available_MiB = {lie, lie, lie};
    liar.memory_MiB = liar.frequency_MHz = liar.cores = lie;
    const std::vector<double> cores(10, 8);
    const std::vector<double> load = compute_load(live_attributes(lied.live, lied.state_of, cores), {});
    for (std::size_t n = 1; n < 9; ++n) {
      ck_assert_double_gt(load[n], load[n - 1]);  // the order of the others
      // and a difference that still counts: half of what it was, at the least
      const std::vector<double> before = compute_load(live_attributes(honest.live, honest.state_of, cores), {});
      ck_assert_double_gt(load[n] - load[n - 1], 0.5 * (before[n] - before[n - 1]));
    }
  }
}
END_TEST

START_TEST(a_liar_does_not_hide_the_slow_links_of_others) {
  for (const float lie : {1e12F, -1.0F, NAN}) {
    Snapshot snapshot(8);
    snapshot.pair(0, 1, 150, 3e7F);
    for (std::int32_t v = 0; v < 7; ++v) snapshot.pair(7, v, lie, lie);
    const NetworkLoad network(snapshot.live.pairs, snapshot.state_of, {});
    ck_assert_double_gt(network.at(0, 1), 1.5 * network.at(2, 3));
    ck_assert_double_gt(network.at(0, 1), 0.5 / 8);
  }
}
END_TEST

START_TEST(only_load_beyond_slurms_counts) {
  NodeState node;
  ck_assert(std::isnan(load_beyond_slurm(node)));
  node.cpu_load = {4, 4, 4};
  ck_assert_double_eq_tol(load_beyond_slurm(node), 3.8, 1e-12);
  node.slurm_load = {3, 3, 3};
  ck_assert_double_eq_tol(load_beyond_slurm(node), 0.8, 1e-12);
  node.slurm_load = {9, 9, 9};
  ck_assert_double_eq(load_beyond_slurm(node), 0);
  node.cpu_load = {2, unknown_value, unknown_value};
  node.slurm_load = {};
  ck_assert_double_eq_tol(load_beyond_slurm(node), 1.8, 1e-12);
}
END_TEST

START_TEST(coverage_of_a_snapshot) {
  Snapshot snapshot(4);
  snapshot.live.nodes[1].cpu_load = {};
  snapshot.live.nodes[2].age_s = 40;
  const std::vector<std::int32_t> state_of{0, 1, 2, -1};
  const LiveCoverage coverage = live_coverage(snapshot.live, state_of);
  ck_assert_int_eq(coverage.candidates, 4);
  ck_assert_int_eq(coverage.told, 2);
  ck_assert_double_eq(coverage.oldest_s, 40);
}
END_TEST

// ---- weights and tables

START_TEST(weights_by_name) {
  ck_assert_double_eq(nla_weights({}).beta, 0.7);
  ck_assert_double_eq_tol(nla_weights({{"alpha", "0.4"}}).beta, 0.6, 1e-12);
  ck_assert_double_eq_tol(nla_weights({{"beta", "1"}}).alpha, 0, 1e-12);
  const NlaWeights set = nla_weights({{"cpu_load", "0.5"}, {"flow_rate_bps", "0"}, {"latency", "0.9"}, {"matrix", "x"}});
  ck_assert_double_eq(set.of(NodeAttribute::cpu_load), 0.5);
  ck_assert_double_eq(set.of(NodeAttribute::flow_rate), 0);
  ck_assert_double_eq(set.of(NodeAttribute::cpu_utilisation), 0.2);
  ck_assert_double_eq(set.latency, 0.9);
  ck_assert_error(nla_weights({{"alpha", "0.3"}, {"beta", "0.8"}}), "alpha=0.3 and beta=0.8 add up to 1.1: they must add up to 1");
  ck_assert_error(nla_weights({{"alpha", "1.5"}}), "alpha=1.5: a number from 0 to 1 is wanted");
  ck_assert_error(nla_weights({{"cores", "-1"}}), "cores=-1");
  ck_assert_error(nla_weights({{"cores", "nan"}}), "cores=nan");
  ck_assert_error(nla_weights({{"cores", "1x"}}), "cores=1x");
}
END_TEST

START_TEST(tables_are_read) {
  const NamedNodes nodes = read_node_table(
      "node\tcores\tcpu_load\tmemory_MiB\tmemory_available_MiB\n# a comment\nn1\t8\t0.5\t100\t60\r\nn2\t-\t\t100\tNA\n", "f");
  ck_assert_int_eq(nodes.names.size(), 2);
  ck_assert_double_eq(nodes.table[NodeAttribute::cores][0], 8);
  ck_assert(std::isnan(nodes.table[NodeAttribute::cores][1]));
  ck_assert(std::isnan(nodes.table[NodeAttribute::cpu_load][1]));
  ck_assert_double_eq(nodes.table[NodeAttribute::memory_used][0], 40);
  ck_assert(nodes.table[NodeAttribute::users].empty());
  const DensePairs pairs = read_pair_table("u v latency_us\nn1 n2 10\nn2 n1 30\nn1 n1 7\n", "p", nodes.names);
  ck_assert_double_eq(pairs.latency_us[1], 20);
  ck_assert_double_eq(pairs.latency_us[2], 20);
  ck_assert(pairs.bandwidth_Bps.empty());
}
END_TEST

START_TEST(bad_tables_are_refused) {
  const auto nodes = [](const char* text) { return read_node_table(text, "f"); };
  ck_assert_error(nodes(""), "f: the table is empty");
  ck_assert_error(nodes("node cores\n"), "f: there is no node");
  ck_assert_error(nodes("cores\n3\n"), "f: no column is named node");
  ck_assert_error(nodes("node cpu_laod\nn 1\n"), "f:1: unknown column 'cpu_laod': did you mean cpu_load?");
  ck_assert_error(nodes("node cores cores\nn 1 1\n"), "f:1: column cores is there twice");
  ck_assert_error(nodes("node cores\nn 1\nn 2\n"), "f:3: node n is there twice");
  ck_assert_error(nodes("node cores\nn 1 2\n"), "f:2: 3 fields");
  ck_assert_error(nodes("node cores\nn[1-3] 2\n"), "f:2: node 'n[1-3]': the name of one node is wanted");
  ck_assert_error(nodes("node cores\na 1\nb,c 2\n"), "f:3: node 'b,c': the name of one node is wanted");
  ck_assert_error(nodes("node cores\nn\xff 2\n"), "f:2: node 'n");
  ck_assert_error(nodes("node cores\nn -1\n"), "f:2: cores '-1': a number of 0 or more");
  ck_assert_error(nodes("node cores\nn inf\n"), "f:2: cores 'inf'");
  ck_assert_error(nodes("node cores\nn 4x\n"), "f:2: cores '4x'");
  const auto pairs = [](const char* text) { return read_pair_table(text, "p", {"a", "b"}); };
  ck_assert_error(pairs("u latency_us\na 1\n"), "p: no column is named v");
  ck_assert_error(pairs("u v latency_us\na c 1\n"), "p:2: node 'c' is not in the table of nodes");
  ck_assert_error(pairs("u v latency_us\na b 1\na b 2\n"), "p:3: the pair a b is there twice");
}
END_TEST

START_TEST(weights_from_a_profile) {
  const char* const summary =
      "ranks                 4\nrun time              10.0 s (mean over ranks)\n"
      "time in such calls    6.000000 s (mean; 5.000000 to 7.000000), 60.0 % of the run\n"
      "point-to-point        30000 bytes in 4 messages, 100.0 % of the bytes\n"
      "message sizes         bytes: messages\n  4096..8191: 3\n  8192..16383: 1\n";
  const CommunicationProfile profile = parse_profile_summary(summary, "s");
  ck_assert_double_eq_tol(profile.waiting_share, 0.5, 1e-12);
  ck_assert_int_eq(profile.sizes.size(), 2);
  Parameters weights = profile_weights(profile);
  ck_assert_text_eq(weights["alpha"] + " " + weights["beta"], "0.631 0.369");
  ck_assert_text_eq(weights["latency"], "0.494");  // 30000 of 30000 + 3 * 6143.5 + 12287.5
  ck_assert_double_eq(nla_weights(weights).beta, 0.369);
  const char* const mean_alone = "time in such calls 3 s, 30.0 % of the run";
  ck_assert_double_eq(parse_profile_summary(mean_alone, "s").waiting_share, 0.3);
  const char* const least_above_mean = "time in such calls 3 s (mean; 4 to 5), 30.0 % of the run";
  ck_assert_error(parse_profile_summary(least_above_mean, "s"), "tells no share");
  CommunicationProfile bulky{0.004, {{1 << 20, 1 << 21, 100}}};
  weights = profile_weights(bulky);
  ck_assert_text_eq(weights["beta"] + " " + weights["latency"] + " " + weights["bandwidth"], "0.000 0.050 0.950");
  ck_assert_double_eq_tol(nla_weights(profile_weights({1, {}})).alpha, 0, 1e-12);
  ck_assert_error(parse_profile_summary("ranks 4\n", "s"), "s: no line 'time in such calls");
  const char* const broken = "time in such calls x % of the run\n";
  ck_assert_error(parse_profile_summary(broken, "s"), "s:1: 'time in such calls x");
}
END_TEST

START_TEST(a_profile_fills_what_is_not_given) {
  const TemporaryDirectory directory;
  const std::string matrix = directory.file("app.mat", "np 2\n");
  directory.file("app.mat.summary", "time in such calls    1.0 s (mean; 1.0 to 1.0), 20.0 % of the run\n");
  Parameters parameters{{"profile", matrix}, {"latency", "0.9"}};
  replace_profile(parameters);
  ck_assert(!parameters.contains("profile"));
  ck_assert_text_eq(parameters["beta"] + " " + parameters["latency"] + " " + parameters["bandwidth"], "0.010 0.9 0.750");
  parameters = {{"profile", matrix}, {"alpha", "0.1"}};
  replace_profile(parameters);
  ck_assert(!parameters.contains("beta"));
  parameters = {{"profile", matrix + "x"}};
  ck_assert_error(replace_profile(parameters), "app.matx");
}
END_TEST

int main() {
  Suite* suite = suite_create("nla");
  TCase* published = tcase_create("published");
  tcase_add_test(published, worked_figure_of_candidate_groups);
  tcase_add_test(published, published_case);
  tcase_add_test(published, published_case_whatever_the_single_weights);
  tcase_add_test(published, mean_of_network_load_is_that_of_a_node_attribute);
  suite_add_tcase(suite, published);
  TCase* loads = tcase_create("loads");
  tcase_add_test(loads, compute_load_by_hand);
  tcase_add_test(loads, unknown_attributes_count_as_the_worst);
  tcase_add_test(loads, huge_attributes_do_not_overflow);
  tcase_add_test(loads, processors_beside_a_load);
  tcase_add_test(loads, processes_go_round_robin_when_processors_are_too_few);
  tcase_add_test(loads, available_and_missing_bandwidth_are_the_same_thing);
  tcase_add_test(loads, unknown_pairs_count_as_the_worst);
  suite_add_tcase(suite, loads);
  TCase* groups = tcase_create("groups");
  tcase_add_test(groups, one_node_and_too_many_processes);
  tcase_add_test(groups, ties_go_to_the_first_nodes);
  tcase_add_test(groups, zero_sums_give_zero_loads);
  tcase_add_test(groups, limits_are_kept);
  tcase_add_test(groups, nodes_without_processors_are_no_candidates);
  tcase_add_test(groups, never_worse_than_the_paper_and_mostly_the_optimum);
  tcase_add_test(groups, runners_up_differ_and_come_in_order);
  tcase_add_test(groups, an_expired_deadline_is_told);
  suite_add_tcase(suite, groups);
  TCase* snapshots = tcase_create("snapshots");
  tcase_add_test(snapshots, a_snapshot_gives_the_same_as_tables);
  tcase_add_test(snapshots, many_nodes_give_the_same_as_few);
  tcase_add_test(snapshots, groups_of_nodes_and_terms_of_nodes);
  tcase_add_test(snapshots, nodes_outside_the_table_have_unknown_pairs);
  tcase_add_test(snapshots, a_liar_harms_its_own_rank_alone);
  tcase_add_test(snapshots, a_liar_does_not_hide_the_slow_links_of_others);
  tcase_add_test(snapshots, only_load_beyond_slurms_counts);
  tcase_add_test(snapshots, coverage_of_a_snapshot);
  suite_add_tcase(suite, snapshots);
  TCase* texts = tcase_create("texts");
  tcase_add_test(texts, weights_by_name);
  tcase_add_test(texts, tables_are_read);
  tcase_add_test(texts, bad_tables_are_refused);
  tcase_add_test(texts, weights_from_a_profile);
  tcase_add_test(texts, a_profile_fills_what_is_not_given);
  suite_add_tcase(suite, texts);
  return run_suite(suite);
}
