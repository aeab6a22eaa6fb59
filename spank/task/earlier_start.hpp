// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/api/spank_api.hpp"

namespace placement::spank {

// Removes from the environment of a batch script what slurmctld told of an earlier start of the job, or of another task
// of its array (PLACEMENT_START and the variables beside it), so that no command of the script takes it for what is in
// force. slurmctld itself removes it, except where it runs without the select_cons_tres.so of slurm-placement. Call it
// in the process that becomes a batch script; in any other process it does nothing.
void forget_earlier_start(spank_t spank);

}  // namespace placement::spank
