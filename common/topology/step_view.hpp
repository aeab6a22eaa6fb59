// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "common/topology/cluster_view.hpp"

namespace placement {

// A step in Slurm's layout. Slurm fixes the nodes and the number of tasks on each; this project only decides the rank
// of each task.
struct StepShape {
  std::uint32_t job = 0;
  std::uint32_t step = 0;
  std::vector<std::string> nodes;   // in the order of the step
  std::vector<std::int32_t> tasks;  // number of tasks of each node, 1 or more
  std::int32_t cores_per_task = 1;
  std::vector<std::vector<std::int32_t>> planned_ranks = {};  // as in Request::planned_ranks; empty: not known
  std::string rank0_host = {};  // the host on which programs expect rank 0, from MASTER_ADDR; empty: any
  std::uint32_t array_job = 0;  // the job ID of the job's array; 0 or `job`: no array, or not known

  // Returns the number of tasks of all nodes.
  std::int64_t all_tasks() const { return std::accumulate(tasks.begin(), tasks.end(), std::int64_t{0}); }
};

// The places that the tasks of a step can take on its nodes.
struct StepView {
  ClusterView view;
  std::int32_t cores_per_task = 1;  // cores of the view that each task takes
  bool whole_cores = true;          // the view has cores; false: its "cores" are hardware threads or mere places
  bool ordered = true;              // the view's cores are in the order of the masks of task/affinity
};

// Returns the number of tasks that Slurm's step layout (block) gives to each node. Node n has room for room[n] tasks.
// Without `pack` the tasks are dealt in rounds, one per node. With `pack` each node gets one task, then the nodes are
// filled one after the other. Tasks for which no node has room are dealt in rounds beyond the room.
std::vector<std::int32_t> block_layout(std::span<const std::uint32_t> room, std::uint64_t tasks, bool pack);

// Returns the view with one leaf for each hardware thread in place of each core.
ClusterView by_threads(const ClusterView& view);

// Returns the places of a step. `view` holds the nodes of the step, in its order, with the cores of the job free.
// - When the cores suffice, the view has those that Slurm will deal out. By default Slurm deals them out in turn over
//   the sockets. When they suffice only for one core per task, each task takes one.
// - Otherwise, when the free hardware threads suffice, the view has these, and each task takes one.
// - Otherwise the view has one place per task on each node, without order.
StepView view_of_step(const ClusterView& view, const StepShape& step);

}  // namespace placement
