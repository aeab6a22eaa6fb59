// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace placement {

// Looks at the job that salloc was given, once for each component of a heterogeneous job, before salloc says
// that the job is granted. `environment` has the entries NAME=VALUE that slurmctld supplies with the job.
struct GrantedJob {
  std::uint32_t job = 0;
  std::uint32_t component = 0;  // 0 where the job is not heterogeneous
  char** environment = nullptr;
  std::uint32_t entries = 0;

  // The value of the variable, or null.
  const char* variable(const std::string& name) const;
};
using SeeGrantedJob = void (*)(const GrantedJob&);  // must not throw

// Called in salloc when its environment describes the job, before it starts the user's command. Must not throw.
using JobIsDescribed = void (*)();

// From now on salloc asks `see` about each job that it gets, and then calls `described`. False when this salloc does not let itself be hooked.
bool install_allocation_hook(SeeGrantedJob see, JobIsDescribed described);

// Puts back what was there. Without a hook it does nothing.
void remove_allocation_hook();

}  // namespace placement
