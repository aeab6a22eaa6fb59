// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/mpirun_plan.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/decision/job_variables.hpp"
#include "common/policy/config.hpp"
#include "common/slurm/controller_query.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "common/util/write_all.hpp"
#include "spank/api/task_environment.hpp"
#include "spank/mpirun/mpirun_environment.hpp"
#include "spank/mpirun/mpirun_parameters.hpp"
#include "spank/mpirun/mpirun_options.hpp"
#include "spank/mpirun/mpirun_words.hpp"
#include "spank/mpirun/process_answer.hpp"
#include "spank/mpirun/salloc_command.hpp"
#include "spank/mpirun/sequential_hostfile.hpp"
#include "spank/profile/profiling.hpp"
#include "spank/request/job_decision.hpp"
#include "spank/request/shipped_request.hpp"
#include "spank/step/allocation.hpp"
#include "spank/step/scontrol.hpp"

namespace placement::spank {

namespace {

constexpr std::size_t most_script_bytes = 1 << 20, most_plan_bytes_of_mpirun = 64 << 20;
constexpr std::chrono::seconds longest_plan(20);
// The lowest descriptor of the plan, tried in this order. Shell scripts do not use descriptors that high.
constexpr int high_descriptors[] = {500, 100};

struct Setting {
  std::string name, value;
};

// Returns false if this node is in the allocation and has fewer cores than slurm.conf says. Slurm believes
// slurm.conf, for example when it declares hardware threads as cores, but mpirun ends without a message if a core
// does not exist.
bool has_declared_cores(const Allocation& allocation) {
  const std::string name = environment_value("SLURMD_NODENAME");
  const auto node = std::find_if(allocation.view.nodes.begin(), allocation.view.nodes.end(),
                                 [&name](const NodeView& each) { return each.name == name; });
  if (node == allocation.view.nodes.end()) return true;
  std::set<std::pair<std::string, std::string>> cores;  // package and core
  const long processors = sysconf(_SC_NPROCESSORS_CONF);
  for (long cpu = 0; cpu < processors; ++cpu) {
    const std::string directory = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::pair<std::string, std::string> at;
    std::ifstream(directory + "physical_package_id") >> at.first;
    if (std::ifstream(directory + "core_id") >> at.second) cores.insert(at);
  }
  return cores.size() >= node->core_free.size();
}

bool is_heterogeneous() { return !environment_value("SLURM_HET_SIZE").empty(); }

constexpr const char* not_wanted = "PLACEMENT_MPIRUN=no";
constexpr const char* not_named =
    "the batch script does not name mpirun; after a submission with PLACEMENT_MPIRUN=yes mpirun goes by the policy";
constexpr const char* not_named_in_command =
    "salloc's command does not name mpirun; with PLACEMENT_MPIRUN=yes before salloc mpirun goes by the policy";
constexpr const char* why_not_heterogeneous = "the job is heterogeneous, and srun places the steps of its components";

// Returns true if the job, or a component of it, was submitted with a policy.
bool has_request() {
  if (!is_heterogeneous()) return request_of_allocation().has_value();
  const std::int64_t size = parse_integer(environment_value("SLURM_HET_SIZE")).value_or(0);
  for (std::uint32_t component = 0; component < std::clamp<std::int64_t>(size, 0, INT16_MAX); ++component)
    if (request_of_allocation(component)) return true;
  return false;
}

// Returns the hostfile for the allocation in this process's environment. Returns nothing if the job has no policy, or
// if its matrix is to come from a stored profile, so that ranks stay in Slurm's order. Throws Error with the reason if
// the hostfile cannot be made.
std::optional<std::string> hostfile_of_allocation() {
  const std::optional<PlacementRequest> placement_request = request_of_allocation();
  if (!placement_request || (placement_request->automatic && !placement_request->matrix)) return std::nullopt;
  if (is_heterogeneous()) throw Error(why_not_heterogeneous);
  const ControllerState controller = controller_state_of(ask_controller());
  if (!controller.mode.empty() && controller.mode != to_string(Mode::enforce))
    throw Error("Mode=" + controller.mode + " in slurmctld");
  Allocation allocation = current_allocation();
  if (const std::string parameter = mapping_in_parameter_files(variable_here); !parameter.empty())
    throw Error(parameter);
  if (const std::string unread = take_plan_of_allocation(allocation); !unread.empty()) tell_user(unread);
  const CoreNumbering numbering =
      has_declared_cores(allocation) ? core_numbering(scontrol({"show", "config"})) : CoreNumbering::unknown;
  return sequential_hostfile(allocation, place_in(allocation, *placement_request), numbering);
}

// Returns the descriptor of a file in memory with `text`, sealed against changes, or -1. `inherited` tells whether
// child processes get the descriptor.
int file_in_memory(const std::string& text, bool inherited) {
  const FileDescriptor file(memfd_create("placement-hostfile", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file < 0) return -1;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) return -1;
    done += static_cast<std::size_t>(written);
  }
  fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  for (const int lowest : high_descriptors) {
    const int number = fcntl(file, inherited ? F_DUPFD : F_DUPFD_CLOEXEC, lowest);
    if (number >= 0) return number;
  }
  return -1;
}

// Returns what the user is told if mpirun has no plan and starts its ranks without an srun that could tell; else an
// empty string. `alone` tells whether it does so: in a job of one node, and in salloc's shell for a heterogeneous job.
std::string notice_without_srun(const std::vector<Setting>& settings, bool alone) {
  if (!alone || settings.size() != 1 || settings[0].name != mpirun_reason_variable) return {};
  if (settings[0].value == not_wanted || settings[0].value == not_named || settings[0].value == not_named_in_command)
    return {};  // perhaps the job has no mpirun
  return "mpirun places its ranks itself, and not by the job's policy: " + settings[0].value;
}

std::string beginning_of(const std::string& path) { return beginning_of_file(path, most_script_bytes); }

// Where the plan is used.
enum class PlanUse {
  by_itself,  // mpirun takes it from its environment
  by_hand,    // its user gives mpirun the hostfile, as in a shell, where nobody knows what the user will type
};

std::vector<Setting> settings_for(const std::string& hostfile, bool inherited, PlanUse use) {
  const int number = file_in_memory(hostfile, inherited);
  if (number < 0) return {{mpirun_reason_variable, std::string("no file in memory: ") + std::strerror(errno)}};
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(number);
  std::vector<Setting> settings{{mpirun_plan_variable, path}};
  if (use == PlanUse::by_hand) {
    settings.push_back({mpirun_reason_variable,
                        "in the shell of salloc mpirun needs --map-by seq --hostfile $PLACEMENT_HOSTFILE for that"});
    return settings;
  }
  for (const char* name : mapping_policy_variables) settings.push_back({name, sequential_mapping});
  for (const char* name : hostfile_variables) settings.push_back({name, path});
  return settings;
}

// What is told of the words for which there is no plan; empty if there are none. With `wanted` those that are known
// only when the script runs do not count.
std::string told_of(const MpirunWords& words, bool wanted) {
  if (!words.own.empty()) return shown(words.own);
  if (words.made.empty() || wanted) return {};
  return shown(words.made) +
         ", whose words are known only when it runs (PLACEMENT_MPIRUN=yes in the environment of the submission says that none maps)";
}

// Returns what told_of() says of the first of these files that is a script which names mpirun, such as "FILE has
// --bynode".
std::string told_of_files(const std::vector<std::string>& files, const VariableValue& value, bool wanted) {
  for (const std::string& file : files) {
    const std::string text = beginning_of(file);
    if (!names_mpirun(text) || text.find('\0') != text.npos) continue;
    MpirunWords words = mpirun_words(text, value);
    if (constexpr std::string_view others[] = {".py", ".pl", ".rb", ".jl", ".lua"};
        std::ranges::find(others, std::filesystem::path(file).extension()) != std::end(others))
      words.made = "commands of another language than the shell's";
    if (const std::string word = told_of(words, wanted); !word.empty()) return shown(file) + " has " + word;
  }
  return {};
}

// ---- batch scripts

struct Script {
  std::string text;
  bool interactive = false;
  std::vector<std::string> arguments = {};  // of the script itself
};

std::optional<Script> script_of(spank_t spank) {
  std::uint32_t step = 0;
  if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS) return std::nullopt;
  if (step == SLURM_INTERACTIVE_STEP) return Script{"", true};
  if (step != SLURM_BATCH_SCRIPT) return std::nullopt;
  int count = 0;
  char** words = nullptr;
  if (spank_get_item(spank, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || count < 1 || !words || !words[0])
    return std::nullopt;
  return Script{beginning_of(words[0]), false, {words + 1, words + count}};
}

// Returns true if the script is for a C shell. C shells close all files that they inherit.
bool is_c_shell(std::string_view script) {
  const std::string_view line = script.substr(0, script.find('\n'));
  return line.starts_with("#!") && line.find("csh") != line.npos;
}

// Makes the plan, in a process of its own. The text is "+" and a hostfile, "-" and a reason, or empty if there is no
// plan to make.
std::string plan_text(char** job_environment) {
  environ = job_environment;
  try {
    const auto hostfile = hostfile_of_allocation();
    return hostfile ? "+" + *hostfile : "";
  } catch (const std::exception& error) {
    return std::string("-") + error.what();
  }
}

std::vector<Setting> settings_of_script(spank_t spank, PlanUse use) {
  char** job_environment = nullptr;
  if (spank_get_item(spank, S_JOB_ENV, &job_environment) != ESPANK_SUCCESS || !job_environment) return {};
  std::string text;
  try {
    text = answer_of_process([job_environment] { return plan_text(job_environment); }, longest_plan,
                             most_plan_bytes_of_mpirun);
  } catch (const Error& error) {
    return {{mpirun_reason_variable, error.what()}};
  }
  if (text.starts_with('+')) return settings_for(text.substr(1), true, use);
  if (text.starts_with('-')) return {{mpirun_reason_variable, text.substr(1)}};
  return {};
}

std::vector<Setting> wanted_of_script(spank_t spank) {
  const auto script = script_of(spank);
  if (!script) return {};
  const auto variable = [spank](const std::string& name) { return task_variable(spank, name.c_str()); };
  if (!variable(std::string(job_environment_prefix) + request_policy_variable) ||
      variable(std::string(job_environment_prefix) + unfit_variable))
    return {};
  auto switched = variable(mpirun_switch_variable);
  if (!switched) switched = variable(std::string(job_environment_prefix) + mpirun_switch_variable);
  const std::string wanted = switched.value_or("");
  if (wanted == "no") return {{mpirun_reason_variable, not_wanted}};
  if (wanted != "yes" && !script->interactive && !names_mpirun(script->text))
    return {{mpirun_reason_variable, not_named}};
  char** job_environment = nullptr;
  spank_get_item(spank, S_JOB_ENV, &job_environment);
  if (const std::string name = mapping_variable(job_environment); !name.empty())
    return {{mpirun_reason_variable, environment_has + name}};
  const MpirunWords words = mpirun_words(script->text, variable);
  if (const std::string word = told_of(words, wanted == "yes"); !word.empty())
    return {{mpirun_reason_variable, "the script has " + word}};
  if (const std::string word = words.arguments ? mapping_argument(script->arguments) : ""; !word.empty())
    return {{mpirun_reason_variable, "the script's arguments have " + shown(word)}};
  if (const std::string word = told_of_files(words.files, variable, wanted == "yes"); !word.empty())
    return {{mpirun_reason_variable, word}};
  if (is_c_shell(script->text))
    return {{mpirun_reason_variable, "the script is one of a C shell, which closes the plan"}};
  return settings_of_script(spank, script->interactive && wanted != "yes" ? PlanUse::by_hand : PlanUse::by_itself);
}

// ---- salloc

// Returns the word as one that the shell takes as it is.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Tells which word of salloc's command, or of the scripts that it names, maps or binds; empty if none does.
std::string own_word_of(const std::vector<std::string>& command) {
  const bool wanted = environment_value(mpirun_switch_variable) == "yes";
  std::string line;
  for (const std::string& word : command) line += quoted(word) + " ";
  if (const std::string word = told_of(mpirun_words(line, variable_here), wanted); !word.empty())
    return "the command has " + word;
  return told_of_files(command, variable_here, wanted);
}

// Returns true if salloc starts a shell in which its user types, or a command or script that names mpirun.
bool may_start_mpirun(const std::vector<std::string>& command) {
  return is_interactive_shell(command) || std::any_of(command.begin(), command.end(), [](const std::string& word) {
           return names_mpirun(word) || names_mpirun(beginning_of(word));
         });
}

}  // namespace

std::string plan_mpirun_of_salloc(int component) {
  const std::string wanted = environment_value(mpirun_switch_variable);
  if (!has_request()) return {};
  if (wanted == "no") {
    setenv(mpirun_reason_variable, not_wanted, 1);
    return {};
  }
  const std::vector<std::string> command = command_given(component);
  if (wanted != "yes" && !may_start_mpirun(command)) {  // its mpirun may have a mapping of its own
    setenv(mpirun_reason_variable, not_named_in_command, 1);
    return {};
  }
  const PlanUse use = is_interactive_shell(command) && wanted != "yes" ? PlanUse::by_hand : PlanUse::by_itself;
  std::vector<Setting> settings;
  try {
    if (const std::string name = mapping_variable(environ); !name.empty()) throw Error(environment_has + name);
    if (const std::string word = own_word_of(command); !word.empty()) throw Error(word);
    if (is_heterogeneous()) throw Error(why_not_heterogeneous);
    if (const auto hostfile = hostfile_of_allocation()) settings = settings_for(*hostfile, false, use);
  } catch (const Error& error) {
    settings = {{mpirun_reason_variable, error.what()}};
  }
  for (const Setting& each : settings) setenv(each.name.c_str(), each.value.c_str(), 1);
  if (settings.size() > 1 && use == PlanUse::by_hand)
    return "mpirun in this shell keeps Slurm's order, because a mapping that you type could not stand beside another: "
           "\"mpirun --map-by seq --hostfile $PLACEMENT_HOSTFILE\" places its ranks by the job's policy, and with "
           "PLACEMENT_MPIRUN=yes before salloc mpirun does so by itself";
  return notice_without_srun(settings, is_heterogeneous() || environment_value("SLURM_JOB_NUM_NODES") == "1");
}

void plan_mpirun_of_script(spank_t spank) {
  const std::vector<Setting> settings = wanted_of_script(spank);
  for (const Setting& each : settings) spank_setenv(spank, each.name.c_str(), each.value.c_str(), 1);
  const auto nodes = task_variable(spank, "SLURM_JOB_NUM_NODES");
  const std::string notice = notice_without_srun(settings, nodes == "1");
  if (notice.empty() || task_variable(spank, (std::string(job_environment_prefix) + job_quiet_variable).c_str()))
    return;
  write_all(STDERR_FILENO, "placement: " + notice + "\n");
}

}  // namespace placement::spank
