// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/step_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "common/state/outage_file.hpp"
#include "common/topology/switch_tree.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/random.hpp"
#include "common/decision/process_map.hpp"
#include "policies/baselines.hpp"
#include "policies/table.hpp"
#include "spank/step/slurm_view.hpp"
#include "tests/check.hpp"
#include "tests/netload/nla_cases.hpp"
#include "tests/words.hpp"

namespace {

using placement::ClusterView;
using placement::CommMatrix;
using placement::NodeShape;
using placement::StepShape;
using placement::SwitchShape;
using placement::spank::PlacementRequest;

// Equal nodes n0, n1, .., with two nodes below each switch.
ClusterView machine(std::int32_t nodes, std::int32_t sockets, std::int32_t cores_per_socket, std::int32_t threads = 1) {
  std::vector<NodeShape> shapes;
  std::vector<SwitchShape> switches((static_cast<std::size_t>(nodes) + 1) / 2);
  for (std::int32_t node = 0; node < nodes; ++node) {
    shapes.push_back({"n" + std::to_string(node), sockets, cores_per_socket, threads});
    switches[static_cast<std::size_t>(node) / 2].nodes.push_back(node);
  }
  for (std::size_t i = 0; i < switches.size(); ++i) {
    switches[i].name = "s" + std::to_string(i);
    switches[i].parent = static_cast<std::int32_t>(switches.size());
  }
  switches.push_back({"root", -1, {}});
  return placement::view_of_switches(switches, shapes);
}

StepShape step_on(const ClusterView& view, std::vector<std::int32_t> tasks) {
  StepShape step{1, 0, {}, std::move(tasks), 1};
  for (const auto& node : view.nodes) step.nodes.push_back(node.name);
  return step;
}

PlacementRequest pairs(std::int32_t ranks) {  // rank r talks with rank r + ranks / 2
  std::vector<placement::CommEdge> edges;
  for (std::int32_t rank = 0; rank < ranks / 2; ++rank) edges.push_back({rank, rank + ranks / 2, 100});
  return {placement::parse_policy_spec("TREEMATCH"),
          std::make_shared<const CommMatrix>(CommMatrix::from_edges(ranks, edges)), false};
}

void check_legal(const placement::spank::StepPlacement& placed, const StepShape& step) {
  std::vector<std::uint32_t> all;
  ck_assert_uint_eq(placed.ranks_of_node.size(), step.nodes.size());
  for (std::size_t node = 0; node < step.nodes.size(); ++node) {
    const auto& ranks = placed.ranks_of_node[node];
    ck_assert_uint_eq(ranks.size(), static_cast<std::size_t>(step.tasks[node]));
    ck_assert(std::is_sorted(ranks.begin(), ranks.end()));
    std::vector<std::int32_t> slots;
    for (const auto rank : ranks)
      if (!placed.slot_of_rank.empty()) slots.push_back(placed.slot_of_rank[rank]);
    std::sort(slots.begin(), slots.end());
    for (std::size_t i = 0; i < slots.size(); ++i) ck_assert_int_eq(slots[i], static_cast<int>(i));
    all.insert(all.end(), ranks.begin(), ranks.end());
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ck_assert_uint_eq(all[i], i);
}

bool together(const placement::spank::StepPlacement& placed, std::uint32_t a, std::uint32_t b) {
  return std::any_of(placed.ranks_of_node.begin(), placed.ranks_of_node.end(), [a, b](const auto& ranks) {
    return std::count(ranks.begin(), ranks.end(), a) && std::count(ranks.begin(), ranks.end(), b);
  });
}

}  // namespace

START_TEST(partners_share_a_node) {
  const ClusterView view = machine(4, 1, 2);
  const StepShape step = step_on(view, {2, 2, 2, 2});
  const auto placed = placement::spank::place_step(pairs(8), step, view);
  check_legal(placed, step);
  for (std::uint32_t rank = 0; rank < 4; ++rank) ck_assert(together(placed, rank, rank + 4));
  ck_assert(placed.cost < placed.natural_cost);
}
END_TEST

START_TEST(uneven_counts_stay) {
  const ClusterView view = machine(4, 2, 2);
  const StepShape step = step_on(view, {4, 1, 1, 2});
  const auto placed = placement::spank::place_step(pairs(8), step, view);
  check_legal(placed, step);
  ck_assert_uint_eq(placed.slot_of_rank.size(), 8);
}
END_TEST

START_TEST(tasks_that_share_cores_are_placed_by_node_alone) {
  const ClusterView view = machine(4, 1, 2);
  const StepShape step = step_on(view, {6, 2, 6, 2});
  const auto placed = placement::spank::place_step(pairs(16), step, view);
  check_legal(placed, step);
  ck_assert(placed.slot_of_rank.empty());
  for (std::uint32_t rank = 0; rank < 8; ++rank) ck_assert(together(placed, rank, rank + 8));
}
END_TEST

START_TEST(nodes_of_one_core_can_be_overcommitted) {
  const ClusterView view = machine(2, 1, 1);
  const StepShape step = step_on(view, {3, 1});
  check_legal(placement::spank::place_step(pairs(4), step, view), step);
}
END_TEST

START_TEST(only_the_cores_of_the_job_count) {
  ClusterView view = machine(2, 1, 4);
  view.nodes[0].core_free = {false, true, false, true};
  view.nodes[1].core_free = {true, false, false, false};
  const StepShape step = step_on(view, {2, 2});
  const auto placed = placement::spank::place_step(pairs(4), step, view);
  check_legal(placed, step);
  ck_assert(placed.slot_of_rank.empty());  // two tasks share the one core of n1
}
END_TEST

START_TEST(several_cores_per_task) {
  const ClusterView view = machine(2, 2, 4);
  StepShape step = step_on(view, {4, 4});
  step.cores_per_task = 2;
  const auto placed = placement::spank::place_step(pairs(8), step, view);
  check_legal(placed, step);
  ck_assert_uint_eq(placed.slot_of_rank.size(), 8);
}
END_TEST

START_TEST(cores_are_those_that_slurm_will_deal) {
  const ClusterView view = machine(2, 2, 4);
  StepShape step = step_on(view, {4, 3});
  const auto dealt = placement::view_of_step(view, step);
  ck_assert(dealt.ordered);
  ck_assert(dealt.view.nodes[0].core_free == (std::vector<bool>{true, true, false, false, true, true, false, false}));
  ck_assert(dealt.view.nodes[1].core_free == (std::vector<bool>{true, true, false, false, true, false, false, false}));
  step.cores_per_task = 2;
  const auto wide = placement::view_of_step(view, step);
  ck_assert(wide.view.nodes[0].core_free == std::vector<bool>(8, true));
  ck_assert(wide.view.nodes[1].core_free == (std::vector<bool>{true, true, true, true, true, true, false, false}));

  // Cores of other jobs are skipped, and a full socket too. The cores of a task wider than a socket are not predicted.
  ClusterView holes = view;
  holes.nodes[0].core_free = {false, true, false, false, true, false, true, true};
  const auto partly = placement::view_of_step(holes, step_on(view, {3, 1}));
  ck_assert(partly.view.nodes[0].core_free == (std::vector<bool>{false, true, false, false, true, false, true, false}));
  StepShape broad = step_on(view, {1, 1});
  broad.cores_per_task = 6;
  ck_assert(placement::view_of_step(view, broad).view.nodes[0].core_free == std::vector<bool>(8, true));
}
END_TEST

START_TEST(partners_share_a_socket_when_tasks_are_fewer_than_cores) {
  const ClusterView view = machine(2, 2, 4);
  ClusterView one{view.tree, {view.nodes[1]}};
  const StepShape step = step_on(one, {4});
  const auto placed = placement::spank::place_step(pairs(4), step, one);  // 0-2, 1-3
  for (const std::uint32_t rank : {0, 1})
    ck_assert_int_eq(placed.slot_of_rank[rank] / 2, placed.slot_of_rank[rank + 2] / 2);
}
END_TEST

START_TEST(tasks_on_hardware_threads_keep_their_order) {
  const ClusterView view = machine(2, 2, 2, 2);
  const StepShape step = step_on(view, {8, 8});
  const auto threads = placement::view_of_step(view, step);
  ck_assert(threads.ordered);
  ck_assert_int_eq(threads.view.nodes[0].cores(), 8);
  ck_assert_int_eq(threads.view.nodes[1].first_leaf - threads.view.nodes[0].first_leaf, 8);
  // Two threads of a core are closer than two cores of a socket, and these closer than two sockets.
  const auto& tree = *threads.view.tree;
  const std::int32_t first = threads.view.nodes[1].first_leaf;
  ck_assert(tree.distance(first, first + 1) < tree.distance(first, first + 2));
  ck_assert(tree.distance(first, first + 2) < tree.distance(first, first + 4));

  const auto placed = placement::spank::place_step(pairs(16), step, view);
  check_legal(placed, step);
  ck_assert_uint_eq(placed.slot_of_rank.size(), 16);
  ck_assert(!placed.whole_cores);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    ck_assert(together(placed, rank, rank + 8));
    // The two threads of one core, which the rankfile names once for each rank.
    ck_assert_uint_eq(placed.cores_of_rank[rank].size(), 1);
    ck_assert_int_eq(placed.cores_of_rank[rank][0], placed.slot_of_rank[rank] / 2);
    ck_assert(placed.cores_of_rank[rank] == placed.cores_of_rank[rank + 8]);
    ck_assert_int_eq(placed.slot_of_rank[rank] / 2, placed.slot_of_rank[rank + 8] / 2);
  }
}
END_TEST

START_TEST(a_step_of_one_task) {
  const ClusterView view = machine(2, 1, 4);
  ClusterView one{view.tree, {view.nodes[1]}};
  const StepShape step = step_on(one, {1});
  check_legal(placement::spank::place_step(pairs(1), step, one), step);
}
END_TEST

START_TEST(a_matrix_of_another_size_is_refused) {
  const ClusterView view = machine(2, 1, 4);
  ck_assert_error_words(placement::spank::place_step(pairs(8), step_on(view, {4, 2}), view), "8 ranks step 6");
}
END_TEST

// Ranks r and r + 1 talk a little, and ranks r and r + ranks / 2 talk much. The best placement scatters the ranks.
PlacementRequest far_pairs(std::int32_t ranks) {
  std::vector<placement::CommEdge> edges;
  for (std::int32_t rank = 0; rank < ranks / 2; ++rank)
    edges.push_back({rank, (rank * 7) % (ranks / 2) + ranks / 2, 100});
  for (std::int32_t rank = 0; rank + 1 < ranks; ++rank) edges.push_back({rank, rank + 1, 1});
  return {placement::parse_policy_spec("TREEMATCH"),
          std::make_shared<const CommMatrix>(CommMatrix::from_edges(ranks, edges)), false};
}

std::size_t map_bytes(const std::vector<std::vector<std::uint32_t>>& ranks_of_node) {
  return placement::shortest_map(ranks_of_node, "pmi2").text.size();
}

placement::spank::MapLength limited_to(std::size_t bytes) {
  return [bytes](const auto& ranks) { return static_cast<double>(map_bytes(ranks)) / static_cast<double>(bytes); };
}

START_TEST(the_map_of_the_ranks_fits) {
  const ClusterView view = machine(16, 2, 4);
  const StepShape step = step_on(view, std::vector<std::int32_t>(16, 8));
  const auto free = placement::spank::place_step(far_pairs(128), step, view);
  const std::size_t bytes = map_bytes(free.ranks_of_node);
  const auto exact = placement::spank::place_step(far_pairs(128), step, view, limited_to(bytes));
  ck_assert(!exact.cost_of_best_order && exact.ranks_of_node == free.ranks_of_node);
  for (const std::size_t limit : {bytes - 1, std::size_t{400}, std::size_t{200}, std::size_t{100}, std::size_t{20}}) {
    const auto placed = placement::spank::place_step(far_pairs(128), step, view, limited_to(limit));
    check_legal(placed, step);
    ck_assert_uint_le(map_bytes(placed.ranks_of_node), limit);
    ck_assert(placed.cost_of_best_order == free.cost && placed.cost >= free.cost);
    ck_assert(placed.cost <= placed.natural_cost && placed.natural_cost == free.natural_cost);
    ck_assert(limit < 400 || placed.cost < placed.natural_cost);
    ck_assert_uint_eq(placed.slot_of_rank.size(), 128);
    ck_assert_uint_eq(placed.cores_of_rank.size(), 128);
  }
}
END_TEST

// Returns the request for the ranks of a step on nodes with equally many tasks.
placement::Request all_ranks(const PlacementRequest& request, const StepShape& step,
                             const placement::StepView& places) {
  placement::Request all;
  all.tasks = request.matrix->ranks();
  all.cores_per_task = places.cores_per_task;
  all.min_nodes = all.max_nodes = static_cast<std::int32_t>(step.nodes.size());
  all.node_tasks = step.tasks;
  all.matrix = request.matrix;
  return all;
}

// Returns Slurm's order in which each node in turn gets `width` ranks. Nodes have equally many tasks.
placement::Placement in_turn(const placement::Request& all, const placement::StepView& places, std::size_t width) {
  placement::Placement placement =
      placement::policies::place_sequential(places.view, all, placement::Deadline::never());
  const auto natural = placement.ranks;
  const std::size_t nodes = all.node_tasks.size(), tasks = natural.size() / nodes;
  for (std::size_t rank = 0; rank < natural.size(); ++rank)
    placement.ranks[rank] = natural[rank / width % nodes * tasks + rank / width / nodes * width + rank % width];
  return placement;
}

// Returns the hop-bytes of Slurm's cyclic order.
placement::Cost cyclic_cost(const PlacementRequest& request, const StepShape& step, const ClusterView& view) {
  const placement::StepView places = placement::view_of_step(view, step);
  const placement::Request all = all_ranks(request, step, places);
  return placement::policies::step_cost(places.view, all, in_turn(all, places, 1), false);
}

// A periodic grid with much traffic within its columns, whose rows are `columns` ranks long. The last ranks are alone.
std::vector<placement::CommEdge> grid_of_columns(std::int32_t ranks, std::int32_t columns) {
  std::vector<placement::CommEdge> edges;
  ranks -= ranks % columns;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t row = rank / columns * columns;
    edges.push_back({rank, row + (rank + 1 - row) % columns, 100});
    edges.push_back({rank, (rank + columns) % ranks, 1000});
  }
  return edges;
}

// Ranks of equal rest modulo `nodes` talk much, and groups of them in a chain in another order.
std::vector<placement::CommEdge> chained_groups(std::int32_t ranks, std::int32_t nodes) {
  std::vector<placement::CommEdge> edges;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for (std::int32_t other = rank + nodes; other < ranks; other += nodes) edges.push_back({rank, other, 1000});
    const std::int32_t group = rank % nodes;
    if (group + 1 < nodes)
      edges.push_back({rank - group + group * 7 % nodes, rank - group + (group + 1) * 7 % nodes, 50});
  }
  return edges;
}

// Where the best order has a long map, orders with other numbers of the nodes and Slurm's own are tried, too.
START_TEST(a_short_map_costs_no_more_than_cyclic_order) {
  const auto check = [](std::int32_t ranks, const std::vector<placement::CommEdge>& edges, int most_percent) {
    const ClusterView view = machine(16, 2, 32);
    const StepShape step = step_on(view, std::vector<std::int32_t>(16, ranks / 16));
    const PlacementRequest request{placement::parse_policy_spec("TREEMATCH"),
                                   std::make_shared<const CommMatrix>(CommMatrix::from_edges(ranks, edges)), false};
    const auto free = placement::spank::place_step(request, step, view);
    const std::size_t limit = placement::longest_map("pmi2");
    ck_assert_uint_gt(map_bytes(free.ranks_of_node), limit);
    const auto placed = placement::spank::place_step(request, step, view, limited_to(limit));
    check_legal(placed, step);
    ck_assert_uint_le(map_bytes(placed.ranks_of_node), limit);
    ck_assert(placed.cost <= cyclic_cost(request, step, view));
    ck_assert_msg(placed.cost * 100 <= free.cost * most_percent, "%s, best order %s",
                  placement::to_string(placed.cost).c_str(), placement::to_string(free.cost).c_str());
    ck_assert(placement::spank::place_step(request, step, view, limited_to(limit)).ranks_of_node ==
              placed.ranks_of_node);
  };
  check(512, grid_of_columns(512, 16), 100);
  check(512, grid_of_columns(512, 48), 114);
  check(256, chained_groups(256, 16), 101);
  check(1024, chained_groups(1024, 16), 101);
}
END_TEST

// Returns the machine as a torus of 4x4 nodes, whose network is measured. Pairs of nodes differ at random, and one node
// fails.
ClusterView measured_torus(std::uint64_t seed) {
  ClusterView view = machine(16, 2, 4);
  view.torus = std::make_shared<const placement::TorusTopology>(placement::TorusTopology::full({{4, true}, {4, true}}));
  const auto measured = std::make_shared<placement::Snapshot>(16);
  placement::Random random(seed);
  for (std::int32_t a = 0; a < 16; ++a) {
    for (std::int32_t b = 0; b < a; ++b) measured->pair(a, b, static_cast<float>(10 + random.below(200)), 1e8F);
    view.nodes[a].torus_node = view.nodes[a].state = a;
    view.nodes[a].name = view.torus->name(a);
  }
  placement::NodeOutages outages;
  outages.set(view.nodes[random.below(16)].name, 0.2);
  view.outages = std::make_shared<const placement::NodeOutages>(std::move(outages));
  view.live = std::shared_ptr<const placement::LiveState>(measured, &measured->live);
  return view;
}

// Candidates for a short map are compared by the measured network (NLA) or the expected time (TOFA), not by hop-bytes.
START_TEST(short_maps_are_compared_by_what_the_policy_minimizes) {
  for (const char* const name : {"NLA", "TOFA", "TREEMATCH"})
    for (std::uint64_t seed = 1; seed <= 32; ++seed) {
      const ClusterView view = measured_torus(seed);
      const StepShape step = step_on(view, std::vector<std::int32_t>(16, 8));
      // Natural order suits the pairs (r, r + 1), and cyclic order suits the pairs (r, r + 16).
      placement::Random random(seed);
      std::vector<placement::CommEdge> edges;
      for (std::int32_t rank = 0; rank < 112; ++rank) {
        edges.push_back({rank, rank + 1, 500 + random.below(500)});
        edges.push_back({rank, rank + 16, 500 + random.below(500)});
      }
      const PlacementRequest request{placement::parse_policy_spec(name),
                                     std::make_shared<const CommMatrix>(CommMatrix::from_edges(128, edges)), false};
      const auto placed = placement::spank::place_step(request, step, view, limited_to(85));
      ck_assert_uint_le(map_bytes(placed.ranks_of_node), 85);
      const placement::StepView places = placement::view_of_step(view, step);
      const placement::Request all = all_ranks(request, step, places);
      const auto* const policy = placement::policies::find_policy(name);
      const placement::StepMeasure measure =
          policy->step_measure ? policy->step_measure(places.view, all) : [&](const placement::Placement& placement) {
            return std::log(static_cast<double>(placement::policies::step_cost(places.view, all, placement, false)));
          };
      ck_assert(placed.worse_by.has_value() == (policy->step_measure && placed.cost_of_best_order));
      if (placed.worse_by) {
        const auto free = placement::spank::place_step(request, step, view);
        ck_assert(std::abs(*placed.worse_by - (measure(placed) - measure(free))) < 1e-9);
        ck_assert(placement::spank::worse_text(placed, name).find(name) != std::string::npos);
      }
      for (const std::size_t width : {1, 2, 4, 8})
        ck_assert_msg(measure(placed) <= measure(in_turn(all, places, width)) + 1e-8, "%s, seed %d, width %zu", name,
                      static_cast<int>(seed), width);
    }
}
END_TEST

// The best order has no traffic between nodes, and so has a shorter one: ln 0 is no number to compare.
START_TEST(orders_without_traffic_between_nodes_are_equally_good) {
  const ClusterView view = measured_torus(4);
  const StepShape step = step_on(view, std::vector<std::int32_t>(16, 8));
  std::vector<placement::CommEdge> edges;
  for (std::int32_t rank = 0; rank + 16 < 128; ++rank) edges.push_back({rank, rank + 16, 100});
  const PlacementRequest request{placement::parse_policy_spec("NLA"),
                                 std::make_shared<const CommMatrix>(CommMatrix::from_edges(128, edges)), false};
  const auto free = placement::spank::place_step(request, step, view);
  const auto placed = placement::spank::place_step(request, step, view, [&](const auto& ranks) {
    return ranks == free.ranks_of_node ? 2.0 : map_bytes(ranks) / 90.0;
  });
  ck_assert(placed.ranks_of_node != free.ranks_of_node);
  ck_assert(placed.worse_by == 0.0);
  const auto natural = placement::spank::place_step(request, step, view, [](const auto&) { return 2.0; });
  ck_assert_text_eq(placement::spank::worse_text(natural, "NLA"), "");
}
END_TEST

// Without a matrix, NLA places the ranks as a chain along the measured network. Part of this order is kept.
START_TEST(part_of_the_chain_of_nla_is_kept) {
  const ClusterView view = measured_torus(3);
  const StepShape step = step_on(view, std::vector<std::int32_t>(16, 1));
  const PlacementRequest request{placement::parse_policy_spec("NLA"), nullptr, false};
  const auto free = placement::spank::place_step(request, step, view);
  const auto placed = placement::spank::place_step(request, step, view, limited_to(map_bytes(free.ranks_of_node) - 20));
  const auto natural = placement::spank::place_step(request, step, view, [](const auto&) { return 2.0; });
  check_legal(placed, step);
  ck_assert(placed.cost == 0 && placed.natural_cost == 0);
  ck_assert(*placed.worse_by > 0 && *placed.worse_by < *natural.worse_by);
}
END_TEST

// With one rank on each node, a map is short only for successive ranks. Part of the ranks are then in the best order.
START_TEST(part_of_the_order_is_kept_if_the_rest_has_no_room) {
  const ClusterView view = machine(128, 1, 1);
  const StepShape step = step_on(view, std::vector<std::int32_t>(128, 1));
  const auto free = placement::spank::place_step(far_pairs(128), step, view);
  const auto placed = placement::spank::place_step(far_pairs(128), step, view, limited_to(673));
  check_legal(placed, step);
  ck_assert_uint_gt(map_bytes(free.ranks_of_node), 673);
  ck_assert_uint_le(map_bytes(placed.ranks_of_node), 673);
  ck_assert(placed.natural_cost - placed.cost > (free.natural_cost - free.cost) / 4);
}
END_TEST

// Uneven nodes, odd numbers of ranks, one rank on each node, weights near the largest: the map fits, and the costs are
// those of the matrix.
START_TEST(each_shape_of_step_has_a_map_that_fits) {
  const std::vector<std::vector<std::int32_t>> shapes = {{16, 16, 16, 16, 16, 16, 16, 8, 1, 1, 1, 1, 1, 1, 1, 1},
                                                         {33, 32, 32},
                                                         std::vector<std::int32_t>(97, 1),
                                                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                                                         {1, 95, 1}};
  for (const auto& tasks : shapes)
    for (const std::int64_t scale : {std::int64_t{1}, std::int64_t{1} << 48}) {
      const ClusterView view = machine(static_cast<std::int32_t>(tasks.size()), 2, 48);
      const StepShape step = step_on(view, tasks);
      PlacementRequest request = far_pairs(std::accumulate(tasks.begin(), tasks.end(), 0));
      auto edges = request.matrix->edges();
      for (auto& edge : edges) edge.weight *= scale;
      request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(request.matrix->ranks(), edges));
      const auto free = placement::spank::place_step(request, step, view);
      const auto placed = placement::spank::place_step(request, step, view, limited_to(300));
      check_legal(placed, step);
      ck_assert_uint_le(map_bytes(placed.ranks_of_node), 300);
      ck_assert(placed.cost >= free.cost && placed.cost <= placed.natural_cost);
      ck_assert(placed.natural_cost == free.natural_cost);
    }
}
END_TEST

START_TEST(each_policy_has_a_map_that_fits) {
  const ClusterView view = machine(16, 2, 4);
  const StepShape step = step_on(view, std::vector<std::int32_t>(16, 8));
  for (const std::string policy : {"TREEMATCH=objective=worst-group", "TREEMATCH=objective=balanced", "TOFA", "NLA"}) {
    PlacementRequest request = far_pairs(128);
    request.spec = placement::parse_policy_spec(policy);
    const auto placed = placement::spank::place_step(request, step, view, limited_to(300));
    check_legal(placed, step);
    ck_assert_uint_le(map_bytes(placed.ranks_of_node), 300);
  }
}
END_TEST

// Programs that connect to rank 0 find its host in MASTER_ADDR.
START_TEST(rank_0_is_on_the_host_of_master_addr) {
  for (const std::vector<std::int32_t>& tasks : {std::vector<std::int32_t>(16, 8), {16, 8, 4, 4, 16, 16, 32, 32}}) {
    const ClusterView view = machine(static_cast<std::int32_t>(tasks.size()), 2, 16);
    StepShape step = step_on(view, tasks);
    for (std::size_t node = 0; node < tasks.size(); ++node)
      for (const std::size_t bytes : {std::size_t{100'000}, std::size_t{300}}) {
        step.rank0_host.clear();
        const auto free = placement::spank::place_step(far_pairs(128), step, view);
        step.rank0_host = step.nodes[node] + (node % 2 == 0 ? "" : ".cluster");
        const auto placed = placement::spank::place_step(far_pairs(128), step, view, limited_to(bytes));
        check_legal(placed, step);
        ck_assert_uint_eq(placed.ranks_of_node[node].front(), 0);
        ck_assert_uint_le(map_bytes(placed.ranks_of_node), bytes);
        ck_assert(placed.cost >= free.cost && placed.natural_cost == free.natural_cost);
        if (bytes > 300) ck_assert(placed.cost <= placed.natural_cost);
        step.rank0_host = "another.host";
        ck_assert(placement::spank::place_step(far_pairs(128), step, view).ranks_of_node == free.ranks_of_node);
      }
  }
}
END_TEST

// The name of a node may have dots. If only the map of natural order is short enough, the ranks keep that order.
START_TEST(the_host_of_master_addr_is_matched_as_a_whole_first) {
  ClusterView view = machine(4, 2, 4);
  for (auto& node : view.nodes) node.name += ".site";
  StepShape step = step_on(view, {8, 8, 8, 8});
  step.rank0_host = step.nodes[2];
  ck_assert_uint_eq(placement::spank::place_step(far_pairs(32), step, view).ranks_of_node[2].front(), 0);
  const auto in_order = placement::spank::place_step(far_pairs(32), step, view, [&](const auto& ranks) {
    return ranks[0].front() == 0 && ranks[0].back() == 7 && ranks[1].back() == 15 && ranks[2].back() == 23 ? 1.0 : 2.0;
  });
  ck_assert_uint_eq(in_order.ranks_of_node[0].front(), 0);
  ck_assert(in_order.cost == in_order.natural_cost);
}
END_TEST

START_TEST(ranks_stay_in_natural_order_if_no_map_fits) {
  const ClusterView view = machine(4, 2, 2);
  const StepShape step = step_on(view, {4, 3, 2, 3});
  const auto placed = placement::spank::place_step(pairs(12), step, view, [](const auto&) { return 2.0; });
  ck_assert(placed.cost_of_best_order.has_value());
  ck_assert(placed.ranks_of_node ==
            (std::vector<std::vector<std::uint32_t>>{{0, 1, 2, 3}, {4, 5, 6}, {7, 8}, {9, 10, 11}}));
  ck_assert(placed.cost == placed.natural_cost);
}
END_TEST

// The processor is busy with other programs, and each map takes 3 s of wall time. A batch script waits 20 s for the
// plan of mpirun.
START_TEST(without_the_processor_a_step_is_placed_in_20_seconds) {
  const auto wall = placement::Deadline::wall_clock, processor = placement::Deadline::processor_clock;
  static placement::Deadline::Time now;
  now = {};
  placement::Deadline::wall_clock = [] { return now; };
  placement::Deadline::processor_clock = [] { return placement::Deadline::Time{}; };
  const ClusterView view = machine(4, 2, 2);
  const auto placed = placement::spank::place_step(pairs(12), step_on(view, {4, 3, 2, 3}), view, [](const auto&) {
    now += std::chrono::seconds(3);
    return 2.0;
  });
  placement::Deadline::wall_clock = wall;
  placement::Deadline::processor_clock = processor;
  ck_assert(placed.cost_of_best_order.has_value());
  ck_assert_int_lt(now / std::chrono::seconds(1), 20);
}
END_TEST

START_TEST(core_lists_are_read_strictly) {
  std::vector<bool> cores(8, false);
  ck_assert(placement::mark_cores("0-2,5", cores));
  ck_assert(cores == (std::vector<bool>{true, true, true, false, false, true, false, false}));
  for (const std::string list : {"", "8", "1-", "-1", "2-1", "1,", "0-8", "a", "1 ", "1;2", "99999999999999999999"}) {
    std::vector<bool> untouched(8, false);
    ck_assert_msg(!placement::mark_cores(list, untouched), "'%s' was taken", list.c_str());
    ck_assert(!placement::listed_cores(list, 8));
  }
  ck_assert(*placement::listed_cores("0-3,8,2", 9) == (std::vector<std::int32_t>{0, 1, 2, 3, 8}));
  ck_assert(!placement::listed_cores("0-3,0,,1", 9) && !placement::listed_cores("0-2147483647", 9));
  ck_assert_uint_eq(placement::listed_cores("0-65535", 65536)->size(), 65536);
  using placement::configured_cores;
  ck_assert(*configured_cores("0-2,5", 8) == (std::vector<std::int32_t>{0, 1, 2, 5}));
  ck_assert(*configured_cores("[1, 3]", 8) == (std::vector<std::int32_t>{1, 3}));
  ck_assert(*configured_cores("4,", 8) == (std::vector<std::int32_t>{0, 4}) && configured_cores(",4", 8)->empty());
  ck_assert(*configured_cores("1-7:3", 8) == (std::vector<std::int32_t>{1, 4}) && configured_cores("5-3", 8)->empty());
  for (const char* list : {"8", "0-8", "99999999999", "1:2", "3-1:1", "0-4:0", "0-9:1x", "0-20:4"})
    ck_assert_msg(!configured_cores(list, 8), "%s", list);
}
END_TEST

// Returns the jobs of the text, each as "ID partition? h=holds CPUs,c=component: nodes cpus gpus..; ".
std::string jobs_in(std::string_view text) {
  std::string result;
  for (const placement::spank::ShownJob& job : placement::spank::parse_shown_jobs(text)) {
    result += std::to_string(job.id) + job.partition + (job.holds_cpus ? " h" : "") + (job.leader != 0 ? " c" : "");
    for (const auto& part : job.parts) {
      result += ": " + part.nodes + " " + part.cpus;
      for (const std::int32_t number : part.gpus) result += " " + std::to_string(number);
    }
    result += "; ";
  }
  return result;
}

START_TEST(jobs_as_scontrol_shows_them) {
  ck_assert_text_eq(
      jobs_in("JobId=7 JobName=x\n   NodeList=n[1-2]\n   JOB_GRES=(null)\n     Nodes=n1 CPU_IDs=0-3 Mem=0 GRES=\n"
              "     Nodes=n[2,4] CPU_IDs=4-5,7 Mem=10 GRES=gpu:1\n   Comment=Nodes=n9 CPU_IDs=0\n\n"),
      "7: n1 0-3: n[2,4] 4-5,7; ");
  for (const char* const none : {"", "No jobs in the system\n", "     Nodes=n4 CPU_IDs=2 Mem=0\n"})
    ck_assert_text_eq(jobs_in(none), "");
  ck_assert_text_eq(
      jobs_in(
          "JobId=5 JobName=a\n   JobState=RUNNING Reason=None\n     Nodes=n1 CPU_IDs=0-3 Mem=0\n     Nodes=n2 CPU_IDs=1 Mem=0\n\n"
          "JobId=6 JobName=Nodes=n9\n   JobState=PENDING Reason=None\n     Nodes=n3 CPU_IDs=0 Mem=0\n\n"
          "JobId=7 JobName=c\n   JobState=COMPLETED Reason=None\n     Nodes=n3 CPU_IDs=0 Mem=0\n\n"
          "JobId=8 HetJobId=8\n   JobState=SUSPENDED Reason=None\n     Nodes=n4 CPU_IDs=2 Mem=0\n\n"),
      "5 h: n1 0-3: n2 1; 6: n3 0; 7: n3 0; 8 h c: n4 2; ");
  ck_assert_text_eq(jobs_in("JobId=7 HetJobId=7\n   Partition=long AllocNode:Sid=a:1\n   Comment=Partition=x\n\n"
                            "JobId=8 HetJobId=7\n   UserId=a(1) Partition=y\n   Partition=short\n"),
                    "7long c; 8short c; ");
  // Slurm writes a list into 128 bytes and cuts the rest, which may leave the first digits of a number.
  std::string list = "0";
  for (int cpu = 2; list.size() < 126; cpu += 2) list += "," + std::to_string(cpu);
  list.resize(126);
  ck_assert_text_eq(jobs_in("JobId=7\n     Nodes=n1 CPU_IDs=" + list + " Mem=0\n"), "7: n1 " + list + "; ");
  ck_assert_text_eq(jobs_in("JobId=7\n     Nodes=n1 CPU_IDs=" + list + "1 Mem=0\n"), "7: n1 ; ");
}
END_TEST

// JobName is a user's text, which may contain any words.
START_TEST(the_array_and_the_restarts_of_a_job) {
  const auto jobs = placement::spank::parse_shown_jobs(
      "JobId=45 ArrayJobId=42 ArrayTaskId=7 ArrayTaskThrottle=2 JobName=x\n   Requeue=1 Restarts=3 BatchFlag=1\n\n"
      "JobId=46 JobName=x ArrayJobId=42 ArrayTaskId=7\n   Requeue=1 Restarts=0 BatchFlag=1\n\n"
      "JobId=47 JobName=HetJobId=9\n   Comment=Requeue=1 Restarts=9\n\n");
  std::string text;
  for (const auto& job : jobs)
    text += std::to_string(job.id) + " " + std::to_string(job.array_job) + " " + job.array_task + " " +
            std::to_string(job.restarts) + (job.leader != 0 ? " c" : "") + "; ";
  ck_assert_text_eq(text, "45 42 42_7 3; 46 46  0; 47 47  0; ");
}
END_TEST

START_TEST(gpus_of_a_job_as_scontrol_shows_them) {
  ck_assert_text_eq(
      jobs_in(
          "JobId=7\n     Nodes=n[1-2] CPU_IDs=0-3 Mem=0 GRES=nic:1(IDX:0),gpu:tesla:3(IDX:5,0-1)\n"
          "     Nodes=n3 CPU_IDs=0 Mem=0 GRES=\n     Nodes=n4 CPU_IDs=0 Mem=0 GRES=gpu:4(CNT:4)\n"
          "     Nodes=n5 CPU_IDs=0 Mem=0 GRES=gpu:a:1(IDX:1),gpu:b:1(IDX:0)\n     Nodes=n6 CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:x)\n\n"),
      "7: n[1-2] 0-3 0 1 5: n3 0: n4 0: n5 0 0 1: n6 0; ");
}
END_TEST

int main() {
  Suite* const suite = suite_create("step_ranks");
  TCase* const tests = tcase_create("step_ranks");
  tcase_add_test(tests, partners_share_a_node);
  tcase_add_test(tests, uneven_counts_stay);
  tcase_add_test(tests, tasks_that_share_cores_are_placed_by_node_alone);
  tcase_add_test(tests, nodes_of_one_core_can_be_overcommitted);
  tcase_add_test(tests, only_the_cores_of_the_job_count);
  tcase_add_test(tests, several_cores_per_task);
  tcase_add_test(tests, cores_are_those_that_slurm_will_deal);
  tcase_add_test(tests, partners_share_a_socket_when_tasks_are_fewer_than_cores);
  tcase_add_test(tests, tasks_on_hardware_threads_keep_their_order);
  tcase_add_test(tests, a_step_of_one_task);
  tcase_add_test(tests, a_matrix_of_another_size_is_refused);
  tcase_add_test(tests, the_map_of_the_ranks_fits);
  tcase_add_test(tests, a_short_map_costs_no_more_than_cyclic_order);
  tcase_add_test(tests, short_maps_are_compared_by_what_the_policy_minimizes);
  tcase_add_test(tests, orders_without_traffic_between_nodes_are_equally_good);
  tcase_add_test(tests, part_of_the_chain_of_nla_is_kept);
  tcase_add_test(tests, part_of_the_order_is_kept_if_the_rest_has_no_room);
  tcase_add_test(tests, each_policy_has_a_map_that_fits);
  tcase_add_test(tests, each_shape_of_step_has_a_map_that_fits);
  tcase_add_test(tests, ranks_stay_in_natural_order_if_no_map_fits);
  tcase_add_test(tests, rank_0_is_on_the_host_of_master_addr);
  tcase_add_test(tests, the_host_of_master_addr_is_matched_as_a_whole_first);
  tcase_add_test(tests, without_the_processor_a_step_is_placed_in_20_seconds);
  tcase_add_test(tests, core_lists_are_read_strictly);
  tcase_add_test(tests, jobs_as_scontrol_shows_them);
  tcase_add_test(tests, the_array_and_the_restarts_of_a_job);
  tcase_add_test(tests, gpus_of_a_job_as_scontrol_shows_them);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
