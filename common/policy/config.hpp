// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement {

// What happens to jobs that ask for a policy; all others run as stock in every mode.
enum class Mode {
  off,      // nothing is decided
  observe,  // decide and log, change nothing
  advise,   // also record with the job
  enforce,  // apply
};

// Where TREEMATCH looks for leaves when the user does not say [TM §6].
enum class TreeScope { whole, subtree };

// Whether Slurm's Weight= of nodes binds the policies.
enum class NodeWeights { respect, ignore };

// Where the keys stand that a file gives, for messages; no part of what is set.
struct ConfigPlaces {
  std::string file;
  std::vector<std::pair<std::string_view, std::int64_t>> line_of_key;

  bool operator==(const ConfigPlaces&) const { return true; }
};

// placement.conf. The comments in the table of config.cpp are the documentation of the keys.
struct Config {
  Mode mode = Mode::enforce;
  std::int64_t decision_time_ms = 50;
  std::int64_t max_matrix_ranks = 131072;
  std::int64_t max_matrix_bytes = 1 << 20;   // as shipped, that is compressed
  std::int64_t node_level_tasks = 4096;      // more tasks than this: slurmctld places groups of ranks
  NodeWeights node_weights = NodeWeights::respect;
  std::string treematch_topology_file;       // empty: Slurm's own topology
  TreeScope treematch_scope = TreeScope::subtree;
  std::int64_t treematch_levels_up = 0;      // k of TM-Isub+k
  std::vector<std::int64_t> level_distances; // from the leaves up; empty: hops
  std::vector<std::pair<std::string, std::string>> partition_policies;  // of jobs that name none: partition, word
  std::int64_t max_wait_s = 300;             // the longest wait= that is granted; 0: none
  std::int64_t decision_wait = 10;           // scheduling cycles to which a decision may be put off for want of time; 0: none
  std::string nla_weights;                   // KEY=VALUE,.. of policy NLA; empty: the paper's
  std::string torus_file;                    // coordinates of nodes [TOFA §2]; empty: none
  std::string outage_file;                   // outage probabilities of the site's own; empty: the snapshot's

  std::string snapshot_file = "/run/slurm-placement/snapshot";
  std::int64_t snapshot_max_age_s = 60;
  std::string monitor_user = "placement";
  std::string monitor_readers;  // a group that sees all users' decisions; empty: none
  std::string state_directory = "/var/lib/slurm-placement";
  std::int64_t monitor_port = 6828;
  std::int64_t agent_port = 6829;
  std::string agent_directory = "/run/slurm-placement";
  std::vector<std::string> probe_interfaces;  // the first carries the probes; empty: all that have hardware
  std::int64_t probe_link_Mbps = 0;           // 0: what the kernel says
  std::int64_t probe_link_percent = 1;
  std::int64_t probe_bytes_per_minute = 32 << 20;
  bool allowed_cpus_only = false;
  bool probe_busy_nodes = false;
  std::int64_t probe_latency_s = 60;
  std::int64_t probe_bandwidth_s = 300;
  std::int64_t probe_all_pairs_nodes = 128;  // with more nodes pairs are sampled

  std::string outage_estimator = "beta";
  std::int64_t outage_horizon_h = 24;
  std::int64_t history_days = 400;
  std::int64_t history_MiB = 256;
  std::string metrics_file;                  // empty: none
  bool record_stock_choice = true;
  std::string decision_file = "/dev/shm/slurm-placement-decisions";

  ConfigPlaces places;

  bool operator==(const Config&) const = default;
};

// A key of placement.conf: what the parser, `placectl check-config` and the manual page know of it.
struct ConfigKey {
  std::string_view name;
  std::string_view values;                      // what would be right: "off, observe, advise or enforce"
  std::string_view help;                        // sentences
  bool (*set)(Config&, std::string_view value); // false: the value is not one of `values`
  std::string (*show)(const Config&);           // the value in the form that the file takes
};

std::span<const ConfigKey> config_keys();

// Reads `Key=value` lines; upper and lower case of keys are the same, '#' starts a comment. Throws
// Error "name:line: .." on an unknown key, a key given twice, or a value that is not allowed.
Config parse_config(std::string_view text, const std::string& name);

// "placement.conf:3: Key=value: message", without file and line where the key has its default. Throws it as Error.
[[noreturn]] void fail_at_key(const Config& config, std::string_view key, const std::string& value, const std::string& message);

// Throws Error that names the key when the file that it names cannot be opened.
void check_named_file(const Config& config, std::string_view key, const std::string& path);

enum class MissingFile { error, defaults };

// The same from a file. Throws Error also when it cannot be read.
Config read_config(const std::string& path, MissingFile missing = MissingFile::error);

// The placement.conf beside a slurm.conf; without one given, beside that of the environment
// (SLURM_CONF) or beside /etc/slurm/slurm.conf.
std::string placement_conf_path(std::string_view slurm_conf = {});

std::string to_string(Mode mode);

}  // namespace placement
