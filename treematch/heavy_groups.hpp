// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// Finds the groups of ranks that a path of heavy pairs joins. A pair is heavy when it has at least three quarters of
// the traffic of the heaviest pair. Returns the ranks of each group, ascending; groups are in the order of their first
// ranks. A rank without a heavy pair is in no group.
std::vector<std::vector<std::int32_t>> heavy_groups(const CommMatrix& matrix);

// Returns the groups, followed by one group for each of the ranks 0 to `ranks` - 1 that is in none of `groups`.
std::vector<std::vector<std::int32_t>> with_single_ranks(std::vector<std::vector<std::int32_t>> groups,
                                                         std::int32_t ranks);

// Chooses one leaf per rank, so that each group of ranks fits into one subtree if a subtree has room for it. The groups
// are placed one after the other, each in the tightest subtree near the groups with which it has traffic. Each rank
// without a group counts as a group of its own. Returns the leaves, ascending. Returns nothing when there are no
// groups, when one group has all ranks, or when groups times leaves exceeds 131,072. Throws OutOfTime.
//   groups  disjoint groups of ranks, as heavy_groups() returns them
//   leaves  leaves that may be taken, ascending, at least one per rank
std::vector<std::int32_t> leaves_for_groups(const CommMatrix& matrix,
                                            const std::vector<std::vector<std::int32_t>>& groups,
                                            const TreeTopology& tree, std::span<const std::int32_t> leaves,
                                            const mapping::WorkBudget& watch);

// A part of a group that is on one leaf switch.
struct SwitchShare {
  std::int32_t on = 0;     // index of the leaf switch
  std::int32_t tasks = 0;  // number of the group's tasks there, at least 1
};

// Distributes groups of tasks over leaf switches, the largest groups first. A group gets the leaf switch or pair of
// leaf switches with the least sufficient room, or else the switches with the most room. Returns the shares of each
// group in the order of `sizes`, or nothing if it finds none within tuning::most_steps_of_spread steps.
//   room   number of tasks that each leaf switch has room for, at least 0
//   sizes  number of tasks of each group, at least 1
//   span   largest number of leaf switches of a group, at least 1
std::optional<std::vector<std::vector<SwitchShare>>> spread_groups(std::span<const std::int32_t> room,
                                                                   std::span<const std::int32_t> sizes,
                                                                   std::int32_t span);

}  // namespace placement::treematch
