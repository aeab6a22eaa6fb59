// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/topology/switch_tree.hpp"
#include "common/util/file_descriptor.hpp"
#include "monitor/monitor/pair_model.hpp"

namespace placement::monitor {

// The configuration by which a running placement-monitor works. placement.conf, slurm.conf and the file of the switches
// may change while it runs. Changes of the switches, and of the settings for queries (TorusFile, OutageFile,
// SnapshotMaxAgeS, MonitorReaders), take effect at once. All other settings stay as they were at the start, and a note
// names each one that has changed. While the file of the switches cannot be read, its last readable version is used.
// Until the file was readable once, all nodes are on one switch.
class RunningConfiguration {
 public:
  // `started` is the configuration of the start. `nodes` are the names of the nodes of slurm.conf then.
  RunningConfiguration(std::string slurm_conf, Config started, std::span<const std::string> nodes);

  // Looks at the files, and reads them again if one has changed, or 5 s after one could not be read. A file that cannot
  // be read, or that another user could write, changes nothing but the notes. Returns log lines about changes.
  std::vector<std::string> refresh();

  // Returns the settings in force here.
  const Config& config() const { return config_; }
  // Returns the switches by which the network is modelled.
  const NodeSwitches& switches() const { return switches_; }
  // Returns the nodes of the start.
  std::span<const NodeShape> nodes() const { return nodes_; }
  // Returns whether PrivateData of slurm.conf hides the state of nodes from users.
  bool private_nodes() const { return private_nodes_; }
  // Returns messages about settings in the files that are not in force here; none if all are in force.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<FileIdentity> identities() const;
  std::vector<std::string> read_again();
  bool read_switches();

  std::string slurm_conf_;
  Config config_;
  std::vector<NodeShape> nodes_;  // name, and topology by the last slurm.conf that could be read
  NodeSwitches switches_;
  bool private_nodes_ = true;  // until slurm.conf was read
  bool unreadable_ = false;    // whether a file could not be read
  double next_try_s_ = 0;      // when an unreadable file is read again, by the clock that never steps
  std::vector<FileIdentity> seen_;
  std::vector<std::string> notes_;
};

}  // namespace placement::monitor
