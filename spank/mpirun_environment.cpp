// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun_environment.hpp"

#include <cstdlib>

namespace placement {

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

MpirunPlan inherited_mpirun_plan() {
  const std::string path = environment(mpirun_plan_variable);
  return {!path.empty() && environment(mapping_policy_variable) == sequential_mapping && environment(hostfile_variable) == path,
          environment(mpirun_reason_variable)};
}

void forget_mpirun_plan() {
  if (inherited_mpirun_plan().in_force) {
    unsetenv(mapping_policy_variable);
    unsetenv(hostfile_variable);
  }
  unsetenv(mpirun_plan_variable);
  unsetenv(mpirun_reason_variable);
}

}  // namespace placement
