// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of placement.conf, each with its allowed values, its help, its reader and its printer.
#include <algorithm>
#include <optional>

#include "common/policy/config.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::string_view weight_names[] = {"respect", "ignore"};
constexpr std::string_view estimator_names[] = {"beta", "moving-average", "weighted-moving-average"};
constexpr std::string_view scope_names[] = {"whole", "subtree"};
constexpr std::string_view yes_no[] = {"no", "yes"};
constexpr std::string_view processors[] = {"all", "allowed"};  // allowed_cpus_only is false, or true

template <typename Enum>
bool set_word(Enum& target, std::span<const std::string_view> names, std::string_view value) {
  const auto found = std::ranges::find_if(names, [&](std::string_view name) { return equal_any_case(value, name); });
  if (found != names.end()) target = static_cast<Enum>(found - names.begin());
  return found != names.end();
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

std::string show_distances(const Config& config) {
  return joined(config.level_distances, ",", [](std::int64_t distance) { return std::to_string(distance); });
}

bool set_value(std::string& target, std::string_view text) {
  target = text;
  return true;
}

bool set_value(placement_mode& target, std::string_view text) { return set_word(target, mode_names, text); }

// Reads words PARTITION:TEXT. Returns false if a word has another form, a partition is repeated, or there are no words.
template <auto member>
bool set_partitions(Config& config, std::string_view value) {
  std::decay_t<decltype(config.*member)> known;
  for (const std::string_view word : split_words(value)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == word.size()) return false;
    const std::string_view partition = word.substr(0, colon);
    if (std::ranges::any_of(known, [&](const auto& entry) { return entry.first == partition; })) return false;
    auto& [name, target] = known.emplace_back();
    name = partition;
    if (!set_value(target, word.substr(colon + 1))) return false;
  }
  if (known.empty()) return false;
  config.*member = std::move(known);
  return true;
}

std::string show_partition_modes(const Config& config) {
  return joined(config.partition_modes, " ",
                [](const auto& of) { return of.first + ":" + std::string(mode_names[of.second]); });
}

std::string show_partition_policies(const Config& config) {
  return joined(config.partition_policies, " ", [](const auto& of) { return of.first + ":" + of.second; });
}

// Accepts absolute paths only, because slurmctld has no fixed working directory.
bool set_path(std::string& target, std::string_view value) {
  if (!value.starts_with('/')) return false;
  target = value;
  return true;
}

bool set_user(std::string& target, std::string_view value) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  if (value.empty() || value.size() > 32 || value.find_first_not_of(letters) != value.npos) return false;
  target = value;
  return true;
}

bool set_program_names(std::string& target, std::string_view value) {
  if (value == "?") return false;  // matches all programs of one letter, and is probably a typing error
  for (const std::string_view name : split_at(value, ','))
    if (name.empty() || name != trimmed(name) || name.find_first_of("/ \t") != name.npos) return false;
  target = value;
  return true;
}

bool set_interfaces(Config& config, std::string_view value) {
  std::vector<std::string> names;
  for (const std::string_view part : split_at(value, ',')) {
    const std::string_view name = trimmed(part);
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-";
    if (name.empty() || name.size() > 15 || name.starts_with('.') || name.find_first_not_of(letters) != name.npos)
      return false;  // a path, or a name that is longer than the kernel allows
    names.emplace_back(name);
  }
  config.probe_interfaces = std::move(names);
  return true;
}

std::string show_interfaces(const Config& config) { return joined(config.probe_interfaces, ","); }

template <std::int64_t Config::*member, std::int64_t least, std::int64_t most>
ConfigKey integer(std::string_view name, std::string_view help) {
  static const std::string& values =
      *new std::string("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return {name, values, help, [](Config& c, std::string_view v) { return set_integer(c.*member, least, most, v); },
          [](const Config& c) { return std::to_string(c.*member); }};
}

// Returns a key whose value is a text. set(TEXT, VALUE) checks the value and stores it in TEXT.
template <std::string Config::*member, bool (*set)(std::string&, std::string_view)>
ConfigKey text(std::string_view name, std::string_view values, std::string_view help) {
  return {name, values, help, [](Config& c, std::string_view v) { return set(c.*member, v); },
          [](const Config& c) { return c.*member; }};
}

template <std::string Config::*member>
ConfigKey path(std::string_view name, std::string_view help) {
  return text<member, set_path>(name, "an absolute path", help);
}

// Returns a key whose value is a word of `names`, which has the order of an enumeration, or of false and true.
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
          "What happens to jobs that request a policy. off: they run as stock, that is, as without a policy. observe: "
          "slurmctld makes a decision and records it in DecisionFile, and the job runs as stock. advise: "
          "slurmctld also records the decision with the job. enforce: slurmctld applies the decision. Jobs without a policy "
          "run as stock in every mode. Begin with observe."),
      integer<&Config::decision_time_ms, 1, 10000>(
          "DecisionTimeMs",
          "Milliseconds of processor time that slurmctld may spend on one decision. Wall time may be four times as "
          "long. At the limit the search returns its best placement so far. DecisionShare limits all decisions together. If "
          "that share is used up and DecisionWait no longer postpones the job, slurmctld decides without the job's matrix. "
          "Decisions without a matrix may use another 100 ms of each second. After that, jobs run as stock. Raise it if many records report that time ran out."),
      integer<&Config::max_matrix_ranks, 1, (1 << 24)>(
          "MaxMatrixRanks",
          "The largest communication matrix, in ranks, that slurmctld accepts from a job. A job with a larger matrix runs as "
          "stock. Lower it if decisions about large jobs delay the scheduler."),
      integer<&Config::max_matrix_bytes, 1, (1 << 20)>(
          "MaxMatrixBytes",
          "The largest communication matrix, in bytes of its packed form in the job, that slurmctld accepts. A job with a "
          "larger matrix runs as stock. Lower it if slurmctld has little memory."),
      integer<&Config::node_level_tasks, 0, (1 << 24)>(
          "NodeLevelTasks",
          "For jobs with more tasks than this, slurmctld uses a fast search: it groups the ranks roughly and chooses a node "
          "for each group. srun still places each rank by the matrix. Lower it if decisions about large jobs take too long."),
      word<&Config::node_weights, weight_names>(
          "NodeWeights", "respect or ignore",
          "respect: a policy adds nodes in the order of their Weight= in slurm.conf, as stock Slurm does, and stops when "
          "they suffice for the job. ignore: a policy uses all nodes. Use ignore if the weights do not express a cost."),
      path<&Config::treematch_topology_file>(
          "TreematchTopologyFile",
          "A file that describes the machine instead of Slurm's own topology. Accepted formats: a topology.conf of "
          "topology/tree, topology/block or topology/ring, the output of \"scontrol show topology\", a \"tree\" line with the arities from "
          "the root to the cores, or a \"tleaf\" line of SCOTCH and TreeMatch. The leaves of a tree or tleaf file are cores, "
          "or nodes if there are as many leaves as nodes, in the order of the node names (n9 before n10). srun also uses "
          "the file for ranks, if its host has it. Set it if Slurm's own topology is missing or wrong."),
      word<&Config::treematch_scope, scope_names>(
          "TreematchScope", "whole or subtree",
          "Where TREEMATCH searches for cores: in the whole tree, or in the smallest subtree with enough cores. Use subtree if "
          "large subtrees must stay free for large jobs."),
      integer<&Config::treematch_levels_up, 0, 64>(
          "TreematchLevelsUp",
          "The number of levels above the smallest sufficient subtree in which TREEMATCH may search. Raise it if the "
          "smallest subtree gives bad mappings. It has an effect only with TreematchScope=subtree."),
      {"LevelDistances", "whole numbers that do not decrease, one per level, as in 1,10,100",
       "The distance of two cores whose paths meet 1, 2, .. levels above them. By default each link counts as one hop. "
       "Levels without branches, such as one socket per node, are not counted. The distances also apply to ranks. Set it if links "
       "between switches are much slower than those to nodes.",
       set_distances, show_distances},
      integer<&Config::cores_per_cache, 0, 1024>(
          "CoresPerCache",
          "The number of cores that share an L3 cache, if sockets have several L3 caches: the cores below one L3 in the "
          "output of lstopo. The caches are then a level between sockets and cores, for jobs and for ranks. LevelDistances "
          "and TreematchLevelsUp count this level. The key applies only to nodes whose sockets have 2, 3, 4 or more "
          "times this number of cores. Do not use it if other nodes have one L3 for each socket. 0: caches are no level."),
      {"PartitionModes",
       "PARTITION:MODE entries with blanks between them, as in pilot:enforce; MODE is off, observe, advise or enforce",
       "Modes of partitions. A job in a listed partition uses this mode instead of Mode. A pilot uses Mode=observe and "
       "PartitionModes=pilot:enforce. Mode=off overrides this key.",
       set_partitions<&Config::partition_modes>, show_partition_modes},
      {"PartitionPolicies",
       "PARTITION:POLICY[=KEY=VALUE,..] entries with blanks between them, as in debug:NLA long:NLA=wait=60",
       "Default policies of partitions, for jobs without a policy of their own. The policy has no matrix and no pattern: use "
       "NLA, TOFA, or TREEMATCH for the nearest nodes. It chooses nodes; ranks stay in Slurm's order. In other partitions, "
       "jobs without a policy run as stock. A job that names this policy in its own -m inherits the keys that it "
       "does not set. check-config and slurmctld's log report each partition that does not exist.",
       set_partitions<&Config::partition_policies>, show_partition_policies},
      integer<&Config::max_wait_s, 0, 86400>(
          "MaxWaitS",
          "The longest time in seconds for which wait= of policy NLA can keep a job in the queue. It limits wait= of the job "
          "and of its partition's policy. A waiting job reserves no nodes. 0: no job waits. Set it if users may prefer a later "
          "start to loaded nodes."),
      integer<&Config::decision_share, 1, 100>(
          "DecisionShare",
          "The long-term share of slurmctld's time, in percent, that decisions may use. Unused time is saved, up to the share "
          "of five seconds; with a share of 20, this is one second. One user may use at most three quarters of the time that "
          "remains after the decisions of all other users. Lower it if the scheduler falls behind."),
      integer<&Config::decision_wait, 0, 1000>(
          "DecisionWait",
          "The number of scheduling cycles for which a decision about a job can be postponed when the time for decisions is "
          "used up. Meanwhile the job holds no nodes. After that it runs without its matrix, or as stock. 0: decisions are "
          "never postponed. Raise it if many jobs are submitted at once and may start later."),
      {"NlaWeights", "weights of policy NLA, as in alpha=0.4,beta=0.6,cpu_load=0.5",
       "Default weights of NLA. Weights of the job or of its partition's policy override them. Names: alpha, beta, "
       "latency, bandwidth, and the attributes of nodes. Without alpha and beta NLA uses the group with the least "
       "regret; the other weights are those of its paper by default. Set alpha and beta if most jobs have the same known "
       "share of communication.",
       [](Config& c, std::string_view v) {
         c.nla_weights = v;
         return v.find('=') != v.npos;
       },
       [](const Config& c) { return c.nla_weights; }},
      path<&Config::torus_file>(
          "TorusFile",
          "A file with the coordinates of the nodes in a torus or mesh, for TOFA. Each line has a node and its coordinates. "
          "An optional line such as \"torus 8 8 mesh 4\" gives the sizes of the dimensions. Set it on a torus or mesh."),
      path<&Config::outage_file>(
          "OutageFile",
          "A file with outage probabilities for TOFA, instead of the estimates of placement-monitor. Each line has a node or "
          "a list of nodes, and the probability from 0 to 1 that a node fails while a job runs. Nodes that are not listed "
          "have probability 0. Set it if the site knows the probabilities better than the history does."),
      path<&Config::snapshot_file>(
          "SnapshotFile",
          "The file in which placement-monitor publishes the state of the cluster. slurmctld and placectl read it. Its owner "
          "must be MonitorUser, root or the user of slurmctld, and no other user may be able to write it. Change it if /run is not on tmpfs."),
      integer<&Config::snapshot_max_age_s, 1, 86400>(
          "SnapshotMaxAgeS",
          "The age in seconds above which a snapshot is not used. Policies that need live data then leave the job to Slurm "
          "and report the reason. Raise it if pauses of the monitor are longer."),
      path<&Config::decision_file>(
          "DecisionFile",
          "The file in which slurmctld records its decisions for placement-monitor and placectl. Its directory must be on "
          "tmpfs, such as /dev/shm or /run, and the user of slurmctld must be able to create files there. Without this "
          "directory, slurmctld records no decision. Change it if /dev/shm does not exist."),
      word<&Config::record_stock_choice, yes_no>(
          "RecordStockChoice", "yes or no",
          "yes: before a job starts on a policy's nodes, slurmctld computes which nodes stock Slurm would have allocated, and "
          "records them with the decision. The cost of stock is then that of natural order on these nodes. This takes as "
          "long as one test of a job by the backfill scheduler. no: slurmctld does not compute them. Use no if decisions delay "
          "the scheduler."),
      text<&Config::monitor_user, set_user>(
          "MonitorUser", "the name of a user",
          "The user as whom placement-monitor and placement-agent run. Use an unprivileged user, and use one name on all "
          "hosts."),
      text<&Config::monitor_readers, set_user>(
          "MonitorReaders", "the name of a group",
          "A group whose members see the decisions about all users' jobs even if PrivateData=jobs hides them. root and "
          "SlurmUser always see them. By default no group does. Set it if a support team has to see decisions."),
      path<&Config::state_directory>(
          "StateDirectory",
          "The directory in which placement-monitor keeps its history, history.sqlite. Its owner must be MonitorUser. Change it "
          "if /var/lib is not persistent."),
      integer<&Config::monitor_port, 1, 65535>(
          "MonitorPort",
          "The port of placement-monitor on each SlurmctldHost. Agents use it by UDP; placectl and srun on other hosts use it "
          "by TCP. It must differ from AgentPort. Change it if another service has the port."),
      integer<&Config::agent_port, 1, 65535>(
          "AgentPort",
          "The UDP port on which the agents of nodes probe each other. Change it if another service has the port."),
      path<&Config::agent_directory>(
          "AgentDirectory",
          "The directory with the lock that prevents a second placement-agent on a node. Its owner must be MonitorUser, and "
          "no other user may be able to write it. Change it if /run is not writable."),
      word<&Config::allowed_cpus_only, processors>(
          "NodeProcessors", "all or allowed",
          "Which processors placement-agent counts as its node's. all: those of the machine. allowed: those on which the "
          "agent may run. Use allowed for a node that is a part of a machine, such as a container or a cpuset with slurmd "
          "and the agent. Cores, sockets, utilization and load are then those of the allowed processors. The load counts "
          "the threads in /proc that run or wait on them. Do not use allowed if slurmd may not run on the processors of "
          "jobs, as with CpuSpecList and SlurmdOffSpec."),
      {"ProbeInterface", "names of network interfaces with commas between them",
       "The interfaces whose traffic counts as the node's. Probes use the first of them that the node has. By default all "
       "interfaces with hardware count, or all except lo if none has hardware, and probes use the network of Slurm's "
       "messages. Set it if MPI uses another network than Slurm.",
       set_interfaces, show_interfaces},
      integer<&Config::probe_link_Mbps, 0, 10000000>(
          "ProbeLinkMbps",
          "The rate of the probed interfaces in Mbit/s. Probes use at most 1 % of it in each minute. If that is less than "
          "448000 bytes, bandwidth is not measured. 0: the rate that the kernel reports, or 1000 if it reports none. Set it if the "
          "kernel reports a wrong rate."),
      integer<&Config::probe_bytes_per_minute, 0, 1000000000000>(
          "ProbeBytesPerMinute",
          "The number of bytes that an agent may send for probes in a minute, for any rate of the link. Bandwidth is not "
          "measured with less than 448000: a packet train needs 224000 bytes and may use half of the budget. 0: the agent "
          "takes part in no probe. Set it on networks that are charged by volume."),
      integer<&Config::probe_latency_s, 10, 86400>(
          "ProbeLatencyS",
          "Seconds in which the latency of each pair is measured once. Clusters with too many pairs need longer. Lower it if the "
          "network changes faster."),
      integer<&Config::probe_bandwidth_s, 10, 86400>(
          "ProbeBandwidthS",
          "Seconds in which the bandwidth of each pair is measured once. Clusters with too many pairs need longer. Lower it if "
          "the network changes faster."),
      integer<&Config::probe_all_pairs_nodes, 2, 1024>(
          "ProbeAllPairsNodes",
          "The largest number of nodes with which every pair of nodes is measured. Larger clusters measure one node of each "
          "leaf switch against those of other switches, and each node against a few others. Other pairs are modelled. Lower it if "
          "probes use too much of the network."),
      integer<&Config::mpi_pair_hours, 0, 8760>(
          "MpiPairHours",
          "Hours for which the values that placectl measure sends replace those of the agents' probes. Choose a little more "
          "than the time between two measurements. 0: they are rejected."),
      word<&Config::outage_estimator, estimator_names>(
          "OutageEstimator", "beta, moving-average or weighted-moving-average",
          "How the outage probability of a node is estimated from its history. beta: from the rate of the node and of all "
          "nodes; old outages count less. moving-average: outages per observed hour in the last 30 days. "
          "weighted-moving-average: this average with half the weight for hours 30 days ago. Keep beta, except for "
          "comparisons with the paper of TOFA: with the averages, a node without an outage has the probability 0."),
      integer<&Config::outage_horizon_h, 1, 8760>(
          "OutageHorizonHours",
          "The number of hours for which the published outage probability of a node holds. Set it to the usual run time of jobs."),
      integer<&Config::history_days, 1, 36500>(
          "HistoryDays",
          "Days for which placement-monitor keeps its history, in at most 256 MiB. Raise it if nodes fail less than once in this time."),
      word<&Config::mpirun_by_policy, yes_no>(
          "MpirunByPolicy", "yes or no",
          "yes: in a job that was submitted with a policy, every mpirun of Open MPI places its ranks by the policy, unless the "
          "user submits with PLACEMENT_MPIRUN=no. Open MPI then refuses some mapping options of users, such as --map-by. Use yes "
          "if users start mpirun without mapping options. no: only jobs that are submitted with PLACEMENT_MPIRUN=yes."),
      word<&Config::profile_jobs, yes_no>(
          "ProfileJobs", "yes or no",
          "yes: srun counts the bytes between the ranks of each MPI program, in the store of its user. It stops when three "
          "runs of the program agree. These runs have equal numbers of ranks, and equal arguments except for the numbers "
          "in them. -m TREEMATCH=auto uses these counts. The program must use the MPI library of libplacement-profile. "
          "Users exclude a run by srun --no-profile, and all runs by PLACEMENT_PROFILE_JOBS=no. Mode=off disables it. no: only "
          "runs with --profile-comm are counted. Use yes if users do not make profiles themselves."),
      text<&Config::profile_exclude, set_program_names>(
          "ProfileExclude", "names of programs with commas between them, * and ? as in a shell",
          "Programs that ProfileJobs does not count, by the names of their files without directories. Set it for programs that "
          "fail under the profiler."),
      path<&Config::metrics_file>(
          "MetricsFile",
          "A file in which placement-monitor writes its metrics every 5 s, for the textfile collector of Prometheus. "
          "MonitorUser must be able to write into its directory. Set it if Prometheus is in use."),
  };
  return keys;
}

}  // namespace placement
