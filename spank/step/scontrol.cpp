// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/scontrol.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "config.h"

namespace placement::spank {

namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;
constexpr char installed[] = SLURM_BINDIR "/scontrol";

class SpawnFiles {
 public:
  explicit SpawnFiles(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
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

std::string scontrol(std::initializer_list<const char*> arguments) {
  std::string command = "scontrol";
  std::vector<char*> argv{const_cast<char*>("scontrol")};
  for (const char* argument : arguments) {
    argv.push_back(const_cast<char*>(argument));
    command += std::string(" ") + argument;
  }
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(command + ": " + std::strerror(errno));
  const FileDescriptor from(ends[0]);
  pid_t child = -1;
  const char* const program = access(installed, X_OK) == 0 ? installed : "scontrol";
  std::vector<char*> environment = environment_without_cuts();
  const int failed = posix_spawnp(&child, program, SpawnFiles(ends[1]).get(), SpawnSignals().get(), argv.data(), environment.data());
  close(ends[1]);
  if (failed != 0) throw Error(std::string(program) + " cannot be run: " + std::strerror(failed));
  std::string text = read_all(ends[0]);
  if (text.size() > most_bytes) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0)
    throw Error("'" + command + "' " + (WIFEXITED(status) ? "ended with exit code " + std::to_string(WEXITSTATUS(status))
                                                           : "was ended by signal " + std::to_string(WTERMSIG(status))));
  return text;
}

}  // namespace placement::spank
