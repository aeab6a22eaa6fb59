// SPDX-License-Identifier: GPL-2.0-or-later
// More time never leads to a worse placement, and no time still gives a placement that is as good as the baselines. The
// clock is simulated: it advances whenever it is read.
#include <algorithm>
#include <numeric>
#include <string>

#include "common/state/pair_arrays.hpp"
#include "common/topology/switch_tree.hpp"
#include "common/util/error.hpp"
#include "common/util/random.hpp"
#include "mapping/slots.hpp"
#include "netload/live_input.hpp"
#include "netload/selection.hpp"
#include "policies/baselines.hpp"
#include "policies/table.hpp"
#include "tests/check.hpp"
#include "tofa/torus_job.hpp"

using namespace placement;
using std::chrono::microseconds;

namespace {

using Ints = std::vector<std::int32_t>;

Deadline::Time now;

void simulate_clock() {
  Deadline::wall_clock = [] { return now += microseconds(25); };
  Deadline::processor_clock = [] { return now; };
}

constexpr int limits_us[] = {0, 50, 100, 200, 500, 1000, 2000, 4000, 7000, 10000, 15000, 20000, 30000, 40000, 50000};

std::shared_ptr<const CommMatrix> traffic(Random& random, std::int32_t ranks) {
  std::vector<CommEdge> edges;
  const std::int32_t kind = random.below(3);  // random pairs, a ring of groups, a shuffled grid
  Ints name(static_cast<std::size_t>(ranks));
  std::iota(name.begin(), name.end(), 0);
  for (std::int32_t k = ranks; k > 1; --k) std::swap(name[k - 1], name[random.below(k)]);
  for (std::int32_t a = 0; a < ranks; ++a) {
    if (kind == 0)
      for (std::int32_t k = 0; k < 4; ++k) edges.push_back({a, random.below(ranks), 1 + random.below(1000)});
    for (const std::int32_t step : {1, 8})
      if (kind == 1 ? a % 6 + step < 6 : kind == 2 && a + step < ranks)
        edges.push_back({name[a], name[a + step < ranks ? a + step : a], 50 + random.below(50)});
  }
  edges.push_back({0, ranks - 1, 1});
  return std::make_shared<const CommMatrix>(CommMatrix::from_edges(ranks, std::move(edges)));
}

// Returns a machine of three levels of switches with some of its cores taken.
ClusterView fragmented(Random& random, std::int32_t cores_per_socket) {
  std::vector<SwitchShape> switches{{"root", -1, {}}};
  std::vector<NodeShape> nodes;
  for (std::int32_t pod = 0; pod < 3; ++pod) {
    const auto above = static_cast<std::int32_t>(switches.size());
    switches.push_back({"p" + std::to_string(pod), 0, {}});
    for (std::int32_t s = 0; s < 4; ++s) {
      switches.push_back({"s" + std::to_string(switches.size()), above, {}});
      for (std::int32_t k = 0; k < 8; ++k) {
        switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
        nodes.push_back({"n" + std::to_string(nodes.size()), 2, cores_per_socket, 1});
      }
    }
  }
  ClusterView view = view_of_switches(switches, nodes);
  for (NodeView& node : view.nodes)
    for (std::size_t core = 0; core < node.core_free.size(); ++core)
      if (random.below(10) < 4) node.core_free[core] = false;
  return view;
}

std::int32_t room(const ClusterView& view) {
  std::int64_t free = 0;
  for (const NodeView& node : view.nodes) free += std::count(node.core_free.begin(), node.core_free.end(), true);
  return static_cast<std::int32_t>(free);
}

// Returns the cost of the last placement, after checking that no placement costs more than one with less time.
template <typename CostOf>
void check_all_limits(const policies::Policy& policy, const ClusterView& view, const Request& request, CostOf cost_of,
                      double least_needed) {
  double before = least_needed;
  for (const int us : limits_us) {
    const Placement placement = policy.place(view, request, Deadline::after(microseconds(us)));
    const double cost = cost_of(placement);
    ck_assert_msg(cost <= before * (1 + 1e-12), "%s, %d ranks, %d us: %.17g > %.17g", std::string(policy.name).c_str(),
                  request.tasks, us, cost, before);
    before = cost;
  }
}

double hop_bytes(const Placement& placement) { return static_cast<double>(placement.cost); }

// Returns the number of tasks of each node.
Ints tasks_of(const ClusterView& view, const Placement& placement) {
  Ints tasks(view.nodes.size(), 0);
  for (const RankPlace& rank : placement.ranks) ++tasks[rank.node];
  return tasks;
}

}  // namespace

START_TEST(more_time_never_costs_more_on_a_tree) {
  simulate_clock();
  const policies::Policy& treematch = *policies::find_policy("TREEMATCH");
  const policies::Policy& greedy = *policies::find_policy("GREEDY");
  for (int round = 0; round < 60; ++round) {
    Random random(static_cast<std::uint64_t>(300 * _i + round));
    const ClusterView view = fragmented(random, _i == 2 ? 1 : 4);
    Request request;
    request.tasks = 2 + random.below(round % 4 == 3 ? std::min(300, room(view) / 2) : 40);
    request.tasks = std::min(request.tasks, room(view) / 2);
    request.matrix = traffic(random, request.tasks);
    if (_i != 0) request.parameters["scope"] = "whole";
    if (_i == 1 && round % 3 == 0)
      request.min_nodes = request.max_nodes = std::min(request.tasks, 6 + request.tasks / 4);
    const Placement first = policies::place_sequential(view, request, Deadline::never());
    Request on_first = request;  // with the default scope, the greedy mapping is that on the first nodes
    if (_i == 0) on_first.node_tasks = tasks_of(view, first);
    const double most = std::min(hop_bytes(first), hop_bytes(greedy.place(view, on_first, Deadline::never())));
    check_all_limits(treematch, view, request, hop_bytes, most);
  }
}
END_TEST

START_TEST(more_time_never_costs_more_for_a_step) {
  simulate_clock();
  for (int round = 0; round < 40; ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const ClusterView view = fragmented(random, 4);
    Request request;
    request.tasks = 2 + random.below(round % 4 == 3 ? 300 : 40);
    request.tasks = std::min(request.tasks, room(view) / 2);
    request.matrix = traffic(random, request.tasks);
    const Placement job = policies::place_sequential(view, request, Deadline::never());
    request.node_tasks = tasks_of(view, job);
    const Placement greedy = policies::find_policy("GREEDY")->place(view, request, Deadline::never());
    check_all_limits(*policies::find_policy("TREEMATCH"), view, request, hop_bytes,
                     std::min(hop_bytes(job), hop_bytes(greedy)));
  }
}
END_TEST

// The larger jobs have more tasks than TOFA searches mappings for when slurmctld waits.
START_TEST(more_time_never_costs_more_on_a_torus) {
  simulate_clock();
  const bool large = _i == 1;
  for (int round = 0; round < (large ? 8 : 60); ++round) {
    Random random(static_cast<std::uint64_t>(round));
    ClusterView view;
    const std::int32_t side = large ? 10 : 4;
    view.torus = std::make_shared<const TorusTopology>(TorusTopology::full({{side, true}, {side, true}, {3, true}}));
    const std::int32_t cores = large ? 4 : 2;
    view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(Ints{view.torus->positions(), cores}));
    for (std::int32_t n = 0; n < view.torus->nodes(); ++n) {
      view.nodes.push_back({view.torus->name(n), n * cores, 1, cores, 1, std::vector<bool>(cores, true), -1, n});
      view.nodes.back().core_free.back() = random.below(4) > 0;
    }
    NodeOutages outages;
    for (std::int32_t k = 0; k < round % 4; ++k) outages.set(view.torus->name(random.below(48)), 0.2);
    view.outages = std::make_shared<const NodeOutages>(std::move(outages));
    Request request;
    request.tasks = large ? 513 + random.below(200) : 2 + random.below(38);
    request.matrix = traffic(random, request.tasks);
    const tofa::TorusJob job = tofa::torus_job(view, request);
    const tofa::TorusContest contest(job, job.slots.leaves(job.in_order()));
    const auto expected = [&](const Placement& placement) {
      return contest.expected_time(mapping::first_leaves(view, placement));
    };
    check_all_limits(*policies::find_policy("TOFA"), view, request, expected,
                     std::min(expected(policies::place_sequential(view, request, Deadline::never())),
                              expected(policies::find_policy("GREEDY")->place(view, request, Deadline::never()))));
  }
}
END_TEST

// TOFA compares the mappings of dense matrices by a sample of the pairs. A mapping with more hop-bytes than the natural
// order has a lighter busiest link.
START_TEST(a_sample_of_the_pairs_is_not_behind_the_natural_order) {
  for (int round = 0; round < 20; ++round) {
    Random random(static_cast<std::uint64_t>(round));
    ClusterView view;
    view.torus = std::make_shared<const TorusTopology>(TorusTopology::full({{10, true}, {9, true}, {8, true}}));
    view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(Ints{view.torus->positions(), 1}));
    for (std::int32_t n = 0; n < view.torus->nodes(); ++n)
      view.nodes.push_back({view.torus->name(n), n, 1, 1, 1, {random.below(8) > 0}, -1, n});
    Request request;
    request.tasks = 513 + random.below(40);
    std::vector<CommEdge> edges;
    for (std::int32_t a = 0; a < request.tasks; ++a)
      for (std::int32_t b = 0; b < a; ++b) edges.push_back({a, b, 1 + random.below(1000)});
    request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(request.tasks, std::move(edges)));
    const Placement placement = policies::find_policy("TOFA")->place(view, request, Deadline::never());
    Ints chosen, natural;
    for (const RankPlace& rank : placement.ranks) chosen.push_back(rank.node);
    for (std::int32_t n = 0; std::ssize(natural) < request.tasks; ++n)
      if (view.nodes[static_cast<std::size_t>(n)].core_free[0]) natural.push_back(n);
    const auto busiest_link = [&](const Ints& position) {
      return tofa::assess(*view.torus, *request.matrix, position, {}).link_load_twice;
    };
    ck_assert_msg(placement.cost <= placement.natural_cost || busiest_link(chosen) < busiest_link(natural),
                  "round %d: %s > %s", round, to_string(placement.cost).c_str(),
                  to_string(placement.natural_cost).c_str());
  }
}
END_TEST

// NLA's own measure of a mapping is the traffic times the measured distance. The greedy mapping is that on the tree.
START_TEST(more_time_never_costs_more_by_the_measured_network) {
  simulate_clock();
  const policies::Policy& nla = *policies::find_policy("NLA");
  for (int round = 0; round < (_i == 0 ? 60 : 3); ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const std::int32_t pods = _i == 0 ? 2 + random.below(4) : 50;
    const std::int32_t per_pod = _i == 0 ? 4 : 30;  // 1,500 nodes: too many for a table of distances
    ClusterView view;
    view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(Ints{pods, per_pod, 4}));
    auto live = std::make_shared<LiveState>();
    Ints group, states;
    Request request;
    request.tasks = 0;
    for (std::int32_t n = 0; n < pods * per_pod; ++n) {
      view.nodes.push_back({"n" + std::to_string(n), n * 4, 1, 4, 1, std::vector<bool>(4, true), n});
      live->nodes.emplace_back().name = view.nodes.back().name;
      states.push_back(n);
      group.push_back(random.below(pods));  // unlike the switches
      request.node_tasks.push_back(_i == 0 ? 1 + random.below(4) : 1);
      request.tasks += request.node_tasks.back();
    }
    std::vector<float> latency, bandwidth;
    for (std::int32_t a = 0; a < pods; ++a)
      for (std::int32_t b = 0; b < pods; ++b) {
        const std::int32_t pair = std::min(a, b) * pods + std::max(a, b);
        latency.push_back(static_cast<float>(10 + pair * 7919 % 90));
        bandwidth.push_back(1e7F * static_cast<float>(1 + pair * 104729 % 90));
      }
    live->pairs.groups = pods;
    live->pairs.group_of_node = group;
    live->pairs.latency_us = latency;
    live->pairs.bandwidth_Bps = bandwidth;
    view.live = live;
    request.matrix = traffic(random, request.tasks);
    const netload::NetworkLoad network(live->pairs, states, netload::nla_weights({}), Deadline::never(),
                                       netload::within_error(netload::SelectionRule::nla),
                                       netload::pair_measure(netload::SelectionRule::nla, {}));
    const auto cost_of = [&](const Placement& placement) {
      double sum = 0;
      for (const CommEdge& edge : request.matrix->edges())
        sum +=
            static_cast<double>(edge.weight) * network.at(placement.ranks[edge.a].node, placement.ranks[edge.b].node);
      return sum;
    };
    double before = cost_of(policies::place_sequential(view, request, Deadline::never()));
    const double greedy = cost_of(policies::find_policy("GREEDY")->place(view, request, Deadline::never()));
    for (const int us : limits_us) try {
        const double cost = cost_of(nla.place(view, request, Deadline::after(microseconds(us))));
        ck_assert_msg(cost <= std::min(before, greedy) * (1 + 1e-8), "%d ranks, %d us: %.17g > %.17g or %.17g",
                      request.tasks, us, cost, before, greedy);
        before = cost;
      } catch (const Error&) {  // no time is left to read a large network: the step keeps Slurm's order
        ck_assert_int_lt(us, 5000);
        ck_assert_int_eq(_i, 1);
      }
  }
}
END_TEST

// NLA chooses nodes by the least regret when the user gives no weights. Without time, too, no simple rule has nodes
// that are at least as idle and have a better network.
START_TEST(nodes_by_regret_are_not_behind_simple_rules) {
  simulate_clock();
  for (int round = 0; round < 60; ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const std::int32_t nodes = 8 + random.below(round % 4 == 3 ? 120 : 16);
    ClusterView view;
    view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(Ints{nodes, 4}));
    auto live = std::make_shared<LiveState>();
    Ints states(static_cast<std::size_t>(nodes));
    std::iota(states.begin(), states.end(), 0);
    for (const std::int32_t n : states) {
      view.nodes.push_back({"n" + std::to_string(n), n * 4, 1, 4, 1, std::vector<bool>(4, true), n});
      NodeState& node = live->nodes.emplace_back();
      node.name = view.nodes.back().name;
      node.liveness = Liveness::up;
      node.age_s = 2;
      node.cores = 4;
      const double load = random.below(2) * random.below(8);
      node.cpu_load = {load, load, load};
    }
    PairArrays arrays(nodes, states);
    for (std::int32_t a = 0; a < nodes; ++a)
      for (std::int32_t b = 0; b < a; ++b)
        arrays.set(a, b, {static_cast<float>(10 + random.below(90)), 1e7F * static_cast<float>(1 + random.below(90))});
    live->pairs = pair_table(std::move(arrays));
    view.live = live;
    Request request;
    request.equal_tasks_per_node = true;
    request.max_tasks_per_node = 2;
    request.tasks = 2 * (2 + random.below(nodes / 3));
    request.min_nodes = request.max_nodes = request.tasks / 2;
    const netload::NetworkLoad network(live->pairs, states, netload::nla_weights({}), Deadline::never(),
                                       netload::within_error(netload::SelectionRule::nla),
                                       netload::pair_measure(netload::SelectionRule::nla, {}));
    // Returns the largest load of the nodes, and the sum over their pairs; all rules take the same number of nodes.
    const auto measured = [&](const Placement& placement) {
      std::pair<double, double> result{0, 0};
      const Ints tasks = tasks_of(view, placement);
      for (std::int32_t a = 0; a < nodes; ++a)
        if (tasks[a] > 0) result.first = std::max(result.first, netload::load_beyond_slurm(live->nodes[a]));
      for (std::int32_t a = 0; a < nodes; ++a)
        for (std::int32_t b = 0; b < a; ++b)
          if (tasks[a] > 0 && tasks[b] > 0) result.second += network.at(a, b);
      return result;
    };
    for (const int us : limits_us) {
      const auto chosen =
          measured(policies::find_policy("NLA")->place(view, request, Deadline::after(microseconds(us))));
      for (const char* rule : {"SEQUENTIAL", "LOAD-AWARE"}) {
        const auto simple = measured(policies::find_policy(rule)->place(view, request, Deadline::never()));
        ck_assert_msg(simple.first > chosen.first || simple.second * (1 + 1e-4) >= chosen.second,
                      "round %d, %d us: load %g and network %g, %s has %g and %g", round, us, chosen.first,
                      chosen.second, rule, simple.first, simple.second);
      }
    }
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("deadline of a policy");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_loop_test(all, more_time_never_costs_more_on_a_tree, 0, 3);
  tcase_add_test(all, more_time_never_costs_more_for_a_step);
  tcase_add_loop_test(all, more_time_never_costs_more_on_a_torus, 0, 2);
  tcase_add_test(all, a_sample_of_the_pairs_is_not_behind_the_natural_order);
  tcase_add_loop_test(all, more_time_never_costs_more_by_the_measured_network, 0, 2);
  suite_add_tcase(suite, all);
  TCase* nodes = tcase_create("nodes");
  tcase_set_timeout(nodes, 120);
  tcase_add_test(nodes, nodes_by_regret_are_not_behind_simple_rules);
  suite_add_tcase(suite, nodes);
  return run_suite(suite);
}
