// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace placement {

// Sees each word that a user gives to -m or --distribution: on the command line, in the
// environment, in an #SBATCH line. `word` may be null. True: the word names a policy, and Slurm is
// told that no distribution was asked for. Must not throw.
using DistributionWord = bool (*)(const char* word);

// From now on srun, sbatch or salloc ask `see` about each distribution word before Slurm's own
// verify_dist_type. False when this Slurm does not let itself be asked; nothing is changed then.
bool install_distribution_hook(DistributionWord see);

// Puts back what was there. Without a hook it does nothing.
void remove_distribution_hook();

}  // namespace placement
