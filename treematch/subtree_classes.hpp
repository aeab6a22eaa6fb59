// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "common/topology/tree_topology.hpp"

namespace placement {

// The limits that apply to one node when ranks are placed on its leaves.
struct NodeLimit {
  std::int32_t vertex = 0;  // of the tree; all leaves below it belong to the node
  std::int32_t most = 0;    // ranks that the node may take
  bool required = false;    // the node must take at least one rank
};

// Subtrees of one class are interchangeable: any set of ranks costs the same in each of them.
struct SubtreeClass {
  struct Run {
    std::int32_t of = 0;     // class of the children
    std::int32_t count = 0;  // number of such children

    auto operator<=>(const Run&) const = default;
  };

  std::int64_t position = 0;  // TreeTopology::position() of the root of the subtree
  std::int32_t node_most = -1;  // NodeLimit::most where the subtree is a node, else -1
  bool holds_nodes = false;     // the subtree is a node or has nodes below it
  std::int32_t required = 0;    // number of required nodes in the subtree
  std::int32_t node_required = 0;  // 1 where the subtree is itself a required node
  std::vector<Run> children;    // empty for a leaf
  std::int32_t slots = 0;       // ranks that the subtree can take, at most the number of ranks
  std::int64_t nearest = 0;     // least position of a usable leaf in the subtree
};

// Sorts the subtrees that hold usable leaves into classes. A child that no optimal mapping needs is
// left out of its parent's class: more than `ranks` children of one class, and children that `ranks`
// others could replace.
class SubtreeClasses {
 public:
  // `usable` ascending; `nodes` in any order, none below another. Time is linear in the tree.
  SubtreeClasses(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks,
                 std::span<const NodeLimit> nodes);

  // The class of a vertex of the tree, or -1 where no usable leaf lies below it.
  std::int32_t of(std::int32_t vertex) const { return class_of_[vertex]; }

  // Children have smaller numbers than their parents.
  std::span<const SubtreeClass> classes() const { return classes_; }

 private:
  using Key = std::pair<std::pair<std::int64_t, std::int64_t>, std::vector<SubtreeClass::Run>>;

  std::int32_t add(SubtreeClass subtree);
  void drop_replaceable(std::vector<SubtreeClass::Run>& children);
  bool replaces(std::int32_t by, std::int32_t what);

  const std::int32_t ranks_;
  std::vector<std::int32_t> class_of_;
  std::vector<SubtreeClass> classes_;
  std::map<Key, std::int32_t> number_;
  std::map<std::pair<std::int32_t, std::int32_t>, bool> replaces_;
};

}  // namespace placement
