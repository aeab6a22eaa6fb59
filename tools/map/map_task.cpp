// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/map_task.hpp"

#include <algorithm>
#include <numeric>

#include "common/matrix/matrix_read.hpp"
#include "common/policy/config.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/environment.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "policies/table.hpp"
#include "spank/request/options.hpp"
#include "spank/step/slurm_view.hpp"
#include "spank/step/allocation.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

// Returns the policy with its parameters. --seed replaces the key seed.
PolicySpec policy_spec(const CommandLine& line) {
  PolicySpec spec = from_command_line([&] { return parse_policy_spec(line.value_or("policy", "TREEMATCH")); });
  const policies::Policy* const policy = policies::find_policy(spec.policy);
  if (const auto seed = line.integer("seed", 0, INT64_MAX); seed && policy != nullptr && policy->takes("seed"))
    spec.parameters["seed"] = std::to_string(*seed);
  if (const auto matrix = line.value("matrix"))
    if (const auto [other, alone] = spec.parameters.emplace("matrix", *matrix); !alone)
      throw UsageError("two matrices: --matrix " + shown(*matrix) + ", and " + shown(other->second) + " with --policy");
  return spec;
}

// Returns the pattern that --pattern or the policy's word names, and removes it from the policy's parameters.
std::optional<pattern::Pattern> take_pattern(const CommandLine& line, MapTask& task) {
  Parameters& parameters = task.spec.parameters;
  std::optional<pattern::Pattern> pattern = from_command_line([&] {
    if (!line.has("matrix")) pattern::take_word(parameters);  // --matrix always names a file
    return pattern::pattern_of(parameters);
  });
  const std::string same_name = spank::same_name_note(parameters);
  std::erase_if(parameters, [](const auto& parameter) { return pattern::is_key(parameter.first); });
  if (const auto word = line.value("pattern")) {
    if (pattern)
      throw UsageError("two patterns: --pattern " + shown(*word) + ", and " + pattern::to_string(*pattern) +
                       " with --policy");
    if (parameters.contains("matrix"))
      throw UsageError("--pattern replaces a matrix: use either --pattern or " + shown(parameters["matrix"]));
    pattern = from_command_line([&] { return pattern::parse_pattern(*word); });
  }
  const bool has_matrix = line.has("matrix") || parameters.contains("matrix");
  if (task.command == "map" && line.has("ntasks") && !pattern && !line.has("node-topology") &&
      (has_matrix || !line.has("topology")))
    throw UsageError("--ntasks is for --pattern and --node-topology: the number of ranks is that of the matrix or job");
  notify(task.command, same_name);
  return pattern;
}

// Reads the matrix. If the file does not exist and its name is that of a pattern, the message shows the option for it.
CommMatrix read_matrix_file(const std::string& file, TrafficWeight weight) {
  if (!may_exist(file) && file != "-" && pattern::is_pattern(file))
    throw Error(file + ": the file does not exist; for the pattern use --pattern " + shown(file));
  return read_matrix(file, {.weight = weight});
}

// Returns the policy of the job, with the options of the command line in place of its parameters. A pattern of the job
// is left out where the command line has a matrix or a pattern.
PolicySpec spec_of_job(const PolicySpec& of_job, const MapTask& task) {
  PolicySpec spec = of_job;
  if (task.matrix || task.pattern)
    std::erase_if(spec.parameters, [](const auto& parameter) { return pattern::is_key(parameter.first); });
  for (const auto& [key, value] : task.spec.parameters) spec.parameters[key] = value;
  return spec;
}

// Distributes `ranks` tasks over the nodes of the allocation, at most `per_node` on each, unless they have this number
// already. If they do not fit, throws Error if `of_launcher` is true, because a launcher may overcommit, and otherwise
// UsageError. `cores` is the number of cores of each task; none: as for the tasks of the allocation.
void set_ranks(std::int64_t ranks, std::int64_t per_node, std::optional<std::int64_t> cores, bool of_launcher,
               spank::Allocation& allocation) {
  StepShape& step = allocation.step;
  const std::int32_t of_job = step.cores_per_task;
  step.cores_per_task = static_cast<std::int32_t>(cores.value_or(of_job));
  if (ranks == step.all_tasks() && step.cores_per_task == of_job && std::ranges::max(step.tasks) <= per_node) return;
  const std::size_t nodes = std::min(step.nodes.size(), static_cast<std::size_t>(ranks));
  step.nodes.resize(nodes);
  allocation.view.nodes.resize(nodes);
  std::vector<std::uint32_t> room;
  for (const NodeView& node : allocation.view.nodes) {
    const std::int64_t cpus = std::ranges::count(node.core_free, true) * node.threads_per_core;
    room.push_back(static_cast<std::uint32_t>(std::min(cpus / step.cores_per_task, per_node)));
  }
  step.tasks = block_layout(room, static_cast<std::uint64_t>(ranks), false);
  if (ranks <= std::accumulate(room.begin(), room.end(), std::int64_t{0})) return;
  const std::string why = std::to_string(ranks) + " ranks with --cpus-per-task=" + std::to_string(step.cores_per_task) +
                          (per_node < INT32_MAX ? " and --ntasks-per-node=" + std::to_string(per_node) : "") +
                          " are too many for the nodes of the allocation";
  if (of_launcher) throw Error(why);
  throw UsageError(why);
}

// Turns the matrix of all processes into that of the nodes. Each node has the same number of processes.
void fold_matrix(std::int64_t nodes, MapTask& task) {
  const std::int64_t ranks = task.matrix->ranks();
  if (ranks % nodes != 0)
    throw UsageError(formatted("the matrix has %ld ranks, not a multiple of the %ld nodes", ranks, nodes));
  task.processes_per_rank = static_cast<std::int32_t>(ranks / nodes);
  std::vector<std::int32_t> node_of(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 0; rank < node_of.size(); ++rank)
    node_of[rank] = static_cast<std::int32_t>(rank) / task.processes_per_rank;
  task.matrix = std::make_shared<const CommMatrix>(task.matrix->aggregated(node_of, static_cast<std::int32_t>(nodes)));
}

// Adds the state and the planned ranks that slurmctld sent with the job, as srun does for a step. If the policy is
// `named` on the command line, also adds missing data of placement-monitor. Notes on standard error name missing data,
// and a Mode with which srun places no ranks. Throws Error if slurmctld does not answer.
void take_plan(const MapTask& task, bool named, std::optional<std::uint32_t> component, spank::Allocation& allocation) {
  const ControllerState& controller = allocation.controller;
  notify(task.command, allocation.view.warning);
  if (!controller.mode.empty() && controller.mode != mode_names[PLACEMENT_ENFORCE])
    notify(task.command, "Mode=" + controller.mode +
                             " in slurmctld: srun leaves the ranks to Slurm; this mapping is that of Mode=enforce");
  notify(task.command, spank::take_plan_of_job(allocation.step, allocation.view, component));
  if (!named) return;
  const std::string why =
      spank::add_missing_state(task.spec, allocation.view, allocation.step.job, allocation.step.nodes, controller);
  if (!why.empty())
    notify(task.command, "slurmctld sent no torus, outage probabilities or measured network with the job, and " + why +
                             ": " + task.spec.policy + " uses only Slurm's topology");
}

}  // namespace

MapTask read_task(const CommandLine& line, const std::string& command, bool in_allocation) {
  MapTask task;
  task.command = command;
  task.spec = policy_spec(line);
  if (task.spec.policy != "NATURAL" && policies::find_policy(task.spec.policy) == nullptr) {
    const bool like_pattern = pattern::is_word(task.spec.policy) || pattern::is_key(lower_case(task.spec.policy));
    throw UsageError("unknown policy " + shown(task.spec.policy) + "; known policies: NATURAL, " +
                     policies::policy_names([](const policies::Policy&) { return true; }) +
                     (like_pattern ? "; a pattern is given by --pattern" : ""));
  }
  task.pattern = take_pattern(line, task);
  if (const auto weight = line.value("weight")) task.spec.parameters["weight"] = *weight;
  from_command_line([&] { return policies::weight_of(task.spec.parameters); });
  const auto matrix = task.spec.parameters.find("matrix");
  if (matrix != task.spec.parameters.end()) {
    task.matrix =
        std::make_shared<const CommMatrix>(read_matrix_file(matrix->second, policies::weight_of(task.spec.parameters)));
    task.spec.parameters.erase(matrix);
  } else if (!task.pattern && !in_allocation && line.has("policy") && task.spec.policy != "NATURAL") {
    throw UsageError("--matrix or --pattern is missing: " + task.spec.policy + " places ranks by their traffic");
  }
  if (const auto ms = line.integer("deadline-ms", 0, INT32_MAX)) task.deadline = std::chrono::milliseconds(*ms);
  return task;
}

void make_matrix(const CommandLine& line, const pattern::Pattern& pattern, std::size_t otherwise, MapTask& task) {
  const auto given = line.integer("ntasks", 1, CommMatrix::max_ranks);
  if (otherwise == 0)
    throw Error(
        "no leaf of the machine is usable" +
        std::string(line.has("available") ? ": --available " + shown(*line.value("available")) + " names none" : ""));
  const std::int32_t ranks =
      given ? *given : pattern::fixed_ranks(pattern).value_or(static_cast<std::int32_t>(otherwise));
  task.matrix =
      std::make_shared<const CommMatrix>(from_command_line([&] { return pattern::matrix_of(pattern, ranks); }));
  notify(task.command, pattern::layout_note(pattern, ranks));
}

void limit_tasks_per_node(const CommandLine& line, Request& request) {
  const auto tasks = line.integer("ntasks-per-node", 1, INT32_MAX);
  request.equal_tasks_per_node = tasks.has_value();
  request.max_tasks_per_node = tasks.value_or(request.max_tasks_per_node);
}

std::shared_ptr<const CommMatrix> silent_matrix(std::int64_t ranks) {
  return std::make_shared<const CommMatrix>(CommMatrix::from_edges(static_cast<std::int32_t>(ranks), {}));
}

std::optional<std::int64_t> ranks_of_step(const CommandLine& line, const MapTask& task, const AllocationStep& step,
                                          std::int64_t nodes) {
  if (step.ranks) return step.ranks;
  if (const auto ranks = line.integer("ntasks", 1, CommMatrix::max_ranks)) return ranks;
  if (task.command == "run" && task.matrix) return task.matrix->ranks();
  if ((step.tasks_per_node || step.one_per_node) && environment_value("SLURM_NTASKS").empty())
    return nodes * step.tasks_per_node.value_or(1);
  return std::nullopt;
}

bool places_nodes(const CommandLine& line, const MapTask& task, const AllocationStep& step, std::int64_t nodes) {
  return step.places_nodes(nodes, ranks_of_step(line, task, {}, nodes).value_or(0));
}

void use_free_cores(MapTask& task) {
  for (const NodeView& node : task.view.nodes)
    for (std::int32_t core = 0; core < node.cores(); ++core)
      if (node.core_free[core]) task.usable.push_back(node.first_leaf + core);
  std::ranges::sort(task.usable);  // the nodes of a switch need not be consecutive
}

spank::Allocation take_allocation(const CommandLine& line, MapTask& task, const AllocationStep& step,
                                  const std::set<std::string>& kept) {
  if (task.spec.policy == "NATURAL")
    throw UsageError(
        "--policy NATURAL requires --topology: use SEQUENTIAL, which is the natural order in an allocation");
  std::optional<std::uint32_t> component = line.integer("het-group", 0, INT16_MAX);
  if (step.component) component = static_cast<std::uint32_t>(*step.component);
  spank::Allocation allocation = spank::current_allocation(component, kept);
  const auto nodes = static_cast<std::int64_t>(allocation.step.nodes.size());
  if (step.nodes.value_or(nodes) != nodes)
    throw Error("--nodes of the step differs from the number of nodes of the allocation, " + std::to_string(nodes));
  const bool by_node = places_nodes(line, task, step, nodes);
  if (by_node && step.ranks.value_or(nodes) != nodes)
    throw Error("the launcher must start once on each of the " + std::to_string(nodes) + " nodes");
  const std::string limit =
      "SLURM_NTASKS_PER_NODE" + (component ? "_HET_GROUP_" + std::to_string(*component) : std::string());
  std::int64_t per_node = step.tasks_per_node.value_or(parse_integer(environment_value(limit)).value_or(INT32_MAX));
  const std::int64_t ranks = ranks_of_step(line, task, step, nodes).value_or(allocation.step.all_tasks());
  if (!step.tasks_per_node && step.ranks && *step.ranks > per_node * nodes) per_node = INT32_MAX;  // as srun does
  if (by_node)
    set_ranks(nodes, 1, step.cores_per_task, false, allocation);
  else
    set_ranks(ranks, per_node, step.cores_per_task,
              step.ranks || step.tasks_per_node || ranks == allocation.step.all_tasks(), allocation);
  const auto tasks = allocation.step.all_tasks();
  std::optional<spank::PlacementRequest> of_job = spank::request_of_allocation(component);
  if (of_job && !line.has("policy")) task.spec = spec_of_job(of_job->spec, task);
  if (task.pattern) make_matrix(line, *task.pattern, static_cast<std::size_t>(tasks), task);
  if (!task.matrix) {
    if (!of_job || (of_job->automatic && !of_job->matrix))
      throw UsageError("the matrix is missing: use --matrix or --pattern, because the job has neither");
    spank::take_pattern(*of_job, static_cast<std::int32_t>(tasks));
    task.without_matrix = !of_job->matrix;
    task.matrix = of_job->matrix ? of_job->matrix : silent_matrix(tasks);
  }
  if (by_node) fold_matrix(tasks, task);
  take_plan(task, line.has("policy"), component, allocation);
  task.view = allocation.view;
  use_free_cores(task);
  return allocation;
}

}  // namespace placement::tools
