// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

struct FrontGroups {
  std::vector<std::int32_t> group;  // of each vertex: 0, 1, .., all full but for the last
  std::int32_t groups = 0;
};

// Cuts a graph into groups of `size` vertices with much traffic inside, one after the other along a
// front: each starts where least traffic is left to vertices without a group, in a corner so to
// speak, and takes the neighbour with most traffic to it, of equal ones that which brings the next
// ones nearer. A group that falls behind the best one is put off until there are no others, so that
// on a grid the bricks fit together even where its sides are no multiple of theirs. Groups that follow
// each other are near each other, for the most part. What is left is grouped as it comes once the time is
// over, or where the graph has no such pattern. size > 0.
FrontGroups front_groups(const Graph& graph, std::int32_t size, const WorkBudget& watch = WorkBudget());

}  // namespace placement
