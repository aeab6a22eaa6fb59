// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/earlier_start.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>

#include "common/decision/job_state.hpp"
#include "common/decision/job_variables.hpp"
#include "spank/api/task_environment.hpp"
#include "spank/request/job_decision.hpp"

namespace placement::spank {

void forget_earlier_start(spank_t spank) {
  std::uint32_t step = 0;
  if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step != SLURM_BATCH_SCRIPT) return;
  const std::string restarts = task_variable(spank, "SLURM_RESTART_COUNT").value_or("0");
  const std::string task = task_variable(spank, "SLURM_ARRAY_TASK_ID").value_or("");
  const std::uint32_t components = component_count(spank);
  for (std::uint32_t component = 0; component < components; ++component) {
    const auto variable = [&](const char* name) { return component == 0 ? name : component_variable(name, component); };
    const auto start = task_variable(spank, variable(job_start_variable).c_str());
    if (!start || is_of_start(*start, task, restarts)) continue;
    for (const char* const name :
         {job_start_variable, job_decision_variable, job_state_variable, planned_ranks_variable})
      spank_unsetenv(spank, variable(name).c_str());
  }
}

}  // namespace placement::spank
