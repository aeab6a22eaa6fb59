// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Who is who in a slurm.conf, for the daemons that talk between its hosts.

struct SlurmHost {
  std::string name;      // of the SlurmctldHost or NodeName
  std::string hostname;  // NodeHostname; the name without one
  std::string address;   // what to resolve: an address or a name
};

struct SlurmHosts {
  std::vector<SlurmHost> controllers;  // SlurmctldHost in their order: the first is the primary
  std::vector<SlurmHost> nodes;
  std::string munge_socket;  // of AuthInfo=; empty: munge's own default
};

// Reads a slurm.conf and what it includes. Throws Error with file and line; without a controller or a
// node too.
SlurmHosts read_slurm_hosts(const std::string& slurm_conf_path);

// The node whose name, else whose NodeHostname, is `hostname` or its part before the first dot; null: none.
const SlurmHost* node_of_host(const SlurmHosts& hosts, std::string_view hostname);

// Where the files of the controllers are, for a message that one of them is missing on this host: "this host is no
// controller of /etc/slurm/slurm.conf, the file is on ctl1 and ctl2". Empty on a controller, and when the slurm.conf
// cannot be read.
std::string controllers_elsewhere(const std::string& slurm_conf_path);

// Who may own what slurmctld writes: root and the slurm.conf's SlurmUser. Root alone, when the file cannot be read.
std::vector<uid_t> slurmctld_users(const std::string& slurm_conf_path);

// Whether PrivateData= of the slurm.conf has jobs: users may not see other users' jobs. Throws Error when it cannot be
// read.
bool has_private_jobs(const std::string& slurm_conf_path);

// The same; false when it cannot be read.
bool jobs_are_private(const std::string& slurm_conf_path);

// The slurm.conf that a program of this host reads: SLURM_CONF, else the copy of a slurmd without
// configuration files of its own, else /etc/slurm/slurm.conf.
std::string slurm_conf_path();

}  // namespace placement
