// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/task/batch_notice.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "common/decision/job_variables.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/text.hpp"
#include "spank/request/job_decision.hpp"

namespace placement::spank {

namespace {

// Returns the value of a variable of the task as a number; 0 if it is not set or no number from 1 to UINT32_MAX.
std::uint32_t task_number(spank_t spank, const std::string& name) {
  const auto number = parse_integer(task_variable(spank, name.c_str()).value_or(""));
  return number && *number > 0 && *number <= UINT32_MAX ? static_cast<std::uint32_t>(*number) : 0;
}

// Returns the number of components of the job, 1 if it is not heterogeneous, at most Slurm's limit of 128.
std::uint32_t component_count(spank_t spank) {
  return std::clamp(task_number(spank, "SLURM_HET_SIZE"), std::uint32_t{1}, std::uint32_t{128});
}

std::string name_for(const std::string& name, std::uint32_t component) {
  return component == 0 ? name : component_variable(name, component);
}

std::optional<std::string> variable_of(spank_t spank, const std::string& name, std::uint32_t component) {
  return task_variable(spank, name_for(name, component).c_str());
}

// Returns true if the component was submitted with this variable of a request.
bool has_entry(spank_t spank, const char* entry, std::uint32_t component) {
  return variable_of(spank, std::string(job_environment_prefix) + entry, component).has_value();
}

bool has_request(spank_t spank) {
  const std::uint32_t components = component_count(spank);
  for (std::uint32_t component = 0; component < components; ++component)
    if (has_entry(spank, request_policy_variable, component) || has_entry(spank, request_automatic_variable, component))
      return true;
  return false;
}

// Removes what slurmctld sent to an earlier start of the job, or to another task of its array. slurmctld itself does
// this, unless it runs without the select plugin of slurm-placement now. The array task comes from spank_get_item(),
// because a job may inherit SLURM_ARRAY_TASK_ID from an array task that submitted it.
void forget_earlier_start(spank_t spank) {
  std::string present;
  std::uint32_t task = NO_VAL;
  if (spank_get_item(spank, S_JOB_ARRAY_TASK_ID, &task) == ESPANK_SUCCESS && task != NO_VAL)
    present.append("_").append(std::to_string(task));
  present.append(" ").append(task_variable(spank, "SLURM_RESTART_COUNT").value_or("0"));
  const std::uint32_t components = component_count(spank);
  for (std::uint32_t component = 0; component < components; ++component) {
    const auto start = variable_of(spank, job_start_variable, component);
    if (!start || start->ends_with(present)) continue;
    for (const char* const name :
         {job_start_variable, job_decision_variable, job_state_variable, planned_ranks_variable})
      spank_unsetenv(spank, name_for(name, component).c_str());
  }
}

void tell(spank_t spank, std::uint32_t job, std::uint32_t component) {
  const bool asked = has_entry(spank, request_policy_variable, component);
  const auto decision = variable_of(spank, job_decision_variable, component);
  std::uint32_t array = 0;
  spank_get_item(spank, S_JOB_ARRAY_ID, &array);
  const std::string notice = decision_notice(asked, job, array, decision ? decision->c_str() : nullptr);
  if (notice.empty()) return;
  write_all(STDERR_FILENO, "placement: " + notice + "\n");  // there is no other place for the notice
}

}  // namespace

void tell_batch_script(spank_t spank) {
  const std::string quiet = std::string(job_environment_prefix) + job_quiet_variable;
  std::uint32_t job = 0, step = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step != SLURM_BATCH_SCRIPT)
    return;
  forget_earlier_start(spank);
  if (task_variable(spank, quiet.c_str())) {
    if (!has_request(spank))
      spank_unsetenv(spank, quiet.c_str());  // the script has the environment that stock Slurm gives
    return;
  }
  tell(spank, job, 0);
  const std::uint32_t components = component_count(spank);
  for (std::uint32_t component = 1; component < components; ++component)
    tell(spank, task_number(spank, component_variable("SLURM_JOB_ID", component)), component);
}

}  // namespace placement::spank
