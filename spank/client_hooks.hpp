// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>

namespace placement::spank {

// Gets each word that a user gives to -m or --distribution, on the command line, in the environment or in an #SBATCH
// line. `word` may be null. Returns true if the word names a policy; Slurm then sees no requested distribution. Must
// not throw.
using DistributionWord = bool (*)(const char* word);

// Makes srun, sbatch or salloc call `see` with each distribution word before Slurm's own verify_dist_type. Returns
// false if that call cannot be intercepted in this version of Slurm; nothing is changed then.
bool install_distribution_hook(DistributionWord see);

// Called once for a job, or for each component of a heterogeneous job, that slurmctld granted to salloc, before salloc
// reports it. `component` is 0 if the job is not heterogeneous. `environment` has the variables NAME=VALUE that
// slurmctld adds to the job. Must not throw.
using SeeGrantedJob = void (*)(std::uint32_t job, std::uint32_t component, std::span<char* const> environment);

// Called in salloc when its environment describes the job, before it starts the user's command. Must not throw.
using JobIsDescribed = void (*)();

// Makes salloc call `see` for each job that it gets, and then `described`. Returns false if the calls of this salloc
// cannot be intercepted; some of its calls may be intercepted then.
bool install_allocation_hook(SeeGrantedJob see, JobIsDescribed described);

// Restores Slurm's own calls, where they are intercepted.
void remove_client_hooks();

}  // namespace placement::spank
