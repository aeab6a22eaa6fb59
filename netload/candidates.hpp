// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "netload/group_search.hpp"

namespace placement::netload {

// The shortest beginning of the sorted order of nodes that fulfils a request, built while the nodes arrive unsorted.
// The order is by value, then by node number. The last element is removed as soon as the others suffice.
class Beginning {
 public:
  // processors[n]: the processes that node n takes. The array must outlive this object.
  explicit Beginning(std::span<const std::int32_t> processors) : processors_(processors) {}

  // Empties the beginning. It is complete when its nodes take `processes` processes and there are at least `nodes` of
  // them.
  void start(std::int64_t processes, std::int64_t nodes);

  // Returns the largest value in a complete beginning; no node with a larger value can enter. Infinite until then.
  double limit() const { return limit_; }
  // Returns whether add() would keep the node.
  bool takes(double value, std::int32_t node) const {
    return value < limit_ || (value == limit_ && !first_.empty() && node < last().node);
  }
  // Inserts the node with its value, and removes last elements that are no longer needed.
  void add(double value, std::int32_t node);

  struct Element {
    double value;
    std::int32_t node;
    bool operator<(const Element& other) const {
      return value < other.value || (value == other.value && node < other.node);
    }
  };
  // Returns the elements, in no order.
  std::span<const Element> elements() const { return first_; }

 private:
  std::int64_t processors(std::int32_t node) const { return processors_[static_cast<std::size_t>(node)]; }

  std::span<const std::int32_t> processors_;
  std::int64_t processes_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t room_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();
  const Element& last() const { return first_.front(); }
  std::vector<Element> first_;  // a heap, because a large group would be kept sorted in quadratic time
};

// Computes the candidate groups of Algorithm 1 [NLA §5] for one start node after another. Nodes are examined in the
// order of their compute load, or block by block. A node is skipped when its compute load, or the best network load
// known of its block, already excludes it. The groups are nevertheless those of the full order.
class Candidates {
 public:
  // `input` and `request` must outlive this object.
  Candidates(const GroupInput& input, const GroupRequest& request);

  // Returns the group of this start node, ascending. It has the required nodes and the start node. Further nodes follow
  // by rising addition load alpha CL(u) + beta NL(start, u); equal values by node number. It ends when there are enough
  // processors and at least min_nodes nodes; if all nodes are not enough, it has all nodes. It is empty when that takes
  // more than max_nodes nodes, or the start node has no processors. It is valid until the next call.
  const std::vector<std::int32_t>& of_start(std::int32_t start);

 private:
  auto by_base() const {
    return [this](std::int32_t a, std::int32_t b) {
      const double x = base_[static_cast<std::size_t>(a)], y = base_[static_cast<std::size_t>(b)];
      return x < y || (x == y && a < b);
    };
  }
  void sort_nodes();
  void sort_blocks();
  void fill(std::int32_t start);
  void fill_by_blocks(std::int32_t start);
  // Returns the largest floor of a block that may contribute.
  double most_floor() const { return std::min(rest_.limit(), std::numeric_limits<double>::max()); }
  void offer_block(const NetworkLoad::From& from, std::int32_t block);
  void offer(const NetworkLoad::From& from, std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    const double value = base_[at] + input_.beta * from.to(node);
    if (rest_.takes(value, node) && !inside_[at]) rest_.add(value, node);
  }

  const GroupInput& input_;
  const GroupRequest& request_;
  Beginning rest_;
  std::vector<std::int32_t> group_;
  std::vector<char> inside_;         // the required nodes and the start
  std::vector<double> base_;         // alpha CL(u)
  std::vector<std::int32_t> order_;  // all nodes with processors: by base_, or block by block
  std::vector<std::int32_t> begin_;  // index in order_ of the first node of each block
  std::vector<double> base_of_block_, floor_;
  std::vector<std::int32_t> left_;  // blocks that may still contribute
};

}  // namespace placement::netload
