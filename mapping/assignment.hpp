// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace placement::mapping {

// Returns the job of each worker, so that no job is taken twice and the sum of the costs is least (the assignment
// problem). Uses shortest augmenting paths (the Hungarian method), in workers^2 * jobs steps.
//   cost  cost[worker * jobs + job], from 0 to 2^50; at most 2,048 jobs, and no more workers than jobs
std::vector<std::int32_t> least_cost_assignment(std::span<const std::int64_t> cost, std::size_t workers,
                                                std::size_t jobs);

// Returns the place of each of `count` ranks; each place is taken once. The cost is the sum over all pairs of ranks of
// traffic times distance (the quadratic assignment problem). Up to eight ranks get the least cost, and the first one
// in lexical order. More ranks get a local minimum of swaps from several starts.
//   traffic   traffic[rank * count + other], symmetric, 0 or more; its sum times the largest distance is below 2^62
//   distance  distance[place * count + other], symmetric, 0 or more
std::vector<std::int32_t> quadratic_assignment(std::span<const std::int64_t> traffic,
                                               std::span<const std::int64_t> distance, std::size_t count);

// Returns the cost of an answer of quadratic_assignment().
std::int64_t assignment_cost(std::span<const std::int64_t> traffic, std::span<const std::int64_t> distance,
                             std::span<const std::int32_t> place_of_rank);

}  // namespace placement::mapping
