// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/request/spank_api.hpp"

namespace placement::spank {

// Writes to standard error that the job runs on nodes that Slurm itself chose, although it asked for a policy. There is
// one line for each component of a heterogeneous job. Before that, it removes the variables of an earlier start of the
// job from the script's environment. Call it in the process that becomes a batch script, as the user; in any other
// process it does nothing.
void tell_batch_script(spank_t spank);

}  // namespace placement::spank
