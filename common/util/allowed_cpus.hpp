// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace placement {

// Returns the processors on which this process may run, ascending, on machines with any number of processors. Returns
// none when the kernel does not report them.
std::vector<std::int32_t> allowed_cpus();

}  // namespace placement
