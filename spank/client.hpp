// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/api/spank_api.hpp"

namespace placement::spank {

// The steps of the plugin in srun, sbatch and salloc. No function throws.

// Registers the options --placement, --comm-matrix and --profile-comm. They are also registered on the nodes, because
// Slurm forwards options there.
void register_options(spank_t spank);

// Registers the options, intercepts -m, and removes the variables of an outer job from the environment. Call it before
// the options are parsed.
void client_begin(spank_t spank);

// Reads the matrix and ships the request. Call it after the options of each component were parsed. On an error the
// command ends after a message, with exit code 1 or that of SLURM_EXIT_ERROR. A return code would not suffice, because
// Slurm submits the job anyway if plugstack.conf has the plugin as "optional".
void client_options_done(spank_t spank);

// Places the ranks of the step, and prepares its profile. Call it in srun when the step is created and not yet
// launched. On an error the step runs with stock placement, and a message has the reason.
void client_place_step(spank_t spank);

// Removes the hooks. Call it when the command ends.
void client_end();

}  // namespace placement::spank
