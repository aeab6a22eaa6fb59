// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "contrib/evaluation/bench/instances.hpp"

namespace placement::bench {

using Mapping = std::vector<std::int32_t>;  // leaf of each rank

// Top-down multisection by METIS' recursive bisection. If leaves outnumber ranks, the project's own packing chooses the
// leaves. Cheap moves correct parts whose size METIS missed.
Mapping metis_multisection(const Instance& instance, std::uint64_t seed);

// SCOTCH's mapping onto the usable leaves of its tleaf architecture. Ranks without traffic fill the spare leaves.
Mapping scotch_mapping(const Instance& instance, std::uint64_t seed);

}  // namespace placement::bench
