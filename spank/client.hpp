// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/spank_api.hpp"

namespace placement {

// What happens in srun, sbatch and salloc. None of these throws.

// Makes --placement and --comm-matrix known; also on the nodes, to which Slurm forwards options.
void register_options(spank_t spank);

// Before options are parsed: registers ours, hooks -m, and clears what an outer job left behind.
void client_begin(spank_t spank);

// After the options of one component: reads the matrix and ships it. Ends the command with exit
// code 1 (or $SLURM_EXIT_ERROR) after a message when what was asked for cannot be: an "optional"
// line in plugstack.conf would make Slurm submit the job after a mere return code.
void client_options_done(spank_t spank);

// In srun, the step is created and not yet launched: places its ranks.
void client_place_step(spank_t spank);

void client_end();

}  // namespace placement
