// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/fragmentation.hpp"

#include <algorithm>

namespace placement::sim {

namespace {

// Returns the number of the subtree just below the root for each leaf switch. Leaf switches are numbered from left to
// right, so that those of one subtree have consecutive numbers.
std::vector<std::int32_t> subtrees(const Machine& machine) {
  const TreeTopology& tree = *machine.view().tree;
  std::vector<std::int32_t> subtree_of_switch;
  std::int32_t subtree = -1;
  std::int32_t last = -1;
  for (std::int32_t s = 0; s < machine.switches(); ++s) {
    std::int32_t v = machine.switch_vertex(s);
    while (v > 0 && tree.parent(v) > 0) v = tree.parent(v);
    if (v != last) ++subtree;
    last = v;
    subtree_of_switch.push_back(subtree);
  }
  return subtree_of_switch;
}

// Returns the number of free cores of each leaf switch, or of each group of leaf switches if groups are given.
std::vector<std::int64_t> cores_of(const Machine& machine, const std::vector<std::int32_t>* group_of_switch) {
  std::vector<std::int64_t> cores(static_cast<std::size_t>(machine.switches()), 0);
  for (std::int32_t n = 0; n < machine.nodes(); ++n) {
    const std::int32_t s = machine.switch_of(n);
    cores[group_of_switch != nullptr ? (*group_of_switch)[s] : s] += machine.free_on(n);
  }
  return cores;
}

}  // namespace

LargestGroup::LargestGroup(std::vector<std::int64_t> cores) : free_(std::move(cores)) {
  most_ = *std::max_element(free_.begin(), free_.end());
  groups_with_.assign(static_cast<std::size_t>(most_) + 1, 0);
  for (const std::int64_t free : free_) ++groups_with_[free];
}

void LargestGroup::change(std::int32_t group, std::int64_t cores) {
  --groups_with_[free_[group]];
  free_[group] += cores;
  ++groups_with_[free_[group]];
  most_ = std::max(most_, free_[group]);
  while (groups_with_[most_] == 0) --most_;
}

FreeCapacity::FreeCapacity(const Machine& machine)
    : machine_(machine),
      subtree_of_switch_(subtrees(machine)),
      switches_(cores_of(machine, nullptr)),
      subtrees_(cores_of(machine, &subtree_of_switch_)) {}

// Counts runs of leaves below one leaf switch as one change.
void FreeCapacity::change(std::span<const std::int32_t> leaves, std::int32_t sign) {
  for (std::size_t k = 0; k < leaves.size();) {
    const std::int32_t s = machine_.switch_of(machine_.node_of(leaves[k]));
    std::int64_t cores = 0;
    for (; k < leaves.size() && machine_.switch_of(machine_.node_of(leaves[k])) == s; ++k) cores += sign;
    change_switch(s, cores);
  }
}

void FreeCapacity::change_switch(std::int32_t leaf_switch, std::int64_t cores) {
  switches_.change(leaf_switch, cores);
  subtrees_.change(subtree_of_switch_[leaf_switch], cores);
}

}  // namespace placement::sim
