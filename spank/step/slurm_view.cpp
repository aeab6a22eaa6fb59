// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/slurm_view.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "common/policy/config.hpp"
#include "common/slurm/controller_query.hpp"
#include "common/topology/scontrol_topology.hpp"
#include "common/topology/topology_read.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement::spank {

namespace {

constexpr std::int32_t max_gpus = 1024;    // of one node
constexpr std::size_t longest_list = 126;  // characters of a CPU list; scontrol truncates longer ones without a sign

// Returns the GPUs in `word`, the value of GRES= in a line of "scontrol -d show job". For example, the GPUs of
// "nic:1(IDX:0),gpu:tesla:3(IDX:0-1,4)" are 0, 1 and 4. Returns none if scontrol prints no numbers for a GPU.
std::vector<std::int32_t> gpus_in(std::string_view word) {
  std::vector<std::int32_t> numbers;
  while (!word.empty()) {
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

// The part of a job on one node.
struct NodeOfJob {
  std::vector<std::string> cpus;
  std::vector<std::int32_t> gpus;
};
using NodesOfJob = std::unordered_map<std::string, NodeOfJob>;

// Returns the nodes of the job with the ID `job`. Omits other tasks of an array, which scontrol also shows if `job` is
// the ID of the array. A step can span the components of a heterogeneous job, so the CPUs of all components are
// included. GPUs are those of the job `job` only.
NodesOfJob nodes_of_job(std::span<const ShownJob> shown_jobs, std::uint32_t job) {
  NodesOfJob nodes;
  for (const ShownJob& shown_job : shown_jobs) {
    if (shown_job.id != job && shown_job.leader == 0) continue;
    for (const ShownJob::Part& part : shown_job.parts)
      for (const std::string& name : expand_hostlist(part.nodes)) {
        nodes[name].cpus.push_back(part.cpus);
        if (shown_job.id == job) nodes[name].gpus = part.gpus;
      }
  }
  return nodes;
}

// Marks only the cores of the job as free on the node, and sets the node's GPUs to those of the job. `nodes` lists
// CPUs; each core has `threads` of them. Throws Error if `nodes` has no CPUs of this node.
void keep_part_of_job(NodeView& node, const NodesOfJob& nodes, std::int32_t threads) {
  std::vector<bool> cpu(node.core_free.size() * static_cast<std::size_t>(threads), false);
  bool found = false;
  if (const auto known = nodes.find(node.name); known != nodes.end()) {
    for (const std::string& list : known->second.cpus) found = mark_cores(list, cpu) || found;
    node.gpus = known->second.gpus;
  }
  if (!found)
    throw Error("slurmctld does not report which cores of " + node.name +
                " the job has: scontrol prints CPU lists of at most " + std::to_string(longest_list) + " characters");
  for (std::size_t core = 0; core < node.core_free.size(); ++core)
    node.core_free[core] = cpu[core * static_cast<std::size_t>(threads)];
}

// Returns the view of the machine that slurmctld uses, from `topology`, the output of "scontrol show topology", and
// from LevelDistances. TreematchTopologyFile replaces `topology` if `topology_of_cluster` is true; it does not replace
// the topology of a partition. If this host cannot read the file, the view has a warning and the default distances. On
// a cluster without the plugins, the user's own topology file replaces a topology without switches.
ClusterView view_in_force(const ControllerState& controller, std::span<const NodeShape> shapes,
                          const std::string& topology, bool topology_of_cluster) {
  std::vector<std::int64_t> distances;
  const std::string of_levels = controller.setting("LevelDistances");
  for (const std::string_view word : split_at(of_levels, ','))
    if (const auto distance = parse_integer(word)) distances.push_back(*distance);
  const std::string file = topology_of_cluster ? controller.setting("TreematchTopologyFile") : "";
  ClusterView view;
  if (!file.empty() && access(file.c_str(), R_OK) == 0) {
    view = read_topology_of(file, shapes, distances);
    view.warning.clear();  // slurmctld's log names the file's unknown nodes
    return view;
  }
  if (!file.empty()) distances.clear();  // LevelDistances is for the levels of that file
  const std::string cluster = environment_value("SLURM_CLUSTER_NAME");
  view = view_of_shown(topology, shapes, controller.mode.empty() ? cluster : "", distances);
  if (!file.empty())
    view.warning = "cannot read TreematchTopologyFile=" + file + " on this host: ranks are placed by Slurm's topology";
  return view;
}

std::uint32_t number_in(std::string_view text) { return static_cast<std::uint32_t>(parse_integer(text).value_or(0)); }

// Returns the IDs of a job, from the first line that scontrol prints about it.
ShownJob parse_first_line(std::map<std::string_view, std::string_view> ids) {
  ShownJob job;
  job.id = job.array_job = number_in(ids["JobId"]);
  job.leader = number_in(ids["HetJobId"]);
  job.offset = number_in(ids["HetJobOffset"]);
  if (!ids.contains("ArrayJobId")) return job;
  job.array_job = number_in(ids["ArrayJobId"]);
  const auto task = parse_integer(ids["ArrayTaskId"]);
  job.array_task = std::to_string(job.array_job) + "_" + (task ? std::to_string(*task) : "");
  return job;
}

}  // namespace

std::vector<ShownJob> parse_shown_jobs(std::string_view text) {
  std::vector<ShownJob> jobs;
  for (const std::string_view line : split_at(text, '\n')) {
    const std::string_view field = trimmed(line);
    auto pairs = scontrol_pairs(field.substr(0, field.find(" JobName=")));  // the name may be any text of the user
    if (line.starts_with("JobId=")) jobs.push_back(parse_first_line(pairs));
    if (jobs.empty()) continue;
    ShownJob& job = jobs.back();
    if (field.starts_with("JobState=")) {
      const std::string_view state = pairs["JobState"];
      job.pending = state == "PENDING";
      job.holds_cpus = state == "RUNNING" || state == "SUSPENDED" || state == "COMPLETING";
    }
    if (field.starts_with("Requeue=")) job.restarts = number_in(pairs["Restarts"]);
    if (field.starts_with("SubmitTime=")) job.submitted_s = parse_integer(pairs["SubmitTime"]).value_or(0);
    if (field.starts_with("Partition=")) job.partition = pairs["Partition"];
    if (field.starts_with("SystemComment=")) job.system_comment = field.substr(field.find('=') + 1);
    if (field.starts_with("Nodes=") && pairs.contains("CPU_IDs")) {
      const std::string cpus(pairs["CPU_IDs"]);
      job.parts.push_back(
          {std::string(pairs["Nodes"]), cpus.size() <= longest_list ? cpus : "", gpus_in(pairs["GRES"])});
    }
  }
  return jobs;
}

JobQuery::JobQuery(std::uint32_t job, bool configuration)
    : job_(job),
      command_({"scontrol", "--details", "--local"}, false,
               (configuration ? "show config\nshow topology\nshow job " : "show topology\nshow job ") +
                   std::to_string(job) + "\n") {}

const std::vector<ShownJob>& JobQuery::shown_jobs() {
  if (!shown_jobs_) {
    topology_ = command_.text();
    const std::size_t first_job = std::min(topology_.find("JobId="), topology_.size());
    shown_jobs_ = parse_shown_jobs(std::string_view(topology_).substr(first_job));
    topology_.resize(first_job);
    // The last lines of the configuration show which slurmctld answers: "Slurmctld(primary) at head is UP".
    const std::size_t last_line = topology_.rfind("\nSlurmctld(");
    const std::size_t end = last_line == topology_.npos ? 0 : topology_.find('\n', last_line + 1) + 1;
    configuration_ = topology_.substr(0, end);
    topology_.erase(0, end);
  }
  return *shown_jobs_;
}

const std::string& JobQuery::configuration() {
  shown_jobs();
  return configuration_;
}

std::set<std::string> JobQuery::nodes() {
  std::set<std::string> names;
  for (const auto& [name, part] : nodes_of_job(shown_jobs(), job_)) names.insert(name);
  return names;
}

ShownJob JobQuery::shown_job() {
  const auto found = std::ranges::find(shown_jobs(), job_, &ShownJob::id);
  return found == shown_jobs_->end() ? ShownJob() : *found;
}

ControllerState JobQuery::controller() {
  ControllerState controller = controller_state();
  const std::string modes = controller.setting("PartitionModes");
  if (controller.mode.empty() || controller.mode == mode_names[PLACEMENT_OFF] || modes.empty()) return controller;
  const std::string key = shown_job().partition + ":";
  for (const std::string_view word : split_words(modes))
    if (word.starts_with(key)) controller.mode = word.substr(key.size());
  return controller;
}

ClusterView JobQuery::view(std::span<const std::string> names, const ControllerState& controller) {
  std::vector<NodeShape> shapes = ask_nodes();
  const auto cores_per_cache = parse_integer(controller.setting("CoresPerCache"));
  for (NodeShape& shape : shapes) shape.cores_per_cache = static_cast<std::int32_t>(cores_per_cache.value_or(0));
  std::unordered_map<std::string_view, std::size_t> index_of;
  for (std::size_t i = 0; i < shapes.size(); ++i) index_of.emplace(shapes[i].name, i);
  const NodesOfJob nodes = nodes_of_job(shown_jobs(), job_);
  const std::string topology = ask_topology_of(shown_job().partition);
  const ClusterView machine = view_in_force(
      controller, shapes,
      topology.empty() ? topology_ : SlurmCommand({"scontrol", "show", "topology", topology}).text(), topology.empty());

  ClusterView view;
  view.warning = machine.warning;
  view.tree = machine.tree;
  for (const std::string& name : names) {
    const auto found = index_of.find(name);
    if (found == index_of.end()) throw Error("slurmctld does not show the node " + name);
    keep_part_of_job(view.nodes.emplace_back(machine.nodes[found->second]), nodes,
                     shapes[found->second].threads_per_core);
  }
  return view;
}

}  // namespace placement::spank
