// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/controller_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "common/slurm/controller_query.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

namespace {

constexpr int patience_s = 15;
constexpr int most_controllers = 16;
constexpr std::size_t most_bytes = 1 << 20;

// Returns whether any slurmctld answers a ping. A ping is not repeated for ten seconds, as other requests are.
bool slurmctld_is_there() {
  for (int controller = 0; controller < most_controllers; ++controller) {
    errno = 0;
    if (slurm_ping(controller) == 0) return true;
    if (controller > 0 && errno == EINVAL) break;
  }
  return false;
}

// The main function of the separate process. Writes "+" and the answer of slurmctld, or "-" and the reason why not.
[[noreturn]] void answer(int to) {
  std::string text;
  slurm_init(nullptr);
  try {
    text = slurmctld_is_there() ? "+" + ask_controller() : "-slurmctld does not answer";
  } catch (const std::exception& error) {
    text = std::string("-") + error.what();
  }
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = write(to, text.data() + at, text.size() - at);
    if (wrote <= 0) break;
    at += static_cast<std::size_t>(wrote);
  }
  _exit(0);
}

// Reads until the writer closes its end or the time is over.
std::string read_answer(int from) {
  std::string text;
  const std::time_t end = std::time(nullptr) + patience_s;
  while (std::time(nullptr) < end && text.size() < most_bytes) {
    pollfd watched{from, POLLIN, 0};
    if (poll(&watched, 1, 1000) <= 0) continue;
    char buffer[4096];
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got == 0) return text;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  return "-slurmctld does not answer";
}

}  // namespace

ControllerInput read_controller() {
  ControllerInput input;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("no pipe can be made");
  const FileDescriptor from(ends[0]);
  const pid_t child = fork();
  if (child == 0) {
    // Messages of libslurm are discarded, because read_controller() reports errors itself.
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    answer(ends[1]);
  }
  close(ends[1]);
  if (child < 0) throw Error("no process can be made to ask slurmctld");
  const std::string text = read_answer(from);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (text.starts_with('+'))
    input.state = controller_state_of(std::string_view(text).substr(1));
  else
    input.why_not = text.empty() ? "there is no slurm.conf by which slurmctld could be asked" : text.substr(1);
  return input;
}

std::string described(const ControllerInput& controller) {
  if (!controller.state) return "not known: " + controller.why_not;
  const ControllerState& state = *controller.state;
  if (state.mode.empty()) return trouble_of(state);
  if (!state.failure.empty()) return state.mode + ": " + state.failure;
  return state.mode + ", by " + state.configuration;
}

}  // namespace placement::tools
