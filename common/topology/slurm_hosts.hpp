// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace placement {

// Reads the hosts and users of a slurm.conf, for the daemons that communicate between these hosts.

// A controller or a node.
struct SlurmHost {
  std::string name;           // the name of SlurmctldHost or NodeName
  std::string hostname;       // NodeHostname; without one, the name
  std::string address;        // an IP address, or a name to resolve
  std::string topology = {};  // NodeShape::topology of a node
};

// The hosts of a slurm.conf.
struct SlurmHosts {
  std::vector<SlurmHost> controllers;  // in the order of SlurmctldHost; the first is the primary
  std::vector<SlurmHost> nodes;
  std::string munge_socket;    // socket= of AuthInfo; empty: munge's own default
  bool private_nodes = false;  // whether PrivateData= has nodes, so that users may not see the state of nodes
};

// Reads a slurm.conf and the files that it includes; the nodes are those of read_slurm_nodes(), in its order. Throws
// Error, with file and line, when a line is wrong, and when there is no controller. There are no nodes if all of them
// are dynamic ones, which only slurmctld knows.
SlurmHosts read_slurm_hosts(const std::string& slurm_conf_path);

// Returns the names of the nodes.
std::vector<std::string> node_names(const SlurmHosts& hosts);

// Returns the node whose name is `hostname` or its part before the first dot. If there is none, returns the node whose
// NodeHostname is one of the two, or null. The node belongs to `hosts`.
const SlurmHost* node_of_host(const SlurmHosts& hosts, std::string_view hostname);

// Returns a text that explains why a file of the controllers is missing on this host: "this host is not a controller of
// /etc/slurm/slurm.conf, the file is on ctl1 and ctl2". Returns an empty text on a controller, and when the slurm.conf
// cannot be read.
std::string controllers_elsewhere(const std::string& slurm_conf_path);

// Returns the users who may own the files that slurmctld writes: root and the slurm.conf's SlurmUser. Returns root
// alone when the slurm.conf cannot be read, or names no user that exists.
std::vector<uid_t> slurmctld_users(const std::string& slurm_conf_path);

// Returns whether PrivateData= of the slurm.conf has jobs, so that users may not see other users' jobs. Throws Error
// when the slurm.conf cannot be read.
bool has_private_jobs(const std::string& slurm_conf_path);

// Returns the path of the slurm.conf that programs on this host read. It is the value of SLURM_CONF, else the copy that
// slurmd fetched (/run/slurm/conf/slurm.conf) on a host without configuration files, else /etc/slurm/slurm.conf.
std::string slurm_conf_path();
// Returns the path of the gres.conf next to slurm_conf_path(). The file may not exist.
std::string gres_conf_path();

}  // namespace placement
