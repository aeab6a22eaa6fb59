// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/exact_map.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "common/topology/switch_tree.hpp"
#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "treematch/tree_map.hpp"
#include "treematch/treematch.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

using Ints = std::vector<std::int32_t>;

// Returns the least cost of all legal mappings, by trying all of them.
std::optional<Cost> least_cost(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable,
                               const std::function<bool(const Ints&)>& legal = nullptr) {
  std::optional<Cost> best;
  Ints leaf;
  std::vector<bool> taken(usable.size(), false);
  const std::function<void(Cost)> extend = [&](Cost cost) {
    if (best && !legal && cost >= *best) return;
    if (static_cast<std::int32_t>(leaf.size()) == matrix.ranks()) {
      if ((!best || cost < *best) && (!legal || legal(leaf))) best = cost;
      return;
    }
    const auto rank = static_cast<std::int32_t>(leaf.size());
    for (std::size_t k = 0; k < usable.size(); ++k) {
      if (taken[k]) continue;
      Cost more = cost;
      for (std::int32_t other = 0; other < rank; ++other)
        more += Cost{matrix.weight(rank, other)} * tree.distance(usable[k], leaf[other]);
      if (best && more >= *best) continue;
      taken[k] = true;
      leaf.push_back(usable[k]);
      extend(more);
      leaf.pop_back();
      taken[k] = false;
    }
  };
  extend(0);
  return best;
}

// Returns the least cost of all mappings, by the least cost below each vertex of each set of ranks. This suffices for
// ten ranks, for which there are too many mappings to try them one by one.
Cost least_cost_of_sets(const CommMatrix& matrix, const TreeTopology& tree, const Ints& usable) {
  constexpr std::int64_t never = INT64_MAX / 4;
  const std::size_t sets = std::size_t{1} << matrix.ranks();
  std::vector<std::int64_t> cut(sets, 0);
  for (std::size_t set = 0; set < sets; ++set)
    for (const CommEdge& edge : matrix.edges())
      if ((set >> edge.a & 1) != (set >> edge.b & 1)) cut[set] += edge.weight;
  std::vector<std::vector<std::int64_t>> below(tree.vertices());
  for (const std::int32_t leaf : usable) {
    std::vector<std::int64_t>& one = below[tree.leaf_vertex(leaf)];
    one.assign(sets, never);
    one[0] = 0;
    for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) one[std::size_t{1} << rank] = 0;
  }
  for (std::int32_t v = tree.vertices() - 1; v > 0; --v) {
    if (below[v].empty()) continue;
    std::vector<std::int64_t>& above = below[tree.parent(v)];
    std::vector<std::int64_t> sum(sets, never);
    const std::int64_t length = tree.position(v) - tree.position(tree.parent(v));
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t part = set;; part = (part - 1) & set) {
        if (below[v][part] < never && (above.empty() ? part == set : above[set ^ part] < never))
          sum[set] = std::min(sum[set], below[v][part] + length * cut[part] + (above.empty() ? 0 : above[set ^ part]));
        if (part == 0) break;
      }
    above = std::move(sum);
  }
  return Cost{below[0][sets - 1]} / 2;  // a pair counts at both of its ends
}

CommMatrix random_matrix(std::int32_t ranks, Random& random) {
  std::vector<CommEdge> edges;
  const std::int32_t most = random.below(2) == 0 ? 3 : 1000;  // small weights give ties
  for (std::int32_t k = 0; k < 1 + random.below(3 * ranks); ++k)
    edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(most)});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// Returns a tree in which each vertex has a random earlier parent. In half of the trees each level has its own
// distance.
TreeTopology random_tree(Random& random, std::int32_t vertices) {
  Ints parent{-1};
  Ints level{0};
  std::int32_t depth = 0;
  for (std::int32_t v = 1; v < vertices; ++v) {
    std::int32_t up = random.below(v);
    while (level[up] > 3) up = random.below(v);
    parent.push_back(up);
    level.push_back(level[up] + 1);
    depth = std::max(depth, level.back());
  }
  if (random.below(2) == 0) return TreeTopology::from_parents(parent);
  std::vector<std::int64_t> distance;
  for (std::int32_t l = 0; l < depth; ++l)
    distance.push_back((distance.empty() ? 1 : distance.back()) + random.below(4));
  return TreeTopology::from_parents(parent, distance);
}

Ints some_leaves(const TreeTopology& tree, std::int32_t least, std::int32_t most, Random& random) {
  Ints all(tree.leaves());
  for (std::int32_t k = 0; k < tree.leaves(); ++k) all[k] = k;
  for (std::int32_t k = tree.leaves() - 1; k > 0; --k) std::swap(all[k], all[random.below(k + 1)]);
  all.resize(std::min<std::size_t>(all.size(), least + random.below(most - least + 1)));
  std::sort(all.begin(), all.end());
  return all;
}

// Returns a machine of two pods. Each pod has four leaf switches with two nodes of one core each.
ClusterView two_pods(const Ints& busy) {
  std::vector<SwitchShape> switches{{"root", -1, {}}, {"pod1", 0, {}}, {"pod2", 0, {}}};
  std::vector<NodeShape> nodes;
  for (std::int32_t leaf = 0; leaf < 8; ++leaf) {
    switches.push_back({"s" + std::to_string(leaf), 1 + leaf / 4, {2 * leaf, 2 * leaf + 1}});
    for (std::int32_t k = 0; k < 2; ++k) nodes.push_back({"n" + std::to_string(nodes.size() + 1), 1, 1, 1});
  }
  ClusterView view = view_of_switches(switches, nodes);
  for (const std::int32_t node : busy) view.nodes[node - 1].core_free.assign(1, false);
  return view;
}

Request one_a_node(const CommMatrix& matrix) {
  Request request;
  request.tasks = request.min_nodes = request.max_nodes = matrix.ranks();
  request.matrix = std::make_shared<CommMatrix>(matrix);
  return request;
}

const CommMatrix two_pairs = CommMatrix::from_edges(4, {{0, 1, 100}, {2, 3, 100}, {1, 2, 0}});

}  // namespace

START_TEST(the_better_pod_is_taken) {
  const ClusterView view = two_pods({1, 3, 5, 7, 13, 14, 15, 16});
  for (const char* scope : {"subtree", "whole"}) {
    Request request = one_a_node(two_pairs);
    request.parameters["scope"] = scope;
    const Placement placement = place_treematch(view, request, Deadline::never());
    ck_assert(placement.cost == two_pairs.total_weight() * view.tree->distance(0, 1));
    for (const RankPlace& rank : placement.ranks) ck_assert(rank.node >= 8 && rank.node < 12);
    ck_assert_msg(placement.reasons.front().find("optimal") != std::string::npos, "%s",
                  placement.reasons.front().c_str());
  }
}
END_TEST

START_TEST(the_better_leaves_are_taken) {
  const TreeTopology tree = TreeTopology::balanced(Ints{2, 4, 2});
  const Ints usable{0, 2, 4, 6, 8, 9, 10, 11};
  for (const LeafScope scope : {LeafScope::subtree, LeafScope::whole}) {
    const MapResult result = map_to_tree(two_pairs, tree, usable, {.scope = scope});
    ck_assert(result.cost == 400);
    ck_assert(result.optimal);
  }
}
END_TEST

START_TEST(states_of_a_small_machine) {
  Random random(80);
  for (int state = 0; state < instances(80); ++state) {
    Ints busy;
    for (std::int32_t node = 1; node <= 16; ++node)
      if (random.below(2) == 0) busy.push_back(node);
    const std::int32_t ranks = 4 + random.below(2);
    if (std::ssize(busy) > 16 - ranks) busy.resize(16 - ranks);
    const ClusterView view = two_pods(busy);
    const CommMatrix matrix = random_matrix(ranks, random);
    Ints usable;
    for (const NodeView& node : view.nodes)
      if (node.core_free[0]) usable.push_back(node.first_leaf);
    Request request = one_a_node(matrix);
    request.parameters["scope"] = "whole";
    ck_assert(place_treematch(view, request, Deadline::never()).cost == *least_cost(matrix, *view.tree, usable));
  }
}
END_TEST

// Jobs of up to ten ranks on random states of a machine of three switches.
START_TEST(up_to_ten_ranks_are_optimal) {
  Random random(300);
  for (int state = 0; state < instances(300); ++state) {
    std::vector<SwitchShape> switches{{"root", -1, {}}};
    std::vector<NodeShape> nodes;
    for (std::int32_t s = 0; s < 3; ++s) {
      switches.push_back({"s" + std::to_string(s), 0, {}});
      for (std::int32_t k = 0; k < 1 + random.below(3); ++k) {
        switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
        nodes.push_back({"n" + std::to_string(nodes.size()), 1 + random.below(2), 2, 1});
      }
    }
    ClusterView view = view_of_switches(switches, nodes);
    Ints usable;
    for (NodeView& node : view.nodes)
      for (std::int32_t c = 0; c < node.cores(); ++c) {
        node.core_free[c] = random.below(3) > 0;
        if (node.core_free[c]) usable.push_back(node.first_leaf + c);
      }
    std::sort(usable.begin(), usable.end());
    if (usable.size() < 2) continue;
    Request request;
    request.tasks = std::min(2 + random.below(9), static_cast<std::int32_t>(usable.size()));
    request.matrix = std::make_shared<CommMatrix>(random_matrix(request.tasks, random));
    request.parameters["scope"] = "whole";
    const Cost best = least_cost_of_sets(*request.matrix, *view.tree, usable);
    if (request.tasks < 6 && usable.size() < 9) ck_assert(best == *least_cost(*request.matrix, *view.tree, usable));
    const Placement placement = place_treematch(view, request, Deadline::never());
    ck_assert_msg(placement.cost == best, "state %d, %d ranks: %s and not %s", state, request.tasks,
                  to_string(placement.cost).c_str(), to_string(best).c_str());
  }
}
END_TEST

START_TEST(any_tree) {
  Random random(210);
  for (int round = 0; round < instances(300); ++round) {
    const TreeTopology tree = random_tree(random, 2 + random.below(40));
    const std::int32_t ranks = std::min(1 + random.below(7), tree.leaves());
    const Ints usable = some_leaves(tree, ranks, 10, random);
    const CommMatrix matrix = random_matrix(ranks, random);
    const Cost best = *least_cost(matrix, tree, usable);
    const MapResult whole = map_to_tree(matrix, tree, usable, {.scope = LeafScope::whole});
    ck_assert_msg(whole.cost == best, "round %d: %s and not %s", round, to_string(whole.cost).c_str(),
                  to_string(best).c_str());
    ck_assert(tree.hop_bytes(matrix, whole.leaf_of_rank) == whole.cost);
    Cost narrower = -1;
    for (std::int32_t up = 0; up < 4; ++up) {
      const Cost cost = map_to_tree(matrix, tree, usable, {.scope = LeafScope::subtree, .levels_up = up}).cost;
      ck_assert(narrower < 0 || cost <= narrower);
      ck_assert(whole.cost <= cost);
      narrower = cost;
    }
  }
}
END_TEST

// Weights are often bytes, and a long run sends many. Matrices that are multiples of each other are mapped alike.
START_TEST(large_weights) {
  Random random(15);
  for (int round = 0; round < instances(200); ++round) {
    const TreeTopology tree = random_tree(random, 2 + random.below(40));
    const std::int32_t ranks = std::min(2 + random.below(6), tree.leaves());
    const Ints usable = some_leaves(tree, ranks, 9, random);
    const CommMatrix matrix = random_matrix(ranks, random);
    std::vector<CommEdge> times, large;
    for (const CommEdge& edge : matrix.edges()) {
      times.push_back({edge.a, edge.b, edge.weight * 70'000'000'000'003});
      large.push_back({edge.a, edge.b, edge.weight * 1'000'000'000'000 + random.below(1'000'000)});
    }
    const MapOptions whole{.scope = LeafScope::whole};
    const MapResult result = map_to_tree(matrix, tree, usable, whole);
    const MapResult multiple = map_to_tree(CommMatrix::from_edges(ranks, times), tree, usable, whole);
    ck_assert(multiple.leaf_of_rank == result.leaf_of_rank);
    ck_assert(multiple.optimal || matrix.pairs() == 0);
    const CommMatrix bytes = CommMatrix::from_edges(ranks, large);
    const MapResult of_bytes = map_to_tree(bytes, tree, usable, whole);
    ck_assert(of_bytes.optimal || bytes.pairs() == 0);
    ck_assert(of_bytes.cost == *least_cost(bytes, tree, usable));
  }
}
END_TEST

START_TEST(many_equal_leaves) {  // too many leaves to try all mappings; the search needs their symmetry
  const TreeTopology tree = TreeTopology::balanced(Ints{14, 20, 18, 2, 8});
  Ints all(tree.leaves());
  for (std::int32_t k = 0; k < tree.leaves(); ++k) all[k] = k;
  std::vector<CommEdge> ring;
  for (std::int32_t r = 0; r < 10; ++r) ring.push_back({r, (r + 1) % 10, 1});
  const MapResult result = map_to_tree(CommMatrix::from_edges(10, ring), tree, all, {.scope = LeafScope::whole});
  ck_assert(result.optimal);
  ck_assert(result.cost == 8 * 2 + 2 * 4);  // the ranks are in the sockets of one node, eight and two
}
END_TEST

START_TEST(any_limits) {
  Random random(14);
  int solved = 0;
  for (int round = 0; round < instances(1600); ++round) {
    std::vector<SwitchShape> switches{{"root", -1, {}}};
    std::vector<NodeShape> nodes;
    for (std::int32_t s = 0; s < 1 + random.below(3); ++s) {
      switches.push_back({"s" + std::to_string(s), random.below(2) == 0 ? 0 : random.below(s + 1), {}});
      for (std::int32_t k = 0; k < 1 + random.below(3); ++k) {
        switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
        nodes.push_back({"n" + std::to_string(nodes.size()), 1 + random.below(2), 1 + random.below(2), 1});
      }
    }
    ClusterView view = view_of_switches(switches, nodes);
    Ints usable, node_of_leaf(view.tree->leaves(), -1);
    for (std::size_t n = 0; n < view.nodes.size(); ++n)
      for (std::int32_t c = 0; c < view.nodes[n].cores(); ++c) {
        node_of_leaf[view.nodes[n].first_leaf + c] = static_cast<std::int32_t>(n);
        if (random.below(4) == 0)
          view.nodes[n].core_free[c] = false;
        else if (usable.size() < 9)
          usable.push_back(view.nodes[n].first_leaf + c);
        else
          view.nodes[n].core_free[c] = false;
      }
    std::sort(usable.begin(), usable.end());
    Request request;
    request.tasks = 1 + random.below(6);
    request.matrix = std::make_shared<CommMatrix>(random_matrix(request.tasks, random));
    if (round % 4 != 0) request.parameters["scope"] = "whole";
    if (random.below(2) == 0) request.min_nodes = 1 + random.below(4);
    if (random.below(2) == 0) request.max_nodes = request.min_nodes + random.below(3);
    if (random.below(3) == 0) {
      request.max_tasks_per_node = 1 + random.below(3);
      request.equal_tasks_per_node = random.below(2) == 0;
    }
    if (random.below(4) == 0) request.required_nodes = {random.below(static_cast<std::int32_t>(nodes.size()))};
    request.whole_nodes = random.below(5) == 0;
    Ints free(nodes.size(), 0);
    for (const std::int32_t leaf : usable) ++free[node_of_leaf[leaf]];
    const bool even = request.whole_nodes || request.equal_tasks_per_node;
    const auto legal = [&](const Ints& leaf_of_rank) {
      Ints on(nodes.size(), 0);
      for (const std::int32_t leaf : leaf_of_rank) ++on[node_of_leaf[leaf]];
      if (request.equal_tasks_per_node)  // Slurm passes a node over that has less room
        for (std::size_t n = 0; n < on.size(); ++n)
          if (on[n] > 0 && free[n] < std::min(request.max_tasks_per_node, request.tasks)) return false;
      std::int32_t used = 0, most = 0, least = request.tasks;
      for (const std::int32_t count : on)
        if (count > 0) ++used, most = std::max(most, count), least = std::min(least, count);
      for (const std::int32_t node : request.required_nodes)
        if (on[node] == 0) return false;
      return used >= std::min(request.min_nodes, request.tasks) && used <= request.max_nodes &&
             most <= request.max_tasks_per_node && (!even || most - least <= 1);
    };
    if (static_cast<std::int32_t>(usable.size()) < request.tasks) continue;
    const std::optional<Cost> best = least_cost(*request.matrix, *view.tree, usable, legal);
    try {
      const Placement placement = place_treematch(view, request, Deadline::never());
      Ints leaves;
      for (const RankPlace& rank : placement.ranks)
        leaves.push_back(view.nodes[rank.node].first_leaf + rank.cores.front());
      std::string on;
      for (const RankPlace& rank : placement.ranks) on += " n" + std::to_string(rank.node);
      ck_assert_msg(legal(leaves), "round %d: ranks on%s", round, on.c_str());
      ck_assert(best.has_value());
      ck_assert(placement.cost >= *best);
      if (round % 4 == 0) continue;  // these rounds have scope `subtree`, which may cost more
      ck_assert_msg(placement.cost == *best, "round %d: %s and not %s", round, to_string(placement.cost).c_str(),
                    to_string(*best).c_str());
      ++solved;
    } catch (const Error& error) {
      ck_assert_msg(!best, "round %d: %s", round, error.what());
    }
  }
  ck_assert_int_gt(solved, instances(600));
}
END_TEST

// Twelve uneven nodes behind four switches, half of their cores in use. The work is estimated by the nodes that each
// subtree has. An estimate with all nodes that the job may use in each subtree would exceed the steps for ten ranks.
START_TEST(ten_ranks_on_a_range_of_nodes_are_optimal) {
  Random random(16);
  for (int round = 0; round < instances(40); ++round) {
    std::vector<SwitchShape> switches{{"root", -1, {}}};
    std::vector<NodeShape> nodes;
    for (std::int32_t s = 0; s < 4; ++s) {
      switches.push_back({"s" + std::to_string(s), 0, {}});
      for (std::int32_t k = 0; k < 3; ++k) {
        switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
        nodes.push_back({"n" + std::to_string(nodes.size()), 1 + random.below(2), 1 + random.below(3), 1});
      }
    }
    ClusterView view = view_of_switches(switches, nodes);
    for (NodeView& node : view.nodes)
      for (std::int32_t c = 0; c < node.cores(); ++c) node.core_free[c] = random.below(2) == 0;
    Request request;
    request.tasks = 9 + random.below(2);
    request.matrix = std::make_shared<CommMatrix>(random_matrix(request.tasks, random));
    request.parameters["scope"] = "whole";
    const auto cost_on = [&](std::int32_t least, std::int32_t most) {
      request.min_nodes = least;
      request.max_nodes = most;
      try {
        const Placement placement = place_treematch(view, request, Deadline::never());
        ck_assert_msg(placement.reasons.front().ends_with("optimal"), "round %d: %s", round,
                      placement.reasons.front().c_str());
        return placement.cost;
      } catch (const Error&) {  // the nodes have not enough free cores
        return Cost{INT64_MAX};
      }
    };
    Cost least = INT64_MAX;
    for (std::int32_t count = 5; count <= 9; ++count) least = std::min(least, cost_on(count, count));
    ck_assert_msg(cost_on(5, 9) == least, "round %d", round);
  }
}
END_TEST

// Fewer nodes than requested, or than even shares need, hold all ranks.
START_TEST(more_equal_nodes_than_the_ranks_fill) {
  Random random(15);
  for (int round = 0; round < instances(200); ++round) {
    const std::int32_t first = 2 + random.below(2), count = first + 3;
    std::vector<SwitchShape> switches{{"root", -1, {}}, {"s0", 0, {}}, {"s1", 0, {}}};
    std::vector<NodeShape> nodes;
    for (std::int32_t n = 0; n < count; ++n) {
      switches[n < first ? 1 : 2].nodes.push_back(n);
      nodes.push_back({"n" + std::to_string(n), 1, 2, 1});
    }
    const ClusterView view = view_of_switches(switches, nodes);
    Ints usable(view.tree->leaves());
    for (std::int32_t k = 0; k < view.tree->leaves(); ++k) usable[k] = k;
    Request request;
    request.tasks = 3 + random.below(2);
    request.matrix = std::make_shared<CommMatrix>(random_matrix(request.tasks, random));
    request.parameters["scope"] = "whole";
    request.min_nodes = 2 + random.below(3);
    if (random.below(2) == 0) request.max_nodes = request.min_nodes + random.below(2);
    request.whole_nodes = random.below(4) == 0;
    const auto legal = [&](const Ints& leaf_of_rank) {
      Ints on(nodes.size(), 0);
      for (const std::int32_t leaf : leaf_of_rank) ++on[leaf / 2];
      const auto used =
          static_cast<std::int32_t>(std::count_if(on.begin(), on.end(), [](std::int32_t c) { return c > 0; }));
      const bool uneven =
          std::count(on.begin(), on.end(), 2) > 0 && std::count(on.begin(), on.end(), 1) > 0 && request.whole_nodes;
      return used >= std::min(request.min_nodes, request.tasks) && used <= request.max_nodes &&
             (!uneven || request.tasks % used != 0);
    };
    const Placement placement = place_treematch(view, request, Deadline::never());
    const std::optional<Cost> best = least_cost(*request.matrix, *view.tree, usable, legal);
    ck_assert(best.has_value());
    ck_assert_msg(placement.cost == *best, "round %d: %s and not %s", round, to_string(placement.cost).c_str(),
                  to_string(*best).c_str());
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("exact_map");
  TCase* all = tcase_create("all");
  tcase_add_test(all, the_better_pod_is_taken);
  tcase_add_test(all, the_better_leaves_are_taken);
  tcase_add_test(all, states_of_a_small_machine);
  tcase_add_test(all, up_to_ten_ranks_are_optimal);
  tcase_add_test(all, any_tree);
  tcase_add_test(all, large_weights);
  tcase_add_test(all, many_equal_leaves);
  tcase_add_test(all, any_limits);
  tcase_add_test(all, ten_ranks_on_a_range_of_nodes_are_optimal);
  tcase_add_test(all, more_equal_nodes_than_the_ranks_fill);
  tcase_set_timeout(all, 60);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
