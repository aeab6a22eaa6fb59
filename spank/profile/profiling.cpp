// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/profile/profiling.hpp"

#include <fnmatch.h>
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "common/matrix/written_profile.hpp"
#include "common/slurm/controller_query.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "policies/table.hpp"
#include "spank/profile/learned_profile.hpp"
#include "spank/profile/profile_store.hpp"
#include "spank/request/client_options.hpp"

namespace placement::spank {

namespace fs = std::filesystem;

namespace {

constexpr const char* library_variable = "PLACEMENT_PROFILE_LIBRARY";

ProgramRun run_of(const std::vector<std::string>& command, std::int32_t tasks) {
  return program_run(command, tasks, (fs::current_path() / client_option("chdir").value_or("")).string(),
                     environment_value("PATH"));
}

std::string library() {
  const std::string own = environment_value(library_variable);
  return own.empty() ? PROFILE_LIBRARY : own;
}

std::string with_numbers(const std::string& file, std::uint32_t job, std::uint32_t step) {
  std::string text;
  for (std::size_t i = 0; i < file.size(); ++i) {
    const char next = file[i] == '%' && i + 1 < file.size() ? file[i + 1] : '\0';
    if (next == 'j')
      text += std::to_string(job);
    else if (next == 's')
      text += std::to_string(step);
    else if (next == '%')
      text += '%';
    else {
      text += file[i];
      continue;
    }
    ++i;
  }
  return text;
}

// Returns the name of the MPI library with which the profiler was built; an empty string if it is not there.
std::string mpi_of_profiler() {
  const std::vector<std::string> libraries = facts_of_program(library()).mpi_libraries;
  return libraries.empty() ? "" : libraries.front();
}

bool has_mpi_of_profiler(const ProgramRun& run) { return is_linked_with(run.mpi_libraries, mpi_of_profiler()); }

bool is_excluded(const std::string& program, const std::string& names) {
  const std::string own = fs::path(program).filename().string();
  for (const std::string_view name : split_at(names, ','))
    if (fnmatch(std::string(name).c_str(), own.c_str(), 0) == 0) return true;
  return false;
}

}  // namespace

// The command begins at the word where getopt stopped. It ends before a word ":", which begins another component.
std::vector<std::string> command_given(int component) {
  const std::vector<std::string> words = command_line_of("self");
  std::vector<std::string> command;
  std::size_t first = 0;  // the word before the options of the component
  for (int separators = 0; separators < component && first + 1 < words.size();)
    if (words[++first] == ":") ++separators;
  for (std::size_t i = optind > 0 ? first + static_cast<std::size_t>(optind) : words.size();
       i < words.size() && words[i] != ":"; ++i)
    command.push_back(words[i]);
  return command;
}

void take_stored_profile(PlacementRequest& request, const std::vector<std::string>& command, std::int32_t tasks) {
  if (command.empty()) return;
  try {
    const ProgramRun run = run_of(command, tasks);
    const ProfileStore store = ProfileStore::of_user(std::getenv);
    const UsableProfile profile = usable_profile(store, run, policies::weight_of(request.spec.parameters));
    if (!profile.matrix) {
      tell_user(profile.told + ": stock placement" + (profile.none_stored ? "; srun --profile-comm makes one" : ""));
      return;
    }
    tell_user(profile.told);
    request.matrix = profile.matrix;
    add_measured_share(request.spec, profile.file);
  } catch (const std::exception& error) {
    tell_user("no stored profile can be used: " + std::string(error.what()) + ": stock placement");
  }
}

std::string checked_profile_file(const std::string& file) {
  if (access(library().c_str(), R_OK) != 0)
    throw Error("--profile-comm: " + library() + " is missing: install slurm-placement that is built with MPI");
  if (file.empty()) return file;
  const fs::path path = fs::absolute(file);
  std::error_code failed;
  const bool is_directory = fs::is_directory(path, failed);
  if (is_directory || !path.has_filename())
    throw Error("--profile-comm=" + shown(file) + " is a directory: expected a file");
  if (!fs::is_directory(path.parent_path(), failed))
    throw Error("--profile-comm=" + shown(file) + ": the directory " + path.parent_path().string() + " does not exist" +
                tilde_hint(file));
  return path.string();
}

std::string profile_step(spank_t spank, const std::string& file, std::int32_t tasks) {
  const auto [job, step] = step_number(spank).value();
  const std::vector<std::string> command = command_of_step(spank);
  const ProgramRun run = run_of(command, tasks);
  const std::string program = shown(command.front());
  if (!run.mpi_libraries.empty() && !has_mpi_of_profiler(run))
    throw Error(program + " is linked with " + run.mpi_libraries.front() + ", but the profiler with " +
                mpi_of_profiler() + ": both would be loaded");
  std::string path = with_numbers(file, job, step);
  if (file.empty()) {
    const ProfileStore store = ProfileStore::of_user(std::getenv);
    path = store.file_for(run);
    store.note_arguments(run);
  }
  setenv(step_profile_variable, path.c_str(), 1);
  const std::string condition =
      run.mpi_libraries.empty()
          ? ", if " + program + " starts an MPI program or loads MPI: it is not linked with MPI itself"
          : "";
  slurm_info("placement: the profile of step %u.%u goes to %s%s", job, step, printable(path).c_str(),
             condition.c_str());
  return path;
}

void learn_step(spank_t spank, std::int32_t tasks) {
  const std::vector<std::string> command = command_of_step(spank);
  if (tasks < 2 || command.empty()) return;
  const ProgramRun run = run_of(command, tasks);
  const bool linked = has_mpi_of_profiler(run);
  if (!linked && client_option("verbose").value_or("0") == "0") return;  // before slurmctld is asked
  const ControllerState& controller = controller_state();
  if (controller.mode == "off" || controller.setting("ProfileJobs") != "yes" ||
      is_excluded(run.program, controller.setting("ProfileExclude")))
    return;
  if (!linked) {
    slurm_verbose(
        "placement: ProfileJobs=yes does not count %s, which is not linked with %s; --profile-comm counts MPI in a script",
        shown(command.front()).c_str(), mpi_of_profiler().c_str());
    return;
  }
  const ProfileStore store = ProfileStore::of_user(std::getenv);
  const auto [job, step] = step_number(spank).value();
  const auto next = next_to_learn(store, run, std::uint64_t{job} + step);
  if (!next) return;
  if (next->first)
    tell_user("counting what the ranks of " + described(run) +
              " send each other, because this site profiles MPI programs (ProfileJobs=yes); --no-profile skips a run");
  setenv(step_profile_variable, next->file.c_str(), 1);
  setenv(step_learning_variable, "1", 1);
  slurm_verbose("placement: the profile goes to %s", next->file.c_str());
}

// The profiling library comes before the user's own libraries in LD_PRELOAD. So it counts the calls of the program and
// not calls that these libraries add.
void profile_task(spank_t spank) {
  const auto file = task_variable(spank, step_profile_variable);
  if (!file) return;
  spank_unsetenv(spank, step_profile_variable);  // the program does not need it
  const bool learning = task_variable(spank, step_learning_variable).has_value();
  spank_unsetenv(spank, step_learning_variable);
  if (!step_number(spank)) return;

  std::string preload = task_variable(spank, library_variable).value_or("");
  if (preload.empty()) preload = PROFILE_LIBRARY;
  if (access(preload.c_str(), R_OK) != 0) {
    const auto report = learning ? slurm_verbose : slurm_error;  // the user of a learned run asked for no profile
    return report("placement: %s is missing on this node: nothing is profiled", preload.c_str());
  }
  if (const auto own = task_variable(spank, "LD_PRELOAD"); own && !own->empty()) preload += ":" + *own;
  spank_setenv(spank, "LD_PRELOAD", preload.c_str(), 1);
  spank_setenv(spank, "PLACEMENT_PROFILE", file->c_str(), 1);
  if (!learning) return;
  for (const char* name : {"PLACEMENT_PROFILE_COUNT", "PLACEMENT_PROFILE_COLLECTIVES", "PLACEMENT_PROFILE_SUMMARY"})
    spank_unsetenv(spank, name);
  spank_setenv(spank, "PLACEMENT_PROFILE_SALVAGE", "no", 1);  // a program that dies leaves nothing behind
  spank_setenv(spank, "PLACEMENT_PROFILE_SAMPLE", "yes", 1);
  spank_setenv(spank, "PLACEMENT_PROFILE_CHILDREN", "no", 1);
}

}  // namespace placement::spank
