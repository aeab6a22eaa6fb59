// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/treematch.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "common/topology/switch_tree.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "policies/baselines.hpp"
#include "policies/table.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

// Returns a machine of leaf switches below one root. leaf_nodes has the number of nodes of each switch. The nodes are
// called n0, n1, .. and have `sockets` sockets with `cores` cores each.
ClusterView machine(const std::vector<std::int32_t>& leaf_nodes, std::int32_t sockets, std::int32_t cores) {
  std::vector<SwitchShape> switches{{"root", -1, {}}};
  std::vector<NodeShape> nodes;
  for (const std::int32_t count : leaf_nodes) {
    switches.push_back({"s" + std::to_string(switches.size()), 0, {}});
    for (std::int32_t k = 0; k < count; ++k) {
      switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
      nodes.push_back({"n" + std::to_string(nodes.size()), sockets, cores, 1});
    }
  }
  return view_of_switches(switches, nodes);
}

void occupy(ClusterView& view, std::int32_t node) {
  view.nodes[node].core_free.assign(view.nodes[node].cores(), false);
}

std::shared_ptr<const CommMatrix> matrix_of(std::int32_t ranks, std::vector<CommEdge> edges) {
  return std::make_shared<CommMatrix>(CommMatrix::from_edges(ranks, std::move(edges)));
}

Request request_of(std::int32_t tasks, std::shared_ptr<const CommMatrix> matrix = nullptr) {
  Request request;
  request.tasks = tasks;
  request.matrix = std::move(matrix);
  return request;
}

// Returns a matrix in which the pairs 0-1, 2-3, .. have much traffic, and each pair has little with the next one.
std::shared_ptr<const CommMatrix> pairs(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r + 1 < ranks; ++r) edges.push_back({r, r + 1, r % 2 == 0 ? 100 : 1});
  return matrix_of(ranks, std::move(edges));
}

mapping::NodeCounts counts_of(const ClusterView& view, const Placement& placement) {
  mapping::NodeCounts counts(view.nodes.size(), 0);
  for (const RankPlace& rank : placement.ranks) ++counts[rank.node];
  return counts;
}

std::int32_t nodes_used(const mapping::NodeCounts& counts) {
  return static_cast<std::int32_t>(std::count_if(counts.begin(), counts.end(), [](auto c) { return c > 0; }));
}

// Checks that each rank has free cores of its own.
void check_legal(const ClusterView& view, const Request& request, const Placement& placement) {
  ck_assert_uint_eq(placement.ranks.size(), static_cast<std::size_t>(request.tasks));
  std::set<std::pair<std::int32_t, std::int32_t>> taken;
  for (const RankPlace& rank : placement.ranks) {
    ck_assert_int_ge(rank.node, 0);
    ck_assert_int_lt(rank.node, static_cast<std::int32_t>(view.nodes.size()));
    ck_assert_uint_eq(rank.cores.size(), static_cast<std::size_t>(request.cores_per_task));
    for (const std::int32_t core : rank.cores) {
      ck_assert(view.nodes[rank.node].core_free.at(core));
      ck_assert(taken.emplace(rank.node, core).second);
    }
  }
  ck_assert(placement.cost <= placement.natural_cost);
  const mapping::NodeCounts counts = counts_of(view, placement);
  ck_assert_int_ge(nodes_used(counts), std::min(request.min_nodes, request.tasks));
  ck_assert_int_le(nodes_used(counts), request.max_nodes);
  for (const std::int32_t count : counts) ck_assert_int_le(count, request.max_tasks_per_node);
  for (const std::int32_t node : request.required_nodes) ck_assert_int_gt(counts[node], 0);
}

Placement place(const ClusterView& view, const Request& request) {
  const Placement placement = place_treematch(view, request, Deadline::never());
  check_legal(view, request, placement);
  return placement;
}

// Returns the step that srun begins on the nodes and cores of a job's placement, with `view` for the job.
Request step_of(ClusterView& view, Request request, const Placement& chosen) {
  request.node_tasks = counts_of(view, chosen);
  request.planned_ranks = mapping::ranks_of_nodes(chosen, view.nodes.size());
  for (NodeView& node : view.nodes) node.core_free.assign(node.core_free.size(), false);
  for (const RankPlace& rank : chosen.ranks)
    for (const std::int32_t core : rank.cores) view.nodes[rank.node].core_free[core] = true;
  return request;
}

// Returns a matrix with three random pairs for each task. up_to(most) returns a random number from 0 to `most`.
template <typename Random>
std::shared_ptr<const CommMatrix> random_traffic(std::int32_t tasks, const Random& up_to) {
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < 3 * tasks; ++k) edges.push_back({up_to(tasks - 1), up_to(tasks - 1), 1 + up_to(50)});
  return matrix_of(tasks, edges);
}

// Returns the view with about a quarter of the cores taken.
template <typename Random>
ClusterView partly_free(ClusterView view, const Random& up_to) {
  for (NodeView& node : view.nodes)
    for (std::size_t core = 0; core < node.core_free.size(); ++core) node.core_free[core] = up_to(3) > 0;
  return view;
}

// Returns a matrix in which groups of `size` successive ranks have much traffic, and a tenth of the other pairs little.
template <typename Random>
std::shared_ptr<const CommMatrix> traffic_in_groups(std::int32_t tasks, std::int32_t size, const Random& up_to) {
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < tasks; ++a)
    for (std::int32_t b = 0; b < a; ++b)
      if (a / size == b / size || up_to(9) == 0) edges.push_back({a, b, a / size == b / size ? 50 : 1 + up_to(4)});
  return matrix_of(tasks, edges);
}

// How a placement compares with those on parts of the machine offered alone.
struct Comparison {
  int tried = 0, behind = 0;  // parts on which the request fits, and those of them on which it costs less
  double worst = 1;           // the largest ratio of the costs
};

// Compares the placement of the request with those on each pod alone; pods[p] is the number of successive nodes of pod
// p.
void compare_with_pods(const ClusterView& view, const std::vector<std::int32_t>& pods, const Request& request,
                       Comparison& comparison) {
  std::optional<Cost> cost;  // of the request where all pods are offered
  std::int32_t first = 0;
  for (const std::int32_t pod : pods) {
    ClusterView alone = view;
    for (std::int32_t n = 0; n < static_cast<std::int32_t>(alone.nodes.size()); ++n)
      if (n < first || n >= first + pod) occupy(alone, n);
    first += pod;
    try {
      const Cost least = place_treematch(alone, request, Deadline::never()).cost;
      if (!cost) cost = place_treematch(view, request, Deadline::never()).cost;
      ++comparison.tried;
      comparison.behind += *cost > least;
      comparison.worst = std::max(comparison.worst, static_cast<double>(*cost) / static_cast<double>(least));
    } catch (const Error&) {  // the pod has not enough free cores
    }
  }
}

}  // namespace

START_TEST(motivating_example) {  // [TM §3]
  ClusterView view = machine({4, 2}, 1, 2);
  occupy(view, 3);
  // The pairs are A = 0-1, B = 2-3, C = 4-5 and D = 6-7. The traffic within a pair is the heaviest.
  Request request = request_of(8, matrix_of(8, {{0, 1, 9000},
                                                {2, 3, 9000},
                                                {4, 5, 9000},
                                                {6, 7, 9000},
                                                {1, 2, 20},
                                                {0, 7, 2000},
                                                {3, 4, 1000},
                                                {5, 6, 10}}));
  request.min_nodes = request.max_nodes = 4;
  const Placement placement = place(view, request);
  const auto node = [&](std::int32_t rank) { return placement.ranks[rank].node; };
  for (std::int32_t r = 0; r < 8; r += 2) ck_assert_int_eq(node(r), node(r + 1));
  const auto nodes_of = [&](std::int32_t r, std::int32_t s) { return std::set<std::int32_t>{node(r), node(s)}; };
  const bool as_printed = nodes_of(0, 6) == std::set{0, 1} && nodes_of(2, 4) == std::set{4, 5};
  ck_assert_msg(as_printed, "A n%d D n%d B n%d C n%d", node(0), node(6), node(2), node(4));
}
END_TEST

START_TEST(no_time_still_gives_a_placement) {
  const ClusterView view = machine({4, 4}, 1, 4);
  for (const std::int32_t nodes : {2, 3, 8}) {
    Request request = request_of(8, matrix_of(8, {{0, 7, 50}, {1, 6, 50}, {2, 5, 50}, {3, 4, 50}}));
    request.min_nodes = request.max_nodes = nodes;
    const Placement placement = place_treematch(view, request, Deadline::after(std::chrono::microseconds(-1)));
    ck_assert_int_eq(nodes_used(counts_of(view, placement)), nodes);
    ck_assert(placement.cost <= placement.natural_cost);
  }
}
END_TEST

START_TEST(limits_on_nodes) {
  const ClusterView view = machine({4, 4}, 1, 4);
  for (std::int32_t nodes = 2; nodes <= 8; ++nodes) {
    Request request = request_of(8, pairs(8));
    request.min_nodes = request.max_nodes = nodes;
    ck_assert_int_eq(nodes_used(counts_of(view, place(view, request))), nodes);
  }
  Request request = request_of(8, pairs(8));
  request.max_nodes = 1;
  ck_assert_error_words(place(view, request), "8 tasks 2 nodes --nodes 1");
  request.max_nodes = 8;
  request.required_nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  request.tasks = 6;
  request.matrix = pairs(6);
  ck_assert_error_words(place(view, request), "--nodelist 8 nodes 6 tasks");
  request.max_nodes = 3;
  ck_assert_error_words(place(view, request), "--nodelist 8 nodes --nodes 3");
  request.required_nodes.clear();
  request.min_nodes = 4;
  ck_assert_error_words(place(view, request), "--nodes 4 nodes --nodes 3");
  ClusterView busy = view;
  for (const std::int32_t node : {0, 1, 2, 3, 4, 5}) occupy(busy, node);
  request.max_nodes = 4;
  ck_assert_error_words(place(busy, request), "--nodes 4 nodes 2 room");
  request = request_of(33, pairs(33));
  ck_assert_error_words(place(view, request), "32 33 tasks");
  request = request_of(8, pairs(8));
  request.max_tasks_per_node = 5;
  request.equal_tasks_per_node = true;
  ck_assert_error_words(place(view, request), "0 8 tasks --ntasks-per-node 5");
}
END_TEST

START_TEST(tasks_per_node_exactly) {
  ClusterView view = machine({3, 3}, 2, 2);
  view.nodes[1].core_free[0] = false;
  Request request = request_of(8, pairs(8));
  request.max_tasks_per_node = 2;
  request.equal_tasks_per_node = true;
  const mapping::NodeCounts counts = counts_of(view, place(view, request));
  ck_assert_int_eq(std::count(counts.begin(), counts.end(), 2), 4);
}
END_TEST

START_TEST(whole_nodes_share_evenly) {
  const ClusterView view = machine({4, 4}, 1, 4);
  Request request = request_of(7, pairs(7));
  request.whole_nodes = true;
  request.min_nodes = request.max_nodes = 3;
  mapping::NodeCounts counts = counts_of(view, place(view, request));
  std::erase(counts, 0);
  std::sort(counts.begin(), counts.end());
  ck_assert(counts == mapping::NodeCounts({2, 2, 3}));
}
END_TEST

START_TEST(required_nodes_are_used) {
  const ClusterView view = machine({4, 4}, 1, 2);
  Request request = request_of(4, pairs(4));
  request.required_nodes = {1, 6};
  request.max_nodes = 2;
  const mapping::NodeCounts counts = counts_of(view, place(view, request));
  ck_assert_int_eq(counts[1], 2);
  ck_assert_int_eq(counts[6], 2);
}
END_TEST

// The fullest switches are tried alone where any nodes will do, and they are without the required node here.
START_TEST(a_required_node_outside_the_fullest_switches) {
  const ClusterView view = machine({2, 6, 6}, 1, 4);
  Request request = request_of(20, pairs(20));
  request.parameters["scope"] = "whole";
  ck_assert_int_eq(counts_of(view, place(view, request))[0], 0);
  request.required_nodes = {0};
  ck_assert_int_gt(counts_of(view, place(view, request))[0], 0);
}
END_TEST

START_TEST(several_cores_per_task) {
  ClusterView view = machine({2, 2}, 2, 3);
  view.nodes[0].core_free[0] = view.nodes[1].core_free[4] = false;
  Request request = request_of(9, pairs(9));
  request.cores_per_task = 2;
  place(view, request);
}
END_TEST

START_TEST(a_step_keeps_its_counts) {
  const ClusterView view = machine({2, 2}, 1, 4);
  Request request = request_of(8, matrix_of(8, {{0, 7, 10}, {1, 6, 10}, {2, 5, 10}, {3, 4, 10}}));
  request.node_tasks = {3, 1, 2, 2};
  const Placement placement = place(view, request);
  ck_assert(counts_of(view, placement) == request.node_tasks);
  ck_assert(placement.cost < placement.natural_cost);
  request.node_tasks = {5, 1, 1, 1};
  ck_assert_error_words(place(view, request), "n0 4 tasks 5");
  request.node_tasks = {2, 1, 1, 1};
  ck_assert_error_words(place(view, request), "5 tasks 8");
}
END_TEST

START_TEST(without_a_matrix_compact) {
  ClusterView view = machine({4, 2, 4}, 1, 2);
  occupy(view, 0);
  Request request = request_of(4);
  ck_assert(counts_of(view, place(view, request)) == mapping::NodeCounts({0, 0, 0, 0, 2, 2, 0, 0, 0, 0}));
  request.tasks = 6;
  ck_assert(counts_of(view, place(view, request)) == mapping::NodeCounts({0, 2, 2, 2, 0, 0, 0, 0, 0, 0}));
}
END_TEST

START_TEST(scopes) {
  ClusterView view = machine({2, 4}, 1, 2);
  occupy(view, 0);
  Request request = request_of(4, pairs(4));
  request.parameters["scope"] = "allocation";
  ck_assert_error(place(view, request), "leaves the");
  request.node_tasks = {0, 2, 2, 0, 0, 0};
  ck_assert(counts_of(view, place(view, request)) == request.node_tasks);
  request.node_tasks.clear();
  request.parameters["scope"] = "whole";
  const mapping::NodeCounts counts = counts_of(view, place(view, request));
  ck_assert_int_eq(counts[1], 0);
  request.parameters["scope"] = "near";
  ck_assert_error_words(place(view, request), "scope=near allocation whole subtree");
  request.parameters = {{"seed", "x"}};
  ck_assert_error_words(place(view, request), "seed=x number");
}
END_TEST

START_TEST(refuses_mismatched_requests) {
  const ClusterView view = machine({2}, 1, 2);
  ck_assert_error_words(place(view, request_of(3, pairs(4))), "4 ranks 3 tasks");
  ck_assert_error(place(view, request_of(0)), "0 tasks");
  ck_assert_error_words(place(ClusterView{view.tree, {}}, request_of(1)), "0 1 tasks");
  Request request = request_of(1);
  request.node_tasks = {1};
  ck_assert_error_words(place(view, request), "1 task 2 nodes");
}
END_TEST

START_TEST(any_machine_any_request) {
  std::mt19937_64 random(7);
  const auto up_to = [&](std::int32_t most) { return static_cast<std::int32_t>(random() % (most + 1)); };
  int placed = 0;
  for (int round = 0; round < instances(400); ++round) {
    std::vector<std::int32_t> leaves;
    for (std::int32_t k = 0; k <= up_to(3); ++k) leaves.push_back(1 + up_to(4));
    const ClusterView view = partly_free(machine(leaves, 1 + up_to(1), 1 + up_to(3)), up_to);
    const std::int32_t tasks = 1 + up_to(11);
    std::vector<CommEdge> edges;
    for (std::int32_t k = 0; k < 2 * tasks; ++k) edges.push_back({up_to(tasks - 1), up_to(tasks - 1), up_to(50)});
    Request request = request_of(tasks, up_to(4) == 0 ? nullptr : matrix_of(tasks, edges));
    request.cores_per_task = 1 + up_to(1);
    if (up_to(1)) request.min_nodes = 1 + up_to(3);
    if (up_to(1)) request.max_nodes = request.min_nodes + up_to(3);
    if (up_to(2) == 0) request.max_tasks_per_node = 1 + up_to(3);
    if (up_to(3) == 0) request.required_nodes = {up_to(static_cast<std::int32_t>(view.nodes.size()) - 1)};
    request.whole_nodes = up_to(5) == 0;
    try {
      const Placement placement = place_treematch(view, request, Deadline::never());
      check_legal(view, request, placement);
      const Placement again = place_treematch(view, request, Deadline::never());
      for (std::int32_t r = 0; r < tasks; ++r) ck_assert(placement.ranks[r].cores == again.ranks[r].cores);
      for (const PlaceFunction baseline : {policies::place_sequential, policies::place_random}) {
        const Placement other = baseline(view, request, Deadline::never());
        ck_assert_uint_eq(other.ranks.size(), static_cast<std::size_t>(tasks));
        ck_assert(baseline != policies::place_sequential || placement.cost <= other.cost);
      }
      ++placed;
    } catch (const Error&) {
      // Not every request fits. The count below shows that many do.
    }
  }
  ck_assert_int_gt(placed, instances(150));
}
END_TEST

START_TEST(a_wider_scope_never_costs_more) {
  std::mt19937_64 random(5);
  const auto up_to = [&](std::int32_t most) { return static_cast<std::int32_t>(random() % (most + 1)); };
  for (int round = 0; round < instances(100); ++round) {
    const ClusterView view = partly_free(
        machine({4 + up_to(6), 4 + up_to(6), 4 + up_to(6), 3 + up_to(4), 2 + up_to(6)}, 1 + up_to(1), 2 + up_to(2)),
        up_to);
    const std::int32_t tasks = 17 + up_to(10);
    Request request = request_of(tasks, random_traffic(tasks, up_to));
    // The limits ask for few nodes, or for many. A mapping made without regard to them often breaks them.
    const bool few_nodes = up_to(2) == 0;
    request.min_nodes = few_nodes ? 1 : 4 + up_to(8);
    request.max_nodes = few_nodes ? 4 + up_to(6) : request.min_nodes + up_to(2);
    request.whole_nodes = up_to(2) == 0;
    Cost narrower = -1;
    for (const Parameters& scope : {Parameters{}, Parameters{{"levels-up", "1"}}, Parameters{{"scope", "whole"}}}) {
      request.parameters = scope;
      try {
        const Placement placement = place(view, request);
        ck_assert(narrower < 0 || placement.cost <= narrower);
        narrower = placement.cost;
      } catch (const Error&) {
        ck_assert(narrower < 0);  // a request that does not fit in one scope fits in none
      }
    }
  }
}
END_TEST

// Returns the number in the last reason of a placement with objective=worst-group; 0 where it has none.
int worst_span(const Placement& placement) {
  const std::string& text = placement.reasons.back();
  return text.starts_with("no group ") ? std::stoi(text.substr(text.find_first_of("0123456789"))) : 0;
}

// srun begins with the ranks for which the nodes were chosen. Its own search sometimes finds a mapping that costs more.
START_TEST(a_step_costs_no_more_than_its_plan) {
  std::mt19937_64 random(11);
  const auto up_to = [&](std::int32_t most) { return static_cast<std::int32_t>(random() % (most + 1)); };
  int by_the_plan = 0;
  for (int round = 0; round < instances(120); ++round) {
    ClusterView view =
        partly_free(machine({4 + up_to(6), 8 + up_to(6), 9 + up_to(6), 7 + up_to(4)}, 2, 2 + up_to(6)), up_to);
    const std::int32_t tasks = 17 + up_to(round % 10 == 0 ? 180 : 40);
    Request request = request_of(tasks, random_traffic(tasks, up_to));
    request.min_nodes = up_to(1) ? 6 + up_to(6) : 1;
    request.parameters["objective"] = round % 3 == 0 ? "worst-group" : round % 3 == 1 ? "balanced" : "hop-bytes";
    Placement chosen;
    try {
      chosen = place(view, request);
    } catch (const Error&) {
      continue;  // it does not fit
    }
    Request step = step_of(view, request, chosen);
    const Placement placed = place(view, step);
    const int planned_span = worst_span(chosen), span = worst_span(placed);
    ck_assert_int_le(span, planned_span);
    ck_assert(span < planned_span || placed.cost <= chosen.cost);
    step.planned_ranks.clear();
    const Placement without = place(view, step);
    by_the_plan += without.cost > placed.cost || worst_span(without) > span;
  }
  ck_assert_int_gt(by_the_plan, instances(120) / 40);
}
END_TEST

// A variable in a job's environment may belong to another step, and its user may have changed it.
START_TEST(planned_ranks_of_another_step_are_ignored) {
  ClusterView view = machine({2, 2}, 1, 4);
  Request request = request_of(8, matrix_of(8, {{0, 7, 10}, {1, 6, 10}, {2, 5, 10}, {3, 4, 10}}));
  request.node_tasks = {3, 1, 2, 2};
  const Placement without = place(view, request);
  using Ranks = std::vector<std::vector<std::int32_t>>;
  for (const Ranks& ranks : {Ranks{}, Ranks{{}}, Ranks{{}, {}, {}, {}}, Ranks{{0, 1, 2, 3, 4, 5, 6, 7}},
                             Ranks{{0, 1, 2}, {3}, {4, 5}, {6, 7}, {}}, Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}},
                             Ranks{{0, 1, 2}, {3}, {4, 5}, {6, 6}}, Ranks{{0, 1, 2}, {3}, {4, 5}, {6, 8}},
                             Ranks{{0, 1, 2}, {3}, {4, 5}, {6, -1}}, Ranks{{0, 1, 2}, {3}, {4, 5}, {6, INT32_MAX}}}) {
    request.planned_ranks = ranks;
    const Placement placed = place(view, request);
    for (std::size_t rank = 0; rank < 8; ++rank) {
      ck_assert_int_eq(placed.ranks[rank].node, without.ranks[rank].node);
      ck_assert(placed.ranks[rank].cores == without.ranks[rank].cores);
    }
  }
  request.planned_ranks = {{0, 1, 2}, {3}, {4, 5}, {6, 7}};  // these fit, and cost more
  ck_assert(place(view, request).cost == without.cost);
}
END_TEST

// A step on whole nodes may take cores beyond the first of each node. Which ranks are on which node depends on these.
START_TEST(step_on_whole_nodes) {
  ClusterView view = view_of_switches(
      std::vector<SwitchShape>{{"s1", 2, {0, 1}}, {"s2", 2, {2, 3, 4}}, {"s0", -1, {}}},
      std::vector<NodeShape>{{"n0", 1, 3, 1}, {"n1", 1, 1, 1}, {"n2", 2, 3, 1}, {"n3", 2, 2, 1}, {"n4", 2, 3, 1}});
  for (const std::int32_t core : {0, 2}) view.nodes[2].core_free[core] = false;
  for (const std::int32_t core : {1, 2, 3}) view.nodes[4].core_free[core] = false;
  Request request;
  request.tasks = 7;
  request.min_nodes = request.max_nodes = 5;
  request.whole_nodes = true;
  request.matrix = std::make_shared<CommMatrix>(CommMatrix::from_edges(
      7,
      std::vector<CommEdge>{
          {0, 2, 66}, {0, 3, 8}, {0, 4, 7}, {0, 5, 51}, {1, 3, 28}, {2, 3, 88}, {2, 6, 43}, {3, 4, 50}, {4, 6, 30}}));
  const Placement job = place_treematch(view, request, Deadline::never());
  ck_assert(job.optimal && job.cost == 1870);
  request.node_tasks.assign(5, 0);
  for (const RankPlace& rank : job.ranks) ++request.node_tasks[rank.node];
  const Placement step = place_treematch(view, request, Deadline::never());
  ck_assert(step.cost == 1870);
  for (const RankPlace& rank : step.ranks) --request.node_tasks[rank.node];
  ck_assert(request.node_tasks == std::vector<std::int32_t>(5, 0));
}
END_TEST

// Jobs of up to 128 tasks are tried on several choices of nodes, so that none costs more than on the first nodes.
START_TEST(small_jobs_are_never_behind_the_first_nodes) {
  std::mt19937_64 random(11);
  const auto up_to = [&](std::int32_t most) { return static_cast<std::int32_t>(random() % (most + 1)); };
  for (int round = 0; round < instances(24); ++round) {
    ClusterView view = machine({6 + up_to(6), 6 + up_to(6), 6 + up_to(6), 5 + up_to(4)}, 2, 4);
    for (NodeView& node : view.nodes)
      for (std::size_t core = 0; core < node.core_free.size(); ++core) node.core_free[core] = up_to(7) > 0;
    const std::int32_t tasks = round == 0 ? 128 : 70 + up_to(58);
    Request request = request_of(tasks, random_traffic(tasks, up_to));
    request.min_nodes = round % 2 == 0 ? 1 : 17 + up_to(2);
    request.max_nodes = round % 2 == 0 ? tasks : request.min_nodes;
    const auto first =
        mapping::sequential_counts(mapping::NodeLimits(view, request, mapping::Slots(view, request).capacity()));
    if (!first) continue;
    Request on_first = request_of(tasks, request.matrix);
    on_first.node_tasks = *first;
    ck_assert(place(view, request).cost <= place_treematch(view, on_first, Deadline::never()).cost);
  }
}
END_TEST

START_TEST(large_jobs) {
  const ClusterView view = machine({24, 24, 24, 24}, 2, 4);
  for (const bool node_level : {false, true})
    for (const std::int32_t tasks : {129, 256, 500}) {
      std::vector<CommEdge> edges;  // a ring in which neighbours are far apart in natural order
      for (std::int32_t r = 0; r < tasks; ++r) edges.push_back({r * 7 % tasks, (r + 1) * 7 % tasks, 10});
      Request request = request_of(tasks, matrix_of(tasks, std::move(edges)));
      request.node_level = node_level;
      ck_assert(place(view, request).cost < policies::place_sequential(view, request, Deadline::never()).cost);
      request.min_nodes = request.max_nodes = 90;
      place(view, request);
      request.min_nodes = 1;
      request.max_tasks_per_node = 6;
      request.equal_tasks_per_node = true;
      ck_assert(place(view, request).cost < policies::place_sequential(view, request, Deadline::never()).cost);
    }
}
END_TEST

START_TEST(table_of_policies) {
  ck_assert(policies::find_policy("treematch") == policies::find_policy("TREEMATCH"));
  ck_assert(policies::find_policy("treematch") != nullptr);
  ck_assert(policies::find_policy("block") == nullptr);
  ck_assert_error_words(policies::check_policy_spec({"TREEMUCH", {}}), "policy TREEMUCH TREEMATCH");
  ck_assert_error_words(policies::check_policy_spec({"TREEMATCH", {{"levels", "1"}}}), "key levels TREEMATCH matrix");
}
END_TEST

// With limits on nodes, each pod is tried alone, so that the others seldom lead away from it.
START_TEST(each_pod_is_tried_with_limits) {
  std::mt19937_64 random(3208);
  const auto up_to = [&](std::int32_t most) { return static_cast<std::int32_t>(random() % (most + 1)); };
  Comparison comparison;
  for (int round = 0; round < instances(40); ++round) {
    const std::vector<std::int32_t> pods{3 + up_to(4), 3 + up_to(4), 3 + up_to(4)};
    const ClusterView view = partly_free(machine(pods, 2, 4), up_to);
    const std::int32_t tasks = 17 + up_to(5), size = 3 + up_to(4);
    Request request = request_of(tasks, traffic_in_groups(tasks, size, up_to));
    request.min_nodes = request.max_nodes = 3;
    request.parameters["scope"] = "whole";
    compare_with_pods(view, pods, request, comparison);
  }
  ck_assert_msg(comparison.behind <= (comparison.tried + 15) / 16 && comparison.worst < 1.05, "%d of %d, worst %.3f",
                comparison.behind, comparison.tried, comparison.worst);
}
END_TEST

// With more tasks, the nodes of each pod are tried with groups of ranks. One pod alone may cost some percent less.
START_TEST(large_jobs_with_limits_are_near_the_best_pod) {
  std::mt19937_64 random(77);
  const auto up_to = [&](std::int32_t most) { return static_cast<std::int32_t>(random() % (most + 1)); };
  Comparison comparison;
  for (int round = 0; round < instances(30); ++round) {
    const std::vector<std::int32_t> pods{14 + up_to(6), 14 + up_to(6), 14 + up_to(6), 14 + up_to(6)};
    const ClusterView view = partly_free(machine(pods, 2, 8), up_to);
    const std::int32_t tasks = 129 + up_to(20), size = 8 + up_to(9);
    Request request = request_of(tasks, traffic_in_groups(tasks, size, up_to));
    request.min_nodes = request.max_nodes = 13 + up_to(1);
    compare_with_pods(view, pods, request, comparison);
  }
  ck_assert_int_gt(comparison.tried, 0);
  ck_assert_msg(comparison.worst < 1.05, "%d of %d, worst %.3f", comparison.behind, comparison.tried, comparison.worst);
}
END_TEST

int main() {
  Suite* suite = suite_create("treematch");
  TCase* all = tcase_create("all");
  tcase_add_test(all, motivating_example);
  tcase_add_test(all, no_time_still_gives_a_placement);
  tcase_add_test(all, limits_on_nodes);
  tcase_add_test(all, tasks_per_node_exactly);
  tcase_add_test(all, whole_nodes_share_evenly);
  tcase_add_test(all, required_nodes_are_used);
  tcase_add_test(all, a_required_node_outside_the_fullest_switches);
  tcase_add_test(all, several_cores_per_task);
  tcase_add_test(all, a_step_keeps_its_counts);
  tcase_add_test(all, without_a_matrix_compact);
  tcase_add_test(all, scopes);
  tcase_add_test(all, refuses_mismatched_requests);
  tcase_add_test(all, any_machine_any_request);
  tcase_add_test(all, a_wider_scope_never_costs_more);
  tcase_add_test(all, a_step_costs_no_more_than_its_plan);
  tcase_add_test(all, planned_ranks_of_another_step_are_ignored);
  tcase_add_test(all, step_on_whole_nodes);
  tcase_add_test(all, small_jobs_are_never_behind_the_first_nodes);
  tcase_add_test(all, each_pod_is_tried_with_limits);
  tcase_add_test(all, large_jobs_with_limits_are_near_the_best_pod);
  tcase_add_test(all, large_jobs);
  tcase_add_test(all, table_of_policies);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
