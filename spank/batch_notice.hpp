// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/spank_api.hpp"

namespace placement {

// In the process that becomes a batch script, as the user: writes to its standard error that the job has Slurm's own
// nodes although it asked for a policy, one line for each component of a heterogeneous job. In any other process it
// does nothing.
void tell_batch_script(spank_t spank);

}  // namespace placement
