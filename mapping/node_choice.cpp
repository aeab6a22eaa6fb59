// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/node_choice.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "common/util/placement_error.hpp"
#include "common/util/sequence.hpp"

namespace placement::mapping {

std::uint64_t seed_parameter(const Request& request) {
  return static_cast<std::uint64_t>(
      number_parameter(request, "seed", static_cast<std::int64_t>(request.seed), INT64_MAX));
}

void check_request(const ClusterView& view, const Request& request) {
  if (request.tasks < 1) throw Error(std::to_string(request.tasks) + " tasks: expected at least 1");
  if (request.matrix && request.matrix->ranks() != request.tasks)
    throw Error("the matrix has " + std::to_string(request.matrix->ranks()) + " ranks, but the job has " +
                std::to_string(request.tasks) + " tasks");
  if (request.node_tasks.empty()) return;
  if (request.node_tasks.size() != view.nodes.size())
    throw Error(std::to_string(request.node_tasks.size()) + " task counts for " + std::to_string(view.nodes.size()) +
                " nodes");
  const std::int64_t laid_out = std::accumulate(request.node_tasks.begin(), request.node_tasks.end(), std::int64_t{0});
  if (laid_out != request.tasks)
    throw Error("the nodes get " + std::to_string(laid_out) + " tasks, but the request has " +
                std::to_string(request.tasks));
}

NodeLimits::NodeLimits(const ClusterView& view, const Request& request, NodeCounts capacity)
    : capacity_(std::move(capacity)),
      required_(view.nodes.size(), false),
      tasks_(request.tasks),
      most_nodes_(std::min(request.max_nodes, request.tasks)),
      even_(request.equal_tasks_per_node || request.whole_nodes) {
  for (const std::int32_t node : request.required_nodes) required_.at(node) = true;
  // With --ntasks-per-node, Slurm skips a node with room for fewer tasks.
  const std::int32_t least_room = request.equal_tasks_per_node ? std::min(request.max_tasks_per_node, tasks_) : 0;
  bool passed_over = false;
  for (std::int32_t& slots : capacity_) {
    if (slots == 0 || slots >= least_room) continue;
    passed_over = true;
    slots = 0;
  }

  std::vector<std::int32_t> sorted(capacity_);
  std::sort(sorted.rbegin(), sorted.rend());
  std::int64_t room = 0;
  std::size_t used = 0;
  while (used < sorted.size() && room < tasks_) room += sorted[used++];
  if (room < tasks_)
    throw PlacementError(STOCK_NO_ROOM, "only " + std::to_string(room) + " of " + std::to_string(tasks_) +
                                            " tasks have room on the offered nodes" +
                                            (passed_over ? "; --ntasks-per-node skips nodes with room for fewer than " +
                                                               std::to_string(least_room) + " tasks"
                                                         : ""));
  const auto required = static_cast<std::int32_t>(std::count(required_.begin(), required_.end(), true));
  least_nodes_ = std::max({static_cast<std::int32_t>(used), std::min(request.min_nodes, tasks_), required});
  spreads_ = even_ || least_nodes_ > static_cast<std::int32_t>(used);
  const auto usable = std::count_if(sorted.begin(), sorted.end(), [](std::int32_t c) { return c > 0; });
  if (least_nodes_ <= std::min<std::int64_t>(most_nodes_, usable)) return;
  const std::string tasks = std::to_string(tasks_) + " tasks";
  std::string why = tasks + " require";
  if (least_nodes_ > static_cast<std::int32_t>(used))
    why = least_nodes_ == required ? "--nodelist names" : "--nodes, the partition or generic resources require";
  why += " " + std::to_string(least_nodes_) + " nodes, but ";
  if (usable < least_nodes_)
    why += "only " + std::to_string(usable) + " have room";
  else if (most_nodes_ < tasks_)
    why += "--nodes or the partition allows at most " + std::to_string(most_nodes_);
  else
    why += "the job has only " + tasks;
  throw PlacementError(STOCK_NO_ROOM, why);
}

bool NodeLimits::allow(const NodeCounts& counts) const {
  std::int32_t used = 0;
  std::int32_t most = 0;
  std::int32_t least = tasks_;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] > capacity_[n] || (required_[n] && counts[n] == 0)) return false;
    if (counts[n] == 0) continue;
    ++used;
    most = std::max(most, counts[n]);
    least = std::min(least, counts[n]);
  }
  return used >= least_nodes_ && used <= most_nodes_ && (!even_ || most - least <= 1);
}

std::optional<NodeCounts> NodeLimits::spread(const std::vector<std::int32_t>& nodes) const {
  NodeCounts counts(capacity_.size(), 0);
  std::int32_t left = tasks_;
  auto nodes_left = static_cast<std::int32_t>(nodes.size());
  for (const std::int32_t node : nodes) {
    --nodes_left;
    // Each node must get a task, so one task is kept for each later node.
    const std::int32_t share = even_ ? (left + nodes_left) / (nodes_left + 1) : left - nodes_left;
    counts[node] = std::clamp(share, 0, capacity_[node]);
    left -= counts[node];
  }
  if (left != 0 || !allow(counts)) return std::nullopt;
  return counts;
}

// Returns whether the nodes suffice and have room for their shares. `room` is the sum of their capacities, and
// `smallest` is the least capacity.
bool NodeLimits::have_room(const std::vector<std::int32_t>& nodes, std::int64_t room, std::int32_t smallest) const {
  const auto used = static_cast<std::int32_t>(nodes.size());
  if (used == 0 || room < tasks_ || used < least_nodes_) return false;
  if (!even_) return true;
  const std::int32_t share = tasks_ / used, larger = tasks_ % used;
  return smallest >= share && (smallest > share || std::count_if(nodes.begin(), nodes.end(), [&](std::int32_t node) {
                                                     return capacity_[node] > share;
                                                   }) >= larger);
}

std::optional<NodeCounts> NodeLimits::first_that_fit(const std::vector<std::int32_t>& order,
                                                     std::vector<std::int32_t>& picked) const {
  std::int64_t room = 0;
  std::int32_t smallest = tasks_;
  const auto add = [&](std::int32_t node) {
    room += capacity_[node];
    smallest = std::min(smallest, capacity_[node]);
  };
  for (const std::int32_t node : picked) add(node);
  for (const std::int32_t node : order) {
    if (have_room(picked, room, smallest)) break;
    if (required_[node] || capacity_[node] == 0) continue;
    picked.push_back(node);
    add(node);
  }
  return have_room(picked, room, smallest) ? spread(picked) : std::nullopt;
}

namespace {

// Chooses the required nodes, and then nodes in the given order, until they can serve the request. Returns nothing when
// they cannot.
std::optional<NodeCounts> first_that_fit(const NodeLimits& limits, const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> picked;
  std::copy_if(order.begin(), order.end(), std::back_inserter(picked),
               [&](std::int32_t node) { return limits.required(node); });
  return limits.first_that_fit(order, picked);
}

std::optional<NodeCounts> first_or_largest(const NodeLimits& limits, std::vector<std::int32_t> order) {
  if (auto counts = first_that_fit(limits, order)) return counts;
  // In this order, the job needs too many nodes. With the largest nodes first, it needs the fewest.
  std::ranges::stable_sort(order, std::greater(), [&](std::int32_t node) { return limits.capacity()[node]; });
  return first_that_fit(limits, order);
}

// The subtrees that hold nodes: the vertices that stand for nodes and all vertices above them.
struct Subtrees {
  struct Subtree {
    std::int32_t vertex;
    std::int64_t room = 0;
    std::int32_t nodes = 0;     // number of nodes with room
    std::int32_t required = 0;  // number of required nodes
  };

  std::vector<std::int32_t> number;  // for each vertex of the tree: its index in `subtree`, or -1
  std::vector<Subtree> subtree;
  std::vector<std::int32_t> vertex_of_node;

  // Returns the subtree of a vertex, null where no node lies below it.
  const Subtree* at(std::int32_t vertex) const { return number[vertex] < 0 ? nullptr : &subtree[number[vertex]]; }
};

Subtrees survey(const ClusterView& view, const NodeLimits& limits) {
  const TreeTopology& tree = *view.tree;
  Subtrees s{std::vector<std::int32_t>(tree.vertices(), -1), {}, node_vertices(view)};
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    const auto node = static_cast<std::int32_t>(n);
    const std::int32_t capacity = limits.capacity()[n];
    for (std::int32_t v = s.vertex_of_node[n]; v >= 0; v = tree.parent(v)) {
      if (s.number[v] < 0) {
        s.number[v] = static_cast<std::int32_t>(s.subtree.size());
        s.subtree.push_back({v});
      }
      Subtrees::Subtree& above = s.subtree[s.number[v]];
      above.room += capacity;
      above.nodes += capacity > 0;
      above.required += limits.required(node);
    }
  }
  return s;
}

// Returns the nodes below the vertex `top`; at each level, branches with the most room come first.
std::vector<std::int32_t> nodes_below(const ClusterView& view, const Subtrees& s, std::int32_t top) {
  const TreeTopology& tree = *view.tree;
  std::vector<std::int32_t> rank_of_subtree(s.subtree.size(), -1);
  std::vector<const Subtrees::Subtree*> stack{s.at(top)};
  for (std::int32_t next = 0; !stack.empty(); ++next) {
    const Subtrees::Subtree* subtree = stack.back();
    stack.pop_back();
    rank_of_subtree[subtree - s.subtree.data()] = next;
    std::vector<const Subtrees::Subtree*> branches;
    for (const std::int32_t child : tree.children(subtree->vertex))
      if (const auto* branch = s.at(child); branch != nullptr && branch->room > 0) branches.push_back(branch);
    std::ranges::stable_sort(branches, std::greater(), &Subtrees::Subtree::room);
    stack.insert(stack.end(), branches.rbegin(), branches.rend());
  }
  const auto rank = [&](std::int32_t node) { return rank_of_subtree[s.number[s.vertex_of_node[node]]]; };
  std::vector<std::int32_t> nodes;
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    if (rank(static_cast<std::int32_t>(n)) >= 0) nodes.push_back(static_cast<std::int32_t>(n));
  std::ranges::stable_sort(nodes, {}, rank);
  return nodes;
}

// Returns the subtrees that may have enough room, those with the least room first. Ties go to the lowest subtree, then
// to the leftmost.
std::vector<const Subtrees::Subtree*> with_enough_room(const TreeTopology& tree, const Subtrees& s,
                                                       const NodeLimits& limits) {
  const std::int32_t required = s.at(0) == nullptr ? 0 : s.at(0)->required;
  std::vector<const Subtrees::Subtree*> enough;
  for (const Subtrees::Subtree& subtree : s.subtree)
    if (subtree.room >= limits.tasks() && subtree.nodes >= limits.least_nodes() && subtree.required == required)
      enough.push_back(&subtree);
  std::ranges::sort(enough, {}, [&](const Subtrees::Subtree* subtree) {
    return std::tuple(subtree->room, -tree.level(subtree->vertex), tree.first_leaf(subtree->vertex));
  });
  return enough;
}

}  // namespace

std::vector<std::int32_t> node_vertices(const ClusterView& view) {
  const TreeTopology& tree = *view.tree;
  std::vector<std::int32_t> vertices;
  vertices.reserve(view.nodes.size());
  std::int32_t height = 0;
  for (const NodeView& node : view.nodes) {
    std::int32_t vertex = tree.leaf_vertex(node.first_leaf);
    while (vertex != 0 && tree.first_leaf(vertex) + tree.leaf_count(vertex) < node.first_leaf + node.cores())
      vertex = tree.parent(vertex);
    vertices.push_back(vertex);
    if (tree.leaf_count(vertex) == node.cores()) height = std::max(height, tree.height(vertex));
  }
  const auto only_child = [&](std::int32_t v) { return v != 0 && tree.children(tree.parent(v)).size() == 1; };
  for (std::int32_t& vertex : vertices)
    while (tree.height(vertex) < height && only_child(vertex)) vertex = tree.parent(vertex);
  return vertices;
}

std::int32_t top_of(const TreeTopology& tree, const std::vector<std::int32_t>& vertex_of_node,
                    const Placement& placement) {
  std::int32_t top = vertex_of_node[placement.ranks.front().node];
  for (const RankPlace& rank : placement.ranks) top = tree.lowest_common_ancestor(top, vertex_of_node[rank.node]);
  return top;
}

std::vector<std::int32_t> leaf_switches(const ClusterView& view) {
  std::vector<std::int32_t> switches = node_vertices(view);
  for (std::int32_t& vertex : switches) vertex = std::max(0, view.tree->parent(vertex));
  return switches;
}

std::optional<NodeCounts> sequential_counts(const NodeLimits& limits) {
  return first_or_largest(limits, numbers(limits.capacity().size()));
}

NodeCounts counts_in_order(const ClusterView& view, const Request& request, NodeCounts capacity) {
  if (!request.node_tasks.empty()) return request.node_tasks;
  std::optional<NodeCounts> counts = sequential_counts(NodeLimits(view, request, std::move(capacity)));
  if (!counts) throw PlacementError(STOCK_NO_ROOM, "no set of nodes meets the limits on nodes and on tasks per node");
  return *std::move(counts);
}

std::optional<NodeCounts> compact_counts(const ClusterView& view, const NodeLimits& limits, std::int32_t levels_up) {
  const TreeTopology& tree = *view.tree;
  const Subtrees s = survey(view, limits);
  for (const Subtrees::Subtree* subtree : with_enough_room(tree, s, limits)) {
    std::int32_t vertex = subtree->vertex;
    if (!first_or_largest(limits, nodes_below(view, s, vertex))) continue;
    for (std::int32_t k = 0; k < levels_up && vertex != 0; ++k) vertex = tree.parent(vertex);
    return first_or_largest(limits, nodes_below(view, s, vertex));
  }
  return std::nullopt;
}

std::vector<std::vector<std::int32_t>> sufficient_subtrees(const ClusterView& view, const NodeLimits& limits,
                                                           std::size_t most) {
  const TreeTopology& tree = *view.tree;
  const Subtrees s = survey(view, limits);
  std::vector<const Subtrees::Subtree*> enough = with_enough_room(tree, s, limits);
  std::ranges::stable_sort(enough, {}, [&](const Subtrees::Subtree* subtree) { return tree.height(subtree->vertex); });
  std::vector<std::vector<std::int32_t>> found;
  std::int32_t height = -1;
  for (const Subtrees::Subtree* subtree : enough) {
    if (found.size() == most || (height >= 0 && tree.height(subtree->vertex) > height)) break;
    std::vector<std::int32_t> nodes = nodes_below(view, s, subtree->vertex);
    if (!first_or_largest(limits, nodes)) continue;
    std::ranges::sort(nodes);  // the order of the view, in which Slurm takes nodes
    found.push_back(std::move(nodes));
    height = tree.height(subtree->vertex);
  }
  return found;
}

}  // namespace placement::mapping
