// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "common/topology/tree_topology.hpp"

namespace placement::treematch {

// The limits that apply to one node when ranks are placed on its leaves.
struct NodeLimit {
  std::int32_t vertex = 0;  // the vertex of the tree that stands for the node; all leaves below belong to the node
  std::int32_t most = 0;    // largest number of ranks on the node
  bool required = false;    // the node must take at least one rank
};

// A class of interchangeable subtrees: a set of ranks has equal costs in each subtree of the class.
struct SubtreeClass {
  struct Run {
    std::int32_t of = 0;     // class of the children
    std::int32_t count = 0;  // number of children of this class

    auto operator<=>(const Run&) const = default;
  };

  std::int64_t position = 0;       // TreeTopology::position() of the root of the subtree
  std::int32_t node_most = -1;     // NodeLimit::most where the subtree is a node, else -1
  bool holds_nodes = false;        // the subtree is a node or has nodes below it
  std::int32_t required = 0;       // number of required nodes in the subtree
  std::int32_t node_required = 0;  // 1 where the subtree is itself a required node
  std::vector<Run> children;       // empty for a leaf
  std::int32_t slots = 0;          // ranks that the subtree can take, limited to the number of ranks
  std::int32_t nodes = 0;          // nodes that these ranks can use, limited to the number of ranks
  std::int32_t per_node = 0;       // largest number of ranks that one of the nodes can take
  std::int64_t nearest = 0;        // least position of a usable leaf in the subtree
};

// Sorts the subtrees that hold usable leaves into classes. The class of a parent omits children that no optimal mapping
// needs. These are children beyond the first `ranks` of a class, and children that `ranks` siblings can replace at no
// higher cost.
class SubtreeClasses {
 public:
  //   usable  leaves that may be taken, ascending
  //   ranks   number of ranks to place, at least 1
  //   nodes   limits on nodes, in any order, no vertex below another; empty where nodes do not matter
  // Takes time linear in the size of the tree.
  SubtreeClasses(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks,
                 std::span<const NodeLimit> nodes);

  // Returns the class of the subtree below a vertex, -1 where no usable leaf lies below it.
  std::int32_t of(std::int32_t vertex) const { return class_of_[vertex]; }

  // Returns all classes by number. Classes of children have smaller numbers than those of their parents.
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
  std::int32_t comparisons_ = 0;  // number of comparisons of two classes so far
};

}  // namespace placement::treematch
