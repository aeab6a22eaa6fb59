// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine.hpp"

namespace placement::sim {

// Counts the free cores of some groups of cores, and keeps the largest count. A change takes O(1) amortised time,
// because the largest count falls by no more than the number of cores taken.
class LargestGroup {
 public:
  // cores[g] is the number of cores of group g, all free. There is at least one group.
  explicit LargestGroup(std::vector<std::int64_t> cores);

  // Adds `cores` free cores to a group; negative: takes them away.
  void change(std::int32_t group, std::int64_t cores);
  // Returns the number of free cores in the group that has the most.
  std::int64_t most() const { return most_; }

 private:
  std::vector<std::int64_t> free_;
  std::vector<std::int32_t> groups_with_;  // entry f: number of groups with f free cores
  std::int64_t most_ = 0;
};

// Keeps the sizes of the largest jobs that fit below one leaf switch, and into one subtree just below the root. The
// sizes change while cores are taken and released.
class FreeCapacity {
 public:
  // All cores of the machine are free. The machine must outlive the object.
  explicit FreeCapacity(const Machine& machine);

  void take(std::span<const std::int32_t> leaves) { change(leaves, -1); }
  void release(std::span<const std::int32_t> leaves) { change(leaves, 1); }
  // Adds `cores` free cores to a node, whichever they are; negative: takes them away.
  void change_node(std::int32_t node, std::int64_t cores) { change_switch(machine_.switch_of(node), cores); }

  std::int64_t in_switch() const { return switches_.most(); }
  std::int64_t in_subtree() const { return subtrees_.most(); }

 private:
  void change(std::span<const std::int32_t> leaves, std::int32_t sign);
  void change_switch(std::int32_t leaf_switch, std::int64_t cores);

  const Machine& machine_;
  std::vector<std::int32_t> subtree_of_switch_;
  LargestGroup switches_;
  LargestGroup subtrees_;
};

}  // namespace placement::sim
