// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace placement::spank {

// A job, or a component of a heterogeneous job, that slurmctld granted to salloc.
struct GrantedJob {
  std::uint32_t job = 0;
  std::uint32_t component = 0;   // 0 if the job is not heterogeneous
  char** environment = nullptr;  // the variables NAME=VALUE that slurmctld adds to the job
  std::uint32_t entries = 0;     // the number of variables

  // Returns the value of the variable, or null if slurmctld did not add it.
  const char* variable(const std::string& name) const;
};
// Called once for each component before salloc prints that the job is granted. Must not throw.
using SeeGrantedJob = void (*)(const GrantedJob&);

// Called in salloc when its environment describes the job, before it starts the user's command. Must not throw.
using JobIsDescribed = void (*)();

// Makes salloc call `see` for each job that it gets, and then `described`. Returns false if the calls of this salloc
// cannot be intercepted; some of its calls may be intercepted then.
bool install_allocation_hook(SeeGrantedJob see, JobIsDescribed described);

// Restores salloc's own calls. Does nothing if they are not intercepted.
void remove_allocation_hook();

}  // namespace placement::spank
