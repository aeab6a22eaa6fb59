// SPDX-License-Identifier: GPL-2.0-or-later
// Which group of nodes is chosen: the published figures first, then what is hard.
#include <algorithm>
#include <cmath>

#include "netload/group_search.hpp"
#include "tests/check.hpp"
#include "tests/nla_cases.hpp"

using namespace placement;

namespace {

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
        for (std::size_t n = 0; n < 12; ++n) made.processors[n] = (n * 5 + seed) % 3 == 0 ? 16 : 2 + static_cast<std::int32_t>((n + seed) % 3);
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
                  "%s: optimum in %d of %d cases, by the paper in %d; at worst %.3f times it", kind.name, optimal, cases,
                  optimal_paper, worst);
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

START_TEST(an_expired_deadline_is_told) {
  const Case cluster = case_7({});
  ck_assert_error(choose_group(cluster.input(), processes(32), GroupSearch::paper, Deadline::after(std::chrono::microseconds(0))),
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

namespace {

// A table of a monitor with all that may be in one: several nodes to a group or one, pairs that nobody measured, nodes
// that nobody knows, terms of nodes, values that are equal, huge, tiny or lies.
struct AnyTable {
  PairTable table;
  std::vector<std::int32_t> group_of_node, state_of;
  std::vector<float> latency, bandwidth, node_latency, node_bandwidth;
  std::vector<double> compute;
  std::vector<std::int32_t> processors;

  AnyTable(std::uint64_t seed, std::int32_t nodes, std::int32_t groups, bool terms, float unit) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t count) { return static_cast<std::int32_t>(random() % count); };
    const bool coarse = below(3) == 0;  // many ties
    const auto part = [&] { return coarse ? 0.25F * static_cast<float>(below(4)) : static_cast<float>(random() >> 40) * 0x1p-24F; };
    const auto count = static_cast<std::size_t>(groups);
    const std::int32_t missing = below(4) == 0 ? 5 : 1000000;
    latency.resize(count * count);
    bandwidth.resize(count * count);
    for (std::size_t u = 0; u < count; ++u)
      for (std::size_t v = 0; v <= u; ++v) {
        const bool near = u / 8 == v / 8;
        latency[u * count + v] = latency[v * count + u] =
            below(static_cast<std::uint64_t>(missing)) == 0 ? NAN : unit * (near ? 20.0F : 80.0F) * (0.5F + part());
        bandwidth[u * count + v] = bandwidth[v * count + u] =
            below(static_cast<std::uint64_t>(missing)) == 0 ? NAN : unit * (near ? 1.1e6F : 6e5F) * part();
      }
    for (std::int32_t n = 0; n < nodes + 7; ++n) {
      group_of_node.push_back(groups >= nodes + 7 ? n : below(count));
      if (!terms) continue;
      node_latency.push_back(below(3) == 0 ? unit * 30 * part() : 0);
      node_bandwidth.push_back(below(5) == 0 ? unit * 3e5F * part() : unit * 1.1e6F);
    }
    if (terms && below(2) == 0) node_latency[3] = unit * 1e9F;  // a lie
    table.groups = groups;
    table.group_of_node = group_of_node;
    table.latency_us = latency;
    table.bandwidth_Bps = bandwidth;
    table.node_latency_us = node_latency;
    table.node_bandwidth_Bps = node_bandwidth;
    const std::int32_t absent = below(2) == 0 ? 17 : 1000000;
    for (std::int32_t c = 0; c < nodes; ++c) {
      state_of.push_back(below(static_cast<std::uint64_t>(absent)) == 0 ? -1 : c + below(7));
      compute.push_back(static_cast<double>(part()) / nodes);
      processors.push_back(below(12) == 0 ? 0 : 1 + below(4));
    }
  }
};

// Algorithm 1 as it is written: all nodes, sorted.
std::vector<std::int32_t> plain_group(const GroupInput& input, const GroupRequest& request, std::int32_t start) {
  const auto processors = [&](std::int32_t node) { return input.processors[static_cast<std::size_t>(node)]; };
  if (processors(start) <= 0) return {};
  std::vector<std::int32_t> group = request.required;
  const auto inside = [&](std::int32_t node) { return std::find(group.begin(), group.end(), node) != group.end(); };
  if (!inside(start)) group.push_back(start);
  std::int64_t room = -request.processes;
  for (const std::int32_t node : group) room += processors(node);
  std::vector<std::pair<double, std::int32_t>> order;
  for (std::int32_t u = 0; u < static_cast<std::int32_t>(input.processors.size()); ++u)
    if (processors(u) > 0 && !inside(u))
      order.push_back({input.alpha * input.compute_load[static_cast<std::size_t>(u)] + input.beta * input.network->at(start, u), u});
  std::sort(order.begin(), order.end());
  for (const auto& [load, node] : order) {
    if (room >= 0 && static_cast<std::int64_t>(group.size()) >= request.min_nodes) break;
    group.push_back(node);
    room += processors(node);
  }
  if (static_cast<std::int64_t>(group.size()) > request.max_nodes) return {};
  std::sort(group.begin(), group.end());
  return group;
}

// Algorithm 2 as it is written.
std::vector<std::int32_t> plain_choice(const GroupInput& input, const GroupRequest& request) {
  std::vector<Group> groups;
  GroupChoice sums;
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(input.processors.size()); ++v) {
    std::vector<std::int32_t> nodes = plain_group(input, request, v);
    if (nodes.empty()) continue;
    groups.push_back(measured_group(input, std::move(nodes)));
    sums.compute_sum += groups.back().compute_load;
    sums.network_sum += groups.back().network_load;
  }
  const Group* best = nullptr;
  for (const Group& group : groups)
    if (best == nullptr || total_load(input, sums, group) < total_load(input, sums, *best)) best = &group;
  return best == nullptr ? std::vector<std::int32_t>() : best->nodes;
}

}  // namespace

START_TEST(what_is_passed_over_would_not_be_chosen) {
  // Beyond some hundred nodes not all are looked at for each start: the groups must be those of the full order.
  std::uint64_t seed = 0;
  for (const std::int32_t nodes : {40, 300, 700})
    for (const std::int32_t groups : {nodes + 7, nodes / 2, nodes / 8, 20, 3, 1})
      for (const bool terms : {false, true})
        for (const float unit : {1.0F, 1e-38F, 1e30F}) {
          const AnyTable made(++seed, nodes, groups, terms, unit);
          const NetworkLoad network(made.table, made.state_of, {});
          const double alpha = seed % 5 == 0 ? 0 : 0.2 * static_cast<double>(seed % 6);
          const GroupInput input{made.compute, &network, made.processors, alpha, 1 - alpha};
          GroupRequest request = processes(static_cast<std::int32_t>(1 + seed * 7 % 60));
          if (seed % 7 == 0) request.processes = nodes;
          if (seed % 3 == 0) request.min_nodes = 9;
          if (seed % 4 == 0) request.required = {2, 11};
          for (std::int32_t start = 0; start < nodes; start += 1 + nodes / 40)
            ck_assert_msg(candidate_group(input, request, start) == plain_group(input, request, start),
                          "start %d of %d nodes in %d groups, case %d", start, nodes, groups, static_cast<int>(seed));
          if (nodes > 300) continue;
          ck_assert(choose_group(input, request, GroupSearch::paper).best.nodes == plain_choice(input, request));
        }
}
END_TEST

START_TEST(a_better_group_keeps_to_all_limits) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto nodes = static_cast<std::int32_t>(5 + seed % 60);
    const AnyTable made(1000 + seed, nodes, seed % 3 == 0 ? 4 : nodes + 7, seed % 2 == 0, seed % 7 == 0 ? 1e30F : 1.0F);
    const NetworkLoad network(made.table, made.state_of, {});
    const double alpha = 0.125 * static_cast<double>(seed % 9);
    const GroupInput input{made.compute, &network, made.processors, alpha, 1 - alpha};
    GroupRequest request = processes(static_cast<std::int32_t>(1 + seed * 11 % 47));
    request.min_nodes = static_cast<std::int32_t>(seed % 6);
    if (seed % 5 == 0) request.max_nodes = static_cast<std::int32_t>(4 + seed % 11);
    if (seed % 4 == 0) request.required = {1, 3};
    GroupChoice paper, better;
    try {
      paper = choose_group(input, request, GroupSearch::paper);
    } catch (const Error&) {
      ck_assert_error(choose_group(input, request, GroupSearch::improved), "no group");
      continue;
    }
    better = choose_group(input, request, GroupSearch::improved);
    ck_assert_double_le(better.best.total_load, paper.best.total_load);
    ck_assert(std::isfinite(better.best.total_load));
    const std::vector<std::int32_t>& group = better.best.nodes;
    std::int64_t room = 0, all = 0;
    for (const std::int32_t count : made.processors) all += count;
    for (const std::int32_t node : group) {
      room += made.processors[static_cast<std::size_t>(node)];
      ck_assert(made.processors[static_cast<std::size_t>(node)] > 0 ||
                std::count(request.required.begin(), request.required.end(), node) == 1);
    }
    ck_assert_int_ge(room, std::min<std::int64_t>(all, request.processes));
    ck_assert_int_le(group.size(), request.max_nodes);
    std::int64_t usable = std::count_if(made.processors.begin(), made.processors.end(), [](std::int32_t count) { return count > 0; });
    ck_assert_int_ge(group.size(), std::min<std::int64_t>(usable, request.min_nodes));
    for (const std::int32_t node : request.required) ck_assert_int_eq(std::count(group.begin(), group.end(), node), 1);
    ck_assert(std::is_sorted(group.begin(), group.end()) && std::adjacent_find(group.begin(), group.end()) == group.end());
    ck_assert_double_eq_tol(better.best.total_load, total_load(input, paper, measured_group(input, group)), 1e-12);
  }
}
END_TEST

START_TEST(the_scale_is_that_of_all_pairs) {
  std::uint64_t seed = 100;
  for (const std::int32_t groups : {207, 100, 25, 3, 1})
    for (const bool terms : {false, true}) {
      const AnyTable made(++seed, 200, groups, terms, 1);
      const NetworkLoad network(made.table, made.state_of, {});
      const PairColumns columns(made.table, made.state_of);
      PairFloors floors(columns);
      const PairScale scale = measure_pairs(columns, floors, {}, Deadline::never());
      double us = 0, Bps = 0, worst = 0, peak = 0, least = INFINITY, us_count = 0, Bps_count = 0;
      for (std::int32_t u = 0; u < 200; ++u)
        for (std::int32_t v = 0; v < u; ++v) {
          const PairColumns::Pair pair = columns.pair(u, v);
          if (pair.latency_us >= 0) {
            us += std::min(pair.latency_us, scale.latency_bound);
            worst = std::max(worst, std::min(pair.latency_us, scale.latency_bound));
            ++us_count;
          }
          if (pair.bandwidth_Bps >= 0) {
            Bps += std::min(pair.bandwidth_Bps, scale.bandwidth_bound);
            peak = std::max(peak, std::min(pair.bandwidth_Bps, scale.bandwidth_bound));
            least = std::min(least, std::min(pair.bandwidth_Bps, scale.bandwidth_bound));
            ++Bps_count;
          }
        }
      ck_assert_double_eq_tol(scale.mean_latency_us / (us / us_count), 1, 1e-6);
      ck_assert_double_eq_tol(scale.worst_latency_us / worst, 1, 1e-6);
      ck_assert_double_eq_tol(scale.peak_Bps / peak, 1, 1e-6);
      ck_assert_double_eq_tol(scale.least_Bps / peak, least / peak, 1e-6);
      ck_assert_double_eq_tol(scale.mean_missing_Bps / peak, 1 - Bps / Bps_count / peak, 1e-6);
      ck_assert_int_eq(scale.known_pairs, std::llround(std::max(us_count, Bps_count)));
    }
}
END_TEST

int main() {
  Suite* suite = suite_create("group_search");
  TCase* published = tcase_create("published");
  tcase_add_test(published, worked_figure_of_candidate_groups);
  tcase_add_test(published, published_case);
  tcase_add_test(published, published_case_whatever_the_single_weights);
  suite_add_tcase(suite, published);
  TCase* groups = tcase_create("groups");
  tcase_add_test(groups, one_node_and_too_many_processes);
  tcase_add_test(groups, ties_go_to_the_first_nodes);
  tcase_add_test(groups, zero_sums_give_zero_loads);
  tcase_add_test(groups, limits_are_kept);
  tcase_add_test(groups, nodes_without_processors_are_no_candidates);
  tcase_add_test(groups, never_worse_than_the_paper_and_mostly_the_optimum);
  tcase_add_test(groups, runners_up_differ_and_come_in_order);
  tcase_add_test(groups, an_expired_deadline_is_told);
  tcase_add_test(groups, processes_go_round_robin_when_processors_are_too_few);
  tcase_add_test(groups, what_is_passed_over_would_not_be_chosen);
  tcase_add_test(groups, a_better_group_keeps_to_all_limits);
  tcase_add_test(groups, the_scale_is_that_of_all_pairs);
  suite_add_tcase(suite, groups);
  return run_suite(suite);
}
