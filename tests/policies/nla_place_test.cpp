// SPDX-License-Identifier: GPL-2.0-or-later
// The policy NLA with its parameters and refusals, and the mapping of ranks by measured distance.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "mapping/slots.hpp"
#include "netload/network_load.hpp"
#include "netload/rank_mapping.hpp"
#include "policies/fabric_choice.hpp"
#include "policies/nla.hpp"
#include "policies/table.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::policies;

namespace {

// A cluster of nodes n0, n1, .. with `cores` cores below one switch. All nodes are idle, and all pairs are equal.
struct Cluster {
  ClusterView view;
  std::shared_ptr<LiveState> live = std::make_shared<LiveState>();
  std::vector<std::int32_t> group;
  std::vector<float> latency, bandwidth;

  explicit Cluster(std::int32_t nodes, std::int32_t cores = 4) {
    const std::vector<std::int32_t> arities{nodes, cores};
    view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(arities));
    const auto count = static_cast<std::size_t>(nodes);
    latency.assign(count * count, 50);
    bandwidth.assign(count * count, 1e8F);
    for (std::int32_t n = 0; n < nodes; ++n) {
      NodeView node{
          "n" + std::to_string(n), n * cores, 1, cores, 1, std::vector<bool>(static_cast<std::size_t>(cores), true)};
      node.state = n;
      view.nodes.push_back(node);
      NodeState state;
      state.name = node.name;
      state.liveness = Liveness::up;
      state.age_s = 2;
      state.cores = cores;
      state.cpu_load = {0, 0, 0};
      live->nodes.push_back(state);
      group.push_back(n);
    }
    live->pairs.groups = nodes;
    live->pairs.group_of_node = group;
    live->pairs.latency_us = latency;
    live->pairs.bandwidth_Bps = bandwidth;
    view.live = live;
  }

  void load(std::size_t node, double value) { live->nodes[node].cpu_load = {value, value, value}; }
  void pair(std::size_t u, std::size_t v, float us, float Bps) {
    latency[u * group.size() + v] = latency[v * group.size() + u] = us;
    bandwidth[u * group.size() + v] = bandwidth[v * group.size() + u] = Bps;
  }
};

Request tasks(std::int32_t count) {
  Request request;
  request.tasks = count;
  return request;
}

std::string nodes_in_turn(const Placement& placement) {
  std::string text;
  std::int32_t last = -1;
  for (const RankPlace& rank : placement.ranks) {
    if (rank.node != last) text += (text.empty() ? "" : " ") + std::to_string(rank.node);
    last = rank.node;
  }
  return text;
}

std::string place(const Cluster& cluster, const Request& request) {
  return nodes_in_turn(place_nla(cluster.view, request, Deadline::never()));
}

}  // namespace

START_TEST(a_loaded_node_is_avoided) {
  Cluster cluster(4);
  cluster.load(0, 3);
  ck_assert_text_eq(place(cluster, tasks(8)), "1 2");
  ck_assert_text_eq(nodes_in_turn(place_load_aware(cluster.view, tasks(8), Deadline::never())), "1 2");
}
END_TEST

START_TEST(a_slow_link_is_avoided) {
  Cluster cluster(4);
  cluster.pair(0, 1, 400, 1e6F);
  ck_assert_text_eq(place(cluster, tasks(8)), "0 2");
  ck_assert_text_eq(nodes_in_turn(place_load_aware(cluster.view, tasks(8), Deadline::never())), "0 1");
  for (std::size_t v : {0U, 2U, 3U}) cluster.pair(1, v, 400, 1e6F);
  ck_assert_text_eq(place(cluster, tasks(12)), "0 2 3");
}
END_TEST

START_TEST(load_takes_processors_but_not_slurms_own) {
  Cluster cluster(3);
  cluster.load(0, 2);
  cluster.load(1, 2);
  cluster.load(2, 2);
  ck_assert_text_eq(place(cluster, tasks(4)), "0 1");  // the load leaves two processors on each node
  for (NodeState& node : cluster.live->nodes) node.slurm_load = {2, 2, 2};
  ck_assert_text_eq(place(cluster, tasks(4)), "0");
}
END_TEST

START_TEST(loaded_nodes_still_serve_the_job) {
  Cluster cluster(3);
  for (std::size_t n = 0; n < 3; ++n) cluster.load(n, 40);
  Request request = tasks(12);
  ck_assert_text_eq(place(cluster, request), "0 1 2");  // tasks are dealt round robin when the load leaves no processor
  request = tasks(8);
  request.equal_tasks_per_node = true;
  request.max_tasks_per_node = 4;
  ck_assert_text_eq(place(cluster, request), "0 1");
  request = tasks(8);
  request.min_nodes = request.max_nodes = 2;
  cluster.load(0, 80);
  ck_assert_text_eq(place(cluster, request), "1 2");
  request.required_nodes = {0};
  ck_assert_text_eq(place(cluster, request), "0 1");
  request = tasks(13);
  ck_assert_error_words(place(cluster, request), "12 13 tasks room");
}
END_TEST

START_TEST(tasks_use_processors_without_load) {
  Cluster cluster(2);
  cluster.load(0, 3);
  const Placement placement = place_nla(cluster.view, tasks(5), Deadline::never());
  const auto on_first =
      std::count_if(placement.ranks.begin(), placement.ranks.end(), [](const RankPlace& r) { return r.node == 0; });
  ck_assert_int_eq(on_first, 1);
}
END_TEST

START_TEST(unequal_nodes_and_busy_cores) {
  Cluster cluster(3);
  cluster.view.nodes[0].core_free = {true, false, false, false};
  cluster.view.nodes[1].core_free = {true, true, true, false};
  Request request = tasks(4);
  request.cores_per_task = 2;
  ck_assert_error_words(place(cluster, request), "3 4 tasks room");
  request.tasks = 3;
  ck_assert_text_eq(place(cluster, request), "1 2");
  request.tasks = 2;
  request.whole_nodes = true;
  ck_assert_text_eq(place(cluster, request), "2");
}
END_TEST

START_TEST(missing_data_are_reported) {
  Cluster cluster(4);
  cluster.live->nodes[1].cpu_load = {};
  cluster.load(3, 1);
  ck_assert_text_eq(place(cluster, tasks(8)), "0 2");  // node 1, whose load is not known, has no advantage
  cluster.live->nodes[2].age_s = 500;
  ck_assert_error_words(place(cluster, tasks(8)), "2 4 nodes 120 s");
  Request patient = tasks(8);
  patient.parameters["max-age"] = "1000";
  ck_assert_text_eq(place(cluster, patient), "0 2");
  cluster.view.live = nullptr;
  ck_assert_error(place(cluster, tasks(8)), "no live");
}
END_TEST

START_TEST(missing_pairs_are_reported) {
  Cluster cluster(4);
  const float no = NAN;
  cluster.pair(0, 1, no, no);
  cluster.pair(2, 3, 60, 1e8F);
  ck_assert_text_eq(place(cluster, tasks(8)), "0 2");  // the pair 0-1, which was not measured, is not taken
  for (std::size_t u = 0; u < 4; ++u)
    for (std::size_t v = 0; v < u; ++v) cluster.pair(u, v, no, no);
  ck_assert_error_words(place(cluster, tasks(8)), "0 6 pairs");
  Request compute_bound = tasks(8);
  compute_bound.parameters["beta"] = "0";
  ck_assert_text_eq(place(cluster, compute_bound), "0 1");
}
END_TEST

// slurm-placement(7): a job runs as stock when over a quarter of the nodes, or half of the pairs, have no live data.
START_TEST(how_much_may_be_missing) {
  for (std::size_t missing = 0; missing <= 20; ++missing) {
    Cluster cluster(20);
    for (std::size_t n = 0; n < missing; ++n) cluster.live->nodes[n].cpu_load = {};
    const std::string why = error_of([&] { place(cluster, tasks(8)); });
    if (missing <= 5)
      ck_assert_text_eq(why, "");
    else
      ck_assert_words(why, std::to_string(missing) + " 20 nodes");
  }
  for (int missing = 0; missing <= 28; ++missing) {
    Cluster cluster(8);
    int left = missing;
    for (std::size_t u = 0; u < 8; ++u)
      for (std::size_t v = 0; v < u; ++v)
        if (left-- > 0) cluster.pair(u, v, NAN, NAN);
    const std::string why = error_of([&] { place(cluster, tasks(8)); });
    if (missing <= 14)
      ck_assert_text_eq(why, "");
    else
      ck_assert_words(why, std::to_string(28 - missing) + " 28 pairs");
  }
}
END_TEST

START_TEST(nodes_that_are_down_or_suspect) {
  Cluster cluster(4);
  cluster.live->nodes[0].liveness = Liveness::down;
  ck_assert_text_eq(place(cluster, tasks(8)), "1 2");
  cluster.live->nodes[0].liveness = Liveness::suspect;
  cluster.load(3, 0.5);
  ck_assert_text_eq(place(cluster, tasks(8)), "1 2");
  Request request = tasks(16);
  ck_assert_text_eq(place(cluster, request), "0 1 2 3");
}
END_TEST

// Pairs of nodes on two fabrics are never measured. Missing data of one fabric have no influence on the other.
START_TEST(a_part_of_the_machine_counts_for_itself) {
  Cluster cluster(9);
  for (std::size_t u = 0; u < 9; ++u) {
    cluster.view.nodes[u].fabric = u < 4 ? 0 : 1;
    for (std::size_t v = 0; v < u; ++v)
      if ((u < 4) != (v < 4)) cluster.pair(u, v, NAN, NAN);
  }
  cluster.live->pairs.latency_us = cluster.latency;
  cluster.live->pairs.bandwidth_Bps = cluster.bandwidth;
  cluster.load(4, 3);
  cluster.load(6, 3);
  const auto place_on_a_part = [&](const Request& request) {
    return nodes_in_turn(place_on_one_fabric(*find_policy("NLA"), cluster.view, request, Deadline::never()));
  };
  ck_assert_text_eq(place_on_a_part(tasks(12)), "5 7 8");
  Request request = tasks(8);
  request.required_nodes = {6};
  ck_assert_text_eq(place_on_a_part(request).substr(0, 3), "5 6");
  for (std::size_t n = 0; n < 4; ++n) cluster.live->nodes[n].age_s = 1000;
  ck_assert_text_eq(place_on_a_part(tasks(12)), "5 7 8");
}
END_TEST

// slurm-placement(7): a node has its free cores minus the load, for any number of threads per core.
START_TEST(threads_of_cores_are_no_idle_processors) {
  Cluster cluster(4);
  for (NodeView& node : cluster.view.nodes) node.threads_per_core = 2;
  for (std::size_t n = 0; n < 4; ++n) cluster.load(n, 2.5);
  Request request = tasks(8);
  request.parameters = {{"wait", "100"}};
  request.waited_s = 0;
  ck_assert_error_words(place_nla(cluster.view, request, Deadline::never()), "6.8 16 processors 8 needed");
}
END_TEST

START_TEST(waits_while_all_is_overloaded) {
  Cluster cluster(3);
  for (std::size_t n = 0; n < 3; ++n) cluster.load(n, 4);
  Request request = tasks(2);
  request.parameters["wait"] = "600";
  request.waited_s = 10;
  ck_assert_error_words(place(cluster, request), "overloaded 0.6 12 processors 2 600 s");
  bool waits = false;
  try {
    place(cluster, request);
  } catch (const MustWait&) {
    waits = true;
  }
  ck_assert(waits);
  request.max_wait_s = 60;
  try {
    place(cluster, request);
    ck_abort_msg("it does not wait");
  } catch (const MustWait& wait) {
    ck_assert_int_eq(wait.left_s(), 50);
    ck_assert_words(wait.what(), "overloaded 0.6 12 processors 2 60 s MaxWaitS");
  }
  request.max_wait_s = 86400;
  request.waited_s = 600;
  ck_assert_text_eq(place(cluster, request), "0 1");
  request.waited_s = 10;
  for (std::size_t n = 0; n < 3; ++n) cluster.load(n, 2);
  ck_assert_text_eq(place(cluster, request), "0");
}
END_TEST

START_TEST(reasons_describe_the_choice) {
  Cluster cluster(4);
  cluster.load(0, 3);
  std::vector<PairSource> source(16, PairSource::measured);
  source[1 * 4 + 2] = source[2 * 4 + 1] = PairSource::mpi;
  cluster.live->pairs.source = source;
  const Placement placement = place_nla(cluster.view, tasks(8), Deadline::never());
  std::string all;
  for (const std::string& reason : placement.reasons) all += reason + "|";
  ck_assert_words(placement.reasons.front(), "8 tasks 2 nodes");
  for (const char* part :
       {"|n[1-2] C=0", "|pairs: 1 mpi|", "runner-up n[2-3] T=", "first nodes n[0-1] T=", ": 5 processors", "data 2 s"})
    ck_assert_msg(all.find(part) != std::string::npos, "no '%s' in '%s'", part, all.c_str());
}
END_TEST

// ---- ranks by measured distance

namespace {

CommMatrix ring(std::int32_t ranks, std::int64_t weight) {
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) edges.push_back({r, (r + 1) % ranks, weight});
  return CommMatrix::from_edges(ranks, edges);
}

}  // namespace

START_TEST(heavy_pairs_go_to_fast_links) {
  // There are two pairs of nodes with fast links. Ranks 0 and 2, and ranks 1 and 3, have traffic; each node has one
  // rank.
  Cluster cluster(4);
  for (std::size_t u = 0; u < 4; ++u)
    for (std::size_t v = 0; v < u; ++v) cluster.pair(u, v, u / 2 == v / 2 ? 20 : 200, u / 2 == v / 2 ? 1e8F : 3e7F);
  Request request = tasks(4);
  request.min_nodes = request.max_nodes = 4;
  request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(4, {{0, 2, 100}, {1, 3, 100}}));
  const Placement placement = place_nla(cluster.view, request, Deadline::never());
  ck_assert_int_eq(placement.ranks[0].node / 2, placement.ranks[2].node / 2);
  ck_assert_int_eq(placement.ranks[1].node / 2, placement.ranks[3].node / 2);
  ck_assert_int_ne(placement.ranks[0].node / 2, placement.ranks[1].node / 2);
}
END_TEST

START_TEST(the_cost_never_rises_and_counts_stay) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const std::int32_t nodes = 2 + trial % 5;
    const std::int32_t ranks = 3 * nodes - trial % 2;
    netload::NodeDistances distances{nodes, {}};
    distances.value.assign(static_cast<std::size_t>(nodes * nodes), 0.0);
    for (std::int32_t u = 0; u < nodes; ++u)
      for (std::int32_t v = 0; v < u; ++v)
        distances.value[static_cast<std::size_t>(u * nodes + v)] =
            distances.value[static_cast<std::size_t>(v * nodes + u)] = static_cast<double>(1 + random() % 100);
    std::vector<CommEdge> edges;
    for (int k = 0; k < 40; ++k)
      edges.push_back({static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(ranks)),
                       static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(ranks)),
                       static_cast<std::int64_t>(1 + random() % 1000)});
    const CommMatrix matrix = CommMatrix::from_edges(ranks, edges);
    std::vector<std::int32_t> begin;
    for (std::int32_t r = 0; r < ranks; ++r) begin.push_back(r % nodes);
    std::vector<std::int32_t> end = netload::mapped_by_distance(matrix, distances, begin, Deadline::never());
    ck_assert_double_le(netload::measured_cost(matrix, distances, end),
                        netload::measured_cost(matrix, distances, begin));
    // No exchange of two ranks lowers the cost any more. This would fail if the search computed its gains wrongly.
    const double cost = netload::measured_cost(matrix, distances, end);
    for (std::size_t a = 0; a < end.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        std::swap(end[a], end[b]);
        ck_assert_double_ge(netload::measured_cost(matrix, distances, end), cost * (1 - 1e-9));
        std::swap(end[a], end[b]);
      }
    std::sort(begin.begin(), begin.end());
    std::sort(end.begin(), end.end());
    ck_assert(begin == end);
  }
}
END_TEST

START_TEST(ranks_keep_their_places_when_no_time_is_left) {
  const netload::NodeDistances distances{2, {0, 1, 1, 0}};
  const CommMatrix matrix = CommMatrix::from_edges(4, {{0, 2, 100}, {1, 3, 100}});
  const std::vector<std::int32_t> begin{0, 0, 1, 1};
  ck_assert(netload::mapped_by_distance(matrix, distances, begin, Deadline::after(std::chrono::microseconds(0))) ==
            begin);
  ck_assert(netload::mapped_by_distance(matrix, distances, begin, Deadline::never()) != begin);
}
END_TEST

START_TEST(a_step_keeps_its_counts) {
  Cluster cluster(2);
  Request request = tasks(4);
  request.node_tasks = {3, 1};
  request.parameters["alpha"] = "0.4";
  ck_assert_text_eq(place(cluster, request), "0 1");
  request.matrix = std::make_shared<const CommMatrix>(ring(4, 5));
  cluster.view.live = nullptr;
  const Placement placement = place_nla(cluster.view, request, Deadline::never());
  ck_assert_int_eq(
      std::count_if(placement.ranks.begin(), placement.ranks.end(), [](const RankPlace& r) { return r.node == 0; }), 3);
}
END_TEST

// All nodes are on one switch, so that the tree makes no difference between them. The measured network decides that the
// heavy pair takes the fast link.
START_TEST(a_step_s_ranks_follow_the_measured_network) {
  Cluster cluster(3, 1);
  cluster.pair(0, 1, 500, 1e7F);
  cluster.pair(1, 2, 500, 1e7F);
  Request request = tasks(3);
  request.node_tasks = {1, 1, 1};
  request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(3, {{0, 1, 1000}, {1, 2, 1}}));
  const Placement placement = place_nla(cluster.view, request, Deadline::never());
  ck_assert_int_ne(placement.ranks[0].node, 1);
  ck_assert_int_ne(placement.ranks[1].node, 1);
  ck_assert_int_eq(placement.ranks[2].node, 1);
  cluster.view.live = nullptr;  // without measurements the ranks are mapped by the tree
  ck_assert_uint_eq(place_nla(cluster.view, request, Deadline::never()).ranks.size(), 3);
}
END_TEST

// The plan is the best result over several orders of the ranks. From the plan, no order ends in a worse result.
START_TEST(a_step_starts_from_its_plan) {
  std::mt19937_64 random(9);
  constexpr std::int32_t nodes = 9, per_node = 4;
  Cluster cluster(nodes, per_node);
  for (std::size_t u = 0; u < nodes; ++u)
    for (std::size_t v = 0; v < u; ++v) cluster.pair(u, v, 20 + static_cast<float>(random() % 300), 1e8F);
  netload::NodeDistances distances{nodes, {}};
  std::vector<std::int32_t> states(nodes);
  std::iota(states.begin(), states.end(), 0);
  const netload::NetworkLoad network(cluster.live->pairs, states, netload::nla_weights({}), Deadline::never(),
                                     netload::WithinError::counts_nothing,
                                     netload::pair_measure(netload::SelectionRule::nla, {}));
  for (const std::int32_t u : states)
    for (const std::int32_t v : states) distances.value.push_back(network.at(u, v));
  const auto place_in = [&](const std::vector<std::int32_t>& order, const std::vector<CommEdge>& edges,
                            const std::vector<std::vector<std::int32_t>>& planned) {
    Request request = tasks(nodes * per_node);
    request.node_tasks.assign(nodes, per_node);
    request.planned_ranks = planned;
    std::vector<CommEdge> renamed = edges;
    for (CommEdge& edge : renamed)
      edge = {order[static_cast<std::size_t>(edge.a)], order[static_cast<std::size_t>(edge.b)], edge.weight};
    request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(request.tasks, renamed));
    std::vector<std::int32_t> node_of_rank;
    Placement placement = place_nla(cluster.view, request, Deadline::never());
    for (const RankPlace& rank : placement.ranks) node_of_rank.push_back(rank.node);
    return std::pair(netload::measured_cost(*request.matrix, distances, node_of_rank), placement);
  };
  constexpr double rounding = 1 + 1e-6;
  int behind = 0;
  for (int trial = 0; trial < instances(20); ++trial) {
    std::vector<std::int32_t> order(nodes * per_node);
    std::iota(order.begin(), order.end(), 0);
    const std::vector<std::int32_t> natural = order;
    std::vector<CommEdge> edges;
    for (std::size_t k = 0; k < 4 * order.size(); ++k)
      edges.push_back({static_cast<std::int32_t>(random() % order.size()),
                       static_cast<std::int32_t>(random() % order.size()),
                       static_cast<std::int64_t>(1 + random() % 9)});
    const double alone = place_in(natural, edges, {}).first;
    double least = alone;
    for (int again = 0; again < 8; ++again) {
      std::ranges::shuffle(order, random);
      const auto [cost, placement] = place_in(order, edges, {});
      if (cost >= least) continue;
      least = cost;
      std::vector<std::vector<std::int32_t>> planned = mapping::ranks_of_nodes(placement, nodes);
      for (auto& ranks : planned)
        for (std::int32_t& rank : ranks)
          rank = static_cast<std::int32_t>(std::ranges::find(order, rank) - order.begin());
      ck_assert_double_le(place_in(natural, edges, planned).first, least * rounding);
    }
    behind += alone > least * rounding;
  }
  ck_assert_int_gt(behind, 0);
}
END_TEST

// If all measured distances are equal, as on an idle cluster, the switches determine which nodes are near.
START_TEST(equal_distances_leave_it_to_the_switches) {
  Cluster cluster(4, 2);
  const std::vector<std::int32_t> arities{2, 2, 2};
  cluster.view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(arities));
  Request request = tasks(4);
  request.node_tasks = {1, 1, 1, 1};
  request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(4, {{0, 2, 100}, {1, 3, 100}}));
  Placement placement = place_nla(cluster.view, request, Deadline::never());
  const auto switch_of = [&](std::size_t rank) { return placement.ranks[rank].node / 2; };
  ck_assert_int_eq(switch_of(0), switch_of(2));
  ck_assert_int_eq(switch_of(1), switch_of(3));
  // A measured difference counts more than the switches.
  for (const auto& [u, v] : {std::pair(0U, 1U), std::pair(2U, 3U)}) cluster.pair(u, v, 500, 1e7F);
  placement = place_nla(cluster.view, request, Deadline::never());
  ck_assert_int_ne(switch_of(0), switch_of(2));
  ck_assert_int_ne(switch_of(1), switch_of(3));
}
END_TEST

// n0 and n2 have a fast link, as have n2 and n1: the ranks go from n0 by n2 to n1.
START_TEST(ranks_without_a_matrix_go_along_the_measured_network) {
  Cluster cluster(3, 1);
  cluster.pair(0, 1, 500, 1e7F);
  Request request = tasks(3);
  request.node_tasks = {1, 1, 1};
  const Placement placement = place_nla(cluster.view, request, Deadline::never());
  ck_assert_int_eq(placement.ranks[1].node, 2);
  ck_assert(placement.cost == 0);
}
END_TEST

START_TEST(keys_are_checked) {
  const auto check = [](Parameters parameters) { check_policy_spec({"NLA", std::move(parameters)}); };
  check({{"alpha", "0.4"}, {"beta", "0.6"}, {"cpu_load", "1"}, {"wait", "60"}, {"max-age", "30.5"}});
  ck_assert_error(check({{"alpha", "0.4"}, {"beta", "0.7"}}), "alpha=0.4");
  ck_assert_error_words(check({{"wait", "100000"}}), "wait=100000 0 86400");
  ck_assert_error(check({{"processors", "idle"}}), "processors=idle");
  ck_assert_error_words(check({{"scope", "whole"}}), "key scope NLA");
  ck_assert(find_policy("nla")->for_users);
  ck_assert(!find_policy("load-aware")->for_users);
}
END_TEST

int main() {
  Suite* suite = suite_create("nla_place");
  TCase* nodes = tcase_create("nodes");
  tcase_add_test(nodes, a_loaded_node_is_avoided);
  tcase_add_test(nodes, a_slow_link_is_avoided);
  tcase_add_test(nodes, load_takes_processors_but_not_slurms_own);
  tcase_add_test(nodes, loaded_nodes_still_serve_the_job);
  tcase_add_test(nodes, tasks_use_processors_without_load);
  tcase_add_test(nodes, unequal_nodes_and_busy_cores);
  tcase_add_test(nodes, missing_data_are_reported);
  tcase_add_test(nodes, missing_pairs_are_reported);
  tcase_add_test(nodes, how_much_may_be_missing);
  tcase_add_test(nodes, nodes_that_are_down_or_suspect);
  tcase_add_test(nodes, a_part_of_the_machine_counts_for_itself);
  tcase_add_test(nodes, threads_of_cores_are_no_idle_processors);
  tcase_add_test(nodes, waits_while_all_is_overloaded);
  tcase_add_test(nodes, reasons_describe_the_choice);
  suite_add_tcase(suite, nodes);
  TCase* ranks = tcase_create("ranks");
  tcase_add_test(ranks, heavy_pairs_go_to_fast_links);
  tcase_add_test(ranks, the_cost_never_rises_and_counts_stay);
  tcase_add_test(ranks, ranks_keep_their_places_when_no_time_is_left);
  tcase_add_test(ranks, a_step_keeps_its_counts);
  tcase_add_test(ranks, a_step_s_ranks_follow_the_measured_network);
  tcase_add_test(ranks, a_step_starts_from_its_plan);
  tcase_add_test(ranks, equal_distances_leave_it_to_the_switches);
  tcase_add_test(ranks, ranks_without_a_matrix_go_along_the_measured_network);
  suite_add_tcase(suite, ranks);
  TCase* keys = tcase_create("keys");
  tcase_add_test(keys, keys_are_checked);
  suite_add_tcase(suite, keys);
  return run_suite(suite);
}
