// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/candidate_nodes.hpp"

#include <algorithm>
#include <map>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"

namespace placement::planning {

CandidateNodes::CandidateNodes(const Machine& machine, const placement_offer& offer, const placement_request& request,
                               const JobRequest& job_request, const Config& config)
    : machine_(machine),
      offer_(offer),
      request_(request) {
  choose_tasks(job_request, config);
  choose_leaves();
  if (!offer.given) choose_nodes(machine, config);
}

// A job of whole nodes that gives no number of tasks has as many tasks as the matrix has ranks. Without whole nodes, it
// has tasks_per_node tasks, at least one, on each of its nodes. The number of nodes is known unless the job gives a
// range.
void CandidateNodes::choose_tasks(const JobRequest& job_request, const Config& config) {
  matrix = job_request.matrix;
  tasks = request_.tasks;
  if (tasks == 0 && request_.whole_nodes && matrix) tasks = matrix->ranks();
  if (tasks == 0 && request_.node_range)
    throw PlacementError(STOCK_OPTION, "a range of --nodes without --ntasks is left to Slurm");
  if (tasks == 0) tasks = std::uint64_t{std::max(request_.min_nodes, 1u)} * std::max(request_.tasks_per_node, 1u);
  if (tasks > static_cast<std::uint64_t>(CommMatrix::max_ranks))
    throw Error(std::to_string(tasks) + " tasks are too many");
  if (matrix && static_cast<std::uint64_t>(matrix->ranks()) != tasks)
    throw Error("the matrix has " + std::to_string(matrix->ranks()) + " ranks, but the job has " +
                std::to_string(tasks) + " tasks");
  if (tasks < request_.min_nodes)
    throw Error(std::to_string(tasks) + " tasks cannot use the " + std::to_string(request_.min_nodes) +
                " nodes that the job requires");
  node_level = tasks > static_cast<std::uint64_t>(config.node_level_tasks);
  if (matrix && node_level)
    note = "ranks grouped by node, because tasks exceed NodeLevelTasks=" + std::to_string(config.node_level_tasks);
}

// Leaves are cores, or hardware threads if the CPUs of a task are no multiple of the usable threads of a core.
void CandidateNodes::choose_leaves() {
  if (offer_.node_count == 0) throw PlacementError(STOCK_NO_ROOM, "no node is free");
  usable_threads = offer_.cpus_per_core[0];
  for (const std::uint16_t threads : std::span(offer_.cpus_per_core, offer_.node_count))
    if (threads != usable_threads)
      throw PlacementError(STOCK_OTHER, "the nodes differ in the threads per core that the job may use");
  if (usable_threads < 1) throw PlacementError(STOCK_OTHER, "no thread of a core is usable");
  cpus_per_task = std::max(request_.cpus_per_task, 1u);
  leaves_per_core = cpus_per_task % usable_threads == 0 ? 1 : usable_threads;
  leaves_per_task = leaves_per_core == 1 ? cpus_per_task / usable_threads : cpus_per_task;
}

std::vector<bool> CandidateNodes::usable_leaves(std::uint32_t node) const {
  const auto free = cores(node);
  const std::size_t leaves = free.size() * leaves_per_core;
  const std::size_t of_socket = leaves / std::max(machine_.node(offer_.node[node]).sockets, 1);
  const std::uint64_t most_of_node =
      offer_.max_tasks ? std::uint64_t{offer_.max_tasks[node]} * leaves_per_task : leaves;
  const std::uint64_t most_of_socket =
      request_.tasks_per_socket > 0 ? std::uint64_t{request_.tasks_per_socket} * leaves_per_task : leaves;
  std::vector<bool> usable(leaves, false);
  std::uint64_t used = 0;
  for (std::size_t leaf = 0, in_socket = 0; leaf < leaves && used < most_of_node; ++leaf) {
    if (leaf % of_socket == 0) in_socket = 0;
    if (!free[leaf / leaves_per_core] || in_socket >= most_of_socket) continue;
    usable[leaf] = true;
    ++in_socket;
    ++used;
  }
  return usable;
}

std::uint64_t CandidateNodes::capacity_of(std::uint32_t node) const {
  if (all_leaves_usable()) {
    const auto free = cores(node);
    return static_cast<std::uint64_t>(std::count(free.begin(), free.end(), 1)) * leaves_per_core / leaves_per_task;
  }
  const std::vector<bool> usable = usable_leaves(node);
  return static_cast<std::uint64_t>(std::count(usable.begin(), usable.end(), true)) / leaves_per_task;
}

std::uint64_t CandidateNodes::room(std::span<const std::uint32_t> some_nodes) const {
  std::uint64_t sum = 0;
  for (const std::uint32_t node : some_nodes)
    sum += request_.tasks_per_node > 0 ? request_.tasks_per_node : capacity[node];
  return sum;
}

// Keeps the lightest nodes that suffice for the job, and the nodes that the job requires. Nodes have
// different weights so that jobs use the light ones first. The room of each node is added only once. All nodes may
// differ in weight, and a new sum for each weight would take quadratic time.
void CandidateNodes::keep_light_nodes() {
  std::vector<bool> must(offer_.node_count, false);
  for (const std::uint32_t node : std::span(request_.required, request_.required_count))
    if (node < offer_.node_count) must[node] = true;
  std::map<std::uint64_t, std::vector<std::uint32_t>> of_weight;
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t node : nodes) {
    if (must[node])
      kept.push_back(node);
    else
      of_weight[offer_.weight[node]].push_back(node);
  }
  std::uint64_t kept_room = room(kept);
  for (const auto& [weight, equal] : of_weight) {
    if (suffice(kept_room, kept.size())) break;
    kept_room += room(equal);
    kept.insert(kept.end(), equal.begin(), equal.end());
  }
  std::sort(kept.begin(), kept.end());
  nodes = kept;
}

// Chooses the nodes that can take a task, or all of tasks_per_node if the job gives that number.
void CandidateNodes::choose_nodes(const Machine& machine, const Config& config) {
  std::vector<std::int32_t> chosen_at(offer_.node_count, -1);
  capacity.assign(offer_.node_count, 0);
  for (std::uint32_t node = 0; node < offer_.node_count; ++node) {
    if (offer_.node[node] < 0 || offer_.node[node] >= machine.nodes())
      throw PlacementError(STOCK_MACHINE, "an offered node is unknown to the plugin");
    const NodeShape& shape = machine.node(offer_.node[node]);
    if (cores(node).size() != static_cast<std::size_t>(shape.sockets) * shape.cores_per_socket)
      throw PlacementError(STOCK_MACHINE, "the cores of node " + shape.name + " have changed");
    capacity[node] = capacity_of(node);
    if (capacity[node] >= std::max(request_.tasks_per_node, 1u)) nodes.push_back(node);
  }
  if (!suffice(room(nodes), nodes.size()))
    throw PlacementError(STOCK_NO_ROOM, std::string("not enough cores ") +
                                            (offer_.max_tasks != nullptr ? "and generic resources " : "") +
                                            "are free for the policy to choose from");
  if (offer_.weight != nullptr && config.node_weights == NodeWeights::respect) keep_light_nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) chosen_at[nodes[i]] = static_cast<std::int32_t>(i);
  for (const std::uint32_t node : std::span(request_.required, request_.required_count)) {
    if (node >= offer_.node_count || chosen_at[node] < 0)
      throw PlacementError(STOCK_NO_ROOM, "a required node has too few free cores");
    required.push_back(chosen_at[node]);
  }
}

}  // namespace placement::planning
