// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/slurm/slurm_command.hpp"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/parent_process.hpp"
#include "common/util/text.hpp"
#include "config.h"

namespace placement {

namespace {

// Returns the environment without the variables that shorten the output. SLURM_TOPO_LEN makes scontrol cut the lines of
// a topology; others make squeue and sinfo omit jobs and nodes.
std::vector<char*> environment_without_cuts() {
  constexpr std::string_view cuts[] = {"SLURM_TOPO_LEN=", "SQUEUE_", "SINFO_"};
  std::vector<char*> kept;
  for (char** entry = environ; entry && *entry; ++entry)
    if (std::ranges::none_of(cuts, [&](std::string_view cut) { return std::string_view(*entry).starts_with(cut); }))
      kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

std::string_view last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::string path_of_command(const std::string& command) {
  std::error_code error;
  const std::filesystem::path from = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& directory : {from, from.parent_path() / "bin", std::filesystem::path(SLURM_BINDIR)})
    if (const std::string path = directory / command; access(path.c_str(), X_OK) == 0) return path;
  return command;
}

SlurmCommand::SlurmCommand(std::vector<std::string> words, bool with_errors, const std::string& input)
    : words_(std::move(words)),
      last_input_(last_line(input)) {
  std::vector<char*> argv;
  for (const std::string& word : words_) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> environment = environment_without_cuts();
  const std::string program = path_of_command(words_.front());
  int ends[2] = {-1, -1}, input_ends[2] = {-1, -1};
  const bool failed_pipes = pipe2(ends, O_CLOEXEC) != 0 || pipe2(input_ends, O_CLOEXEC) != 0;
  from_.reset(ends[0]);
  const FileDescriptor to(ends[1]), input_from(input_ends[0]);
  FileDescriptor input_to(input_ends[1]);
  errors_.reset(memfd_create("placement-errors", MFD_CLOEXEC));
  // The input is written at once, without waiting: the pipe must have room for it.
  const auto feed = [&] {
    if (input.size() > PIPE_BUF) fcntl(input_to, F_SETPIPE_SZ, input.size());
    return fcntl(input_to, F_SETFL, O_NONBLOCK) == 0 && write_all(input_to, input);
  };
  if (failed_pipes || errors_ < 0 || !feed()) throw Error(words_.front() + ": " + std::strerror(errno));
  input_to.reset(-1);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input_from, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, with_errors ? to : errors_, STDERR_FILENO);
  // srun blocks signals in its threads, and its child would inherit that. Writing beyond the limit on the size of files
  // must not end the child.
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGXFSZ);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int failed = posix_spawnp(&child_, program.c_str(), &files, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed == 0) return;
  child_ = -1;
  throw Error("cannot run " + program + ": " + std::strerror(failed));
}

SlurmCommand::~SlurmCommand() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  wait();
}

int SlurmCommand::wait() {
  const int status = std::max(status_of(child_), 0);
  child_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

CommandOutput SlurmCommand::output() {
  CommandOutput output{read_rest(from_)};
  output.exit_code = wait();
  return output;
}

std::string SlurmCommand::text() {
  CommandOutput ended = output();
  if (ended.exit_code == 0) return std::move(ended.text);
  char errors[512];
  const ssize_t got = pread(errors_, errors, sizeof errors, 0);
  std::string_view reason = trimmed({errors, static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
  reason.remove_prefix(std::min(reason.find_first_not_of("-\n"), reason.size()));  // mpirun draws a line first
  throw Error("'" + joined(words_, " ") + (last_input_.empty() ? "" : " ") + last_input_ + "' ended with exit code " +
              std::to_string(ended.exit_code) +
              (reason.empty()
                   ? ""
                   : ": " + printable(last_input_.empty() ? split_at(reason, '\n').front() : last_line(reason))));
}

std::string_view config_value(std::string_view configuration, std::string_view name) {
  for (const std::string_view line : split_at(configuration, '\n'))
    if (const std::size_t equals = line.find('='); equals != line.npos && trimmed(line.substr(0, equals)) == name)
      return trimmed(line.substr(equals + 1));
  return {};
}

}  // namespace placement
