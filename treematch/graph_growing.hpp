// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::treematch {

// A division of the vertices of a graph into groups, numbered in the order in which they were made.
struct FrontGroups {
  std::vector<std::int32_t> group;  // number of each vertex's group, from 0; only the last group may be smaller
  std::int32_t groups = 0;          // number of groups
};

// Divides a graph into groups of `size` vertices with much traffic inside; size > 0. Seed: the ungrouped neighbour of
// earlier groups with the least traffic to other ungrouped vertices (on a grid, a corner). Growth: the neighbour with
// the most traffic to the group; ties go to the vertex with the most traffic to the group's other neighbours. A group
// whose inner traffic is less than 15/16 of the best so far is put off to the end. When the time of `watch` ends, or
// too many groups are put off, the rest is grouped by vertex number.
FrontGroups front_groups(const mapping::Graph& graph, std::int32_t size,
                         const mapping::WorkBudget& watch = mapping::WorkBudget());

// Returns how similar the groups are: the mean traffic inside a group, divided by the traffic inside the best group, 0
// to 1. Throws OutOfTime.
double fit_of(const mapping::Graph& graph, const FrontGroups& groups, const mapping::WorkBudget& watch);

}  // namespace placement::treematch
