// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs of many tasks, for which slurmctld chooses nodes for groups of ranks; srun places the ranks later.
#include <algorithm>
#include <memory>
#include <string>

#include "common/topology/switch_tree.hpp"
#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "treematch/treematch.hpp"

using namespace placement;
using namespace placement::treematch;

namespace {

constexpr std::int32_t cores = 8;

// Ten leaf switches of six nodes below two switches, each node with `cores` cores. A node is busy where busy(node) is
// true.
template <typename Busy>
ClusterView machine(Busy busy) {
  std::vector<SwitchShape> switches{{"root", -1, {}}, {"left", 0, {}}, {"right", 0, {}}};
  std::vector<NodeShape> nodes;
  for (int leaf = 0; leaf < 10; ++leaf) {
    switches.push_back({"s" + std::to_string(leaf), leaf < 5 ? 1 : 2, {}});
    for (int k = 0; k < 6; ++k) {
      switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
      nodes.push_back({"n" + std::to_string(nodes.size()), 1, cores, 1});
    }
  }
  ClusterView view = view_of_switches(switches, nodes);
  for (std::int32_t node = 0; node < 60; ++node)
    if (busy(node)) view.nodes[node].core_free.assign(cores, false);
  return view;
}

// A job of `groups` groups of eight ranks that fill a node each. Groups g and g + groups / 2 exchange much.
Request job(std::int32_t groups) {
  std::vector<CommEdge> edges;
  for (std::int32_t g = 0; g < groups; ++g)
    for (std::int32_t a = 0; a < cores; ++a) {
      for (std::int32_t b = a + 1; b < cores; ++b) edges.push_back({g * cores + a, g * cores + b, 50});
      if (g < groups / 2) edges.push_back({g * cores + a, (g + groups / 2) * cores + a, 20});
    }
  Request request;
  request.tasks = groups * cores;
  request.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(request.tasks, std::move(edges)));
  return request;
}

// The number of pairs of groups whose nodes are on one leaf switch.
std::int32_t pairs_together(const Placement& placement, std::int32_t groups) {
  std::int32_t together = 0;
  for (std::int32_t g = 0; g < groups / 2; ++g)
    together += placement.ranks[g * cores].node / 6 == placement.ranks[(g + groups / 2) * cores].node / 6;
  return together;
}

}  // namespace

START_TEST(nodes_are_chosen_by_the_traffic) {
  // Three free nodes on some switches, two on the others: pairs of groups fit if the third nodes stay free.
  const ClusterView view = machine([](std::int32_t node) { return node % 6 >= (node / 6 % 2 == 0 ? 3 : 2); });
  Request request = job(20);
  request.node_level = true;
  const Placement placement = place_treematch(view, request, Deadline::never());
  ck_assert_int_eq(pairs_together(placement, 20), 10);
  for (std::int32_t g = 0; g < 20; ++g)
    for (std::int32_t a = 0; a < cores; ++a)
      ck_assert_int_eq(placement.ranks[g * cores + a].node, placement.ranks[g * cores].node);
}
END_TEST

START_TEST(about_as_good_as_by_cores) {
  Random random(3);
  for (int k = 0; k < 12; ++k) {
    const std::uint64_t draw = random.next();
    const ClusterView view = machine([&](std::int32_t node) { return (draw >> node & 1) != 0 && node % 3 > 0; });
    Request request = job(18);
    const Placement by_cores = place_treematch(view, request, Deadline::never());
    request.node_level = true;
    const Placement by_nodes = place_treematch(view, request, Deadline::never());
    ck_assert(by_nodes.cost <= by_nodes.natural_cost);
    ck_assert_msg(100 * by_nodes.cost <= 101 * by_cores.cost, "%lld hop-bytes by nodes, %lld by cores",
                  static_cast<long long>(by_nodes.cost), static_cast<long long>(by_cores.cost));
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("node level");
  TCase* all = tcase_create("all");
  tcase_add_test(all, nodes_are_chosen_by_the_traffic);
  tcase_add_test(all, about_as_good_as_by_cores);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
