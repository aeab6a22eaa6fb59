// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/agent_start.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "common/util/parent_process.hpp"
#include "monitor/agent/daemon_option.hpp"

namespace placement::spank {

namespace {

// Turns the child process into the agent. Calls only functions that are safe between fork and exec in a process with
// threads.
[[noreturn]] void become_agent(const char* log, char* const* arguments, char* const* environment) {
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDWR);
  int messages = -1;
  // slurmd waits for this process, so opening a FIFO must not wait for a reader.
  if (log[0] != '\0') messages = open(log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (messages < 0) messages = nothing;
  dup2(nothing, 0);
  dup2(nothing, 1);
  dup2(messages, 2);
  close_range(3, ~0U, 0);
  // The oom_score_adj of slurmd spares it when memory runs out, and a child inherits this value. The agent sets its own
  // to 0, so that the kernel does not kill a job instead of the agent.
  const int spared = open("/proc/self/oom_score_adj", O_WRONLY);
  if (spared >= 0) {
    [[maybe_unused]] const ssize_t written = write(spared, "0", 1);
    close(spared);
  }
  execve(arguments[0], arguments, environment);
  _exit(127);
}

}  // namespace

std::string read_plugin_arguments(const std::vector<std::string_view>& arguments, AgentStart& start) {
  for (const std::string_view argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string_view key = argument.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : argument.substr(equals + 1);
    if (key != "agent" && key != "log")
      return "unknown argument '" + std::string(argument) + "': expected agent=/path or log=/path";
    if (!value.starts_with('/')) return "'" + std::string(argument) + "': expected an absolute path";
    (key == "agent" ? start.agent : start.log) = value;
  }
  return {};
}

std::string start_agent(const AgentStart& start, std::string_view cmdline) {
  if (access(start.agent.c_str(), X_OK) != 0) return start.agent + ": " + std::strerror(errno);
  std::vector<std::string> words = {start.agent, "--keep"};
  if (const auto node = agent::daemon_option(cmdline, 'N')) words.insert(words.end(), {"--node", *node});
  std::optional<std::string> conf = agent::daemon_option(cmdline, 'f');
  if (!conf)
    if (const char* environment = std::getenv("SLURM_CONF")) conf = environment;
  if (conf) words.insert(words.end(), {"--slurm-conf", *conf});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char* const environment[] = {path, nullptr};
  const pid_t child = fork();
  if (child < 0) return std::string("fork: ") + std::strerror(errno);
  if (child == 0) become_agent(start.log.c_str(), arguments.data(), environment);
  // With --keep the agent continues in the background, and this child ends at once.
  const int status = status_of(child);
  if (status < 0) return {};  // slurmd's own handler has waited for the child already
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return "cannot start " + start.agent;
  return {};
}

}  // namespace placement::spank
