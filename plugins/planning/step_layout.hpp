// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace placement::planning {

// Returns the number of tasks that Slurm's step layout (block) gives to each node. Node n has room for room[n] tasks.
// Without `pack` the tasks are dealt in rounds, one per node. With `pack` each node gets one task, then the nodes are
// filled one after the other. Tasks for which no node has room are dealt in rounds beyond the room. `room` may be
// empty: then no task is dealt.
std::vector<std::int32_t> block_layout(std::span<const std::uint32_t> room, std::uint64_t tasks, bool pack);

}  // namespace placement::planning
