// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/mpirun_environment.hpp"

#include <cstdlib>

#include "common/util/environment.hpp"

namespace placement::spank {

MpirunPlan inherited_mpirun_plan() {
  const std::string path = environment_value(mpirun_plan_variable);
  // PRRTE starts srun without its own variables, so that these may be missing.
  const auto unchanged = [](const auto& names, const std::string& value) {
    return environment_value(names[0]) == value && (!std::getenv(names[1]) || environment_value(names[1]) == value);
  };
  return {
      !path.empty() && unchanged(mapping_policy_variables, sequential_mapping) && unchanged(hostfile_variables, path),
      path, environment_value(mpirun_reason_variable)};
}

void forget_mpirun_plan() {
  const std::string path = environment_value(mpirun_plan_variable);
  const auto remove = [](const auto& names, const std::string& value) {
    for (const char* name : names)
      if (environment_value(name) == value) unsetenv(name);
  };
  if (!path.empty()) {
    remove(mapping_policy_variables, sequential_mapping);
    remove(hostfile_variables, path);
  }
  unsetenv(mpirun_plan_variable);
  unsetenv(mpirun_reason_variable);
}

}  // namespace placement::spank
