// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/client_state.hpp"

#include "common/decision/job_variables.hpp"
#include "common/util/environment.hpp"
#include "spank/api/spank_api.hpp"
#include "spank/request/client_options.hpp"
#include "spank/request/job_decision.hpp"

namespace placement::spank {

// It is never destroyed, because the hook may be called until the process ends.
Client& client() {
  static Client& instance = *new Client;
  return instance;
}

bool starts_step_of_old_job() {
  return client().is_srun && (!client().outer_job.empty() || client_option("jobid").has_value());
}

const char* request_variable(const char* name) {
  return client().outer_job.empty() ? nullptr : std::getenv((job_environment_prefix + std::string(name)).c_str());
}

std::optional<std::int32_t> task_count() {
  const bool makes_job = client().is_srun && !starts_step_of_old_job();
  const auto option = [](const std::string& name) {
    auto value = client_option(name);
    if (value && name == "ntasks" && client().is_srun && !client().outer_job.empty() &&
        (*value == environment_value("SLURM_NTASKS") || *value == environment_value("SLURM_NPROCS")))
      value.reset();
    return value;
  };
  return known_task_count(option, makes_job);
}

void tell_decision(std::uint32_t job, std::uint32_t component, const char* decision) {
  const std::vector<bool>& asks = client().asks_for_nodes;
  const bool asked = component < asks.size() && asks[component];
  const std::string notice = decision_notice(asked, job, 0, decision);
  if (!notice.empty()) slurm_info("placement: %s", notice.c_str());
}

}  // namespace placement::spank
