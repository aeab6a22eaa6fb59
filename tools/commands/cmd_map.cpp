// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unordered_set>

#include "common/slurm/slurm_command.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/slurm_partitions.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"
#include "pattern/pattern.hpp"
#include "policies/table.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/leaf_files.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/launch/launchers.hpp"
#include "tools/map/node_gpus.hpp"
#include "tools/map/launcher_files.hpp"
#include "tools/map/map_report.hpp"
#include "tools/map/map_run.hpp"
#include "tools/map/map_task.hpp"
#include "treematch/objectives.hpp"

namespace placement::tools {

namespace {

constexpr Option map_options[] = {
    matrix_option,
    weight_option,
    pattern_option,
    {'n', "ntasks", "N",
     "number of ranks; requires --pattern, --node-topology, or --topology\n"
     "without a matrix [that of the pattern, --nodes times\n--ntasks-per-node, or all usable leaves]"},
    topology_option,
    outage_option,
    {0, "fault-probability", "P", "outage probability of the nodes in a torus file's \"faulty\" line [0.02]"},
    {0, "job-seconds", "N", "length of the job, for the expected time"},
    slurm_conf_option,
    {0, "partition", "NAME", "use only the nodes of this partition of slurm.conf"},
    {0, "distances", "LIST", "distance per level from the leaves up, as in 1,10,100 [hops]"},
    {'a', "available", "FILE", "usable leaves, one per line; \"-\": all [-]"},
    {'p', "policy", "WORD",
     "POLICY[=KEY=VALUE,..] as for srun -m, or NATURAL, GREEDY,\n"
     "MATCHING, MATCHING-PAPER, SEQUENTIAL, RANDOM or TOFA-PAPER\n[TREEMATCH; on a torus TOFA]"},
    {'s', "seed", "N", "seed of random choices [1]"},
    {0, "deadline-ms", "N", "end the search after N milliseconds [never]"},
    {'N', "nodes", "MIN[-MAX]", "number of nodes, if the topology has nodes"},
    {0, "ntasks-per-node", "N",
     "at most N ranks on a node, distributed evenly; nodes without\nroom for N ranks are skipped, as in Slurm"},
    {'c', "cores-per-task", "N", "cores of each rank [1; with --node-topology all cores next to its GPU]"},
    {'w', "nodelist", "LIST", "nodes that must be used"},
    {0, "exclusive", nullptr, "whole nodes only"},
    {0, "node-topology", "FILE",
     "topology inside the nodes, from \"lstopo node.xml\" on one node. Each rank gets a\n"
     "GPU, cores near it, and links to the GPUs of ranks with much traffic. Without\n"
     "--topology, uses --nodes nodes [the fewest with enough GPUs]"},
    {0, "gres-conf", "FILE", "Cores= and Links= of the GPUs, in place of those of the node topology"},
    {0, "gres-node", "NAME", "node of gres.conf [the first one]"},
    {0, "reserved-cores", "LIST",
     "further cores of a node, as in 0,8-11, to which no rank is bound [only\nthose that slurm.conf reserves]"},
    {0, "threads-per-core", "N", "hardware threads per core to which a rank with a GPU is bound [1]"},
    {0, "het-group", "N", "component N of the heterogeneous job in which placectl runs"},
    {'f', "format", "WORD",
     "leaves: \"rank leaf\" lines; nodes: \"rank node cores\" lines; gpus: \"rank\n"
     "node gpu cpus nic\" lines [leaves, nodes in an allocation, gpus with\n"
     "--node-topology]; for launchers:\n"
     "hostfile: the node of each rank, for SLURM_HOSTFILE\n"
     "rankfile: for Open MPI's mpirun --rankfile\n"
     "machinefile: for mpiexec -launcher ssh -machinefile of MPICH and Intel MPI\n"
     "mpich-order: MPICH_RANK_REORDER_FILE of Cray MPICH\n"
     "torchrun: the order of the nodes, and the options of torchrun on each\n"
     "srun: srun's options for use with SLURM_HOSTFILE; with --node-topology,\n--gpu-bind= and --cpu-bind="},
    {'o', "output", "FILE", "file for the mapping [standard output]"},
    {'j', "json", nullptr, "report in JSON on standard output"},
};

constexpr CommandHelp map_help{
    "placectl map [--matrix FILE | --pattern WORD] [--topology FILE] [--node-topology FILE] [OPTION]...",
    "Places the ranks of a communication matrix on the leaves of a tree or the nodes of a torus, with few hop-bytes. Writes\n"
    "one line per rank, and on standard error the costs of the mapping, the natural order and greedy. Without --topology\n"
    "the machine is the Slurm allocation in which placectl runs.\n",
    map_options};

constexpr const char* needs_nodes =
    "requires a topology with nodes: a topology.conf, a torus file with names, or --slurm-conf";

struct Range {
  std::int32_t least;
  std::int32_t most;
};

Range node_range(const std::string& text) {
  const std::vector<std::string_view> ends = split_at(text, '-');
  const auto least = parse_integer(ends.front());
  const auto most = parse_integer(ends.back());
  if (ends.size() > 2 || !least || !most || *least < 1 || *most < *least || *most > INT32_MAX)
    throw UsageError("--nodes " + shown(text) + ": expected a number, or a range such as 2-4");
  return {static_cast<std::int32_t>(*least), static_cast<std::int32_t>(*most)};
}

std::vector<std::int64_t> distances(const CommandLine& line) {
  std::vector<std::int64_t> list;
  const auto text = line.value("distances");
  if (!text) return list;
  for (const std::string_view part : split_at(*text, ',')) {
    const auto number = parse_integer(part);
    if (!number) throw UsageError("--distances " + shown(*text) + ": expected numbers, as in 1,10,100");
    list.push_back(*number);
  }
  return list;
}

// Sets the limits that only have a meaning if the topology has nodes.
void set_limits(const CommandLine& line, const ClusterView& view, Request& request) {
  if (view.nodes.empty())
    line.refuse({"nodes", "ntasks-per-node", "cores-per-task", "nodelist", "exclusive"}, needs_nodes);
  if (const auto nodes = line.value("nodes")) {
    const Range range = node_range(*nodes);
    request.min_nodes = range.least;
    request.max_nodes = range.most;
  }
  limit_tasks_per_node(line, request);
  if (!line.has("node-topology"))  // there a leaf stands for a GPU
    request.cores_per_task = line.integer("cores-per-task", 1, INT32_MAX).value_or(1);
  request.whole_nodes = line.has("exclusive");
  if (!line.has("nodelist")) return;
  for (const std::string& name : from_command_line([&] { return expand_hostlist(*line.value("nodelist")); })) {
    const auto node = std::ranges::find(view.nodes, name, &NodeView::name);
    if (node == view.nodes.end()) throw Error("--nodelist: node " + shown(name) + " is not in the topology");
    request.required_nodes.push_back(static_cast<std::int32_t>(node - view.nodes.begin()));
  }
}

// Returns the partition of --partition. `neighbour` is a file next to slurm.conf.
PartitionShape partition_of(const CommandLine& line, const std::string& neighbour) {
  const std::string name = *line.value("partition");
  const std::string conf =
      line.value_or("slurm-conf", std::filesystem::path(neighbour).replace_filename("slurm.conf").string());
  const std::vector<PartitionShape> partitions = read_slurm_machine(conf).partitions;
  const auto found = std::ranges::find(partitions, name, &PartitionShape::name);
  if (found == partitions.end())
    throw Error("--partition " + shown(name) + ": " + conf + " has the partitions " +
                joined(partitions, ", ", [](const PartitionShape& partition) { return partition.name; }));
  return *found;
}

void keep_partition(const CommandLine& line, const std::string& neighbour, ClusterView& view) {
  if (!line.has("partition")) return;
  if (view.nodes.empty()) line.refuse({"partition"}, needs_nodes);
  const PartitionShape partition = partition_of(line, neighbour);
  const std::unordered_set<std::string_view> nodes(partition.nodes.begin(), partition.nodes.end());
  for (NodeView& node : view.nodes)
    if (!nodes.contains(node.name)) node.core_free.assign(node.core_free.size(), false);
}

// Reads the file of --topology. A topology.yaml without a name gives the topology of the partition of --partition.
MachineFile read_topology_option(const CommandLine& line) {
  const std::string path = *line.value("topology");
  MachineFile file = read_machine_file(path);
  if (!line.has("partition") || file.kind.empty() || file.path != path || path == "-") return file;
  const std::string topology = partition_of(line, path).topology;
  return topology.empty() ? file : read_machine_file(path + ":" + topology);
}

void read_machine(const CommandLine& line, MapTask& task) {
  if (line.has("het-group")) throw UsageError("use --het-group without --topology: it names a component of this job");
  const MachineFile file = read_topology_option(line);
  if (is_torus_text(file.text)) {
    if (line.has("distances")) throw UsageError("--distances is for trees: in a torus each link is one hop");
    if (!line.has("policy")) task.spec.policy = "TOFA";
  } else if (line.has("fault-probability")) {
    throw UsageError(
        "--fault-probability is for the faulty line of a torus file: use --outage for the nodes of a tree");
  }
  task.view = tools::read_machine(file, line.value_or("slurm-conf", ""), task.faults, distances(line));
  keep_partition(line, file.path, task.view);
  double of_faulty = 0.02;
  if (const auto text = line.value("fault-probability"); text && !parse_probability(*text, of_faulty))
    throw UsageError("--fault-probability " + shown(*text) + ": expected a number from 0 to 1");
  task.view.outages = map_outages(task.view, task.faults, line.value("outage"), of_faulty);
  const policies::Policy* const policy = policies::find_policy(task.spec.policy);
  task.tells_faults = line.has("outage") || line.has("job-seconds") || (policy != nullptr && policy->avoids_faults);
  if (const auto seconds = line.integer("job-seconds", 1, INT32_MAX)) {
    task.job_seconds = *seconds;
    if (policy != nullptr && policy->takes("job-seconds"))
      task.spec.parameters.emplace("job-seconds", std::to_string(*seconds));
  }
}

// Reads the node topology for a machine with nodes. The cores of an allocation are compared later.
GpuTask gpu_task_of(const CommandLine& line, const ClusterView& view) {
  if (view.nodes.empty()) line.refuse({"node-topology"}, needs_nodes);
  return read_gpu_task(line, view.nodes.front().name, line.has("topology") ? view : ClusterView());
}

// Returns the largest number of ranks on a node, each with a GPU of its own.
std::int32_t ranks_on_a_node(const CommandLine& line, const GpuTask& gpu) {
  return std::min(line.integer("ntasks-per-node", 1, INT32_MAX).value_or(gpu.gpus()), gpu.gpus());
}

// Makes the machine of --node-topology without --topology, with the nodes of --nodes or as many as the ranks need.
void make_machine_of_gpus(const CommandLine& line, const GpuTask& gpu, MapTask& task) {
  line.refuse(
      {"slurm-conf", "partition", "distances", "outage", "fault-probability", "job-seconds", "nodelist", "exclusive"},
      "requires --topology");
  std::int64_t ranks = line.integer("ntasks", 1, CommMatrix::max_ranks).value_or(0);
  if (task.matrix && ranks != 0 && ranks != task.matrix->ranks())
    throw UsageError(formatted("--ntasks %ld: the matrix has %d ranks", ranks, task.matrix->ranks()));
  if (task.matrix) ranks = task.matrix->ranks();
  if (task.pattern && ranks == 0) ranks = pattern::fixed_ranks(*task.pattern).value_or(0);
  const std::int32_t on_node = ranks_on_a_node(line, gpu);
  const auto needed = static_cast<std::int32_t>(std::max<std::int64_t>((ranks + on_node - 1) / on_node, 1));
  const Range nodes = line.has("nodes") ? node_range(*line.value("nodes")) : Range{needed, needed};
  if (nodes.most < needed)
    throw Error(formatted("--nodes %d: %ld ranks, each with its own GPU, require %d nodes with %d ranks each",
                          nodes.most, ranks, needed, on_node));
  if (static_cast<std::int64_t>(nodes.most) * on_node > TreeTopology::max_leaves)
    throw UsageError(formatted("--nodes %d: expected at most %d", nodes.most, TreeTopology::max_leaves / on_node));
  task.view = machine_of_gpus(nodes.most, on_node);
}

// Returns the number of ranks within the limits of the request. As in sbatch(1), a node has --ntasks-per-node tasks, or
// one. Without limits, each has its usable cores / cores_per_task. For a range of nodes, the minimum counts.
std::size_t ranks_within(const Request& request, const ClusterView& view, const std::vector<std::int32_t>& usable) {
  const std::size_t nodes =
      request.max_nodes < INT32_MAX ? static_cast<std::size_t>(request.min_nodes) : view.nodes.size();
  std::size_t ranks = 0;
  if (request.equal_tasks_per_node || request.max_nodes < INT32_MAX)
    ranks = nodes * (request.equal_tasks_per_node ? static_cast<std::size_t>(request.max_tasks_per_node) : 1);
  else
    for (const NodeView& node : view.nodes) {
      const auto first = std::ranges::lower_bound(usable, node.first_leaf);
      ranks += (std::ranges::lower_bound(usable, node.first_leaf + node.cores()) - first) / request.cores_per_task;
    }
  if (ranks > static_cast<std::size_t>(CommMatrix::max_ranks))
    throw UsageError(std::to_string(ranks) + " ranks are too many");
  if (ranks == 0 && !usable.empty())
    throw Error("no node has " + std::to_string(request.cores_per_task) + " usable cores for --cores-per-task");
  return ranks;
}

MapOutcome map_to_file(const CommandLine& line, MapTask& task, std::optional<GpuTask>& gpu) {
  if (line.has("topology")) {
    read_machine(line, task);
    if (line.has("node-topology")) gpu = gpu_task_of(line, task.view);
  } else {
    gpu = read_gpu_task(line, "node0");
    make_machine_of_gpus(line, *gpu, task);
  }
  task.usable = read_available(line.value_or("available", "-"), task.view.tree->leaves());
  drop_unusable(task.view, task.usable);
  set_limits(line, task.view, task.request);
  if (gpu) leave_one_leaf_per_gpu(task.view, ranks_on_a_node(line, *gpu), task.usable);
  const std::size_t otherwise =
      gpu || task.view.nodes.empty() ? task.usable.size() : ranks_within(task.request, task.view, task.usable);
  if (task.pattern) make_matrix(line, *task.pattern, otherwise, task);
  if (!task.matrix) {
    task.spec.policy = "NATURAL";  // so that another key of a policy is refused
    task.matrix = silent_matrix(line.integer("ntasks", 1, CommMatrix::max_ranks).value_or(otherwise));
  }
  return run_map(task);
}

// Whether ranks are mapped onto the job's own nodes: not with --topology, and not with --node-topology outside of a
// job. With neither option, the command line is rejected later outside of a job.
bool is_in_allocation(const CommandLine& line) {
  return !line.has("topology") && !(line.has("node-topology") && !std::getenv("SLURM_JOB_ID"));
}

// Maps onto the job's allocation. Matrix and policy come from the job unless they are given here.
MapOutcome map_to_allocation(const CommandLine& line, MapTask& task, std::optional<GpuTask>& gpu) {
  line.refuse({"slurm-conf", "partition", "distances", "available", "deadline-ms", "nodes", "ntasks-per-node",
               "nodelist", "exclusive", "outage", "fault-probability", "job-seconds"},
              "requires --topology");
  if (!line.has("node-topology")) line.refuse({"cores-per-task"}, "requires --topology");
  if (!std::getenv("SLURM_JOB_ID"))
    throw UsageError(
        "--topology is missing outside a Slurm allocation (SLURM_JOB_ID is not set); "
        "placectl predict shows where a job would start now");
  const spank::Allocation allocation =
      take_allocation(line, task, {.ranks = {}, .by_node = line.value("format") == "torchrun"});
  if (line.has("node-topology")) gpu = gpu_task_of(line, task.view);
  return run_map_in(allocation, task,
                    line.value("format") == "machinefile" ? spank::MapLength(runs_per_node) : nullptr);
}

// Returns the mapping for a launcher. In an allocation, Slurm knows how mpirun numbers the cores of a node.
Layout layout_of(const CommandLine& line, const MapTask& task, const MapOutcome& outcome) {
  const auto numbering =
      line.has("topology") ? spank::CoreNumbering::of_machine : spank::core_numbering(configuration_of_slurmctld());
  return {task.view, outcome.places, numbering, task.processes_per_rank};
}

std::string format_mapping_of(const CommandLine& line, const MapTask& task, const MapOutcome& outcome,
                              const std::optional<GpuTask>& gpu) {
  const std::string format = line.value_or("format", gpu ? "gpus" : line.has("topology") ? "leaves" : "nodes");
  if (format == "srun" && gpu) return srun_options(*gpu) + "\n";
  if (format == "gpus") {
    if (!gpu) throw UsageError("--format gpus requires --node-topology");
    return format_gpu_places(*gpu, task.view, outcome.places);
  }
  const LauncherFormat* const launcher = find_launcher_format(format);
  if (launcher || format == "nodes") {
    if (task.view.nodes.empty()) throw UsageError("--format " + format + " " + needs_nodes);
    return launcher ? launcher->text(layout_of(line, task, outcome)) : format_places(task.view, outcome.places);
  }
  if (format != "leaves")
    throw UsageError("--format " + shown(format) + ": expected leaves, nodes, gpus, " + launcher_format_names());
  if (outcome.leaf_of_rank.empty()) throw Error("--format leaves: ranks share cores here");
  return format_mapping(outcome.leaf_of_rank);
}

std::string natural_order_note(const MapTask& task) {
  return std::to_string(task.matrix->ranks()) + " ranks on " + std::to_string(task.usable.size()) + " of " +
         std::to_string(task.view.tree->leaves()) +
         (task.without_matrix ? " leaves by " + task.spec.policy + ", without a matrix\n"
                              : " leaves in natural order: without --matrix their traffic is unknown\n");
}

}  // namespace

int command_map(int argc, char** argv) {
  const CommandLine line(map_help, argc, argv);
  const bool in_allocation = is_in_allocation(line);
  MapTask task = read_task(line, "map", in_allocation);
  if (!line.has("node-topology"))
    line.refuse({"gres-conf", "gres-node", "reserved-cores", "threads-per-core"}, "is for --node-topology");
  const bool given = task.matrix || task.pattern || in_allocation;
  std::optional<GpuTask> gpu;
  MapOutcome outcome = in_allocation ? map_to_allocation(line, task, gpu) : map_to_file(line, task, gpu);
  if (gpu) map_ranks_to_gpus(*gpu, *task.matrix, task.view, line.has("topology") || in_allocation, outcome.places);
  if (gpu && in_allocation) check_gpus_of_job(gpu->node, task.view, outcome.places);
  const bool by_matrix = given && !task.without_matrix;
  const std::string mapping = format_mapping_of(line, task, outcome, gpu);
  if (!by_matrix) notify("map", treematch::idle_objective_note(task.spec.parameters));
  const bool json = line.has("json");
  const bool to_file = line.has("output");
  if (to_file || !json) write_output(line.value_or("output", ""), mapping);
  if (json) return write_output("", format_json(task, outcome, !to_file, gpu));
  if (!gpu || task.view.nodes.size() > 1)
    std::fputs(by_matrix ? format_summary(task, outcome).c_str() : natural_order_note(task).c_str(), stderr);
  if (gpu) std::fputs(format_gpu_summary(*gpu).c_str(), stderr);
  return exit_ok;
}

}  // namespace placement::tools
