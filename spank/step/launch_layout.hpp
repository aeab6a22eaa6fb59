// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/request/spank_api.hpp"

#include "spank/step/step_ranks.hpp"

namespace placement::spank {

// Returns srun's own layout of the step, from which it launches the tasks. Call it in slurm_spank_local_user_init,
// where the layout is complete and not yet used. SPANK has no function for it, so it is read from the structures
// behind the handle. Returns null if these do not agree with the public SPANK items, or if srun is of another release
// of Slurm.
slurm_step_layout_t* layout_of(spank_t spank);

// Returns the nodes of the layout and the number of tasks on each. Throws Error if the parts of the layout contradict
// each other.
StepShape shape_of(const slurm_step_layout_t& layout, std::uint32_t job, std::uint32_t step);

// Writes the ranks of each node into the layout, and the distribution for which Slurm reports these ranks to MPI
// (process_map.hpp). Slurm binds tasks by srun's own option -m, which stays.
void apply(const StepPlacement& placement, std::uint32_t distribution, slurm_step_layout_t& layout);

}  // namespace placement::spank
