// SPDX-License-Identifier: GPL-2.0-or-later
// The chosen group on random tables with all special cases, compared with plain implementations of the algorithms.
#include <algorithm>
#include <cmath>
#include <random>

#include "netload/group_search.hpp"
#include "tests/check.hpp"
#include "tests/netload/nla_cases.hpp"

using namespace placement;
using namespace placement::netload;

namespace {

// A table of a monitor with all special cases. A group has one or several nodes. Some pairs are not measured, some
// nodes are not known, and some have corrections. Values may be equal, huge, tiny or false.
struct AnyTable {
  PairTable table;
  std::vector<std::int32_t> group_of_node, state_of;
  std::vector<float> latency, bandwidth, node_latency, node_bandwidth;
  std::vector<double> compute;
  std::vector<std::int32_t> processors;

  AnyTable(std::uint64_t seed, std::int32_t nodes, std::int32_t groups, bool terms, float unit) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t count) { return static_cast<std::int32_t>(random() % count); };
    const bool coarse = below(3) == 0;  // gives many equal values
    const auto part = [&] {
      return coarse ? 0.25F * static_cast<float>(below(4)) : static_cast<float>(random() >> 40) * 0x1p-24F;
    };
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
    if (terms && below(2) == 0) node_latency[3] = unit * 1e9F;  // a false value
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

// Algorithm 1 as published: it sorts all nodes.
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
      order.push_back(
          {input.alpha * input.compute_load[static_cast<std::size_t>(u)] + input.beta * input.network->at(start, u),
           u});
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

// Algorithm 2 as published.
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

START_TEST(the_groups_are_those_of_the_published_algorithms) {
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
          for (std::int32_t start = 0; start < nodes; start += 1 + nodes / instances(40))
            ck_assert_msg(StartGroups(input, request).of_start(start) == plain_group(input, request, start),
                          "start %d of %d nodes in %d groups, case %d", start, nodes, groups, static_cast<int>(seed));
          if (nodes > 300) continue;
          ck_assert(choose_group(input, request, GroupSearch::paper).best.nodes == plain_choice(input, request));
        }
}
END_TEST

START_TEST(a_better_group_keeps_to_all_limits) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(instances(400)); ++seed) {
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
    std::int64_t usable =
        std::count_if(made.processors.begin(), made.processors.end(), [](std::int32_t count) { return count > 0; });
    ck_assert_int_ge(group.size(), std::min<std::int64_t>(usable, request.min_nodes));
    for (const std::int32_t node : request.required) ck_assert_int_eq(std::count(group.begin(), group.end(), node), 1);
    ck_assert(std::is_sorted(group.begin(), group.end()) &&
              std::adjacent_find(group.begin(), group.end()) == group.end());
    ck_assert_double_eq_tol(better.best.total_load, total_load(input, paper, measured_group(input, group)), 1e-12);
  }
}
END_TEST

// When many nodes share a column of the table, the search starts from few of them. The result is not worse than that of
// all starts without the local search.
START_TEST(few_starts_of_each_column_suffice) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(instances(20)); ++seed) {
    const AnyTable made(seed, 1200, 30, false, 1);
    const NetworkLoad network(made.table, made.state_of, {}, Deadline::never(), WithinError::counts_nothing);
    const GroupInput input{made.compute, &network, made.processors, 0.3, 0.7};
    GroupRequest request;
    request.processes = 24;
    const GroupChoice improved = choose_group(input, request, GroupSearch::improved, Deadline::never());
    const GroupChoice paper = choose_group(input, request, GroupSearch::paper, Deadline::never());
    ck_assert_int_lt(improved.starts, 100);
    ck_assert_int_gt(paper.starts, 1000);
    ck_assert_double_le(total_load(input, paper, improved.best), 1.0001 * paper.best.total_load);
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
      const PairScale scale = measure_pairs(columns, Deadline::never());
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
  Suite* suite = suite_create("group_search_tables");
  TCase* groups = tcase_create("groups");
  tcase_add_test(groups, the_groups_are_those_of_the_published_algorithms);
  tcase_add_test(groups, a_better_group_keeps_to_all_limits);
  tcase_add_test(groups, few_starts_of_each_column_suffice);
  tcase_add_test(groups, the_scale_is_that_of_all_pairs);
  suite_add_tcase(suite, groups);
  return run_suite(suite);
}
