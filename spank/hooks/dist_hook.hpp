// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace placement::spank {

// Gets each word that a user gives to -m or --distribution, on the command line, in the environment or in an #SBATCH
// line. `word` may be null. Returns true if the word names a policy; Slurm then sees no requested distribution. Must
// not throw.
using DistributionWord = bool (*)(const char* word);

// Makes srun, sbatch or salloc call `see` with each distribution word before Slurm's own verify_dist_type. Returns
// false if that call cannot be intercepted in this version of Slurm; nothing is changed then.
bool install_distribution_hook(DistributionWord see);

// Restores Slurm's own call. Does nothing if it is not intercepted.
void remove_distribution_hook();

}  // namespace placement::spank
