// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/daemon.hpp"

#include <getopt.h>

#include <cstdio>
#include <vector>

#include "config.h"
#include "monitor/protocol/safe_start.hpp"

namespace placement::protocol {

int read_daemon_options(const DaemonHelp& help, int argc, char** argv, DaemonOptions& options) {
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
      std::fprintf(stderr, "%s --help tells the options\n", help.program);
      return daemon_bad_usage;
    }
  }
  if (optind < argc) {
    std::fprintf(stderr, "%s: '%s' is no option; --help tells them\n", help.program, argv[optind]);
    return daemon_bad_usage;
  }
  return -1;
}

sigset_t stop_signals() {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  return stops;
}

void block_signals(const sigset_t& signals) {
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Config read_daemon_config(const std::string& slurm_conf) {
  const std::string own_conf = placement_conf_path(slurm_conf);
  const std::vector<uid_t> owners = configuration_owners();
  require_safe_file(slurm_conf, owners);
  require_safe_file(own_conf, owners);
  return read_config(own_conf, MissingFile::defaults);
}

}  // namespace placement::protocol
