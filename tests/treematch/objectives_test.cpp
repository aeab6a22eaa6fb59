// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/objectives.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "common/topology/switch_tree.hpp"
#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "tests/words.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/treematch.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

// Adds a leaf switch with `count` nodes of one core.
void add_leaf_switch(std::vector<SwitchShape>& switches, std::vector<NodeShape>& nodes, std::int32_t above,
                     std::int32_t count) {
  switches.push_back({"s" + std::to_string(switches.size()), above, {}});
  for (std::int32_t k = 0; k < count; ++k) {
    switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
    nodes.push_back({"n" + std::to_string(nodes.size()), 1, 1, 1});
  }
}

// Returns a machine of leaf switches below one root, with these numbers of nodes of one core.
ClusterView machine(const std::vector<std::int32_t>& leaf_nodes) {
  std::vector<SwitchShape> switches{{"root", -1, {}}};
  std::vector<NodeShape> nodes;
  for (const std::int32_t count : leaf_nodes) {
    add_leaf_switch(switches, nodes, 0, count);
  }
  return view_of_switches(switches, nodes);
}

// As machine(), with the leaf switches below several others.
ClusterView machine_below(const std::vector<std::vector<std::int32_t>>& leaf_nodes) {
  std::vector<SwitchShape> switches{{"root", -1, {}}};
  std::vector<NodeShape> nodes;
  for (const std::vector<std::int32_t>& below : leaf_nodes) {
    const auto upper = static_cast<std::int32_t>(switches.size());
    switches.push_back({"s" + std::to_string(switches.size()), 0, {}});
    for (const std::int32_t count : below) {
      add_leaf_switch(switches, nodes, upper, count);
    }
  }
  return view_of_switches(switches, nodes);
}

Request request_of(const std::vector<CommEdge>& edges, std::int32_t tasks, const std::string& objective) {
  Request request;
  request.tasks = request.min_nodes = request.max_nodes = tasks;
  request.matrix = std::make_shared<CommMatrix>(CommMatrix::from_edges(tasks, edges));
  request.parameters["objective"] = objective;
  return request;
}

std::int32_t switch_of(const ClusterView& view, std::int32_t node) {
  std::int32_t v = view.tree->leaf_vertex(view.nodes[node].first_leaf);
  while (view.tree->parent(view.tree->parent(v)) >= 0 && view.tree->parent(view.tree->parent(v)) != 0)
    v = view.tree->parent(v);
  return view.tree->parent(v);
}

std::vector<std::int32_t> shares(const ClusterView& view, const Placement& placement) {
  std::map<std::int32_t, std::int32_t> count;
  for (const RankPlace& rank : placement.ranks) ++count[switch_of(view, rank.node)];
  std::vector<std::int32_t> sorted;
  for (const auto& [vertex, tasks] : count) sorted.push_back(tasks);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Placement place(const ClusterView& view, const Request& request) {
  const Placement placement = place_treematch(view, request, Deadline::never());
  std::set<std::int32_t> nodes;
  std::vector<std::int32_t> leaves;
  for (const RankPlace& rank : placement.ranks) {
    ck_assert(view.nodes[rank.node].core_free[rank.cores.at(0)]);
    ck_assert(nodes.insert(rank.node).second);
    leaves.push_back(view.nodes[rank.node].first_leaf);
  }
  ck_assert(placement.cost == view.tree->hop_bytes(*request.matrix, leaves));
  const Placement again = place_treematch(view, request, Deadline::never());
  for (std::size_t r = 0; r < placement.ranks.size(); ++r)
    ck_assert_int_eq(placement.ranks[r].node, again.ranks[r].node);
  return placement;
}

std::vector<CommEdge> ring(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) edges.push_back({r, (r + 1) % ranks, 10});
  return edges;
}

// Returns the traffic of `groups` groups of `size` ranks: all to all inside a group, and less to the next group.
std::vector<CommEdge> pipeline(std::int32_t groups, std::int32_t size) {
  std::vector<CommEdge> edges;
  for (std::int32_t g = 0; g < groups; ++g)
    for (std::int32_t a = 0; a < size; ++a) {
      for (std::int32_t b = a + 1; b < size; ++b) edges.push_back({g * size + a, g * size + b, 10});
      if (g + 1 < groups) edges.push_back({g * size + a, (g + 1) * size + a, 4});
    }
  return edges;
}

std::int32_t widest_group(const ClusterView& view, const Placement& placement, std::int32_t size) {
  std::int32_t widest = 0;
  for (std::size_t first = 0; first < placement.ranks.size(); first += size) {
    std::set<std::int32_t> used;
    for (std::size_t r = first; r < first + size; ++r) used.insert(switch_of(view, placement.ranks[r].node));
    widest = std::max(widest, static_cast<std::int32_t>(used.size()));
  }
  return widest;
}

}  // namespace

START_TEST(no_switch_gets_a_remnant) {
  const ClusterView view = machine({17, 17, 17, 17});
  const Placement least = place(view, request_of(ring(36), 36, "hop-bytes"));
  const Placement even = place(view, request_of(ring(36), 36, "balanced"));
  ck_assert(shares(view, even) == std::vector<std::int32_t>({12, 12, 12}));
  ck_assert(even.cost * 50 <= least.cost * 51);
  ck_assert_words(even.reasons.back(), "12 12 tasks");
}
END_TEST

START_TEST(balance_has_its_price) {  // with all to all, three equal shares would cost over 2 % more hop-bytes
  const ClusterView view = machine({17, 17, 17});
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 36; ++a)
    for (std::int32_t b = a + 1; b < 36; ++b) edges.push_back({a, b, 10});
  const Placement least = place(view, request_of(edges, 36, "hop-bytes"));
  const Placement even = place(view, request_of(edges, 36, "balanced"));
  ck_assert(even.cost * 50 <= least.cost * 51);
}
END_TEST

// slurm-placement(7): balanced evens out the shares if that costs at most 2 % more hop-bytes.
// With some cores taken away, so that the shares are even, a larger subtree may be the least that has room.
START_TEST(even_shares_in_the_scope) {
  const ClusterView view = machine_below({{1, 0, 0, 0}, {2, 3, 1, 1}, {1, 2, 2, 2}});
  Request request = request_of({{0, 1, 1},
                                {0, 3, 3},
                                {0, 4, 3},
                                {0, 5, 90},
                                {0, 6, 90},
                                {1, 3, 100},
                                {1, 4, 3},
                                {1, 5, 3},
                                {1, 6, 3},
                                {2, 3, 3},
                                {2, 4, 100},
                                {2, 5, 3},
                                {3, 4, 3},
                                {3, 5, 3},
                                {3, 6, 3},
                                {4, 5, 3},
                                {5, 6, 100}},
                               7, "balanced");
  const Placement placement = place(view, request);
  std::int32_t top = view.tree->leaf_vertex(view.nodes[placement.ranks[0].node].first_leaf);
  for (const RankPlace& rank : placement.ranks)
    top = view.tree->lowest_common_ancestor(top, view.tree->leaf_vertex(view.nodes[rank.node].first_leaf));
  ck_assert_int_ne(top, 0);
}
END_TEST

START_TEST(even_shares_cost_two_per_cent_at_most) {
  const ClusterView view = machine({17, 17, 17});
  const Request request = request_of(ring(36), 36, "balanced");
  for (const Cost cost : {10200, 10201}) {
    // Takes the first free nodes, and calls any shares but those of the first nodes as expensive as `cost`.
    const auto first_free = [&](const ClusterView& some, const Request&) {
      Placement placement;
      for (std::int32_t n = 0; n < std::ssize(some.nodes) && std::ssize(placement.ranks) < request.tasks; ++n)
        if (some.nodes[static_cast<std::size_t>(n)].core_free[0]) placement.ranks.push_back({n, {0}});
      if (std::ssize(placement.ranks) < request.tasks) throw Error("no room");
      placement.cost = shares(some, placement) == std::vector<std::int32_t>({2, 17, 17}) ? Cost{10000} : cost;
      return placement;
    };
    const Placement found = place_by_objective(Objective::balanced, view, request, Deadline::never(), first_free);
    ck_assert(found.cost == (cost == 10200 ? cost : Cost{10000}));
  }
}
END_TEST

// slurm-placement(7): a path of heavy pairs joins the ranks of a group. A heavy pair has at least three quarters of the
// traffic of the heaviest pair.
START_TEST(pairs_are_heavy_from_three_quarters_on) {
  const CommMatrix matrix = CommMatrix::from_edges(6, {{0, 1, 10000}, {2, 3, 7500}, {4, 5, 7499}});
  std::set<std::vector<std::int32_t>> groups;
  for (const std::vector<std::int32_t>& group : heavy_groups(matrix))
    if (group.size() > 1) groups.insert(group);
  ck_assert(groups == (std::set<std::vector<std::int32_t>>{{0, 1}, {2, 3}}));
}
END_TEST

// slurm-placement(7): effort=N, from 1 to 1000 (10).
START_TEST(efforts) {
  Request request;
  ck_assert_int_eq(effort_parameter(request), 10);
  request.parameters["effort"] = "1000";
  ck_assert_int_eq(effort_parameter(request), 1000);
  for (const char* const bad : {"0", "1001"}) {
    request.parameters["effort"] = bad;
    ck_assert_error(effort_parameter(request), bad);
  }
}
END_TEST

START_TEST(groups_stay_together) {
  Random random(12);
  for (int round = 0; round < instances(12); ++round) {
    ClusterView view = machine({9, 9, 9, 9, 9, 9, 9, 9});
    for (NodeView& node : view.nodes)
      if (random.below(3) == 0) node.core_free.assign(1, false);
    const std::int32_t size = 3 + (round + 1) % 3;
    const Placement least = place(view, request_of(pipeline(6, size), 6 * size, "hop-bytes"));
    const Placement whole = place(view, request_of(pipeline(6, size), 6 * size, "worst-group"));
    const std::int32_t before = widest_group(view, least, size), after = widest_group(view, whole, size);
    ck_assert_int_le(after, before);
    ck_assert(after < before || whole.cost <= least.cost);
  }
}
END_TEST

// A step's placement on the nodes of its job is about as good as the one for which the nodes were chosen.
START_TEST(steps_after_their_jobs) {
  Random random(5);
  double planned = 0, found = 0;
  for (int round = 0; round < instances(20); ++round) {
    ClusterView view = machine(std::vector<std::int32_t>(16, 16));
    for (std::int32_t left = 128; left > 0;) {  // taken in runs of up to five nodes
      std::int32_t n = random.below(256);
      for (const std::int32_t end = std::min(256, n + 1 + random.below(5)); n < end && left > 0; ++n) {
        left -= view.nodes[n].core_free[0];
        view.nodes[n].core_free[0] = false;
      }
    }
    for (const std::string objective : {"hop-bytes", "worst-group"}) {
      Request request = request_of(pipeline(8, 12), 96, objective);
      request.parameters["scope"] = "whole";
      const Placement job = place(view, request);
      request.node_tasks.assign(view.nodes.size(), 0);
      for (const RankPlace& rank : job.ranks) request.node_tasks[rank.node] = 1;
      const Placement step = place(view, request);
      for (const RankPlace& rank : step.ranks) ck_assert_int_eq(request.node_tasks[rank.node], 1);
      planned += static_cast<double>(job.cost);
      found += static_cast<double>(step.cost);
      if (objective == "worst-group")
        ck_assert_int_le(widest_group(view, step, 12), widest_group(view, job, 12));
      else
        ck_assert_double_le(static_cast<double>(step.cost), 1.01 * static_cast<double>(job.cost));
    }
  }
  ck_assert_double_le(found, 1.002 * planned);
}
END_TEST

// Eight groups of twelve ranks on leaf switches with room for four to eight each: two suffice for each group.
START_TEST(groups_on_the_fewest_switches) {
  Random random(3);
  for (int round = 0; round < instances(6); ++round) {
    std::vector<std::int32_t> nodes;
    for (int pair = 0; pair < 10; ++pair) {
      const std::int32_t more = random.below(3);
      nodes.push_back(6 + more);
      nodes.push_back(6 - more);
    }
    const ClusterView view = machine(nodes);
    const Placement whole = place(view, request_of(pipeline(8, 12), 96, "worst-group"));
    ck_assert_int_eq(widest_group(view, whole, 12), 2);
    ck_assert_words(whole.reasons.back(), "group 2 leaf");
    // The unit of the traffic does not count: fractions are scaled to whole numbers of up to 62 bits together.
    std::vector<CommEdge> large = pipeline(8, 12);
    for (CommEdge& edge : large) edge.weight *= std::int64_t{1} << 46;
    ck_assert_int_eq(widest_group(view, place(view, request_of(large, 96, "worst-group")), 12), 2);
  }
}
END_TEST

START_TEST(shares_of_groups) {
  const std::vector<std::int32_t> room{5, 0, 7, 3, 12}, sizes{4, 12, 9};
  const auto shares = spread_groups(room, sizes, 2);
  ck_assert(shares.has_value());
  std::vector<std::int32_t> left = room;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    std::int32_t tasks = 0;
    for (const SwitchShare& share : (*shares)[g]) {
      ck_assert_int_gt(share.tasks, 0);
      left[share.on] -= share.tasks;
      tasks += share.tasks;
    }
    ck_assert_int_eq(tasks, sizes[g]);
    ck_assert_uint_le((*shares)[g].size(), 2);
  }
  for (const std::int32_t rest : left) ck_assert_int_ge(rest, 0);
  ck_assert(!spread_groups(room, sizes, 1));
  ck_assert(!spread_groups(room, std::vector<std::int32_t>{28}, 9));  // 27 tasks have room
  ck_assert_uint_eq(spread_groups(room, std::vector<std::int32_t>{27}, 4)->front().size(), 4);
  ck_assert(spread_groups(room, std::vector<std::int32_t>{}, 1)->empty());
  ck_assert(!spread_groups({}, std::vector<std::int32_t>{1}, 1));
}
END_TEST

// The socket of a node that has no other is not taken for the node, nor the node for a leaf switch.
START_TEST(nodes_with_one_socket_and_with_two) {
  const ClusterView view = view_of_switches(
      std::vector<SwitchShape>{{"a", 2, {0, 1}}, {"b", 2, {2, 3, 4, 5}}, {"root", -1, {}}},
      std::vector<NodeShape>{
          {"n0", 2, 2, 1}, {"n1", 2, 2, 1}, {"n2", 1, 2, 1}, {"n3", 1, 2, 1}, {"n4", 1, 1, 1}, {"n5", 1, 2, 1}});
  Request request = request_of(ring(4), 4, "worst-group");
  request.required_nodes = {2};
  const Placement together = place_treematch(view, request, Deadline::never());
  for (const RankPlace& rank : together.ranks) ck_assert_int_ge(rank.node, 2);
  ck_assert_words(together.reasons.back(), "group 1 leaf");
  request.parameters["objective"] = "balanced";
  ck_assert_words(place_treematch(view, request, Deadline::never()).reasons.back(), "4 4 tasks");
}
END_TEST

START_TEST(other_requests) {
  const ClusterView view = machine({2, 2});
  Request request = request_of({{0, 1, 5}}, 2, "fastest");
  ck_assert_error_words(place(view, request), "objective=fastest hop-bytes balanced worst-group");
  ck_assert_error(check_treematch(request.parameters), "objective=fastest");
  for (const char* objective : {"balanced", "worst-group"}) {
    request.parameters["objective"] = objective;
    place(view, request);
    Request step = request;  // a step, whose nodes are given
    step.min_nodes = 1;
    step.node_tasks = {1, 0, 0, 1};
    ck_assert_int_eq(place(view, step).ranks[1].node, 3);
    Request plain = request;
    plain.matrix = nullptr;
    ck_assert_uint_eq(place_treematch(view, plain, Deadline::never()).ranks.size(), 2);
    Request silent = request_of({}, 3, objective);  // without traffic there are no groups
    place(view, silent);
    Request too_many = request_of({{0, 1, 5}}, 5, objective);
    ck_assert_error_words(place(view, too_many), "4 5 tasks");
    Request heavy = request_of({{0, 1, INT64_MAX}}, 2, objective);
    place(view, heavy);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("objectives");
  TCase* all = tcase_create("all");
  tcase_add_test(all, no_switch_gets_a_remnant);
  tcase_add_test(all, balance_has_its_price);
  tcase_add_test(all, even_shares_in_the_scope);
  tcase_add_test(all, even_shares_cost_two_per_cent_at_most);
  tcase_add_test(all, pairs_are_heavy_from_three_quarters_on);
  tcase_add_test(all, efforts);
  tcase_add_test(all, groups_stay_together);
  tcase_add_test(all, steps_after_their_jobs);
  tcase_add_test(all, groups_on_the_fewest_switches);
  tcase_add_test(all, shares_of_groups);
  tcase_add_test(all, nodes_with_one_socket_and_with_two);
  tcase_add_test(all, other_requests);
  tcase_set_timeout(all, 60);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
