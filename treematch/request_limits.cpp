// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/request_limits.hpp"

#include <algorithm>

#include "mapping/node_choice.hpp"

namespace placement::treematch {

MappingLimits limits_of(const ClusterView& view, const Request& request, const mapping::NodeCounts& capacity) {
  MappingLimits limits;
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view);
  const auto add = [&](std::size_t n, std::int32_t most, bool required) {
    if (most > 0) limits.nodes.push_back({vertex_of_node[n], most, required});
  };
  for (std::size_t n = 0; n < request.node_tasks.size(); ++n) add(n, request.node_tasks[n], true);
  if (!request.node_tasks.empty()) return limits;
  const mapping::NodeLimits nodes(view, request, capacity);
  limits.least_nodes = nodes.least_nodes();
  limits.most_nodes = nodes.most_nodes();
  limits.even = nodes.even();
  const bool one_each = limits.least_nodes >= request.tasks;
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    add(n, one_each ? std::min(1, nodes.capacity()[n]) : nodes.capacity()[n],
        nodes.required(static_cast<std::int32_t>(n)));
  return limits;
}

std::optional<std::vector<std::int32_t>> usable_leaves(const ClusterView& view, const mapping::Slots& slots,
                                                       const MappingLimits& limits) {
  std::vector<std::int32_t> usable = slots.all_leaves();
  std::vector<bool> admitted(view.tree->vertices(), false);
  for (const NodeLimit& node : limits.nodes) admitted[node.vertex] = true;
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view);
  std::vector<bool> taken(view.nodes.size(), false);
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    taken[n] = admitted[vertex_of_node[n]];
    if (taken[n] && view.tree->leaf_count(vertex_of_node[n]) != view.nodes[n].cores()) return std::nullopt;
  }
  std::erase_if(usable, [&](std::int32_t leaf) { return !taken[slots.node_of(leaf)]; });
  return usable;
}

}  // namespace placement::treematch
