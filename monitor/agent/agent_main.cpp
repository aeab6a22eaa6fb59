// SPDX-License-Identifier: GPL-2.0-or-later
// placement-agent: reads its configuration, becomes MonitorUser and runs the agent's loop.
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "monitor/agent/agent.hpp"
#include "monitor/protocol/daemon.hpp"
#include "monitor/protocol/safe_start.hpp"

using namespace placement;
using namespace placement::agent;

namespace {

constexpr double restart_pause_s = 1;
constexpr double longest_restart_pause_s = 60;
constexpr double good_run_s = 300;
constexpr double user_pause_s = 10;

constexpr char usage_text[] =
    "usage: placement-agent [OPTION]...\n"
    "Reports the state of one node to each placement-monitor every 5 s, and measures the network to other nodes\n"
    "when a monitor grants it a lease.\n"
    "\n"
    "  -f, --slurm-conf FILE  slurm.conf [$SLURM_CONF, /run/slurm/conf/slurm.conf or /etc/slurm/slurm.conf];\n"
    "                         placement.conf is read from its directory\n"
    "  -N, --node NAME        NodeName of this node [the node with this host's name]\n"
    "      --keep             run in the background, and restart the agent when it dies\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "exit codes: 0 ended by SIGTERM or SIGINT, 1 failure, 2 wrong usage, 3 an agent for this node is already running\n"
    "see also: placement-agent(8), placement.conf(5)\n";

constexpr protocol::DaemonHelp help = {"placement-agent", usage_text, "node", 'N', "keep"};

bool to_syslog = false;

void log_line(const std::string& text) {
  std::fprintf(stderr, "placement-agent: %s\n", text.c_str());
  if (to_syslog) syslog(LOG_DAEMON | LOG_INFO, "%s", text.c_str());
}

std::string own_node(const SlurmHosts& hosts, const std::string& wanted, const std::string& conf) {
  if (!wanted.empty()) return wanted;  // slurm.conf does not name a dynamic node
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  if (hosts.nodes.empty()) return std::string(name, std::strcspn(name, "."));
  const SlurmHost* node = node_of_host(hosts, name);
  if (node == nullptr) throw Error("no node of " + conf + " has this host's name, " + name + ": give --node");
  return node->name;
}

// The data that are needed after the process has become MonitorUser.
struct Prepared {
  AgentSettings settings;
  protocol::UserIds user;
  std::string munge_socket;
  std::unique_ptr<protocol::UdpSocket> control;
};

// Reads the configuration and becomes MonitorUser. Returns nothing when a signal ends the wait for a file.
std::optional<Prepared> prepare(const protocol::DaemonOptions& options, const sigset_t& stops) {
  const std::string conf = options.slurm_conf.empty() ? slurm_conf_path() : options.slurm_conf;
  std::optional<protocol::DaemonFiles> files = protocol::read_daemon_files(conf, stops, log_line);
  if (!files) return std::nullopt;
  Prepared prepared;
  AgentSettings& settings = prepared.settings;
  settings.config = std::move(files->config);
  const SlurmHosts& hosts = files->hosts;
  prepared.user = protocol::unprivileged_user(settings.config.monitor_user);
  prepared.munge_socket = hosts.munge_socket;
  settings.node = own_node(hosts, options.name, conf);
  settings.controllers = hosts.controllers;
  protocol::make_directory_for(settings.config.agent_directory, prepared.user);
  // This process may still bind a reserved port, which no user of this node can send from. So a user who floods the
  // monitor with requests to join from other ports does not keep this agent out.
  prepared.control = protocol::reserved_udp_socket();
  protocol::become(prepared.user, settings.config.monitor_user);
  return prepared;
}

// Runs until a signal ends the process. Returns the exit code.
int run_prepared(const Prepared& prepared, const sigset_t& stops) {
  const AgentSettings& settings = prepared.settings;
  protocol::require_safe_munge_socket(prepared.munge_socket);
  protocol::require_safe_directory(settings.config.agent_directory, prepared.user.uid);
  if (protocol::take_lock(settings.config.agent_directory + "/agent." + settings.node + ".lock") < 0) {
    log_line("an agent for node " + settings.node + " is already running");
    return protocol::daemon_runs_already;
  }
  const auto credentials = protocol::munge_credentials(prepared.user.uid, prepared.munge_socket);
  const FileDescriptor stop(signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC));
  if (stop < 0) throw Error("signalfd fails");
  log_line("node " + settings.node + ", " + std::to_string(settings.controllers.size()) + " SlurmctldHost");
  run_agent(settings, *credentials, *prepared.control, log_line, stop);
  log_line("ends");
  return 0;
}

// Moves the process to the background: the caller's process ends, and its child continues.
void detach() {
  const pid_t starter = fork();
  if (starter < 0) throw Error("cannot fork");
  if (starter > 0) _exit(0);
  setsid();
  if (chdir("/") != 0) throw Error("cannot change to directory /");
  to_syslog = true;
  openlog("placement-agent", LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

bool told_to_end(const sigset_t& stops, double seconds) {
  const timespec pause{static_cast<time_t>(seconds), 0};
  return sigtimedwait(&stops, nullptr, &pause) > 0;
}

// Moves the process to the background and prepares it, and waits for MonitorUser, because slurmd may start before that
// user exists. Returns none when the process has to end.
std::optional<Prepared> prepare_in_background(const protocol::DaemonOptions& options, const sigset_t& stops) {
  for (bool waits = false;; waits = true) try {
      std::optional<Prepared> prepared = prepare(options, stops);
      if (prepared && !waits) detach();
      return prepared;
    } catch (const protocol::UnknownUser& error) {
      if (!waits) {
        detach();
        // The lock allows only one process to wait, even if slurmd starts several times.
        const std::string name = options.name.empty() ? "this-host" : options.name;
        if (protocol::take_lock("/run/placement-agent." + name + ".lock") < 0) return std::nullopt;
        log_line(std::string(error.what()) + ": the agent waits for this user");
      }
      if (told_to_end(stops, user_pause_s)) return std::nullopt;
    }
}

// Starts the agent again whenever it dies, for nodes without a service manager that does this. This process runs as
// MonitorUser too. It holds no lock, so that the agent can outlive it.
int keep(const Prepared& prepared, const sigset_t& stops) {
  double pause_s = restart_pause_s;
  for (;;) {
    const double begun_s = protocol::steady_s();
    const pid_t agent = fork();
    if (agent < 0) return protocol::daemon_failed;
    if (agent == 0) return run_prepared(prepared, stops);
    sigset_t waited = stops;
    sigaddset(&waited, SIGCHLD);
    int status = 0;
    while (waitpid(agent, &status, WNOHANG) == 0) {
      siginfo_t signal;
      if (sigwaitinfo(&waited, &signal) > 0 && signal.si_signo != SIGCHLD) {
        kill(agent, SIGTERM);
        waitpid(agent, &status, 0);
        return 0;
      }
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    // The agent ended on purpose, or another agent runs, which then has its own keeper.
    if (code == 0 || code == protocol::daemon_runs_already) return code;
    if (protocol::steady_s() - begun_s > good_run_s) pause_s = restart_pause_s;
    log_line("the agent died; starts again in " + std::to_string(static_cast<int>(pause_s)) + " s");
    if (told_to_end(stops, pause_s)) return 0;
    pause_s = std::min(2 * pause_s, longest_restart_pause_s);
  }
}

int run(const protocol::DaemonOptions& options, const sigset_t& stops) {
  const std::optional<Prepared> prepared =
      options.switched ? prepare_in_background(options, stops) : prepare(options, stops);
  if (!prepared) return 0;
  return options.switched ? keep(*prepared, stops) : run_prepared(*prepared, stops);
}

}  // namespace

int main(int argc, char** argv) { return protocol::run_daemon(help, argc, argv, log_line, run); }
