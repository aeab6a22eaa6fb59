// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine.hpp"

namespace placement::sim {

// How many cores are free in each of some groups, and the most in any of them. A change costs O(1) amortised: the
// most falls no further than by what was taken.
class LargestGroup {
 public:
  // Cores of each group, all free.
  explicit LargestGroup(std::vector<std::int64_t> cores);

  void change(std::int32_t group, std::int64_t cores);  // so many more are free; negative: fewer
  std::int64_t most() const { return most_; }

 private:
  std::vector<std::int64_t> free_;
  std::vector<std::int32_t> groups_with_;  // so many free cores
  std::int64_t most_ = 0;
};

// The largest jobs that one leaf switch, and one subtree below the root, could take as cores come and go.
class FreeCapacity {
 public:
  // Of a machine all of whose cores are free, which must outlive it.
  explicit FreeCapacity(const Machine& machine);

  void take(std::span<const std::int32_t> leaves) { change(leaves, -1); }
  void release(std::span<const std::int32_t> leaves) { change(leaves, 1); }

  std::int64_t in_switch() const { return switches_.most(); }
  std::int64_t in_subtree() const { return subtrees_.most(); }

 private:
  void change(std::span<const std::int32_t> leaves, std::int32_t sign);

  const Machine& machine_;
  std::vector<std::int32_t> subtree_of_switch_;
  LargestGroup switches_;
  LargestGroup subtrees_;
};

}  // namespace placement::sim
