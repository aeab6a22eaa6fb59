// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/hooks/dist_hook.hpp"

#include <slurm/slurm.h>

#include <cstdint>

#include "spank/hooks/function_hook.hpp"

namespace placement::spank {

namespace {

// The type of Slurm's internal function verify_dist_type, unchanged since 20.02. Slurm's option tables call it inside
// libslurmfull, and that call goes through the procedure linkage table, so it can be diverted.
using VerifyDistType = task_dist_states_t (*)(const char*, std::uint32_t*);

DistributionWord see_word = nullptr;
FunctionHook hook;

task_dist_states_t verify_with_policies(const char* word, std::uint32_t* plane_size) {
  if (see_word && see_word(word)) return SLURM_DIST_UNKNOWN;
  return reinterpret_cast<VerifyDistType>(hook.real())(word, plane_size);
}

}  // namespace

bool install_distribution_hook(DistributionWord see) {
  see_word = see;
  if (hook.install("libslurmfull", "verify_dist_type", reinterpret_cast<void*>(verify_with_policies))) return true;
  see_word = nullptr;
  return false;
}

void remove_distribution_hook() {
  hook.remove();
  see_word = nullptr;
}

}  // namespace placement::spank
