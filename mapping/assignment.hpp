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

}  // namespace placement::mapping
