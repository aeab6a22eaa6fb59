// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/util/decision_outcome.h"
#include "common/util/error.hpp"

namespace placement {

// The names of placement_mode.
inline constexpr std::string_view mode_names[] = {"off", "observe", "advise", "enforce"};

// The scope of TREEMATCH for jobs that do not give one [TM §6].
enum class TreeScope { whole, subtree };

// Whether policies obey Weight= of the nodes in slurm.conf.
enum class NodeWeights { respect, ignore };

// How placement-monitor estimates outage probabilities.
enum class OutageEstimator {
  // Beta-Bernoulli: from the node's outages and hours of observation, with less weight for old ones. The mean of the
  // prior is the rate of all nodes. Until a node of the cluster has an outage, this rate applies to each node.
  beta,
  moving_average,           // outages per hour of observation in the last 30 days
  weighted_moving_average,  // outages per hour of observation, old ones counting less
  // Both averages are those of [TOFA §3]: a node without an outage has probability 0.
};

// The file and line of each key, for messages. All objects compare equal, so a comparison of two Config ignores them.
struct ConfigPlaces {
  std::string file;
  std::vector<std::pair<std::string_view, std::int64_t>> line_of_key;

  bool operator==(const ConfigPlaces&) const { return true; }
};

// The values of placement.conf, with their defaults. The table in config_keys.cpp documents each key.
struct Config {
  placement_mode mode = PLACEMENT_ENFORCE;
  // (partition, mode): the mode of a partition, in place of `mode`; not used if `mode` is off
  std::vector<std::pair<std::string, placement_mode>> partition_modes;
  std::int64_t decision_time_ms = 50;
  std::int64_t max_matrix_ranks = 131072;
  std::int64_t max_matrix_bytes = 1 << 20;  // size of the packed form, which travels with the job
  std::int64_t node_level_tasks = 4096;     // jobs with more tasks: slurmctld places groups of ranks
  NodeWeights node_weights = NodeWeights::respect;
  std::string treematch_topology_file;  // empty: Slurm's own topology
  TreeScope treematch_scope = TreeScope::subtree;
  std::int64_t treematch_levels_up = 0;                                 // k of TM-Isub+k [TM §6]
  std::vector<std::int64_t> level_distances;                            // from the leaves up; empty: hops
  std::int64_t cores_per_cache = 0;                                     // cores that share an L3 cache; 0: not known
  std::vector<std::pair<std::string, std::string>> partition_policies;  // (partition, policy) for jobs without one
  std::int64_t max_wait_s = 300;     // the longest wait= of policy NLA in seconds; 0: no job waits
  std::int64_t decision_share = 20;  // per cent of slurmctld's time that decisions may take
  std::int64_t decision_wait = 10;   // scheduling cycles for which a decision may be put off; 0: none
  std::string nla_weights;           // KEY=VALUE,.. for policy NLA; empty: the weights of [NLA §2, §3, §6]
  std::string torus_file;            // coordinates of nodes [TOFA §2]; empty: none
  std::string outage_file;           // the site's own outage probabilities; empty: those of the snapshot

  std::string snapshot_file = "/run/slurm-placement/snapshot";
  std::int64_t snapshot_max_age_s = 60;
  std::string monitor_user = "placement";
  std::string monitor_readers;  // the group that may see all users' decisions; empty: none
  std::string state_directory = "/var/lib/slurm-placement";
  std::int64_t monitor_port = 6828;
  std::int64_t agent_port = 6829;
  std::string agent_directory = "/run/slurm-placement";
  std::vector<std::string>
      probe_interfaces;              // probes use the first that exists on a node; empty: all hardware interfaces
  std::int64_t probe_link_Mbps = 0;  // 0: the rate that the kernel reports
  std::int64_t probe_bytes_per_minute = 32 << 20;
  bool allowed_cpus_only = false;
  std::int64_t probe_latency_s = 60;
  std::int64_t probe_bandwidth_s = 300;
  std::int64_t probe_all_pairs_nodes = 128;  // on a larger cluster not all pairs are probed
  std::int64_t mpi_pair_hours = 26;

  OutageEstimator outage_estimator = OutageEstimator::beta;
  std::int64_t outage_horizon_h = 24;
  std::int64_t history_days = 400;
  std::string metrics_file;  // empty: none
  bool record_stock_choice = true;
  std::string decision_file = "/dev/shm/slurm-placement-decisions";

  bool mpirun_by_policy = false;
  bool profile_jobs = false;
  std::string profile_exclude;  // names of programs, with commas between; * and ? as in a shell

  ConfigPlaces places;

  bool operator==(const Config&) const = default;
};

// A key of placement.conf, as the parser, `placectl check-config` and the manual page use it.
struct ConfigKey {
  std::string_view name;
  std::string_view values;                       // the allowed values: "off, observe, advise or enforce"
  std::string_view help;                         // the documentation, in sentences
  bool (*set)(Config&, std::string_view value);  // returns false when the key does not take the value
  std::string (*show)(const Config&);            // returns the value in the form of the file
};

// Returns all keys of placement.conf.
std::span<const ConfigKey> config_keys();

// Parses `text` with one `Key=value` per line; '#' starts a comment. The case of keys does not matter. `name` is the
// name of the file in errors. Throws Error "name:line: .." for an unknown or repeated key, a value that the key does
// not allow, and equal MonitorPort and AgentPort.
Config parse_config(std::string_view text, const std::string& name);

// Throws Error "placement.conf:3: Key=value: message", without the line when the key has its default, and without the
// file when `config` was not read from a file.
[[noreturn]] void fail_at_key(const Config& config, std::string_view key, const std::string& value,
                              const std::string& message);

// Throws Error when the file `path`, which is the value of `key`, cannot be read. The error names the key.
void check_named_file(const Config& config, std::string_view key, const std::string& path);

// The behaviour of read_config() when the file does not exist: it throws Error, or it returns the defaults.
enum class MissingFile { error, defaults };

// Reads a placement.conf. Throws Error when the file cannot be read, or as parse_config() does.
Config read_config(const std::string& path, MissingFile missing = MissingFile::error);

// Returns the path of the placement.conf next to `slurm_conf`; empty: next to slurm_conf_path().
std::string placement_conf_path(std::string_view slurm_conf = {});

// Reads a placement.conf as read_config() above does, but skips wrong lines and appends their mistakes, up to 100, to
// `mistakes`. A key with a wrong value has its default. Throws Error when the file cannot be read.
Config read_config(const std::string& path, MissingFile missing, std::vector<std::string>& mistakes);

// Bytes of one packet train. An agent may use half of its budget for probes (bytes per minute) at once.
inline constexpr std::int64_t probe_train_bytes = 160 * 1400;

// The share of a link's rate that an agent may use for probes, over a minute.
inline constexpr std::int64_t probe_link_percent = 1;

// Returns a warning if the budget for probes is too small for a packet train, so that bandwidth would never be
// measured; empty if it suffices or is 0 (no probes). ProbeLinkMbps limits the budget if it is set.
std::string probe_budget_warning(const Config& config);

}  // namespace placement
