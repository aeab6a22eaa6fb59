// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/client.hpp"


#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/decision/job_state.hpp"
#include "common/policy/config.hpp"
#include "common/slurm/controller_query.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "policies/table.hpp"
#include "spank/hooks/allocation_hook.hpp"
#include "spank/hooks/dist_hook.hpp"
#include "spank/mpirun/launcher_notice.hpp"
#include "spank/mpirun/mpirun_environment.hpp"
#include "spank/mpirun/mpirun_plan.hpp"
#include "spank/profile/profiling.hpp"
#include "spank/request/client_options.hpp"
#include "spank/request/job_decision.hpp"
#include "spank/request/options.hpp"
#include "spank/request/pattern_matrix.hpp"
#include "spank/request/shipped_request.hpp"
#include "spank/step/launch_layout.hpp"
#include "spank/step/slurm_view.hpp"
#include "spank/step/state_query.hpp"
#include "spank/step/step_ranks.hpp"
#include "spank/task/bind_plan.hpp"
#include "spank/task/bind_task.hpp"

namespace placement::spank {

namespace {

struct Client {
  bool is_srun = false;
  MpirunPlan mpirun_plan;     // the plan of the job that the command runs in
  std::string outer_job;      // the ID of the job that the command runs in; empty if there is none
  PlacementOptions options;   // the options of the component that is being parsed
  bool hooked = false;        // -m may name a policy
  int components = 0;         // the number of components whose options are done
  std::optional<PlacementRequest> placement_request;   // the request of the last of these components
  bool any_request = false;      // one of these components has a request
  std::vector<bool> shipped;  // for each component, whether slurmctld is asked to choose its nodes by a policy
  std::optional<std::string> profile;  // the file of --profile-comm, empty for the user's store
  bool looked_for_profile = false;     // a stored profile was looked for, and the user was told the result
  bool stock_word = false;    // the last of these components has a stock -m in force
  std::string stock_distribution;  // that -m as a message names it
  bool stock_by_hand = false; // that -m was not taken from the environment
};

// The client is never destroyed, because the hook may be called until the process ends.
Client& client() {
  static Client& instance = *new Client;
  return instance;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

[[noreturn]] void give_up(const std::string& why) {
  slurm_error("placement: %s", why.c_str());
  const std::string code = environment("SLURM_EXIT_ERROR");
  const int number = std::atoi(code.c_str());
  std::exit(number != 0 ? number : 1);
}

// ---- options

enum Option { placement_option = 1, comm_matrix_option, profile_option };

int take_option(int which, const char* argument, int remote) {
  if (remote) return 0;
  if (which == profile_option) client().profile = argument ? argument : "";
  if (!argument) return 0;
  if (which == placement_option) client().options.take_placement(argument);
  if (which == comm_matrix_option) client().options.take_matrix_file(argument);
  return 0;
}

char placement_name[] = "placement", placement_argument[] = "POLICY[=ITEM,..]",
     placement_usage[] = "place the job and its ranks by a policy, such as TREEMATCH (near nodes), TREEMATCH=grid=8x4x4 (a pattern: "
                         "ring, tree, alltoall, grid=, tp=) or TREEMATCH=FILE with the application's communication matrix; "
                         "same as -m POLICY[=ITEM,..]",
     matrix_name[] = "comm-matrix", matrix_argument[] = "FILE",
     matrix_usage[] = "the communication matrix for the policy, or auto for the program's stored profile",
     profile_name[] = "profile-comm", profile_argument[] = "[FILE]",
     profile_usage[] = "count what pairs of ranks send each other: in FILE, or stored for a later -m TREEMATCH=auto";
constexpr int optional_argument_of_getopt = 2;
spank_option our_options[] = {
    {placement_name, placement_argument, placement_usage, 1, placement_option, take_option},
    {matrix_name, matrix_argument, matrix_usage, 1, comm_matrix_option, take_option},
    {profile_name, profile_argument, profile_usage, optional_argument_of_getopt, profile_option, take_option},
};

// The variables in which Slurm keeps a job's SPANK options for the nodes, in the environment and in the job control
// environment. Our options are not used there, and an sbatch inside the job would take them as its own options.
constexpr const char* option_traces[] = {"_SLURM_SPANK_OPTION_loadmatrix_placement",
                                         "_SLURM_SPANK_OPTION_loadmatrix_comm_matrix",
                                         "_SLURM_SPANK_OPTION_loadmatrix_profile_comm"};

bool see_distribution(const char* word) {
  try {
    if (!word) return false;
    // Slurm passes the pointer from getenv, so equal pointers tell that the word is from the environment.
    const bool from_environment = word == std::getenv("SLURM_DISTRIBUTION");
    const bool ours = client().options.take_distribution(word, from_environment);
    if (!ours)
      if (const std::string hint = hint_for_unknown_word(word); !hint.empty())
        slurm_error("placement: %s", hint.c_str());
    return ours;
  } catch (...) {
    return false;
  }
}

// Tells the user to use --placement if -m names a policy and -m cannot be intercepted. Slurm's own message then only
// says that the word is wrong. This function finds a policy on the command line and in the environment. A policy in
// an #SBATCH line makes sbatch end before its options are done, which client_end() notices.
void point_to_placement() {
  std::ifstream command_line("/proc/self/cmdline");
  std::string word, previous;
  bool suspected = is_policy_word(environment("SLURM_DISTRIBUTION")) || is_policy_word(environment("SBATCH_DISTRIBUTION"));
  while (std::getline(command_line, word, '\0')) {
    const bool after_option = previous == "-m" || previous == "--distribution";
    suspected = suspected || (after_option && is_policy_word(word)) ||
                (word.starts_with("-m") && is_policy_word(word.substr(2))) ||
                (word.starts_with("--dist") && is_policy_word(word.substr(word.find('=') + 1)));
    previous = word;
  }
  if (suspected)
    slurm_error("placement: with this Slurm -m cannot name a policy: use --placement=POLICY[=ITEM,..]");
}

std::vector<std::string> variables_beginning(std::initializer_list<std::string_view> beginnings) {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view beginning : beginnings)
      if (text.starts_with(beginning)) names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

// Removes the variables of an outer job, so that a new job does not inherit its request.
void forget_outer_job(bool inside_a_job) {
  unsetenv(plan_variable);
  unsetenv(step_profile_variable);
  if (client().is_srun && inside_a_job) return;  // this is a step of the outer job, whose request applies to it
  for (const std::string& name : variables_beginning({"SLURM_SPANK_PLACEMENT_", "PLACEMENT_STATE", "PLACEMENT_DECISION"}))
    unsetenv(name.c_str());
}

// ---- shipping

// Returns the number of tasks, if the options fix it. An srun inside a job inherits -n from the job's environment and
// may still change it. Therefore -n counts there only if it differs from the job's number, because the user gave it
// then.
std::optional<std::int32_t> task_count() {
  return known_task_count([](const std::string& name) {
    auto value = client_option(name);
    if (value && name == "ntasks" && client().is_srun && !client().outer_job.empty() &&
        (*value == environment("SLURM_NTASKS") || *value == environment("SLURM_NPROCS")))
      value.reset();
    return value;
  });
}

// Returns true if this command is an srun that starts one step over several components, "srun ... : ...".
bool starts_one_step_over_components() {
  if (!client().is_srun || !client().outer_job.empty()) return false;
  std::ifstream command_line("/proc/self/cmdline");
  for (std::string word; std::getline(command_line, word, '\0');)
    if (word == ":") return true;
  return false;
}

void ship(spank_t spank, const PlacementRequest& placement_request, int component) {
  const auto per_node = parse_integer(client_option("ntasks-per-node").value_or("0"));
  const ShippedRequest shipped = pack_request(placement_request, component, static_cast<std::int32_t>(std::clamp<std::int64_t>(per_node.value_or(0), 0, INT16_MAX)));
  std::size_t bytes = 0;
  if (starts_one_step_over_components()) spank_job_control_setenv(spank, natural_order_variable, "1", 1);
  for (const auto& [name, value] : shipped.variables) {
    if (spank_job_control_setenv(spank, name.c_str(), value.c_str(), 1) != ESPANK_SUCCESS)
      throw Error("Slurm does not take " + name + " into the job's environment");
    bytes += value.size();
  }
  if (!shipped.note.empty()) slurm_info("placement: %s", shipped.note.c_str());
  slurm_verbose("placement: %s, %zu bytes go with the job", to_string(placement_request.spec).c_str(), bytes);
}

// Looks for the stored profile before the job is submitted, so that slurmctld chooses the nodes by its matrix. Only
// srun knows at this time which program will run.
void look_for_profile(int component) {
  Client& self = client();
  const auto tasks = task_count();
  if (!self.is_srun || component > 0 || !self.placement_request || !self.placement_request->automatic || !tasks) return;
  self.placement_request->matrix = stored_profile(command_given(), *tasks);
  self.looked_for_profile = true;
}

// Makes the matrix of a pattern for the job. A pattern that does not fit to the number of tasks makes the job a stock
// one.
void make_pattern(std::optional<PlacementRequest>& placement_request) {
  if (!placement_request) return;
  try {
    if (const auto tasks = tasks_of_pattern(*placement_request, task_count()))
      if (const std::string note = take_pattern(*placement_request, *tasks); !note.empty()) slurm_info("placement: %s", note.c_str());
  } catch (const Error& error) {
    slurm_info("placement: %s: stock placement", error.what());
    placement_request.reset();
  }
}

void finish_component(spank_t spank) {
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
  if (self.placement_request && !self.placement_request->note.empty())
    slurm_info("placement: %s", self.placement_request->note.c_str());
  // As with a stock -m of salloc and sbatch, a distribution in the environment at submission does not count in the job.
  if (self.placement_request && !self.is_srun && !environment("SLURM_DISTRIBUTION").empty())
    self.placement_request->overrides_distribution = true;
  if (const std::string taken_back = options.taken_back(); !taken_back.empty() && !client_option("quiet"))
    slurm_info("placement: %s: stock placement", taken_back.c_str());
  const bool is_step = self.is_srun && !self.outer_job.empty();  // of an existing job
  if (!is_step) make_pattern(self.placement_request);
  self.any_request = self.any_request || self.placement_request;
  self.stock_word = options.distribution_given();
  self.stock_distribution = options.stock_distribution();
  self.stock_by_hand = options.distribution_on_command_line();
  if (self.profile) self.profile = checked_profile_file(*self.profile);
  if (is_step) return;
  look_for_profile(component);
  if (self.placement_request) ship(spank, *self.placement_request, component);
  self.shipped.push_back(self.placement_request && !(self.placement_request->automatic && !self.placement_request->matrix));
  if (client_option("quiet")) spank_job_control_setenv(spank, job_quiet_variable, "1", 1);
  if (self.profile && spank_job_control_setenv(spank, job_profile_variable, self.profile->c_str(), 1) != ESPANK_SUCCESS)
    throw Error("Slurm does not take --profile-comm into the job's environment");
}

// ---- steps

// Returns the component of the outer job whose job ID is `job`; 0 if the outer job has no components. Returns nothing
// if `job` is another job (srun --jobid).
std::optional<std::int32_t> component_of(std::uint32_t job) {
  const std::string id = std::to_string(job);
  const std::int64_t components = parse_integer(environment("SLURM_HET_SIZE")).value_or(0);
  for (std::int32_t component = 0; component < std::min<std::int64_t>(components, INT16_MAX); ++component)
    if (environment(("SLURM_JOB_ID_HET_GROUP_" + std::to_string(component)).c_str()) == id) return component;
  if (components == 0 && client().outer_job == id) return 0;
  return std::nullopt;
}

// Returns the request that the job was submitted with. Returns nothing if it is for another component than that of
// this step, or if an option of this srun overrides it. For a step over several components, Slurm gives the job ID of
// the component whose thread comes first, so the component is not compared.
std::optional<PlacementRequest> request_of_job(std::uint32_t job) {
  const Client& self = client();
  if (self.outer_job.empty()) return std::nullopt;
  const std::optional<std::int32_t> component = component_of(job);
  std::optional<ReceivedRequest> received;
  if (component)
    received = unpack_request([&](const std::string& name) {
      return std::getenv(component_variable(job_environment_prefix + name, static_cast<std::uint32_t>(*component)).c_str());
    });
  if (!received) {
    received = unpack_request(
        [](const std::string& name) { return std::getenv((job_environment_prefix + name).c_str()); });
    if (received && self.components == 1 && component != received->component) return std::nullopt;
  }
  if (!received) return std::nullopt;
  const bool stock_counts = self.stock_by_hand || !received->placement_request.overrides_distribution;
  if (self.stock_word && stock_counts) {
    if (!client_option("quiet"))
      slurm_info("placement: %s takes the place of the job's policy %s in this step: stock placement",
                 self.stock_distribution.c_str(), received->placement_request.spec.policy.c_str());
    return std::nullopt;
  }
  if (!self.hooked && client_option("distribution")) return std::nullopt;  // a stock -m that was not intercepted
  return received->placement_request;
}

std::int32_t cores_per_task() {
  const auto text = client_option("cpus-per-task");
  return text ? std::clamp(std::atoi(text->c_str()), 1, 1 << 16) : 1;
}

// Sends the plan of slots to the tasks of the step, unless the user binds them with --cpu-bind.
void tell_tasks(const StepShape& step, const StepPlacement& placement) {
  if (placement.slot_of_rank.empty() || !client_options_known() || client_option("cpu-bind")) return;
  const auto plan = encode_plan({step.job, step.step, placement.slot_of_rank});
  if (!plan) {
    slurm_info("placement: %zu tasks are too many for a plan of cores: ranks are placed by node, cores stay as Slurm deals them",
               placement.slot_of_rank.size());
    return;
  }
  setenv(plan_variable, plan->c_str(), 1);
}

// Returns what slurmctld tells in the variable `name` of the job: that of its component in a heterogeneous job, or the
// variable of the whole job where the component has none.
std::string told_of_job(const char* name, std::uint32_t job) {
  std::string text;
  if (const auto component = component_of(job))
    text = environment(component_variable(name, static_cast<std::uint32_t>(*component)).c_str());
  return text.empty() ? environment(name) : text;
}

// Returns true if srun may place ranks of the job. srun follows the administrator's Mode, which slurmctld tells. Since
// Slurm 25.05 slurmctld cannot tell it, but its decision does for a job with a request (`asked`). Where slurmctld has no
// mode at all, as without the select plugin, srun places ranks by itself.
bool enforced(const ControllerState& controller, std::uint32_t job, bool asked) {
  std::string mode = controller.mode;
  if (mode.empty() && !controller_tells_facts() && asked)
    mode = mode_of_job(job, told_of_job(job_decision_variable, job).c_str());
  if (mode.empty() || mode == to_string(Mode::enforce)) return true;
  const std::string told = "placement: " + (controller.failure.empty() ? "Mode=" + mode + " in slurmctld" : controller.failure) + ": stock placement";
  // The user was told that the job is not placed when it got its nodes. A step with its own request is told now.
  if (client().placement_request && !client().outer_job.empty())
    slurm_info("%s", told.c_str());
  else
    slurm_verbose("%s", told.c_str());
  return false;
}

// Adds to the view what slurmctld knew of the cluster when it chose the job's nodes (PLACEMENT_STATE). The variable may
// belong to another job, because a job inherits the environment of the job that submitted it; it is ignored then.
void take_state_of_job(ClusterView& view, std::uint32_t job) {
  const std::string text = told_of_job(job_state_variable, job);
  if (text.empty()) return;
  try {
    const std::string of = std::to_string(job_of_state(text));
    if (of == std::to_string(job) || of == environment("SLURM_ARRAY_JOB_ID"))
      attach_job_state(view, unpack_job_state(text));
  } catch (const Error& error) {
    slurm_info("placement: %s: %s: ranks are placed without the state of the cluster", job_state_variable, error.what());
  }
}

// Tells the user if the job that srun or salloc has just got does not have the policy's nodes.
void tell_decision(std::uint32_t job, std::uint32_t component, const char* decision) {
  const std::vector<bool>& shipped = client().shipped;
  const bool asked = component < shipped.size() && shipped[component];
  const std::string notice = (asked ? stock_nodes_notice : partition_policy_notice)(job, 0, decision);
  if (!notice.empty()) slurm_info("placement: %s", notice.c_str());
}

void see_granted_job(const GrantedJob& granted) {
  try {
    tell_decision(granted.job, granted.component, granted.variable(job_decision_variable));
  } catch (...) {  // out of memory
  }
}

void plan_mpirun_in_salloc() {
  try {
    const std::string notice = plan_mpirun_of_salloc(std::max(client().components - 1, 0));
    if (!notice.empty() && !client_option("quiet")) slurm_info("placement: %s", notice.c_str());
  } catch (...) {  // out of memory
  }
}

std::string told_costs(const PlacementRequest& placement_request, const StepPlacement& placement) {
  if (!placement_request.matrix) return placement.method + ", as there is no matrix";
  return to_string(placement.cost) + " hop-bytes, in natural order " + to_string(placement.natural_cost);
}

// Asks placement-monitor for live data that the step's policy needs. A step may name a policy in a job without one,
// or in a job whose policy uses the switches only. slurmctld sends no state with these jobs.
void ask_for_what_lacks(const PlacementRequest& placement_request, ClusterView& view, const StepShape& step, const ControllerState& controller) {
  if (!client().placement_request || client().outer_job.empty() || view.torus || view.live || view.outages) return;
  if (!policies::check_policy_spec(placement_request.spec).uses_live) return;
  std::string why;
  try {
    attach_job_state(view, ask_for_job_state(controller, step.job, step.nodes));
    return;
  } catch (const Error& error) {
    why = error.what();
  }
  slurm_info("placement: step %u.%u by %s: its job was not submitted with that policy, so slurmctld sent no torus, outage "
             "probabilities or measured network with it, and %s: the step goes by Slurm's topology alone",
             step.job, step.step, placement_request.spec.policy.c_str(), why.c_str());
}

void place(spank_t spank) {
  Client& self = client();
  std::uint32_t job = 0, step = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step >= SLURM_MAX_NORMAL_STEP_ID)
    return;
  const bool own_job = self.outer_job.empty() && self.components == 1 && !client_option("jobid");
  if (own_job) tell_decision(job, 0, std::getenv(job_decision_variable));
  std::optional<PlacementRequest> placement_request = self.placement_request ? self.placement_request : request_of_job(job);
  if (!(placement_request || self.any_request)) return;
  if (const std::string daemon = launcher_daemon(spank); !daemon.empty()) {
    const bool quiet = client_option("quiet") || std::getenv((std::string(job_environment_prefix) + job_quiet_variable).c_str());
    if (placement_request && !quiet) tell_launcher(daemon, placement_request->spec.policy, self.mpirun_plan);
    return;
  }
  const ControllerState controller = controller_tells_facts() ? controller_state_of(ask_controller()) : ControllerState{};
  const bool asked = own_job ? !self.shipped.empty() && self.shipped[0]
                             : !self.placement_request && !(placement_request->automatic && !placement_request->matrix);
  if (!enforced(controller, job, asked)) return;
  if (self.components != 1)
    throw Error("a step over several components of a heterogeneous job is placed as Slurm does");
  if (placement_request->automatic && !placement_request->matrix && self.looked_for_profile) return;

  slurm_step_layout_t* const layout = layout_of(spank);
  if (!layout) throw Error("this srun is not built as expected");
  if ((layout->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY)  // from SLURM_HOSTFILE, whatever -m says
    throw Error("an arbitrary distribution names the nodes of the ranks itself");
  if (placement_request->automatic && !placement_request->matrix)
    placement_request->matrix = stored_profile(command_of_step(spank), static_cast<std::int32_t>(layout->task_cnt));
  if (placement_request->automatic && !placement_request->matrix) return;
  const std::string layout_note = take_pattern(*placement_request, static_cast<std::int32_t>(layout->task_cnt));
  if (!layout_note.empty() && !self.outer_job.empty()) slurm_verbose("placement: %s", layout_note.c_str());
  if (placement_request->matrix && static_cast<std::uint32_t>(placement_request->matrix->ranks()) != layout->task_cnt)
    throw Error("the matrix is of " + std::to_string(placement_request->matrix->ranks()) + " ranks, step " +
                std::to_string(job) + "." + std::to_string(step) + " has " +
                std::to_string(layout->task_cnt) + " tasks");
  StepShape shape = shape_of(*layout, job, step);
  shape.cores_per_task = cores_per_task();
  ClusterView view = load_cluster_view(shape.nodes, job);
  take_state_of_job(view, job);
  ask_for_what_lacks(*placement_request, view, shape, controller);
  const StepPlacement placement = place_step(*placement_request, shape, view);
  apply(placement, *layout);
  tell_tasks(shape, placement);
  slurm_verbose("placement: step %u.%u by %s: %s", job, step, placement_request->spec.policy.c_str(),
                told_costs(*placement_request, placement).c_str());
}

// Has the step profiled if --profile-comm was given to its srun or to its job.
void profile(spank_t spank) {
  const Client& self = client();
  std::uint32_t step = 0, tasks = 0;
  if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step >= SLURM_MAX_NORMAL_STEP_ID) return;
  std::optional<std::string> file = self.profile;
  const char* const of_job = std::getenv((std::string(job_environment_prefix) + job_profile_variable).c_str());
  if (!file && of_job && !self.outer_job.empty()) file = of_job;
  if (!file || !launcher_daemon(spank).empty()) return;
  if (self.components != 1) throw Error("a step over several components of a heterogeneous job is not profiled");
  if (spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS) throw Error("this srun does not tell its tasks");
  profile_step(spank, *file, static_cast<std::int32_t>(tasks));
}

}  // namespace

void register_options(spank_t spank) {
  for (spank_option& option : our_options) spank_option_register(spank, &option);
}

void client_begin(spank_t spank) {
  try {
    Client& self = client();
    self.is_srun = spank_context() == S_CTX_LOCAL;
    self.outer_job = environment("SLURM_JOB_ID");
    forget_outer_job(!self.outer_job.empty());
    self.mpirun_plan = inherited_mpirun_plan();
    forget_mpirun_plan();
    register_options(spank);
    self.hooked = install_distribution_hook(see_distribution);
    if (!self.hooked) point_to_placement();
    if (!self.is_srun) install_allocation_hook(see_granted_job, plan_mpirun_in_salloc);
  } catch (...) {
    slurm_error("placement: out of memory");
  }
}

void client_options_done(spank_t spank) {
  try {
    finish_component(spank);
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void client_place_step(spank_t spank) {
  try {
    place(spank);
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
  if (!self.hooked && !self.is_srun && self.components == 0)
    slurm_info("placement: with this Slurm no #SBATCH -m line can name a policy: use --placement=POLICY[=ITEM,..]");
  remove_distribution_hook();
  remove_allocation_hook();
}

}  // namespace placement::spank
