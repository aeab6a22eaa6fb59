// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/switch_tree.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "common/util/error.hpp"

namespace placement {

namespace {

constexpr std::int32_t nowhere = -1;

// A child of a switch: another switch or a node, with the lowest number of a node below it. Children are sorted by this
// number, so that leaves follow the order of the nodes where the tree allows it.
struct Child {
  std::int32_t lowest_node = 0;
  std::int32_t index = 0;
  bool is_switch = false;

  auto operator<=>(const Child&) const = default;
};

// Returns whether the sockets of the node have several caches of equal size.
bool has_caches(const NodeShape& node) {
  return node.cores_per_cache > 1 && node.cores_per_cache < node.cores_per_socket &&
         node.cores_per_socket % node.cores_per_cache == 0;
}

// Builds the view in the steps that build() names.
class Builder {
 public:
  Builder(std::span<const SwitchShape> switches, std::span<const NodeShape> nodes)
      : switches_(switches),
        nodes_(nodes),
        root_(switches.size()) {}

  ClusterView build(std::span<const std::int64_t> level_distance) {
    check_nodes();
    order_switches();
    hang_nodes();
    hang_switches();
    find_levels();
    number_fabrics();
    grow();
    return view(level_distance);
  }

 private:
  void check_nodes() const {
    if (nodes_.empty()) throw Error("the machine has no nodes");
    std::int64_t cores = 0;
    for (const NodeShape& node : nodes_) {
      for (const auto& [what, count] :
           {std::pair{"sockets", node.sockets}, std::pair{"cores per socket", node.cores_per_socket},
            std::pair{"threads per core", node.threads_per_core}})
        if (count < 1)
          throw Error("node " + node.name + " has " + std::to_string(count) + " " + what + ": expected at least 1");
      const std::int64_t more = static_cast<std::int64_t>(node.sockets) * node.cores_per_socket;
      if (more > TreeTopology::max_leaves || (cores += more) > TreeTopology::max_leaves)
        throw Error("with node " + node.name + " the machine has more than " +
                    std::to_string(TreeTopology::max_leaves) + " cores");
    }
  }

  // Sorts the switches breadth first, from the top. A switch that is not reached belongs to a cycle or hangs below one.
  void order_switches() {
    const std::int32_t count = static_cast<std::int32_t>(switches_.size());
    std::vector<std::vector<std::int32_t>> below(switches_.size() + 1);
    for (std::int32_t s = 0; s < count; ++s) {
      const std::int32_t above = switches_[s].parent;
      if (above < nowhere || above >= count)
        throw Error("switch " + switches_[s].name + ": the switch above it is number " + std::to_string(above) +
                    " of " + std::to_string(count));
      below[above == nowhere ? root_ : above].push_back(s);
    }
    switch_level_.assign(switches_.size() + 1, 0);
    top_down_ = below[root_];
    for (const std::int32_t s : top_down_) switch_level_[s] = 1;
    for (std::size_t at = 0; at < top_down_.size(); ++at) {
      const std::int32_t s = top_down_[at];
      for (const std::int32_t lower : below[s]) {
        switch_level_[lower] = switch_level_[s] + 1;
        top_down_.push_back(lower);
      }
    }
    for (std::int32_t s = 0; s < count; ++s)
      if (switch_level_[s] == 0) throw Error("switch " + switches_[s].name + " is above itself");
  }

  void hang_nodes() {
    std::vector<std::int32_t> switch_of(nodes_.size(), nowhere);
    children_.resize(switches_.size() + 1);
    for (std::size_t s = 0; s < switches_.size(); ++s)
      for (const std::int32_t node : switches_[s].nodes) {
        if (node < 0 || static_cast<std::size_t>(node) >= nodes_.size())
          throw Error("switch " + switches_[s].name + " has node number " + std::to_string(node) + " of " +
                      std::to_string(nodes_.size()));
        if (const std::int32_t other = switch_of[node]; other != nowhere)
          throw Error("node " + nodes_[node].name + " is under switch " + switches_[other].name + " and under switch " +
                      switches_[s].name + ": a tree needs exactly one");
        switch_of[node] = static_cast<std::int32_t>(s);
        children_[s].push_back({node, node, false});
      }
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (const auto n = static_cast<std::int32_t>(node); switch_of[node] == nowhere)
        children_[root_].push_back({n, n, false});
  }

  // Attaches each switch to the one above it, from the bottom up. A switch without a node below it is left out.
  void hang_switches() {
    for (auto at = top_down_.rbegin(); at != top_down_.rend(); ++at) {
      const std::int32_t s = *at;
      if (children_[s].empty()) continue;
      std::ranges::sort(children_[s]);
      const std::int32_t above = switches_[s].parent;
      children_[above == nowhere ? root_ : above].push_back({children_[s][0].lowest_node, s, true});
    }
    std::ranges::sort(children_[root_]);
  }

  void find_levels() {
    level_branches_.assign(switches_.size() + 2, false);
    for (std::size_t s = 0; s <= switches_.size(); ++s)
      if (children_[s].size() > 1) level_branches_[switch_level_[s]] = true;
    for (const NodeShape& node : nodes_) {
      if (node.sockets > 1) node_branches_ = true;
      if (node.cores_per_socket > 1) socket_branches_ = true;
      if (has_caches(node)) caches_branch_ = true;
    }
  }

  void number_fabrics() {
    fabric_.assign(nodes_.size(), switches_.empty() ? 0 : no_fabric);
    std::int32_t fabric = 0;
    for (const Child& top : children_[root_]) {
      if (!top.is_switch) continue;
      std::vector<std::int32_t> below{top.index};
      while (!below.empty()) {
        const std::int32_t s = below.back();
        below.pop_back();
        for (const Child& child : children_[s]) {
          if (child.is_switch)
            below.push_back(child.index);
          else
            fabric_[child.index] = fabric;
        }
      }
      ++fabric;
    }
  }

  // Makes the vertices of the tree, depth first. There is no recursion, because a chain may have all switches.
  void grow() {
    struct Step {
      Child child;
      std::int32_t parent;
    };
    first_core_.assign(nodes_.size(), 0);
    std::vector<Step> stack{{{0, static_cast<std::int32_t>(root_), true}, nowhere}};
    while (!stack.empty()) {
      const auto [child, parent] = stack.back();
      stack.pop_back();
      if (!child.is_switch) {
        grow_node(child.index, parent);
        continue;
      }
      const bool kept = level_branches_[switch_level_[child.index]];
      const std::int32_t vertex = kept ? vertex_below(parent) : parent;
      const std::vector<Child>& below = children_[child.index];
      for (auto next = below.rbegin(); next != below.rend(); ++next) stack.push_back({*next, vertex});
    }
  }

  void grow_node(std::int32_t node, std::int32_t parent) {
    const NodeShape& shape = nodes_[node];
    const std::int32_t node_vertex = node_branches_ ? vertex_below(parent) : parent;
    for (std::int32_t socket = 0; socket < shape.sockets; ++socket) {
      const std::int32_t socket_vertex = socket_branches_ ? vertex_below(node_vertex) : node_vertex;
      std::int32_t cache_vertex = socket_vertex;
      for (std::int32_t core = 0; core < shape.cores_per_socket; ++core) {
        if (caches_branch_ && core % (has_caches(shape) ? shape.cores_per_cache : shape.cores_per_socket) == 0)
          cache_vertex = vertex_below(socket_vertex);
        const std::int32_t vertex = vertex_below(cache_vertex);
        if (socket == 0 && core == 0) first_core_[node] = vertex;
      }
    }
  }

  std::int32_t vertex_below(std::int32_t parent) {
    parent_.push_back(parent);
    return static_cast<std::int32_t>(parent_.size()) - 1;
  }

  ClusterView view(std::span<const std::int64_t> level_distance) const {
    auto tree = std::make_shared<TreeTopology>(TreeTopology::from_parents(parent_, level_distance));
    ClusterView view;
    view.nodes.reserve(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      NodeView node = view_of_node(nodes_[n], tree->first_leaf(first_core_[n]));
      node.fabric = fabric_[n];
      view.nodes.push_back(std::move(node));
    }
    view.tree = std::move(tree);
    return view;
  }

  std::span<const SwitchShape> switches_;
  std::span<const NodeShape> nodes_;
  std::size_t root_;                          // number of an extra switch above all top switches
  std::vector<std::int32_t> top_down_;        // all switches, each after the one above it
  std::vector<std::int32_t> switch_level_;    // the root is level 0
  std::vector<std::vector<Child>> children_;  // of each switch and of the root
  std::vector<bool> level_branches_;          // per level: whether some switch there has two children or more
  bool node_branches_ = false;                // whether some node has two sockets or more
  bool socket_branches_ = false;              // whether some socket has two cores or more
  bool caches_branch_ = false;                // whether some socket has several caches of two cores or more
  std::vector<std::int32_t> parent_;          // of each vertex, for TreeTopology::from_parents()
  std::vector<std::int32_t> first_core_;      // per node: the vertex of its first core
  std::vector<std::int32_t> fabric_;          // per node, as in NodeView
};

class Forest {
 public:
  explicit Forest(std::span<const NodeShape> nodes) : switch_of_(nodes.size(), nowhere) {
    for (std::size_t n = 0; n < nodes.size(); ++n) index_of_.emplace(nodes[n].name, static_cast<std::int32_t>(n));
  }

  // Adds a switch or block; those of lower levels must be added before. Ignores it if it has no known node, or if all
  // its nodes are already below switches of its level.
  void add(const SwitchRecord& record) {
    const auto self = static_cast<std::int32_t>(switches.size());
    switches.push_back({record.name, nowhere, {}});
    levels_.push_back(record.level);
    above_.push_back(self);
    bool holds = false;
    for (const std::string& name : record.nodes)
      if (const auto found = index_of_.find(name); found != index_of_.end()) holds = hang(found->second, self) || holds;
    if (holds) return;
    switches.pop_back();
    levels_.pop_back();
    above_.pop_back();
  }

  std::vector<SwitchShape> switches;

 private:
  // Attaches the node, or the highest switch above it, to the switch `self`. Returns false unless `self` is higher.
  bool hang(std::int32_t node, std::int32_t self) {
    if (switch_of_[node] == nowhere) {
      switch_of_[node] = self;
      switches[self].nodes.push_back(node);
      return true;
    }
    const std::int32_t top = top_of(switch_of_[node]);
    if (top == self) return true;
    if (levels_[top] >= levels_[self]) return false;
    switches[top].parent = self;
    above_[top] = self;
    return true;
  }

  // Returns the highest switch above `one`. Shortens the path to it, because a chain may contain all switches.
  std::int32_t top_of(std::int32_t one) {
    while (above_[one] != one) one = above_[one] = above_[above_[one]];
    return one;
  }

  std::unordered_map<std::string, std::int32_t> index_of_;
  std::vector<std::int32_t> switch_of_;  // per node
  std::vector<std::int64_t> levels_;     // per switch
  std::vector<std::int32_t> above_;      // per switch: itself, or some switch above it
};

}  // namespace

NodeView view_of_node(const NodeShape& shape, std::int32_t first_leaf) {
  NodeView node{shape.name, first_leaf, shape.sockets, shape.cores_per_socket, shape.threads_per_core, shape.offered};
  node.core_free.resize(static_cast<std::size_t>(node.cores()), true);
  if (has_caches(shape)) node.cores_per_cache = shape.cores_per_cache;
  return node;
}

ClusterView view_of_switches(std::span<const SwitchShape> switches, std::span<const NodeShape> nodes,
                             std::span<const std::int64_t> level_distance) {
  return Builder(switches, nodes).build(level_distance);
}

std::vector<SwitchShape> forest_of(std::vector<SwitchRecord> records, std::span<const NodeShape> nodes) {
  std::ranges::stable_sort(records, [](const SwitchRecord& a, const SwitchRecord& b) { return a.level < b.level; });
  // Slurm ranks a node of several leaf switches by its last switch.
  std::unordered_set<std::string> seen;
  for (auto leaf = records.rbegin(); leaf != records.rend(); ++leaf)
    if (leaf->level == records[0].level)
      std::erase_if(leaf->nodes, [&](const std::string& node) { return !seen.insert(node).second; });
  Forest forest(nodes);
  for (const SwitchRecord& record : records) forest.add(record);
  return std::move(forest.switches);
}

std::vector<SwitchShape> tree_of_blocks(std::vector<SwitchRecord> records, std::span<const NodeShape> nodes) {
  std::vector<SwitchShape> blocks = forest_of(std::move(records), nodes);
  const auto is_top = [](const SwitchShape& block) { return block.parent < 0; };
  if (std::ranges::count_if(blocks, is_top) < 2) return blocks;
  const auto joined = static_cast<std::int32_t>(blocks.size());
  for (SwitchShape& block : blocks)
    if (is_top(block)) block.parent = joined;
  blocks.push_back({"all blocks", -1, {}});
  return blocks;
}

}  // namespace placement
