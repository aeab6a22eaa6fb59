// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace placement {

// How Slurm's step layout (block) deals `tasks` over nodes with room for room[n] tasks each: one after the other in
// rounds, or with `pack` node by node; beyond their room when it does not suffice.
std::vector<std::int32_t> block_layout(std::span<const std::uint32_t> room, std::uint64_t tasks, bool pack);

}  // namespace placement
