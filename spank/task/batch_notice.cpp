// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/batch_notice.hpp"

#include <unistd.h>

#include <cstdint>
#include <string>

#include "spank/api/task_environment.hpp"
#include "spank/request/job_decision.hpp"
#include "spank/request/shipped_request.hpp"

namespace placement::spank {

namespace {

void tell(spank_t spank, std::uint32_t job, std::uint32_t component) {
  const auto variable = [&](const std::string& name) {
    return component == 0 ? name : component_variable(name, component);
  };
  const bool asked = task_variable(spank, (variable(std::string(job_environment_prefix) + "PLACEMENT_POLICY")).c_str()).has_value();
  const auto decision = task_variable(spank, variable(job_decision_variable).c_str());
  const std::string notice = (asked ? stock_nodes_notice : partition_policy_notice)(
      job, task_number(spank, "SLURM_ARRAY_JOB_ID"), decision ? decision->c_str() : nullptr);
  if (notice.empty()) return;
  const std::string line = "placement: " + notice + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // there is no other place for the notice
}

}  // namespace

void tell_batch_script(spank_t spank) {
  std::uint32_t job = 0, step = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS || spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
      step != SLURM_BATCH_SCRIPT || task_variable(spank, (std::string(job_environment_prefix) + job_quiet_variable).c_str()))
    return;
  tell(spank, job, 0);
  const std::uint32_t components = component_count(spank);
  for (std::uint32_t component = 1; component < components; ++component)
    tell(spank, task_number(spank, component_variable("SLURM_JOB_ID", component)), component);
}

}  // namespace placement::spank
