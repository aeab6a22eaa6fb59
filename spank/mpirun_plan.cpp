// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun_plan.hpp"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "common/decision/job_variables.hpp"
#include "common/policy/config.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/deadline.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "spank/process_answer.hpp"
#include "spank/step/allocation.hpp"
#include "spank/step/sequential_hostfile.hpp"
#include "spank/step/slurm_view.hpp"

namespace placement::spank {

namespace {

constexpr std::chrono::seconds longest_plan(20);
static_assert(Deadline::wall_factor * policy_patience < longest_plan);

struct Setting {
  std::string name, value;
};

// The hostfile of a job. `for_every_mpirun` is true if the user (PLACEMENT_MPIRUN=yes) or the site (MpirunByPolicy=yes)
// requests that Open MPI's own variables name it, so that every mpirun uses it.
struct JobPlan {
  std::string hostfile;
  bool for_every_mpirun = false;
};

bool is_heterogeneous() { return !environment_value("SLURM_HET_SIZE").empty(); }

constexpr const char* not_wanted = "PLACEMENT_MPIRUN=no";

// Returns the plan for the allocation in this process's environment. `wanted` is the user's PLACEMENT_MPIRUN. Returns
// nothing if the job has no policy, or if it uses a stored profile, which only srun can find. Throws Error with the
// reason if the hostfile cannot be made.
std::optional<JobPlan> plan_of_allocation(const std::string& wanted) {
  std::optional<PlacementRequest> placement_request = request_of_allocation();
  const std::int64_t components = parse_integer(environment_value("SLURM_HET_SIZE")).value_or(0);
  for (std::uint32_t k = 0; !placement_request && k < std::clamp<std::int64_t>(components, 0, INT16_MAX); ++k)
    placement_request = request_of_allocation(k);
  if (!placement_request) return std::nullopt;
  if (wanted == "no") throw Error(not_wanted);
  if (is_heterogeneous()) throw Error("the job is heterogeneous, and srun places the steps of its components");
  if (placement_request->automatic && !placement_request->matrix) return std::nullopt;
  slurm_init(nullptr);
  Allocation allocation = current_allocation();
  const ControllerState& controller = allocation.controller;
  if (!allocation.view.warning.empty()) tell_user(allocation.view.warning);
  if (!controller.mode.empty() && controller.mode != mode_names[PLACEMENT_ENFORCE])
    throw Error("Mode=" + controller.mode + " in slurmctld");
  if (const std::string unread = take_plan_of_job(allocation.step, allocation.view); !unread.empty()) tell_user(unread);
  const CoreNumbering numbering = core_numbering(allocation.configuration);
  return JobPlan{sequential_hostfile(allocation, place_in(allocation, *placement_request), numbering),
                 wanted == "yes" || controller.setting("MpirunByPolicy") == "yes"};
}

using IsSet = std::function<bool(const std::string& name)>;

// Returns the variables of a plan. Open MPI's own variables are among them only if plan.for_every_mpirun is true and
// the user has set none of them. Throws Error if the file in memory cannot be created.
//   inherited  true: programs that this process executes inherit the open file
//   is_set     returns true if the environment has the variable
std::vector<Setting> settings_for(const JobPlan& plan, bool inherited, const IsSet& is_set) {
  const int number = file_in_memory(plan.hostfile, inherited);
  if (number < 0) throw Error(std::string("cannot create a file in memory: ") + std::strerror(errno));
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(number);
  std::vector<Setting> settings{{mpirun_plan_variable, path}};
  if (!plan.for_every_mpirun) return settings;
  std::vector<Setting> of_open_mpi;
  for (const char* name : mapping_policy_variables) of_open_mpi.push_back({name, sequential_mapping});
  for (const char* name : hostfile_variables) of_open_mpi.push_back({name, path});
  for (const Setting& each : of_open_mpi)
    if (is_set(each.name)) {
      settings.push_back({mpirun_reason_variable, "the environment has " + each.name});
      return settings;
    }
  settings.insert(settings.end(), of_open_mpi.begin(), of_open_mpi.end());
  return settings;
}

// Returns a message if the user requested a plan (PLACEMENT_MPIRUN=yes) that could not be made, and no srun will report
// this. Otherwise returns an empty string. `alone` is true if no srun will report it: in a job of one node, and in
// salloc for a heterogeneous job.
std::string notice_without_srun(const std::vector<Setting>& settings, const std::string& wanted, bool alone) {
  if (!alone || wanted != "yes" || settings.size() != 1 || settings[0].name != mpirun_reason_variable) return {};
  return "mpirun does not use the job's policy: " + settings[0].value;
}

// ---- batch scripts

// Returns true if the step is a batch script or an interactive step, whose process becomes the user's shell.
bool is_script(spank_t spank) {
  std::uint32_t step = 0;
  return spank_get_item(spank, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
         (step == SLURM_INTERACTIVE_STEP || step == SLURM_BATCH_SCRIPT);
}

// Returns true if the program of the step is a script for a C shell. C shells close all files that they inherit.
bool is_c_shell(spank_t spank) {
  const std::vector<std::string> command = command_of_step(spank);
  const std::string text = command.empty() ? "" : beginning_of_file(command.front(), 256).value_or("");
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with("#!") && line.find("csh") != line.npos;
}

// Makes the plan in a child process of a script's process. Returns "*" and the hostfile if every mpirun is to use it,
// or "+" and the hostfile if users name it to mpirun themselves. Returns "-" and the reason if the plan cannot be made.
// Returns an empty text if the job needs no plan.
std::string plan_text(char** job_environment, const std::string& wanted) {
  environ = job_environment;
  try {
    const auto plan = plan_of_allocation(wanted);
    return plan ? (plan->for_every_mpirun ? "*" : "+") + plan->hostfile : "";
  } catch (const std::exception& error) {
    return std::string("-") + error.what();
  }
}

std::vector<Setting> settings_of_script(spank_t spank, const std::string& wanted) try {
  if (wanted == "no") throw Error(not_wanted);
  if (is_c_shell(spank)) throw Error("the script runs in a C shell, which closes the file of the plan");
  char** job_environment = nullptr;
  if (spank_get_item(spank, S_JOB_ENV, &job_environment) != ESPANK_SUCCESS || !job_environment) return {};
  const std::string text =
      answer_of_process([&] { return plan_text(job_environment, wanted); }, longest_plan, most_hostfile_bytes);
  if (text.empty()) return {};
  if (text.front() == '-') throw Error(text.substr(1));
  return settings_for({text.substr(1), text.front() == '*'}, true,
                      [spank](const std::string& name) { return task_variable(spank, name.c_str()).has_value(); });
} catch (const Error& error) {
  return {{mpirun_reason_variable, error.what()}};
}

// ---- the notice of srun

constexpr std::string_view open_mpi_daemons[] = {"orted", "prted"};
constexpr std::string_view hydra_daemons[] = {"pmi_proxy", "hydra_pmi_proxy", "hydra_bstrap_proxy"};

// Returns true if the mpirun that started this srun was given a rankfile, or the hostfile of the plan.
bool uses_policy_file(const std::string& hostfile) {
  const std::vector<std::string> words = command_line_of(std::to_string(getppid()));
  return std::any_of(words.begin() + (words.empty() ? 0 : 1), words.end(), [&](const std::string& word) {
    return word.find("rankfile") != word.npos || word == "-rf" || (!hostfile.empty() && word == hostfile);
  });
}

// Returns a duplicate of the standard error of `process`, which shares the position in the file with it. If the file
// were opened again, both processes would overwrite each other's output. Returns an empty descriptor if the kernel
// refuses.
FileDescriptor errors_of(pid_t process) {
  const FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (handle < 0) return FileDescriptor(-1);
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_getfd, static_cast<int>(handle), STDERR_FILENO, 0)));
}

// Returns the end of the notice: how the ranks would follow `policy`.
std::string remedy(bool open_mpi, const std::string& policy, const MpirunPlan& plan, bool for_srun_alone) {
  if (for_srun_alone)
    return "only srun finds a stored profile (auto); \"placement-profile -o FILE mpirun ...\" makes one for -m " +
           policy + "=FILE";
  if (!open_mpi) return "\"placectl run -- mpiexec ...\" chooses the order of the nodes, and srun places each rank";
  if (!plan.path.empty())
    return std::string("use ") + mpirun_command + ", submit with PLACEMENT_MPIRUN=yes, or use srun";
  return "use \"placectl run -- mpirun ...\" or srun";
}

}  // namespace

std::string plan_mpirun_of_salloc(bool has_command) {
  const std::string wanted = environment_value(mpirun_switch_variable);
  std::vector<Setting> settings;
  try {
    const auto is_set = [](const std::string& name) { return std::getenv(name.c_str()) != nullptr; };
    if (const auto plan = plan_of_allocation(wanted)) settings = settings_for(*plan, false, is_set);
  } catch (const Error& error) {
    settings = {{mpirun_reason_variable, error.what()}};
  }
  for (const Setting& each : settings) setenv(each.name.c_str(), each.value.c_str(), 1);
  if (!has_command && settings.size() == 1 && settings[0].name == mpirun_plan_variable)
    return std::string("mpirun keeps Slurm's order of ranks; for the order of the job's policy, use ") + mpirun_command;
  return notice_without_srun(settings, wanted, is_heterogeneous() || environment_value("SLURM_JOB_NUM_NODES") == "1");
}

void plan_mpirun_of_script(spank_t spank) {
  const auto variable = [spank](const std::string& name) { return task_variable(spank, name.c_str()); };
  const auto of_job = [&](const char* name) { return variable(std::string(job_environment_prefix) + name); };
  if (!is_script(spank) || !of_job(request_policy_variable)) return;
  auto switched = variable(mpirun_switch_variable);
  if (!switched) switched = of_job(mpirun_switch_variable);
  const std::string wanted = switched.value_or("");
  const std::vector<Setting> settings = settings_of_script(spank, wanted);
  for (const Setting& each : settings) spank_setenv(spank, each.name.c_str(), each.value.c_str(), 1);
  const std::string notice = notice_without_srun(settings, wanted, variable("SLURM_JOB_NUM_NODES") == "1");
  if (!notice.empty() && !of_job(job_quiet_variable)) write_all(STDERR_FILENO, "placement: " + notice + "\n");
}

MpirunPlan inherited_mpirun_plan() {
  const std::string path = environment_value(mpirun_plan_variable);
  // PRRTE removes its own variables before it starts srun, so names[1] may be missing.
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

std::string launcher_daemon(spank_t spank) {
  const std::vector<std::string> command = command_of_step(spank);
  const std::string_view program = command.empty() ? "" : base_name(command.front());
  const auto known = std::ranges::count(open_mpi_daemons, program) + std::ranges::count(hydra_daemons, program);
  return std::string(known > 0 ? program : "");
}

void tell_launcher(std::string_view daemon, const std::string& policy, const MpirunPlan& plan,
                   const std::string& why_not_srun, bool for_srun_alone) {
  const bool open_mpi = std::ranges::count(open_mpi_daemons, daemon) > 0;
  if (open_mpi && (plan.in_force || uses_policy_file(plan.path))) return;
  std::string line =
      std::string("placement: ") + (open_mpi ? "mpirun" : "mpiexec") + " does not use the policy " + policy;
  if (open_mpi && !plan.reason.empty() && plan.reason != why_not_srun) line += " (" + plan.reason + ")";
  line += !why_not_srun.empty() ? "; srun keeps Slurm's order (" + why_not_srun + ")\n"
                                : ": " + remedy(open_mpi, policy, plan, for_srun_alone) + "\n";
  const FileDescriptor parent = errors_of(getppid());
  if (write(parent >= 0 ? static_cast<int>(parent) : STDERR_FILENO, line.data(), line.size()) < 0)
    slurm_debug("placement: the notice about the launcher cannot be written");
}

}  // namespace placement::spank
