// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/client.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "common/decision/job_variables.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "spank/client_hooks.hpp"
#include "spank/profile/profiling.hpp"
#include "spank/request/client_options.hpp"
#include "spank/request/job_decision.hpp"
#include "spank/request/sent_plan.hpp"

namespace placement::spank {

namespace {

enum Option { placement_option = 1, comm_matrix_option, profile_option, no_profile_option };

int take_option(int which, const char* argument, int remote) {
  if (remote) return 0;
  if (which == profile_option) client().profile = argument ? argument : "";
  if (which == no_profile_option) client().profile.reset();
  if (which == profile_option || which == no_profile_option) client().no_profile = which == no_profile_option;
  if (!argument) return 0;
  if (which == placement_option) client().options.take_placement(argument);
  if (which == comm_matrix_option) client().options.take_matrix_file(argument);
  return 0;
}

// SPANK does not write to the texts of an option, although it does not declare them const.
char* spank_text(const char* constant) { return const_cast<char*>(constant); }

constexpr int optional_argument_of_getopt = 2;
spank_option our_options[] = {
    {spank_text("placement"), spank_text("POLICY[=ITEM,..]"),
     spank_text(
         "place the job and its ranks by a policy, such as TREEMATCH (nearby nodes), TREEMATCH=grid=8x4x4 (a pattern: "
         "ring, tree, alltoall, grid=, tp=) or TREEMATCH=FILE with the application's communication matrix; "
         "same as -m POLICY[=ITEM,..]"),
     1, placement_option, take_option},
    {spank_text("comm-matrix"), spank_text("FILE"),
     spank_text("the communication matrix for the policy, or auto for the program's stored profile"), 1,
     comm_matrix_option, take_option},
    {spank_text("profile-comm"), spank_text("[FILE]"),
     spank_text("count the traffic between ranks, and write it to FILE or to a store for a later -m TREEMATCH=auto"),
     optional_argument_of_getopt, profile_option, take_option},
    {spank_text("no-profile"), nullptr,
     spank_text("do not count the traffic between ranks, even if the job or the site requests it"), 0,
     no_profile_option, take_option},
};

bool see_distribution(const char* word) {
  try {
    if (!word) return false;
    // Slurm passes the pointer from getenv, so equal pointers mean that the word is from the environment.
    const char* variable = "";
    for (const char* const name : {"SLURM_DISTRIBUTION", "SBATCH_DISTRIBUTION"})
      if (word == std::getenv(name)) variable = name;
    const bool ours = client().options.take_distribution(word, variable);
    if (!ours)
      if (const std::string hint = hint_for_unknown_word(word); !hint.empty())
        slurm_error("placement: %s", hint.c_str());
    return ours;
  } catch (...) {
    return false;
  }
}

// Points the user to --placement if -m names a policy and -m cannot be intercepted. Slurm's own message then only says
// that the word is wrong. This function finds a policy on the command line and in the environment. A policy in
// an #SBATCH line makes sbatch end before its options are done, which client_end() notices.
void point_to_placement() {
  std::string previous;
  bool suspected = is_policy_word(environment_value("SLURM_DISTRIBUTION")) ||
                   is_policy_word(environment_value("SBATCH_DISTRIBUTION"));
  for (const std::string& word : command_line_of("self")) {
    const bool after_option = previous == "-m" || previous == "--distribution";
    suspected = suspected || (after_option && is_policy_word(word)) ||
                (word.starts_with("-m") && is_policy_word(word.substr(2))) ||
                (word.starts_with("--dist") && is_policy_word(word.substr(word.find('=') + 1)));
    previous = word;
  }
  if (suspected) slurm_error("placement: with this Slurm -m cannot name a policy: use --placement=POLICY[=ITEM,..]");
}

// Removes the variables of an outer job, so that a new job does not inherit its request.
void forget_outer_job(bool inside_a_job) {
  unsetenv(plan_variable);
  unsetenv(first_node_variable);
  unsetenv(step_profile_variable);
  unsetenv(step_learning_variable);
  if (client().is_srun && inside_a_job) return;  // this is a step of the outer job, whose request applies to it
  const std::string of_request = std::string(job_environment_prefix) + request_prefix;
  const std::string_view beginnings[] = {of_request, job_state_variable, planned_ranks_variable, job_start_variable,
                                         job_decision_variable};
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    if (std::ranges::any_of(beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); }))
      names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
  unsetenv("SLURM_RESTART_COUNT");  // sbatch would pass it on to a job that was never restarted
}

void see_granted_job(std::uint32_t job, std::uint32_t component, std::span<char* const> environment) {
  try {
    tell_decision(job, component, environment_value(environment, job_decision_variable));
  } catch (...) {  // out of memory
  }
}

void plan_mpirun_in_salloc() {
  try {
    const std::string notice = plan_mpirun_of_salloc(!command_given(std::max(client().components - 1, 0)).empty());
    if (!notice.empty()) tell_user(notice);
  } catch (...) {  // out of memory
  }
}

// Returns whether the profiling library is in the user's environment already, from placement-profile, for example.
bool user_profiles_himself() {
  return !environment_value("PLACEMENT_PROFILE").empty() ||
         environment_value("LD_PRELOAD").find("libplacement-profile") != std::string::npos;
}

// Has the step profiled if --profile-comm was given to its srun or to its job.
void profile(spank_t spank) {
  Client& self = client();
  std::uint32_t tasks = 0;
  if (!step_number(spank)) return;
  std::optional<std::string> file = self.profile;
  if (const char* const of_job = request_variable(job_profile_variable); !file && of_job) file = of_job;
  if (self.no_profile || (!self.profile && request_variable(job_no_profile_variable))) return;
  if (!launcher_daemon(spank).empty()) {
    if (file)
      tell_user(
          "--profile-comm counts only ranks that srun starts, not those of mpirun: for these run "
          "placement-profile -o FILE mpirun ...");
    return;
  }
  // Any value but "yes", such as 0, switches the profiles of ProfileJobs= off.
  const std::string profile_jobs = environment_value("PLACEMENT_PROFILE_JOBS");
  const bool learns =
      !file && (profile_jobs.empty() || profile_jobs == "yes") && self.components == 1 && !user_profiles_himself();
  if (!file && !learns) return;
  if (self.components != 1) throw Error("a step over several components of a heterogeneous job is not profiled");
  if (spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS)
    throw Error("this srun does not report its tasks");
  if (!learns) {
    self.awaited_profile.emplace(profile_step(spank, *file, static_cast<std::int32_t>(tasks)));
    return;
  }
  try {
    learn_step(spank, static_cast<std::int32_t>(tasks));
  } catch (const std::exception& error) {  // its user did not ask for a profile
    slurm_verbose("placement: %s: no profile", error.what());
  }
}

}  // namespace

void register_options(spank_t spank) {
  for (spank_option& option : our_options) spank_option_register(spank, &option);
}

void client_begin(spank_t spank) {
  try {
    Client& self = client();
    self.is_srun = spank_context() == S_CTX_LOCAL;
    self.outer_job = environment_value("SLURM_JOB_ID");
    forget_outer_job(!self.outer_job.empty());
    self.mpirun_plan = inherited_mpirun_plan();
    forget_mpirun_plan();
    register_options(spank);
    self.hooked = install_distribution_hook(see_distribution);
    if (!self.hooked) point_to_placement();
    if (!self.is_srun) self.is_salloc = install_allocation_hook(see_granted_job, plan_mpirun_in_salloc);
  } catch (...) {
    slurm_error("placement: out of memory: jobs of this command run without a policy");
  }
}

void client_place_step(spank_t spank) {
  try {
    place_own_step(spank, client().placement_request);
  } catch (const std::exception& error) {
    slurm_info("placement: %s: stock placement", error.what());
  }
  try {
    profile(spank);
  } catch (const std::exception& error) {
    slurm_info("placement: %s: no profile", error.what());
  }
}

void client_end() {
  const Client& self = client();
  try {
    if (client().awaited_profile) tell_user(printable(client().awaited_profile->report()));
  } catch (const std::exception&) {  // out of memory
  }
  if (!self.hooked && !self.is_srun && self.components == 0)
    slurm_info("placement: with this Slurm no #SBATCH -m line can name a policy: use --placement=POLICY[=ITEM,..]");
  remove_client_hooks();
}

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
  // Inside a job, srun takes over the job's number of tasks; its other options may replace this number.
  const auto of_job = client_option("ntasks");
  if (!of_job || !client().is_srun || client().outer_job.empty() ||
      (*of_job != environment_value("SLURM_NTASKS") && *of_job != environment_value("SLURM_NPROCS")))
    return known_task_count(client_option, makes_job);
  const auto of_others = known_task_count(
      [](const std::string& name) { return name == "ntasks" ? std::nullopt : client_option(name); }, makes_job);
  return of_others && std::to_string(*of_others) == *of_job ? of_others : std::nullopt;
}

void tell_decision(std::uint32_t job, std::uint32_t component, const char* decision) {
  const std::vector<bool>& asks = client().asks_for_nodes;
  const bool asked = component < asks.size() && asks[component];
  const std::string notice = decision_notice(asked, job, 0, decision);
  if (!notice.empty()) slurm_info("placement: %s", notice.c_str());
}

}  // namespace placement::spank
