// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/step_view.hpp"

#include <algorithm>
#include <memory>

namespace placement {

namespace {

std::int32_t free_cores(const NodeView& node) {
  return static_cast<std::int32_t>(std::ranges::count(node.core_free, true));
}

bool cores_suffice(const ClusterView& view, const StepShape& step, std::int32_t cores_per_task) {
  for (std::size_t node = 0; node < view.nodes.size(); ++node)
    if (static_cast<std::int64_t>(step.tasks[node]) * cores_per_task > free_cores(view.nodes[node])) return false;
  return true;
}

// Marks only the cores free that Slurm will give to `tasks` tasks. Each socket in turn gives cores to one task; a
// socket without enough free cores is skipped. If a task fits into no socket, Slurm's choice is unknown, and all free
// cores stay free.
void deal_over_sockets(NodeView& node, std::int32_t tasks, std::int32_t cores_per_task) {
  std::vector<bool> dealt(node.core_free.size(), false);
  std::vector<std::int32_t> next(static_cast<std::size_t>(node.sockets), 0);  // core within the socket
  const auto take = [&](std::int32_t socket) {
    std::vector<std::size_t> found;
    std::int32_t core = next[socket];
    for (; core < node.cores_per_socket && static_cast<std::int32_t>(found.size()) < cores_per_task; ++core) {
      const auto index = static_cast<std::size_t>(socket * node.cores_per_socket + core);
      if (node.core_free[index]) found.push_back(index);
    }
    if (static_cast<std::int32_t>(found.size()) < cores_per_task) return false;
    for (const std::size_t index : found) dealt[index] = true;
    next[socket] = core;
    return true;
  };
  std::int32_t socket = 0;
  for (std::int32_t task = 0; task < tasks; ++task) {
    std::int32_t tried = 0;
    while (tried < node.sockets && !take(socket)) {
      socket = (socket + 1) % node.sockets;
      ++tried;
    }
    if (tried == node.sockets) return;
    socket = (socket + 1) % node.sockets;
  }
  node.core_free = dealt;
}

// A number of new leaves, to be attached below a vertex of the old tree.
struct Mount {
  std::int32_t vertex = 0;
  std::int32_t leaves = 1;
};

// Returns a view with a new tree: the part of the old one above the mounts of each node, with the new leaves below
// them. Nodes keep their names, live data and coordinates. A node's leaves begin with the leaves of its first mount.
ClusterView regrown(const ClusterView& view, const std::vector<std::vector<Mount>>& mounts) {
  const TreeTopology& tree = *view.tree;
  const auto vertices = static_cast<std::size_t>(tree.vertices());
  std::vector<bool> needed(vertices, false);
  for (const auto& of_node : mounts)
    for (const Mount& mount : of_node)
      for (std::int32_t vertex = mount.vertex; vertex >= 0 && !needed[vertex]; vertex = tree.parent(vertex))
        needed[vertex] = true;

  std::vector<std::int32_t> parent, copy_of(vertices, -1);
  for (std::int32_t vertex = 0; vertex < tree.vertices(); ++vertex) {
    if (!needed[vertex]) continue;
    copy_of[vertex] = static_cast<std::int32_t>(parent.size());
    parent.push_back(vertex == 0 ? -1 : copy_of[tree.parent(vertex)]);
  }
  std::vector<std::size_t> first_vertex;
  for (const auto& of_node : mounts) {
    first_vertex.push_back(parent.size());
    for (const Mount& mount : of_node)
      parent.insert(parent.end(), static_cast<std::size_t>(mount.leaves), copy_of[mount.vertex]);
  }

  const auto grown = std::make_shared<const TreeTopology>(TreeTopology::from_parents(parent));
  std::vector<std::int32_t> leaf_of_vertex(parent.size(), -1);
  for (std::int32_t leaf = 0; leaf < grown->leaves(); ++leaf) leaf_of_vertex[grown->leaf_vertex(leaf)] = leaf;
  ClusterView result = view;
  result.tree = grown;
  result.nodes.clear();
  for (std::size_t node = 0; node < mounts.size(); ++node) {
    NodeView shape;
    shape.name = view.nodes[node].name;
    shape.state = view.nodes[node].state;
    shape.torus_node = view.nodes[node].torus_node;
    shape.first_leaf = leaf_of_vertex[first_vertex[node]];
    result.nodes.push_back(shape);
  }
  return result;
}

// Returns the view with as many leaves on each node as the step has tasks there, in place of its cores.
ClusterView by_tasks(const ClusterView& view, const StepShape& step) {
  const TreeTopology& tree = *view.tree;
  std::vector<std::vector<Mount>> mounts;
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    std::int32_t vertex = tree.leaf_vertex(view.nodes[i].first_leaf);
    while (tree.parent(vertex) >= 0 && tree.leaf_count(vertex) < view.nodes[i].cores()) vertex = tree.parent(vertex);
    mounts.push_back({{vertex, step.tasks[i]}});
  }
  ClusterView result = regrown(view, mounts);
  for (std::size_t i = 0; i < result.nodes.size(); ++i) {
    result.nodes[i].cores_per_socket = step.tasks[i];
    result.nodes[i].core_free.assign(static_cast<std::size_t>(step.tasks[i]), true);
  }
  return result;
}

}  // namespace

ClusterView by_threads(const ClusterView& view) {
  std::vector<std::vector<Mount>> mounts;
  for (const NodeView& node : view.nodes) {
    mounts.emplace_back();
    for (std::int32_t core = 0; core < node.cores(); ++core)
      mounts.back().push_back({view.tree->leaf_vertex(node.first_leaf + core), node.threads_per_core});
  }
  ClusterView result = regrown(view, mounts);
  for (std::size_t i = 0; i < result.nodes.size(); ++i) {
    const NodeView& node = view.nodes[i];
    result.nodes[i].sockets = node.sockets;
    result.nodes[i].cores_per_socket = node.cores_per_socket * node.threads_per_core;
    result.nodes[i].cores_per_cache = node.cores_per_cache * node.threads_per_core;
    for (const bool free : node.core_free)
      result.nodes[i].core_free.insert(result.nodes[i].core_free.end(), static_cast<std::size_t>(node.threads_per_core),
                                       free);
  }
  return result;
}

std::vector<std::int32_t> block_layout(std::span<const std::uint32_t> room, std::uint64_t tasks, bool pack) {
  std::vector<std::int32_t> given(room.size(), 0);
  const auto deal = [&](std::size_t n, std::uint64_t most) {
    const std::uint64_t taken = std::min(tasks, most);
    given[n] += static_cast<std::int32_t>(taken);
    tasks -= taken;
  };
  const auto left = [&](std::size_t n) { return room[n] - std::min(room[n], static_cast<std::uint32_t>(given[n])); };
  if (pack) {  // each node gets one task first, so that no node stays empty
    for (std::size_t n = 0; n < room.size(); ++n) deal(n, 1);
    for (std::size_t n = 0; n < room.size(); ++n) deal(n, left(n));
  }
  for (std::uint64_t before = 0; before != tasks;) {
    before = tasks;
    for (std::size_t n = 0; n < room.size(); ++n) deal(n, std::min(left(n), 1u));
  }
  while (!room.empty() && tasks > 0)
    for (std::size_t n = 0; n < room.size(); ++n) deal(n, 1);
  return given;
}

StepView view_of_step(const ClusterView& view, const StepShape& step) {
  for (const std::int32_t cores_per_task : {step.cores_per_task, 1}) {
    if (!cores_suffice(view, step, cores_per_task)) continue;
    StepView result{view, cores_per_task, true, true};
    for (std::size_t node = 0; node < result.view.nodes.size(); ++node)
      deal_over_sockets(result.view.nodes[node], step.tasks[node], cores_per_task);
    return result;
  }
  StepView threads{by_threads(view), 1, false, true};
  if (cores_suffice(threads.view, step, 1)) return threads;
  return {by_tasks(view, step), 1, false, false};
}

}  // namespace placement
