// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/spank_api.hpp"

#include "spank/step_ranks.hpp"

namespace placement {

// srun's copy of the step's layout, from which it launches: in slurm_spank_local_user_init it is
// complete and not yet used. SPANK has no call for it; it is reached through the handle, which is
// believed only where the public calls say the same. Null when they do not.
slurm_step_layout_t* layout_of(spank_t spank);

// The layout in plain terms. Throws Error when its parts contradict each other.
StepShape shape_of(const slurm_step_layout_t& layout, std::uint32_t job, std::uint32_t step);

// Gives each node its ranks. The distribution becomes "cyclic" over nodes, the socket part stays:
// for "block", pmi2 tells MPI a mapping that it computes instead of the one that is there.
void apply(const StepPlacement& placement, slurm_step_layout_t& layout);

}  // namespace placement
