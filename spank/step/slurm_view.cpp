// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/slurm_view.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include "config.h"
#include "common/policy/config.hpp"
#include "common/topology/scontrol_topology.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "spank/step/scontrol.hpp"

namespace placement::spank {

namespace {

constexpr std::int32_t max_gpus = 1024;  // of a node

template <typename Message, void (*release)(Message*)>
struct Releaser {
  void operator()(Message* message) const { release(message); }
};
using Nodes = std::unique_ptr<node_info_msg_t, Releaser<node_info_msg_t, slurm_free_node_info_msg>>;

[[noreturn]] void fail(const std::string& what) {
  const bool denied = errno == ESLURM_ACCESS_DENIED;
  throw Error("cannot get " + what + " from slurmctld: " + slurm_strerror(errno) +
              (denied ? " (PrivateData=nodes shows them to operators alone)" : ""));
}

Nodes load_nodes() {
  node_info_msg_t* message = nullptr;
  if (slurm_load_node(0, &message, SHOW_ALL) != SLURM_SUCCESS) fail("the nodes");
  return Nodes(message);
}

using IndexOf = std::unordered_map<std::string, std::int32_t>;

std::vector<NodeShape> shapes_of(const node_info_msg_t& message, IndexOf& index_of) {
  std::vector<NodeShape> shapes;
  for (std::uint32_t i = 0; i < message.record_count; ++i) {
    const node_info_t& node = message.node_array[i];
    if (!node.name) continue;  // the record of a dynamic node that was removed
    index_of.emplace(node.name, static_cast<std::int32_t>(shapes.size()));
    shapes.push_back({node.name, std::max<std::int32_t>(node.sockets, 1), std::max<std::int32_t>(node.cores, 1),
                      std::max<std::int32_t>(node.threads, 1)});
  }
  return shapes;
}

// Returns whether jobs can be started on the node while it is not full.
bool takes_jobs(const node_info_t& node) {
  constexpr std::uint32_t closed = NODE_STATE_DRAIN | NODE_STATE_MAINT | NODE_STATE_NO_RESPOND | NODE_STATE_FAIL |
                                   NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN;
  const std::uint32_t base = node.node_state & NODE_STATE_BASE;
  return (node.node_state & closed) == 0 &&
         (base == NODE_STATE_IDLE || base == NODE_STATE_MIXED || base == NODE_STATE_ALLOCATED);
}

// Returns the CPUs in a line of "scontrol -d show job", such as "Nodes=n[1-2] CPU_IDs=0-3 Mem=0". Throws Error if Slurm
// may have cut their list, which it does without a sign.
std::optional<JobCpus> cpus_in_line(const std::vector<std::string_view>& words) {
  constexpr std::size_t longest_list = 127;
  if (words.size() < 2 || !words[0].starts_with("Nodes=") || !words[1].starts_with("CPU_IDs=")) return std::nullopt;
  const std::string_view nodes = words[0].substr(6), cpus = words[1].substr(8);
  if (cpus.size() >= longest_list)
    throw Error("the cores of the job on " + shown(nodes) + " are not known, as Slurm tells only the first " +
                std::to_string(longest_list) + " characters of their list");
  return JobCpus{std::string(nodes), std::string(cpus)};
}

// Returns the words of each line about the job in the output of "scontrol show job", without empty lines. A job array
// shares its ID with its last task, so only the job with exactly this ID counts. A heterogeneous job shares its ID with
// its first component: with `all_components` all its components count.
std::vector<std::vector<std::string_view>> lines_of_job(std::string_view text, std::uint32_t job, bool all_components) {
  const std::string wanted = "JobId=" + std::to_string(job);
  std::vector<std::vector<std::string_view>> lines;
  bool is_asked = false;
  for (const std::string_view line : split_at(text, '\n')) {
    std::vector<std::string_view> words = split_words(line);
    if (words.empty()) continue;
    if (words[0].starts_with("JobId="))
      is_asked = words[0] == wanted || (all_components && std::ranges::any_of(words, [](std::string_view word) {
                                          return word.starts_with("HetJobId=");
                                        }));
    if (is_asked) lines.push_back(std::move(words));
  }
  return lines;
}

// Returns the numbers in the list of a line of "scontrol -d show job", such as
// "GRES=nic:1(IDX:0),gpu:tesla:3(IDX:0-1,4)"; none if a GPU has no number.
std::vector<std::int32_t> gpus_in_word(std::string_view word) {
  std::vector<std::int32_t> numbers;
  if (!word.starts_with("GRES=")) return numbers;
  for (word.remove_prefix(5); !word.empty();) {
    const std::size_t open = word.find('('), close = word.find(')');
    if (open == word.npos || close == word.npos || close < open) return {};
    const std::string_view name = word.substr(0, open), list = word.substr(open + 1, close - open - 1);
    if (name == "gpu" || name.starts_with("gpu:")) {
      const auto listed = list.starts_with("IDX:") ? listed_cores(list.substr(4), max_gpus) : std::nullopt;
      if (!listed) return {};
      numbers.insert(numbers.end(), listed->begin(), listed->end());
    }
    word.remove_prefix(std::min(word.size(), close + 2));  // with the comma
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Returns the name of the topology that the partition names; empty if it has that of the cluster. Partitions name
// topologies from Slurm 25.05 on.
std::string topology_of([[maybe_unused]] const std::string& partition) {
#ifdef HAVE_PARTITION_INFO_T_TOPOLOGY_NAME
  partition_info_msg_t* message = nullptr;
  if (slurm_load_partitions(0, &message, SHOW_ALL) != SLURM_SUCCESS) fail("the partitions");
  const std::unique_ptr<partition_info_msg_t, Releaser<partition_info_msg_t, slurm_free_partition_info_msg>> partitions(
      message);
  for (const partition_info_t& known : std::span(message->partition_array, message->record_count))
    if (known.name == partition && known.topology_name) return known.topology_name;
#endif
  return {};
}

// Returns the switches or blocks of the topology `name`, or of that of the cluster if the name is empty.
std::vector<SwitchShape> load_switches(const std::string& name, std::span<const NodeShape> nodes) {
  return parse_scontrol_topology(
      name.empty() ? scontrol({"show", "topology"}) : scontrol({"show", "topology", name.c_str()}), nodes);
}

// Keeps only the cores of a job free on each node. CPU_IDs numbers CPUs, of which each core has `threads`.
class CoresOfJob {
 public:
  // `text` is the output of "scontrol -d show job" for the job `job`.
  CoresOfJob(std::string_view text, std::uint32_t job) {
    for (auto& [nodes, ids] : parse_job_cpus(text, job))
      for (const std::string& name : expand_hostlist(nodes)) ids_of_[name].push_back(ids);
  }

  void keep(NodeView& node, std::int32_t threads) const {
    std::vector<bool> cpu(node.core_free.size() * static_cast<std::size_t>(threads), false);
    bool found = false;
    if (const auto known = ids_of_.find(node.name); known != ids_of_.end())
      for (const std::string& ids : known->second) found = mark_cores(ids, cpu) || found;
    if (!found) throw Error("slurmctld does not tell which cores of " + node.name + " the job has");
    for (std::size_t core = 0; core < node.core_free.size(); ++core)
      node.core_free[core] = cpu[core * static_cast<std::size_t>(threads)];
  }

 private:
  std::unordered_map<std::string, std::vector<std::string>> ids_of_;
};

}  // namespace

std::vector<JobCpus> parse_job_cpus(std::string_view text, std::uint32_t job) {
  std::vector<JobCpus> cpus;
  for (const std::vector<std::string_view>& words : lines_of_job(text, job, true))
    if (auto found = cpus_in_line(words)) cpus.push_back(std::move(*found));
  return cpus;
}

std::vector<JobGpus> parse_job_gpus(std::string_view text, std::uint32_t job) {
  std::vector<JobGpus> gpus;
  for (const std::vector<std::string_view>& words : lines_of_job(text, job, false)) {
    const auto cpus = cpus_in_line(words);
    if (!cpus) continue;
    if (auto numbers = gpus_in_word(words.back()); !numbers.empty()) gpus.push_back({cpus->nodes, std::move(numbers)});
  }
  return gpus;
}

std::string parse_job_partition(std::string_view text, std::uint32_t job) {
  for (const std::vector<std::string_view>& words : lines_of_job(text, job, false))
    if (words[0].starts_with("Partition=")) return std::string(words[0].substr(10));
  return {};
}

std::vector<std::vector<JobCpus>> parse_running_jobs(std::string_view text) {
  std::vector<std::vector<JobCpus>> jobs;
  bool holds_cpus = false;
  for (const std::string_view line : split_at(text, '\n')) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty()) continue;
    if (words[0].starts_with("JobId=")) {
      holds_cpus = false;
      if (jobs.empty() || !jobs.back().empty()) jobs.emplace_back();
    }
    if (words[0].starts_with("JobState=")) {
      const std::string_view state = words[0].substr(9);
      holds_cpus = state == "RUNNING" || state == "SUSPENDED" || state == "COMPLETING";
    }
    if (auto found = cpus_in_line(words); holds_cpus && found && !jobs.empty())
      jobs.back().push_back(std::move(*found));
  }
  if (!jobs.empty() && jobs.back().empty()) jobs.pop_back();
  return jobs;
}

ClusterView load_machine_view() {
  slurm_init(nullptr);
  IndexOf index_of;
  const Nodes message = load_nodes();
  const std::vector<NodeShape> shapes = shapes_of(*message, index_of);
  ClusterView view = view_of_switches(load_switches("", shapes), shapes);
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    const node_info_t& node = message->node_array[i];
    if (!node.name || takes_jobs(node)) continue;
    NodeView& closed = view.nodes[static_cast<std::size_t>(index_of[node.name])];
    closed.core_free.assign(closed.core_free.size(), false);
  }
  return view;
}

ClusterView load_cluster_view(std::span<const std::string> names, std::uint32_t job) {
  IndexOf index_of;
  const std::vector<NodeShape> shapes = shapes_of(*load_nodes(), index_of);
  const std::string text = scontrol({"-d", "show", "job", std::to_string(job).c_str()});
  const ClusterView machine =
      view_of_switches(load_switches(topology_of(parse_job_partition(text, job)), shapes), shapes);

  ClusterView view;
  view.tree = machine.tree;
  for (const std::string& name : names) {
    const auto found = index_of.find(name);
    if (found == index_of.end()) throw Error("slurmctld shows no node " + name);
    view.nodes.push_back(machine.nodes[static_cast<std::size_t>(found->second)]);
  }
  std::unordered_map<std::string, std::vector<std::int32_t>> gpus_of;
  for (const JobGpus& gpus : parse_job_gpus(text, job))
    for (const std::string& name : expand_hostlist(gpus.nodes)) gpus_of[name] = gpus.numbers;
  for (NodeView& node : view.nodes)
    if (const auto found = gpus_of.find(node.name); found != gpus_of.end()) node.gpus = found->second;
  const CoresOfJob cores(text, job);
  for (NodeView& node : view.nodes)
    cores.keep(node, shapes[static_cast<std::size_t>(index_of[node.name])].threads_per_core);
  return view;
}

void use_mode_of_partition(ControllerState& controller, std::uint32_t job) {
  if (controller.mode.empty() || controller.mode == to_string(Mode::off)) return;
  const auto modes = std::ranges::find(controller.settings, "PartitionModes", &Facts::value_type::first);
  if (modes == controller.settings.end()) return;
  const std::string partition = parse_job_partition(scontrol({"show", "job", std::to_string(job).c_str()}), job) + ":";
  for (const std::string_view word : split_words(modes->second))
    if (word.starts_with(partition)) controller.mode = word.substr(partition.size());
}

}  // namespace placement::spank
