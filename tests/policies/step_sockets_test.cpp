// SPDX-License-Identifier: GPL-2.0-or-later
// The ranks of a step on the sockets of their nodes. Slurm determines how many ranks each node has, and may allocate
// more cores than these need. All policies place them by their traffic.
#include <algorithm>
#include <numeric>
#include <string>

#include "common/topology/torus_topology.hpp"
#include "common/util/random.hpp"
#include "policies/table.hpp"
#include "tests/check.hpp"
#include "tests/tofa/tofa_machines.hpp"
#include "treematch/tree_map.hpp"
#include "treematch/within_nodes.hpp"

using namespace placement;

namespace {

using Ints = std::vector<std::int32_t>;

// Up to four nodes on one ring and on one switch, with a measured network.
ClusterView machine(std::int32_t nodes, std::int32_t sockets = 2, std::int32_t cores = 4) {
  ClusterView view;
  view.torus = std::make_shared<const TorusTopology>(TorusTopology::full({{nodes, true}}));
  view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(Ints{nodes, sockets, cores}));
  auto live = std::make_shared<LiveState>();
  for (std::int32_t n = 0; n < nodes; ++n) {
    const std::int32_t all = sockets * cores;
    view.nodes.push_back({view.torus->name(n), n * all, sockets, cores, 1,
                          std::vector<bool>(static_cast<std::size_t>(all), true), n, n});
    NodeState state;
    state.name = view.nodes.back().name;
    state.liveness = Liveness::up;
    state.age_s = 2;
    state.cores = all;
    state.cpu_load = {0, 0, 0};
    live->nodes.push_back(state);
  }
  static const Ints groups{0, 1, 2, 3};
  static const std::vector<float> latency(16, 50), bandwidth(16, 1e8F);
  const auto pairs = static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes);
  live->pairs.groups = nodes;
  live->pairs.group_of_node = std::span(groups).first(static_cast<std::size_t>(nodes));
  live->pairs.latency_us = std::span(latency).first(pairs);
  live->pairs.bandwidth_Bps = std::span(bandwidth).first(pairs);
  view.live = live;
  return view;
}

Request step(Ints node_tasks, std::vector<CommEdge> edges) {
  Request request;
  request.tasks = std::accumulate(node_tasks.begin(), node_tasks.end(), 0);
  request.node_tasks = std::move(node_tasks);
  request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(request.tasks, std::move(edges)));
  return request;
}

// The traffic between ranks of one node that are on different sockets.
std::int64_t between_sockets(const ClusterView& view, const Request& request, const Placement& placement) {
  std::int64_t sum = 0;
  for (const CommEdge& edge : request.matrix->edges()) {
    const RankPlace &a = placement.ranks[edge.a], &b = placement.ranks[edge.b];
    const std::int32_t cores = view.nodes[a.node].cores_per_socket;
    if (a.node == b.node && a.cores.front() / cores != b.cores.front() / cores) sum += edge.weight;
  }
  return sum;
}

}  // namespace

START_TEST(ranks_take_the_socket_that_has_room_for_them) {
  for (const char* policy : {"TREEMATCH", "TOFA", "NLA"}) {
    ClusterView view = machine(2);
    for (const std::int32_t core : {1, 2, 3}) view.nodes[0].core_free[core] = false;
    const Request request = step({3, 3}, {{0, 1, 5}, {1, 2, 5}, {3, 4, 5}, {4, 5, 5}, {0, 2, 1}, {3, 5, 1}});
    ck_assert_int_eq(between_sockets(view, request, place(policy, view, request)), 0);
  }
}
END_TEST

START_TEST(pairs_share_a_socket) {
  for (const char* policy : {"TREEMATCH", "TOFA", "NLA"}) {
    const ClusterView view = machine(1);
    std::vector<CommEdge> edges;
    for (std::int32_t rank = 0; rank < 4; ++rank) edges.push_back({rank, 7 - rank, 10});
    const Request request = step({8}, edges);
    ck_assert_int_eq(between_sockets(view, request, place(policy, view, request)), 0);
  }
}
END_TEST

START_TEST(pairs_share_a_cache) {
  for (const std::int32_t sockets : {1, 2})
    for (const char* policy : {"TREEMATCH", "TOFA", "NLA"}) {
      ClusterView view = machine(1, sockets, 8);
      view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(Ints{sockets, 4, 2}));
      view.nodes[0].cores_per_cache = 2;
      const std::int32_t ranks = view.nodes[0].cores();
      std::vector<CommEdge> edges;
      for (std::int32_t rank = 0; rank < ranks / 2; ++rank) edges.push_back({rank, ranks - 1 - rank, 10});
      const Request request = step({ranks}, edges);
      const Placement placement = place(policy, view, request);
      for (const CommEdge& edge : edges)
        ck_assert_int_eq(placement.ranks[edge.a].cores.front() / 2, placement.ranks[edge.b].cores.front() / 2);
    }
}
END_TEST

// The least hop-bytes of one node's ranks on its free cores, by trying all.
Cost least(const ClusterView& view, const Request& request, const Ints& free, Ints& leaf, std::size_t rank) {
  if (rank == leaf.size()) return view.tree->hop_bytes(*request.matrix, leaf);
  Cost best = std::numeric_limits<Cost>::max();
  for (const std::int32_t core : free) {
    if (std::find(leaf.begin(), leaf.begin() + static_cast<std::ptrdiff_t>(rank), core) !=
        leaf.begin() + static_cast<std::ptrdiff_t>(rank))
      continue;
    leaf[rank] = core;
    best = std::min(best, least(view, request, free, leaf, rank + 1));
  }
  return best;
}

START_TEST(agrees_with_brute_force) {
  Random random(11);
  for (int k = 0; k < 150; ++k) {
    ClusterView view = machine(1, 2 + random.below(2), 2 + random.below(2));
    Ints free;
    for (std::int32_t core = 0; core < view.nodes[0].cores(); ++core) {
      view.nodes[0].core_free[core] = random.below(4) > 0;
      if (view.nodes[0].core_free[core]) free.push_back(core);
    }
    const std::int32_t ranks = std::min<std::int32_t>(static_cast<std::int32_t>(free.size()), 1 + random.below(5));
    if (ranks == 0) continue;
    std::vector<CommEdge> edges;
    for (std::int32_t e = 0; e < 2 * ranks; ++e)
      edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(20)});
    const Request request = step({ranks}, edges);
    Ints leaf(ranks);
    ck_assert_int_eq(place("TREEMATCH", view, request).cost, least(view, request, free, leaf, 0));
  }
}
END_TEST

// Answers for nodes are remembered. Each case here changes one of the inputs on which an answer depends.
START_TEST(each_node_gets_its_own_answer) {
  const std::int64_t much = std::int64_t{1} << 32;
  const std::vector<CommEdge> traffics[] = {{{0, 1, 9}, {2, 3, 9}, {0, 4, 1}},
                                            {{0, 2, 9}, {1, 3, 9}, {0, 1, 1}, {3, 4, 1}},
                                            {{0, 3, 9}, {2, 4, 9}, {1, 2, 3}},
                                            {{0, 4, 9}, {2, 3, 9}, {1, 2, 3}},
                                            {{0, 1, much}, {2, 4, 1}},
                                            {{0, 1, 1}, {2, 4, much}},
                                            {{0, 3, much + 1}, {3, 4, 2}, {1, 4, much}},
                                            {{0, 3, 1}, {3, 4, 2}, {1, 4, much}}};
  const Ints taken[] = {{}, {0}, {1}, {0, 3}, {6, 7}, {6, 7, 8}};
  for (int round = 0; round < 2; ++round)
    for (const std::vector<CommEdge>& traffic : traffics)
      for (const Ints& busy : taken)
        for (const auto& [sockets, cores] : {std::pair{2, 3}, std::pair{3, 2}, std::pair{2, 4}, std::pair{3, 3}}) {
          ClusterView view = machine(1, sockets, cores);
          for (const std::int32_t core : busy)
            if (core < view.nodes[0].cores()) view.nodes[0].core_free[core] = false;
          Ints free;
          for (std::int32_t core = 0; core < view.nodes[0].cores(); ++core)
            if (view.nodes[0].core_free[core]) free.push_back(core);
          if (free.size() < 5) continue;
          const Request request = step({5}, traffic);
          Ints leaf(5);
          ck_assert(place("TREEMATCH", view, request).cost == least(view, request, free, leaf, 0));
        }
}
END_TEST

START_TEST(nodes_stay_and_hop_bytes_never_rise) {
  Random random(5);
  for (int k = 0; k < 60; ++k) {
    ClusterView view = machine(4, 2, 3);
    Request request = step({4, 2, 5, 1}, {});
    request.cores_per_task = 1;
    std::vector<CommEdge> edges;
    for (int e = 0; e < 30; ++e) edges.push_back({random.below(12), random.below(12), 1 + random.below(50)});
    request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(12, edges));
    const mapping::Slots slots(view, request);
    Ints leaf = slots.leaves(request.node_tasks);
    for (std::int32_t r = 11; r > 0; --r) std::swap(leaf[r], leaf[random.below(r + 1)]);
    Ints placed = leaf;
    treematch::place_on_sockets(view, request, slots, placed, treematch::SocketsOf::all_nodes, treematch::usual_effort,
                                Deadline::never());
    ck_assert(view.tree->hop_bytes(*request.matrix, placed) <= view.tree->hop_bytes(*request.matrix, leaf));
    Ints seen = placed;
    std::sort(seen.begin(), seen.end());
    ck_assert(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
    for (std::size_t r = 0; r < leaf.size(); ++r) ck_assert_int_eq(slots.node_of(placed[r]), slots.node_of(leaf[r]));
    Ints late = leaf;
    ck_assert(!treematch::place_on_sockets(view, request, slots, late, treematch::SocketsOf::all_nodes,
                                           treematch::usual_effort, Deadline::after(std::chrono::microseconds(0))));
    ck_assert(late == leaf);
  }
}
END_TEST

// The tree within the node has other distances.
START_TEST(hop_bytes_never_rise_with_distances_of_the_site) {
  ClusterView view = machine(1, 2, 4);
  const std::vector<std::int64_t> distances{1, 2, 10};
  view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(Ints{2, 2, 2}, distances));
  view.nodes[0].cores_per_cache = 2;
  const Request request =
      step({8}, {{0, 1, 10}, {0, 2, 10}, {0, 3, 10}, {4, 5, 10}, {4, 6, 10}, {4, 7, 10}, {2, 6, 6}, {3, 7, 6}});
  const mapping::Slots slots(view, request);
  Ints leaf(8);
  std::iota(leaf.begin(), leaf.end(), 0);
  const Cost before = view.tree->hop_bytes(*request.matrix, leaf);
  ck_assert_int_eq(before, 220);
  for (const bool again : {false, true}) {  // the second answer is remembered
    treematch::place_on_sockets(view, request, slots, leaf, treematch::SocketsOf::all_nodes, treematch::usual_effort,
                                Deadline::never());
    ck_assert_msg(view.tree->hop_bytes(*request.matrix, leaf) <= before, "%d", again);
  }
}
END_TEST

START_TEST(several_cores_for_each_rank) {
  const ClusterView view = machine(1, 2, 4);
  Request request = step({4}, {{0, 3, 10}, {1, 2, 10}, {0, 1, 1}});
  request.cores_per_task = 2;
  for (const char* policy : {"TREEMATCH", "TOFA", "NLA"}) {
    const Placement placement = place(policy, view, request);
    ck_assert_int_eq(between_sockets(view, request, placement), 1);
    Ints cores;
    for (const RankPlace& rank : placement.ranks) cores.insert(cores.end(), rank.cores.begin(), rank.cores.end());
    std::sort(cores.begin(), cores.end());
    ck_assert(cores == Ints({0, 1, 2, 3, 4, 5, 6, 7}));
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("sockets of a step");
  TCase* all = tcase_create("all");
  tcase_add_test(all, ranks_take_the_socket_that_has_room_for_them);
  tcase_add_test(all, pairs_share_a_socket);
  tcase_add_test(all, pairs_share_a_cache);
  tcase_add_test(all, agrees_with_brute_force);
  tcase_add_test(all, each_node_gets_its_own_answer);
  tcase_add_test(all, nodes_stay_and_hop_bytes_never_rise);
  tcase_add_test(all, hop_bytes_never_rise_with_distances_of_the_site);
  tcase_add_test(all, several_cores_for_each_rank);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
