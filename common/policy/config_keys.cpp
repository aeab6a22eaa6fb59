// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of placement.conf: the values that each takes, what it means, and how it is read and shown.
#include <algorithm>
#include <optional>

#include "common/policy/config.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::string_view mode_names[] = {"off", "observe", "advise", "enforce"};
constexpr std::string_view weight_names[] = {"respect", "ignore"};
constexpr std::string_view estimator_names[] = {"beta", "moving-average", "weighted-moving-average"};
constexpr std::string_view scope_names[] = {"whole", "subtree"};
constexpr std::string_view yes_no[] = {"no", "yes"};
constexpr std::string_view processors[] = {"all", "allowed"};  // allowed_cpus_only is false, or true

template <typename Enum>
bool set_word(Enum& target, std::span<const std::string_view> names, std::string_view value) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (equal_any_case(value, names[i])) {
      target = static_cast<Enum>(i);
      return true;
    }
  return false;
}

bool set_integer(std::int64_t& target, std::int64_t least, std::int64_t most, std::string_view value) {
  const std::optional<std::int64_t> number = parse_integer(value);
  if (!number || *number < least || *number > most) return false;
  target = *number;
  return true;
}

bool set_distances(Config& config, std::string_view value) {
  std::vector<std::int64_t> distances;
  for (const std::string_view part : split_at(value, ',')) {
    std::int64_t distance = 0;
    const std::int64_t least = distances.empty() ? 0 : distances.back();
    if (!set_integer(distance, least, INT32_MAX, trimmed(part))) return false;
    distances.push_back(distance);
  }
  config.level_distances = std::move(distances);
  return true;
}

// Returns the texts of the items, with `between` between them.
template <typename Item, typename Text>
std::string joined(const std::vector<Item>& items, const char* between, Text text_of) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : between) + text_of(item);
  return text;
}

std::string show_distances(const Config& config) {
  return joined(config.level_distances, ",", [](std::int64_t distance) { return std::to_string(distance); });
}

// Calls take(partition, text) for each word PARTITION:TEXT. Returns false if a word has another form, a partition is
// named twice, take() returns false, or there are no words.
template <typename Take>
bool for_each_partition(std::string_view value, Take take) {
  std::vector<std::string> known;
  for (const std::string_view word : split_words(value)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == word.size()) return false;
    std::string partition(word.substr(0, colon));
    if (std::ranges::find(known, partition) != known.end() || !take(partition, word.substr(colon + 1))) return false;
    known.push_back(std::move(partition));
  }
  return !known.empty();
}

bool set_partition_policies(Config& config, std::string_view value) {
  std::vector<std::pair<std::string, std::string>> policies;
  const auto take = [&](const std::string& partition, std::string_view policy) {
    policies.emplace_back(partition, policy);
    return true;
  };
  if (!for_each_partition(value, take)) return false;
  config.partition_policies = std::move(policies);
  return true;
}

bool set_partition_modes(Config& config, std::string_view value) {
  std::vector<std::pair<std::string, Mode>> modes;
  const auto take = [&](const std::string& partition, std::string_view word) {
    return set_word(modes.emplace_back(partition, Mode::off).second, mode_names, word);
  };
  if (!for_each_partition(value, take)) return false;
  config.partition_modes = std::move(modes);
  return true;
}

std::string show_partition_modes(const Config& config) {
  return joined(config.partition_modes, " ", [](const auto& of) { return of.first + ":" + to_string(of.second); });
}

std::string show_partition_policies(const Config& config) {
  return joined(config.partition_policies, " ", [](const auto& of) { return of.first + ":" + of.second; });
}

// Takes absolute paths only: slurmctld has no fixed working directory, so that a relative path has no fixed meaning.
bool set_path(std::string& target, std::string_view value) {
  if (!value.starts_with('/')) return false;
  target = value;
  return true;
}

bool set_user(std::string& target, std::string_view value) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  if (value.empty() || value.size() > 32 || value.find_first_not_of(letters) != std::string_view::npos) return false;
  target = value;
  return true;
}

bool set_program_names(std::string& target, std::string_view value) {
  if (value == "?") return false;  // it would be all programs of one letter, and is a slip
  for (const std::string_view name : split_at(value, ','))
    if (name.empty() || name != trimmed(name) || name.find_first_of("/ \t") != std::string_view::npos) return false;
  target = value;
  return true;
}

bool set_interfaces(Config& config, std::string_view value) {
  std::vector<std::string> names;
  for (const std::string_view part : split_at(value, ',')) {
    const std::string_view name = trimmed(part);
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-";
    if (name.empty() || name.size() > 15 || name.starts_with('.') ||
        name.find_first_not_of(letters) != std::string_view::npos)
      return false;  // the name must be no path, and no longer than the kernel allows
    names.emplace_back(name);
  }
  config.probe_interfaces = std::move(names);
  return true;
}

std::string show_interfaces(const Config& config) {
  return joined(config.probe_interfaces, ",", [](const std::string& name) { return name; });
}

bool set_estimator(Config& config, std::string_view value) {
  for (const std::string_view name : estimator_names)
    if (equal_any_case(value, name)) {
      config.outage_estimator = name;
      return true;
    }
  return false;
}

// A key with a whole number.
template <std::int64_t Config::*member, std::int64_t least, std::int64_t most>
ConfigKey integer(std::string_view name, std::string_view help) {
  static const std::string& values =
      *new std::string("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return {name, values, help, [](Config& c, std::string_view v) { return set_integer(c.*member, least, most, v); },
          [](const Config& c) { return std::to_string(c.*member); }};
}

// A key with a text that set(text, value) takes.
template <std::string Config::*member, bool (*set)(std::string&, std::string_view)>
ConfigKey text(std::string_view name, std::string_view values, std::string_view help) {
  return {name, values, help, [](Config& c, std::string_view v) { return set(c.*member, v); },
          [](const Config& c) { return c.*member; }};
}

template <std::string Config::*member>
ConfigKey path(std::string_view name, std::string_view help) {
  return text<member, set_path>(name, "an absolute path", help);
}

// A key with one of the words of `names`, which are those of the values of an enumeration, or of false and true.
template <auto member, const auto& names>
ConfigKey word(std::string_view name, std::string_view values, std::string_view help) {
  return {name, values, help, [](Config& c, std::string_view v) { return set_word(c.*member, names, v); },
          [](const Config& c) { return std::string(names[static_cast<std::size_t>(c.*member)]); }};
}

}  // namespace

// All keys of placement.conf. To add a key, add an entry here.
std::span<const ConfigKey> config_keys() {
  static const ConfigKey keys[] = {
      word<&Config::mode, mode_names>(
          "Mode", "off, observe, advise or enforce",
          "What happens to jobs that ask for a policy. off: they run as stock. observe: a decision is made and logged, "
          "and nothing is changed. advise: it is also recorded with the job. enforce: it is applied. Jobs that ask for "
          "no policy run as stock in every mode."),
      integer<&Config::decision_time_ms, 1, 10000>(
          "DecisionTimeMs",
          "Milliseconds of processor time that slurmctld may spend on one decision, and a quarter of the time by the clock. "
          "The search then ends with its best placement so far. DecisionShare limits all decisions together. When it is used up, and DecisionWait puts a job off no more, the job is decided "
          "without its matrix, for which there are another 100 ms of each second; after these it runs as stock."),
      integer<&Config::max_matrix_ranks, 1, (1 << 24)>(
          "MaxMatrixRanks",
          "The largest communication matrix, in ranks, that slurmctld takes from a job. A job with a larger one runs as "
          "stock."),
      integer<&Config::max_matrix_bytes, 1, (1 << 20)>(
          "MaxMatrixBytes",
          "The largest communication matrix, in bytes as it travels with the job, that slurmctld takes. A job with a "
          "larger one runs as stock."),
      integer<&Config::node_level_tasks, 0, (1 << 24)>(
          "NodeLevelTasks",
          "For jobs with more tasks than this, slurmctld joins ranks to groups, roughly, and chooses a node for each "
          "group, which is quick; srun still places the single ranks by the matrix."),
      word<&Config::node_weights, weight_names>(
          "NodeWeights", "respect or ignore",
          "respect: a policy chooses among the nodes with the least Weight= of slurm.conf that suffice for the job, as "
          "stock Slurm takes light nodes first. ignore: among all."),
      path<&Config::treematch_topology_file>(
          "TreematchTopologyFile",
          "A file that describes the machine in place of Slurm's own topology: a topology.conf of topology/tree or "
          "topology/block, what \"scontrol show topology\" prints, a \"tree\" line with the arities from the root to the "
          "cores, or a \"tleaf\" line as SCOTCH and TreeMatch have it. Its leaves are the cores of all nodes in the "
          "order of their names, n9 before n10."),
      word<&Config::treematch_scope, scope_names>(
          "TreematchScope", "whole or subtree",
          "Where TREEMATCH looks for cores: on the whole tree, or in the smallest subtree that has enough."),
      integer<&Config::treematch_levels_up, 0, 64>(
          "TreematchLevelsUp", "How many levels above the smallest sufficient subtree TREEMATCH may look."),
      {"LevelDistances", "whole numbers that do not decrease, one per level, as in 1,10,100",
       "The distance of two cores whose paths meet 1, 2, .. levels above them. Without it each link counts as one hop. "
       "Levels at which nothing branches (one socket in every node) are not counted.",
       set_distances, show_distances},
      {"PartitionModes", "PARTITION:MODE with blanks between, as in pilot:enforce",
       "Modes of partitions, in place of Mode for the jobs that run there. A pilot: Mode=observe and PartitionModes=pilot:enforce. "
       "Mode=off overrides this key.",
       set_partition_modes, show_partition_modes},
      {"PartitionPolicies", "PARTITION:POLICY[=KEY=VALUE,..] with blanks between, as in debug:NLA long:NLA=wait=60",
       "Policies of partitions, for jobs without a policy of their own. The policy has no matrix and no pattern: NLA, "
       "TOFA, or TREEMATCH for the nearest nodes. It chooses nodes; ranks stay in Slurm's order. All other jobs without a "
       "policy run as stock. A job that names the same policy takes the keys that it does not set from the partition's "
       "policy. A partition that does not exist is named by check-config and in slurmctld's log.",
       set_partition_policies, show_partition_policies},
      integer<&Config::max_wait_s, 0, 86400>(
          "MaxWaitS",
          "The longest time in seconds for which a job may stay in the queue by wait= of policy NLA, whether the job or its "
          "partition's policy says it. A job that waits holds no node against other jobs. 0: no job waits."),
      integer<&Config::decision_share, 1, 100>(
          "DecisionShare",
          "The part of each second, in per cent, that decisions may take of slurmctld's time in the long run. At once they may take as "
          "much as five seconds bring: with 20 a second. One user has three quarters of what the others leave."),
      integer<&Config::decision_wait, 0, 1000>(
          "DecisionWait",
          "The number of scheduling cycles to which the decision about a job may be put off, when the time for decisions "
          "is used up. Meanwhile the job holds no nodes. After that it runs without its matrix, or as stock. 0: no "
          "decision is put off."),
      {"NlaWeights", "weights of policy NLA, as in alpha=0.4,beta=0.6,cpu_load=0.5",
       "Weights for jobs that ask for NLA where neither they nor their partition's policy give them: alpha, beta, latency, bandwidth, and attributes of "
       "nodes by name. Without it those of the paper.",
       [](Config& c, std::string_view v) {
         c.nla_weights = v;
         return v.find('=') != std::string_view::npos;
       },
       [](const Config& c) { return c.nla_weights; }},
      path<&Config::torus_file>(
          "TorusFile",
          "A file with the coordinates of the nodes in a torus or mesh, for TOFA: one line per node with its name and "
          "coordinates, and perhaps a line \"torus 8 8 mesh 4\" with the sizes of the dimensions."),
      path<&Config::outage_file>(
          "OutageFile",
          "A file with outage probabilities for TOFA, in place of the estimates of placement-monitor: one line per "
          "node, or list of nodes, with the probability from 0 to 1 that it fails while a job runs. Nodes that are not "
          "listed have 0."),
      path<&Config::snapshot_file>(
          "SnapshotFile",
          "The file in which placement-monitor publishes the state of the cluster, and from which slurmctld and placectl "
          "read it. It belongs to MonitorUser, to root, or to the user of slurmctld, and nobody else may write it."),
      integer<&Config::snapshot_max_age_s, 1, 86400>(
          "SnapshotMaxAgeS",
          "Seconds after which a snapshot is too old to decide by. Policies that need live data then leave the job to "
          "Slurm, and say so."),
      path<&Config::decision_file>(
          "DecisionFile",
          "The file in which slurmctld records its decisions for placement-monitor and placectl. It is in memory: the directory "
          "must be on tmpfs, such as /dev/shm or /run, and the user of slurmctld must be able to create files there. Without "
          "the directory, no decision is recorded."),
      word<&Config::record_stock_choice, yes_no>(
          "RecordStockChoice", "yes or no",
          "yes: before a job starts on a policy's nodes, slurmctld asks itself where it would have started the job without, and "
          "records that with the decision. It takes as long as one question of the backfill scheduler. no: it does not ask."),
      text<&Config::monitor_user, set_user>(
          "MonitorUser", "the name of a user",
          "The user as whom placement-monitor and placement-agent run: the same one on all hosts, without privileges."),
      text<&Config::monitor_readers, set_user>(
          "MonitorReaders", "the name of a group",
          "A group whose members see the decisions about all users' jobs where PrivateData=jobs hides them, as root and SlurmUser "
          "do. Without it there is no group of readers."),
      path<&Config::state_directory>(
          "StateDirectory",
          "The directory in which placement-monitor keeps its history, history.sqlite. It belongs to MonitorUser."),
      integer<&Config::monitor_port, 1, 65535>(
          "MonitorPort",
          "The port of placement-monitor on each SlurmctldHost: by UDP for agents, by TCP for placectl and srun on other hosts. "
          "It is not AgentPort."),
      integer<&Config::agent_port, 1, 65535>("AgentPort",
                                             "The UDP port at which the agents of nodes probe each other."),
      path<&Config::agent_directory>(
          "AgentDirectory",
          "The directory with the lock by which one placement-agent runs on a node and no second one. It belongs to "
          "MonitorUser, and nobody else may write it."),
      word<&Config::allowed_cpus_only, processors>(
          "NodeProcessors", "all or allowed",
          "What placement-agent takes for its node's processors. all: the machine's. allowed: those on which the agent itself may "
          "run, for a node that has a part of a machine: a container, or a cpuset in which slurmd and agent were started. Cores, "
          "sockets, utilisation and load are then those of the allowed processors. The load counts the threads that run or "
          "wait there and that the agent sees in /proc. Not where slurmd is kept off the processors of jobs, as with CpuSpecList "
          "and SlurmdOffSpec."),
      {"ProbeInterface", "names of network interfaces with commas between them",
       "The interfaces whose traffic counts as the node's; the probes go through the first of them that the node has. Without it those that have "
       "hardware count, or all but lo where none has, and the probes go where Slurm's messages go.",
       set_interfaces, show_interfaces},
      integer<&Config::probe_link_Mbps, 0, 10000000>(
          "ProbeLinkMbps",
          "The rate of the probed interfaces in Mbit/s. Probes use at most 1 % of it over a minute, and bandwidth is not measured "
          "if that is less than 448000 bytes. 0: the rate that the kernel reports, or 1000 if it reports none."),
      integer<&Config::probe_bytes_per_minute, 0, 1000000000000>(
          "ProbeBytesPerMinute",
          "How many bytes an agent may send for probes in a minute, at any capacity of the link. Bandwidth is not measured "
          "with less than 448000, as a packet train takes half of that and may take half of the budget. 0: none, the agent "
          "takes part in no probe."),
      integer<&Config::probe_latency_s, 10, 86400>(
          "ProbeLatencyS",
          "Seconds in which the latency of each pair is measured once; longer when there are too many pairs for that."),
      integer<&Config::probe_bandwidth_s, 10, 86400>(
          "ProbeBandwidthS",
          "Seconds in which the bandwidth of each pair is measured once; longer when there are too many pairs for that."),
      integer<&Config::probe_all_pairs_nodes, 2, 1024>(
          "ProbeAllPairsNodes",
          "The largest cluster in which every pair of nodes is measured. In a larger one, one node of each leaf switch is "
          "measured with those of other switches, and each node with a few others. The rest is interpolated."),
      {"OutageEstimator", "beta, moving-average or weighted-moving-average",
       "How the probability of a node's outage is estimated from its history. beta: from its own rate and that of all "
       "nodes, old outages counting less. moving-average: its outages per hour of observation in the last 30 days. "
       "weighted-moving-average: the same quotient, in which an hour of 30 days ago counts half. By the last two, which are "
       "for comparisons with the paper of TOFA, a node without an outage never fails. Keep beta otherwise.",
       set_estimator, [](const Config& c) { return c.outage_estimator; }},
      integer<&Config::outage_horizon_h, 1, 8760>(
          "OutageHorizonHours", "The published probability is that of an outage within this number of hours."),
      integer<&Config::history_days, 1, 36500>(
          "HistoryDays", "Days for which placement-monitor keeps its history, in at most 256 MiB."),
      word<&Config::mpirun_by_policy, yes_no>(
          "MpirunByPolicy", "yes or no",
          "yes: every mpirun of Open MPI in a job with a policy and a matrix places its ranks by the policy, unless the user "
          "submits with PLACEMENT_MPIRUN=no. Choose it where users start their programs by a plain mpirun: Open MPI refuses some "
          "mapping options of users, such as --map-by, then. no: only in jobs that are submitted with PLACEMENT_MPIRUN=yes."),
      word<&Config::profile_jobs, yes_no>(
          "ProfileJobs", "yes or no",
          "yes: srun counts what the ranks of each MPI program send each other, in the store of its user, until three runs of the "
          "program with the same number of ranks and arguments that differ at most in numbers agree; -m TREEMATCH=auto uses them. "
          "The program is linked with the MPI library of libplacement-profile. Users leave a run out by srun --no-profile, and "
          "all of theirs by PLACEMENT_PROFILE_JOBS=no. Not with Mode=off. no: only runs with --profile-comm are counted."),
      text<&Config::profile_exclude, set_program_names>(
          "ProfileExclude", "names of programs with commas between them, * and ? as in a shell",
          "Programs that ProfileJobs leaves out, by the names of their files without directories."),
      path<&Config::metrics_file>(
          "MetricsFile",
          "A file in which placement-monitor writes its metrics every 5 s, for the textfile collector of Prometheus. "
          "MonitorUser has to be allowed to write into its directory."),
  };
  return keys;
}

std::string to_string(Mode mode) { return std::string(mode_names[static_cast<std::size_t>(mode)]); }

}  // namespace placement
