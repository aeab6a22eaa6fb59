// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine.hpp"

namespace placement::sim {

// The free cores of a machine at one time of a replay.
struct FreeLeaves {
  std::int64_t time_us = 0;  // from the begin of the window
  std::vector<std::pair<std::int32_t, std::int32_t>> runs;  // first and last leaf of each run of free cores, ascending

  std::int64_t leaves() const;  // number of free cores
};

// Returns the free cores that a machine has now.
FreeLeaves free_leaves_of(const Machine& machine, std::int64_t time_us);

// Returns the free cores as "placectl map --available" reads them: a comment with the time and the number of free
// cores, and then one leaf a line. `cores` is the number of all cores of the machine.
std::string free_leaves_text(const FreeLeaves& free, std::int64_t cores);

}  // namespace placement::sim
