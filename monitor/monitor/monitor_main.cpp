// SPDX-License-Identifier: GPL-2.0-or-later
// placement-monitor: reads its configuration, becomes MonitorUser and runs the monitor's loop.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "monitor/monitor/monitor.hpp"
#include "monitor/protocol/daemon.hpp"
#include "monitor/protocol/safe_start.hpp"
#include "monitor/protocol/sockets.hpp"
#include "monitor/monitor/query_service.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

constexpr char usage_text[] =
    "usage: placement-monitor [OPTION]...\n"
    "Receives the reports of the agents of all nodes, determines which nodes are up and how likely each is to\n"
    "fail, grants leases for measurements between nodes, and publishes the results in the snapshot that\n"
    "slurmctld reads. Run one on each SlurmctldHost.\n"
    "\n"
    "  -f, --slurm-conf FILE  slurm.conf [$SLURM_CONF, /run/slurm/conf/slurm.conf or /etc/slurm/slurm.conf];\n"
    "                         placement.conf and the topology.yaml or\n"
    "                         topology.conf are read from its directory\n"
    "  -H, --host NAME        the SlurmctldHost entry of this host [the entry with this host's name]\n"
    "      --no-slurm         do not query slurmctld for the states of nodes\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "exit codes: 0 ended by SIGTERM or SIGINT, 1 failure, 2 wrong usage, 3 a monitor with this state is already running\n"
    "see also: placement-monitor(8), placement.conf(5), placectl(1)\n";

constexpr protocol::DaemonHelp help = {"placement-monitor", usage_text, "host", 'H', "no-slurm"};

void log_line(const std::string& text) { std::fprintf(stderr, "placement-monitor: %s\n", text.c_str()); }

std::int32_t own_order(const SlurmHosts& hosts, const std::string& wanted, const std::string& conf) {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const std::string host = wanted.empty() ? name : wanted;
  for (std::size_t i = 0; i < hosts.controllers.size(); ++i)
    if (hosts.controllers[i].name == host || hosts.controllers[i].name == host.substr(0, host.find('.')))
      return static_cast<std::int32_t>(i);
  throw Error((wanted.empty() ? "this host, " + host + ", is" : "--host " + wanted + " is") +
              " not a SlurmctldHost of " + conf + (wanted.empty() ? ": give --host" : ""));
}

// Returns a socket that listens for queries on the TCP port of the monitor, or none if the port is in use.
FileDescriptor listen_for_queries(const MonitorSettings& settings) {
  try {
    return FileDescriptor(protocol::listen_tcp(static_cast<std::uint16_t>(settings.config.monitor_port)));
  } catch (const Error& error) {
    log_line(std::string(error.what()) + ": placectl and srun on other hosts get no answers");
    return FileDescriptor();
  }
}

// Runs the monitor and the process that answers queries at `listener`. Returns the result of run_monitor().
std::vector<SlurmHost> run_with_nodes(const MonitorSettings& settings, protocol::Credentials& credentials,
                                      protocol::Credentials& readers, int listener, int stop) {
  const RunningConfiguration configuration(settings.slurm_conf, settings.config, node_names(settings.hosts));
  QueryService service(listener, readers, query_answers(settings.slurm_conf, configuration, settings.decision_owners),
                       log_line);
  return run_monitor(settings, configuration, credentials, log_line, stop, [&service] { service.tend(); });
}

// Runs until a signal ends the process. Returns the exit code.
int run(const protocol::DaemonOptions& options, const sigset_t& stops) {
  MonitorSettings settings;
  settings.slurm_conf = options.slurm_conf.empty() ? slurm_conf_path() : options.slurm_conf;
  settings.ask_slurm = !options.switched;
  std::optional<protocol::DaemonFiles> files = protocol::read_daemon_files(settings.slurm_conf, stops, log_line);
  if (!files) return 0;
  settings.config = std::move(files->config);
  settings.hosts = std::move(files->hosts);
  settings.order = own_order(settings.hosts, options.name, settings.slurm_conf);
  const protocol::UserIds user = protocol::unprivileged_user(settings.config.monitor_user);
  protocol::require_safe_munge_socket(settings.hosts.munge_socket);
  settings.decision_owners = slurmctld_users(settings.slurm_conf);
  const std::string run_directory = std::filesystem::path(settings.config.snapshot_file).parent_path();
  protocol::make_directory_for(settings.config.state_directory, user);
  protocol::make_directory_for(run_directory, user);
  protocol::become(user, settings.config.monitor_user);
  protocol::require_safe_directory(settings.config.state_directory, user.uid);
  protocol::require_safe_directory(run_directory, user.uid);
  if (protocol::take_lock(settings.config.state_directory + "/monitor.lock") < 0) {
    log_line("a monitor with " + settings.config.state_directory + " is already running");
    return protocol::daemon_runs_already;
  }
  const auto credentials = protocol::munge_credentials(user.uid, settings.hosts.munge_socket);
  const FileDescriptor stop(signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC));
  if (stop < 0) throw Error("signalfd fails");
  const auto readers = protocol::munge_credentials(user.uid, settings.hosts.munge_socket, protocol::Makers::anybody);
  if (settings.hosts.nodes.empty()) {
    if (!settings.ask_slurm) throw Error(settings.slurm_conf + " has no NodeName line: --no-slurm cannot be used");
    log_line(settings.slurm_conf + " has no NodeName line: waits until slurmctld has nodes");
  }
  const FileDescriptor listener = listen_for_queries(settings);
  for (;;) {
    const std::vector<SlurmHost> joined = run_with_nodes(settings, *credentials, *readers, listener, stop);
    if (joined.empty()) return 0;
    settings.hosts.nodes.insert(settings.hosts.nodes.end(), joined.begin(), joined.end());
  }
}

}  // namespace

int main(int argc, char** argv) { return protocol::run_daemon(help, argc, argv, log_line, run); }
