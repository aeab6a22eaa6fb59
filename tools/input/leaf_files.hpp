// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace placement::tools {

// Two small files about leaves, which mapping tools exchange. In both, '#' begins a comment.

// Reads the usable leaves, one per line, and returns them in ascending order. An empty path or "-" means all leaves.
// Throws Error with file and line when a leaf is outside 0 to leaves - 1 or listed twice.
std::vector<std::int32_t> read_available(const std::string& path, std::int32_t leaves);

// Reads the leaf of each rank from lines "rank leaf", in any order. Throws Error with file and line when a rank or leaf
// is out of range or listed twice, or when a rank is missing.
std::vector<std::int32_t> read_mapping(const std::string& path, std::int32_t ranks, std::int32_t leaves);

// Returns lines "rank leaf", for read_mapping().
std::string format_mapping(std::span<const std::int32_t> leaf_of_rank);

}  // namespace placement::tools
