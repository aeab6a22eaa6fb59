// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/client.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/decision/job_variables.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "pattern/pattern.hpp"
#include "spank/profile/profiling.hpp"
#include "spank/request/client_options.hpp"
#include "spank/request/options.hpp"
#include "spank/request/shipped_request.hpp"
#include "spank/request/spank_api.hpp"

namespace placement::spank {

namespace {

// The variables in which Slurm keeps a job's SPANK options for the nodes, in the environment and in the job control
// environment. Our options are not used there, and an sbatch inside the job would take them as its own options.
constexpr const char* option_traces[] = {
    "_SLURM_SPANK_OPTION_loadmatrix_placement", "_SLURM_SPANK_OPTION_loadmatrix_comm_matrix",
    "_SLURM_SPANK_OPTION_loadmatrix_profile_comm", "_SLURM_SPANK_OPTION_loadmatrix_no_profile"};

// Returns true if the command line has several components, as in "srun ... : ...".
bool has_components() { return std::ranges::count(command_line_of("self"), ":") > 0; }

// Returns true if this command is an srun that starts one step over several components.
bool starts_one_step_over_components() { return client().is_srun && client().outer_job.empty() && has_components(); }

void ship(spank_t spank, const PlacementRequest& placement_request, int component) {
  std::size_t bytes = 0;
  // The command of salloc gets the variables of each component twice.
  if (client().is_salloc && client().shipped_bytes == 0 && has_components()) client().shipped_bytes = 512U << 10;
  const ShippedRequest shipped = pack_request(placement_request, component, client().shipped_bytes);
  if (starts_one_step_over_components()) spank_job_control_setenv(spank, natural_order_variable, "1", 1);
  for (const auto& [name, value] : shipped.variables) {
    if (spank_job_control_setenv(spank, name.c_str(), value.c_str(), 1) != ESPANK_SUCCESS)
      throw Error("Slurm does not accept " + name + " in the job's environment");
    bytes += value.size();
  }
  client().shipped_bytes += bytes;
  if (!shipped.note.empty()) slurm_info("placement: %s", shipped.note.c_str());
  slurm_verbose("placement: %s, %zu bytes go with the job", to_string(placement_request.spec).c_str(), bytes);
}

// Looks for the stored profile before the job is submitted, so that slurmctld chooses the nodes by its matrix. Only
// srun knows at this time which program will run.
void look_for_profile(int component) {
  Client& self = client();
  const auto tasks = task_count();
  if (!self.is_srun || component > 0 || !self.placement_request || !self.placement_request->automatic || !tasks) return;
  take_stored_profile(*self.placement_request, command_given(), *tasks);
  self.looked_for_profile = true;
}

// Makes the matrix of a pattern for the job. If the number of tasks is not known, slurmctld cannot choose the nodes by
// the pattern, and only the steps use it. For all-to-all the nearest nodes are the best ones anyway. Throws Error if
// the pattern does not fit the number of tasks.
void make_pattern(PlacementRequest& placement_request) {
  const auto pattern = pattern::pattern_of(placement_request.spec.parameters);
  if (!pattern) return;
  auto tasks = task_count();
  if (!tasks) tasks = pattern::fixed_ranks(*pattern);
  if (tasks) {
    if (const std::string note = take_pattern(placement_request, *tasks); !note.empty()) tell_user(note);
  } else if (pattern->kind != pattern::Pattern::Kind::all_to_all) {
    tell_user("the number of tasks is unknown: choosing the nearest nodes, not nodes for " +
              pattern::to_string(*pattern) + "; give -n");
  }
}

// Reports an asynchronous step (srun --async) that cannot be placed or profiled. Slurm's step manager launches it, and
// srun asks no SPANK plugin about it after its options.
void tell_asynchronous() {
  const Client& self = client();
  if (!client_option("async")) return;
  if (self.placement_request || (!self.last_options.distribution_given() && request_variable(request_policy_variable)))
    tell_user("srun --async: Slurm's step manager launches the step, and its ranks are in Slurm's order");
  if (self.profile) tell_user("srun --async: the step is not profiled");
}

// Asks slurmctld about the job of a step that has a policy, while srun creates the step.
void ask_about_job() {
  Client& self = client();
  const auto job = parse_integer(self.outer_job);
  if (!job || !(self.placement_request || request_variable(request_policy_variable)) || client_option("async")) return;
  try {
    self.job_query = std::make_unique<JobQuery>(*job);
  } catch (const std::exception&) {  // scontrol cannot be started: place_own_step() tries again, and reports it
  }
}

}  // namespace

void client_options_done(spank_t spank) try {
  Client& self = client();
  const PlacementOptions options = std::exchange(self.options, {});
  const int component = self.components++;
  for (const char* name : option_traces) {
    spank_job_control_unsetenv(spank, name);
    unsetenv(name);
  }
  // sbatch and salloc keep the job control environment of one component for the next one.
  for (const std::string& name : request_variable_names()) spank_job_control_unsetenv(spank, name.c_str());
  self.placement_request = options.resolve(task_count());
  if (self.placement_request && !self.placement_request->note.empty()) tell_user(self.placement_request->note);
  // As with a stock -m of salloc and sbatch, a distribution in the environment at submission does not count in the job.
  if (self.placement_request && !self.is_srun && !environment_value("SLURM_DISTRIBUTION").empty())
    self.placement_request->overrides_distribution = true;
  if (const std::string ignored = options.ignored_options(); !ignored.empty()) tell_user(ignored);
  const bool is_step = starts_step_of_old_job();
  if (!is_step && self.placement_request) make_pattern(*self.placement_request);
  self.any_request = self.any_request || self.placement_request;
  self.last_options = options;
  if (self.profile) self.profile = checked_profile_file(*self.profile);
  if (is_step) {
    ask_about_job();
    return tell_asynchronous();
  }
  look_for_profile(component);
  const bool shipped = self.placement_request.has_value();
  // Messages about a job without its own policy are about the partition's policy. For a batch job, its node prints
  // them.
  const bool is_sbatch = !self.is_srun && !self.is_salloc;
  if (shipped) ship(spank, *self.placement_request, component);
  self.asks_for_nodes.push_back(self.placement_request &&
                                !(self.placement_request->automatic && !self.placement_request->matrix));
  // sbatch --export=NONE leaves the variable itself behind.
  if (const std::string wanted = environment_value(mpirun_switch_variable); wanted == "yes" || wanted == "no")
    spank_job_control_setenv(spank, mpirun_switch_variable, wanted.c_str(), 1);
  if (client_option("quiet") && (shipped || (is_sbatch && component == 0)))
    spank_job_control_setenv(spank, job_quiet_variable, "1", 1);
  if (self.no_profile) spank_job_control_setenv(spank, job_no_profile_variable, "1", 1);
  if (self.profile && spank_job_control_setenv(spank, job_profile_variable, self.profile->c_str(), 1) != ESPANK_SUCCESS)
    throw Error("Slurm does not accept --profile-comm in the job's environment");
} catch (const std::exception& error) {
  slurm_error("placement: %s", error.what());
  const int code = std::atoi(environment_value("SLURM_EXIT_ERROR").c_str());
  std::exit(code != 0 ? code : 1);
}

}  // namespace placement::spank
