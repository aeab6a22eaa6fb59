// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "netload/group_search.hpp"

namespace placement {

// The shortest beginning of a sorted order of nodes that fulfils a request, while the order comes unsorted: the last
// element leaves as soon as the others are enough. Of equal values the one of the lower node comes first.
class Beginning {
 public:
  explicit Beginning(std::span<const std::int32_t> processors) : processors_(processors) {}

  void start(std::int64_t processes, std::int64_t nodes);

  // What is above this does not get in.
  double limit() const { return limit_; }
  bool takes(double value, std::int32_t node) const {
    return value < limit_ || (value == limit_ && !first_.empty() && node < first_.back().node);
  }
  void add(double value, std::int32_t node);

  struct Element {
    double value;
    std::int32_t node;
  };
  std::span<const Element> elements() const { return first_; }

 private:
  std::int64_t processors(std::int32_t node) const { return processors_[static_cast<std::size_t>(node)]; }

  std::span<const std::int32_t> processors_;
  std::int64_t processes_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t room_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();
  std::vector<Element> first_;  // sorted
};

// Algorithm 1 for one start after another [NLA §5]. Nodes are looked at in the order of their compute load, or block
// by block; what cannot get into the group for its compute load or for the best that is known of its block is passed
// over. The groups are those of the full order.
class Candidates {
 public:
  // Both outlive this.
  Candidates(const GroupInput& input, const GroupRequest& request);

  // As candidate_group() has it. Ascending; valid until the next call.
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
  std::vector<char> inside_;   // the required nodes and the start
  std::vector<double> base_;   // alpha CL(u)
  std::vector<std::int32_t> order_;  // of all nodes that have processors: by base, or block by block
  std::vector<std::int32_t> begin_;  // of each block in order_
  std::vector<double> base_of_block_, floor_;
  std::vector<std::int32_t> left_;   // blocks that may hold something
};

}  // namespace placement
