// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace placement::mapping {

// Returns for each of `count` workers the job that it takes, so that each job is taken once and the sum of the costs is least:
// the assignment problem, solved by shortest augmenting paths (the Hungarian method) in count^3 steps.
//   cost  cost[worker * count + job], from 0 to 2^50; at most 1,024 workers
std::vector<std::int32_t> least_cost_assignment(std::span<const std::int64_t> cost, std::size_t count);

}  // namespace placement::mapping
