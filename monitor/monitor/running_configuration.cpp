// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/running_configuration.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "common/topology/slurm_hosts.hpp"
#include "common/topology/topology_yaml.hpp"
#include "common/util/error.hpp"
#include "monitor/monitor/node_switches.hpp"
#include "monitor/protocol/daemon.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::monitor {

namespace {

// The settings that the monitor, or an agent to which it sends them, uses from its start to its end.
constexpr std::array<std::string_view, 19> until_the_end = {
    "SnapshotFile",       "DecisionFile",    "StateDirectory", "MonitorUser",     "MonitorPort",
    "AgentPort",          "NodeProcessors",  "ProbeInterface", "ProbeLinkMbps",   "ProbeBytesPerMinute",
    "ProbeLatencyS",      "ProbeBandwidthS", "MetricsFile",    "OutageEstimator", "ProbeAllPairsNodes",
    "OutageHorizonHours", "HistoryDays",     "AgentDirectory", "MpiPairHours"};

// The settings that the monitor applies at once. Values are copied: a removed key has an empty text, which no setting
// accepts.
struct SettingAtOnce {
  std::string_view name;
  void (*take)(Config& to, const Config& from);
};
constexpr SettingAtOnce at_once[] = {
    {"TorusFile", [](Config& to, const Config& from) { to.torus_file = from.torus_file; }},
    {"OutageFile", [](Config& to, const Config& from) { to.outage_file = from.outage_file; }},
    {"SnapshotMaxAgeS", [](Config& to, const Config& from) { to.snapshot_max_age_s = from.snapshot_max_age_s; }},
    {"MonitorReaders", [](Config& to, const Config& from) { to.monitor_readers = from.monitor_readers; }},
};

constexpr double try_again_s = 5;  // time until an unreadable file that has not changed is read again

std::string setting(const ConfigKey& key, const Config& config) {
  return std::string(key.name) + "=" + key.show(config);
}

}  // namespace

RunningConfiguration::RunningConfiguration(std::string slurm_conf, Config started, std::span<const std::string> nodes)
    : slurm_conf_(std::move(slurm_conf)),
      config_(std::move(started)),
      switches_(node_switches({}, nodes.size())),
      seen_(identities()) {
  for (const std::string& name : nodes) nodes_.emplace_back().name = name;
  read_again();
}

std::vector<FileIdentity> RunningConfiguration::identities() const {
  return {identity_of(placement_conf_path(slurm_conf_)), identity_of(slurm_conf_),
          identity_of(topology_file(slurm_conf_))};
}

bool RunningConfiguration::read_switches() {
  try {
    std::string warning;
    NodeSwitches found = read_node_switches(slurm_conf_, nodes_, &warning);
    if (!warning.empty() && !nodes_.empty()) notes_.push_back(std::move(warning));
    const bool changed = found != switches_;
    switches_ = std::move(found);
    return changed;
  } catch (const Error& error) {
    unreadable_ = true;
    notes_.push_back(std::string(error.what()) + "; " +
                     (switches_.leaves > 1 ? "the switches stay unchanged" : "all nodes count as on one switch") +
                     " until the file can be read");
    return false;
  }
}

// Reads the files. Returns a line for each setting that is taken, and fills the notes.
std::vector<std::string> RunningConfiguration::read_again() {
  std::vector<std::string> taken;
  notes_.clear();
  unreadable_ = false;
  try {
    const Config now = protocol::read_daemon_config(slurm_conf_);
    for (const ConfigKey& key : config_keys()) {
      const std::string value = key.show(now);
      if (value == key.show(config_)) continue;
      for (const SettingAtOnce& each : at_once)
        if (key.name == each.name) {
          each.take(config_, now);
          taken.push_back(value.empty() ? std::string(key.name) + " is no longer set"
                                        : setting(key, now) + " is now in force");
        }
      if (std::ranges::count(until_the_end, key.name) != 0)
        notes_.push_back(setting(key, now) + " is not in force here (" + setting(key, config_) + " is) " +
                         "until placement-monitor restarts");
    }
  } catch (const Error& error) {
    unreadable_ = true;
    notes_.push_back(std::string(error.what()) + "; the earlier settings stay in force");
  }
  try {
    SlurmHosts hosts = read_slurm_hosts(slurm_conf_);
    private_nodes_ = hosts.private_nodes;
    std::unordered_map<std::string, std::string> topology_of;
    for (SlurmHost& node : hosts.nodes) topology_of.emplace(std::move(node.name), std::move(node.topology));
    std::size_t known = 0;
    for (NodeShape& node : nodes_) {
      const auto found = topology_of.find(node.name);
      if (found == topology_of.end()) continue;
      node.topology = found->second;
      ++known;
    }
    if (known < topology_of.size())
      notes_.push_back("the nodes of " + slurm_conf_ +
                       " have changed: reports of new nodes are accepted once slurmctld has these nodes");
  } catch (const Error& error) {
    unreadable_ = true;
    notes_.push_back(error.what());
  }
  if (read_switches()) {
    const std::string file = topology_file(slurm_conf_);
    taken.push_back(file.empty() ? slurm_conf_ + " has no topology.conf next to it: all nodes count as on one switch"
                                 : file + " has changed, and its switches are in force");
  }
  return taken;
}

std::vector<std::string> RunningConfiguration::refresh() {
  std::vector<FileIdentity> found = identities();
  const double now = protocol::steady_s();
  if (found == seen_ && (!unreadable_ || now < next_try_s_)) return {};
  seen_ = std::move(found);
  next_try_s_ = now + try_again_s;
  const std::vector<std::string> before = notes_;
  std::vector<std::string> lines = read_again();
  for (const std::string& note : notes_)
    if (std::ranges::count(before, note) == 0) lines.push_back(note);
  return lines;
}

}  // namespace placement::monitor
