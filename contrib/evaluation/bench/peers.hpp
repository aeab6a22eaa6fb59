// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "contrib/evaluation/bench/instances.hpp"

namespace placement::bench {

using Mapping = std::vector<std::int32_t>;  // leaf of each rank

// Top-down multisection by METIS' recursive bisection, on the leaves that the project's own packing
// chooses when there are more than ranks; sizes that METIS misses are put right by cheap moves.
Mapping metis_multisection(const Instance& instance, std::uint64_t seed);

// SCOTCH's mapping onto its tleaf architecture, restricted to the usable leaves, fillers included.
Mapping scotch_mapping(const Instance& instance, std::uint64_t seed);

}  // namespace placement::bench
