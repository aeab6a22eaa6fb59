// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/daemon.hpp"

#include <getopt.h>

#include <array>
#include <cstdio>
#include <vector>

#include "common/util/error.hpp"
#include "config.h"
#include "monitor/protocol/safe_start.hpp"

namespace placement::protocol {

// Reads the command line into `options`. Returns the exit code if the program has to end, or -1 if it has to go on.
static int read_daemon_options(const DaemonHelp& help, int argc, char** argv, DaemonOptions& options) {
  constexpr int switch_code = 1000;
  const option known[] = {{"slurm-conf", required_argument, nullptr, 'f'},
                          {help.name_option, required_argument, nullptr, help.name_letter},
                          {help.switch_option, no_argument, nullptr, switch_code},
                          {"help", no_argument, nullptr, 'h'},
                          {"version", no_argument, nullptr, 'V'},
                          {nullptr, 0, nullptr, 0}};
  const char letters[] = {'f', ':', help.name_letter, ':', 'h', 'V', '\0'};
  for (int code; (code = getopt_long(argc, argv, letters, known, nullptr)) != -1;) {
    if (code == 'f') {
      options.slurm_conf = optarg;
    } else if (code == help.name_letter) {
      options.name = optarg;
    } else if (code == switch_code) {
      options.switched = true;
    } else if (code == 'h') {
      std::fputs(help.text, stdout);
      return 0;
    } else if (code == 'V') {
      std::printf("%s %s\n", help.program, PACKAGE_VERSION);
      return 0;
    } else {
      std::fprintf(stderr, "%s --help prints the options\n", help.program);
      return daemon_bad_usage;
    }
  }
  if (optind < argc) {
    std::fprintf(stderr, "%s: '%s' is not an option; --help prints the options\n", help.program, argv[optind]);
    return daemon_bad_usage;
  }
  return -1;
}

constexpr std::array<std::string_view, 5> agent_keys = {"AgentPort", "NodeProcessors", "ProbeInterface",
                                                        "ProbeLinkMbps", "ProbeBytesPerMinute"};

static bool is_agents(std::string_view key) { return std::ranges::count(agent_keys, key) != 0; }

int run_daemon(const DaemonHelp& help, int argc, char** argv, const std::function<void(const std::string&)>& log,
               const std::function<int(const DaemonOptions& options, const sigset_t& stops)>& run) {
  DaemonOptions options;
  if (const int code = read_daemon_options(help, argc, argv, options); code >= 0) return code;
  sigset_t stops, blocked;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  blocked = stops;
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  signal(SIGPIPE, SIG_IGN);
  try {
    return run(options, stops);
  } catch (const std::exception& error) {
    log(error.what());
    return daemon_failed;
  }
}

constexpr int files_again_s = 10;

// Returns the path of placement.conf after a check of both files.
static std::string safe_placement_conf(const std::string& slurm_conf) {
  const std::vector<uid_t> owners = configuration_owners();
  std::string own_conf = placement_conf_path(slurm_conf);
  require_safe_file(slurm_conf, owners);
  require_safe_file(own_conf, owners);
  return own_conf;
}

Config read_daemon_config(const std::string& slurm_conf) {
  return read_config(safe_placement_conf(slurm_conf), MissingFile::defaults);
}

std::optional<DaemonFiles> read_daemon_files(const std::string& slurm_conf, const sigset_t& stops,
                                             const std::function<void(const std::string&)>& log) {
  std::string logged;
  for (;;) {
    const std::string own_conf = safe_placement_conf(slurm_conf);
    try {
      std::vector<std::string> mistakes;
      DaemonFiles files;
      files.config = read_config(own_conf, MissingFile::defaults, mistakes);
      files.hosts = read_slurm_hosts(slurm_conf);
      for (const std::string& mistake : mistakes) log(mistake + "; the key has its default until the line is fixed");
      return files;
    } catch (const Error& error) {
      if (logged != error.what()) log(std::string(error.what()) + "; reads the file again every 10 s");
      logged = error.what();
    }
    const timespec pause{files_again_s, 0};
    if (sigtimedwait(&stops, nullptr, &pause) > 0) return std::nullopt;
  }
}

std::string agent_settings_text(const Config& config) {
  std::string text;
  for (const ConfigKey& key : config_keys())
    if (const std::string value = key.show(config); is_agents(key.name) && !value.empty())
      text += std::string(key.name) + "=" + value + "\n";
  return text;
}

void take_agent_settings(Config& config, std::string_view text) {
  const std::string name = "the monitor's settings";
  // parse_config() checks that the ports in the text do not conflict, so the monitor's port is added from this host.
  const Config received =
      parse_config("MonitorPort=" + std::to_string(config.monitor_port) + "\n" + std::string(text), name);
  for (const auto& [key, line] : received.places.line_of_key)
    if (!is_agents(key) && line > 1)
      throw Error(name + ": " + std::string(key) + " is not a setting that a monitor sends");
  config.agent_port = received.agent_port;
  config.allowed_cpus_only = received.allowed_cpus_only;
  config.probe_interfaces = received.probe_interfaces;
  config.probe_link_Mbps = received.probe_link_Mbps;
  config.probe_bytes_per_minute = received.probe_bytes_per_minute;
}

}  // namespace placement::protocol
