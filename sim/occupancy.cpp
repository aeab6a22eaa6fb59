// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/occupancy.hpp"

#include <utility>

#include "common/util/error.hpp"
#include "sim/machine.hpp"

namespace placement::sim {

namespace {

// Takes all free leaves among `leaves`.
void take_free(Machine& machine, std::span<const std::int32_t> leaves) {
  for (const std::int32_t leaf : leaves) {
    const NodeView& node = machine.view().nodes[static_cast<std::size_t>(machine.node_of(leaf))];
    if (node.core_free[static_cast<std::size_t>(leaf - node.first_leaf)]) machine.take({&leaf, 1});
  }
}

}  // namespace

Occupancy occupancy_of(const ClusterView& view, std::span<const std::vector<std::int32_t>> jobs) {
  ClusterView whole = view;
  for (NodeView& node : whole.nodes) node.core_free.assign(static_cast<std::size_t>(node.cores()), true);
  Machine machine(std::move(whole));
  Occupancy measures;
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    for (std::size_t core = 0; core < view.nodes[n].core_free.size(); ++core) {
      const std::int32_t leaf = view.nodes[n].first_leaf + static_cast<std::int32_t>(core);
      if (!view.nodes[n].core_free[core]) machine.take({&leaf, 1});
    }
  measures.usable_cores = machine.free_cores();
  for (const std::vector<std::int32_t>& leaves : jobs) {
    if (leaves.empty()) continue;
    for (const std::int32_t leaf : leaves)
      if (leaf < 0 || leaf >= view.tree->leaves() || machine.node_of(leaf) < 0)
        throw Error("leaf " + std::to_string(leaf) + " does not belong to a node");
    const std::int32_t extra = machine.switches_spanned(leaves) - machine.least_switches(std::ssize(leaves));
    ++measures.jobs;
    measures.spread_jobs += extra > 0;
    measures.switches += machine.switches_spanned(leaves);
    measures.extra_switches += extra;
    take_free(machine, leaves);
  }
  if (measures.jobs > 0) {
    measures.switches /= static_cast<double>(measures.jobs);
    measures.extra_switches /= static_cast<double>(measures.jobs);
  }
  measures.free_cores = machine.free_cores();
  const LargestRoom room = largest_room(machine, machine.free());
  measures.largest_in_switch = room.in_switch;
  measures.largest_in_subtree = room.in_subtree;
  return measures;
}

}  // namespace placement::sim
