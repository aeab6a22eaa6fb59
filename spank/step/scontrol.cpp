// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/scontrol.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "config.h"

namespace placement::spank {

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;

class SpawnFiles {
 public:
  SpawnFiles(int output, bool with_errors) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    if (with_errors)
      posix_spawn_file_actions_adddup2(&files_, output, STDERR_FILENO);
    else
      posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~SpawnFiles() { posix_spawn_file_actions_destroy(&files_); }
  SpawnFiles(const SpawnFiles&) = delete;
  SpawnFiles& operator=(const SpawnFiles&) = delete;
  const posix_spawn_file_actions_t* get() const { return &files_; }

 private:
  posix_spawn_file_actions_t files_;
};

// Spawn attributes with no blocked signals. srun blocks signals in its threads, and scontrol would inherit that.
class SpawnSignals {
 public:
  SpawnSignals() {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSignals() { posix_spawnattr_destroy(&attributes_); }
  SpawnSignals(const SpawnSignals&) = delete;
  SpawnSignals& operator=(const SpawnSignals&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Returns the environment without SLURM_TOPO_LEN, by which scontrol would cut the lines of a topology.
std::vector<char*> environment_without_cuts() {
  std::vector<char*> kept;
  for (char** entry = environ; entry && *entry; ++entry)
    if (!std::string_view(*entry).starts_with("SLURM_TOPO_LEN=")) kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

// Returns the path of a command of Slurm: the one beside the running program, such as srun, which belongs to the
// running libslurm, else the one of the Slurm that this was compiled for, else the name alone.
std::string path_of(const std::string& command) {
  std::error_code error;
  const std::filesystem::path running = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::string& path : {(running.parent_path() / command).string(), SLURM_BINDIR "/" + command})
    if (access(path.c_str(), X_OK) == 0) return path;
  return command;
}

// Reads until the writer closes its end, or until more than most_bytes were read.
std::string read_all(int from) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || text.size() > most_bytes) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

CommandOutput run_slurm_command(const std::vector<std::string>& words, bool with_errors) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(words.front() + ": " + std::strerror(errno));
  const FileDescriptor from(ends[0]);
  pid_t child = -1;
  const std::string program = path_of(words.front());
  std::vector<char*> environment = environment_without_cuts();
  const int failed = posix_spawnp(&child, program.c_str(), SpawnFiles(ends[1], with_errors).get(), SpawnSignals().get(),
                                  argv.data(), environment.data());
  close(ends[1]);
  if (failed != 0) throw Error(program + " cannot be run: " + std::strerror(failed));
  CommandOutput output{read_all(ends[0])};
  const bool too_long = output.text.size() > most_bytes;
  if (too_long) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (too_long) throw Error(program + " prints more than 256 MiB");
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) output.signal = WTERMSIG(status);
  return output;
}

std::string scontrol(std::initializer_list<const char*> arguments) {
  std::vector<std::string> words{"scontrol"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  CommandOutput output = run_slurm_command(words, false);
  if (output.exit_code == 0 && output.signal == 0) return std::move(output.text);
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + word;
  throw Error("'" + command + "' " +
              (output.signal == 0 ? "ended with exit code " + std::to_string(output.exit_code)
                                  : "was ended by signal " + std::to_string(output.signal)));
}

}  // namespace placement::spank
