// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// The two small files about leaves that mapping tools exchange; '#' starts a comment in both.

// One usable leaf per line; the path "-", or none, stands for all. Ascending, whatever the order in the
// file. Throws Error naming file and line on a leaf outside 0..leaves-1 or listed twice.
std::vector<std::int32_t> read_available(const std::string& path, std::int32_t leaves);

// One "rank leaf" line per rank, in any order. Throws Error naming file and line on a rank or leaf out
// of range, a rank twice, a leaf twice, or a rank that is missing.
std::vector<std::int32_t> read_mapping(const std::string& path, std::int32_t ranks, std::int32_t leaves);

std::string format_mapping(std::span<const std::int32_t> leaf_of_rank);

}  // namespace placement
