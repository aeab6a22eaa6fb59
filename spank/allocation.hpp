// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/topology/cluster_view.hpp"
#include "common/topology/step_view.hpp"
#include "spank/options.hpp"
#include "spank/step_ranks.hpp"

namespace placement {

// The Slurm allocation in which this process runs, as a step that takes all of its tasks would have it.
struct Allocation {
  StepShape step;
  ClusterView view;  // of the step's nodes; the job's cores are the free ones
};

// From the environment that Slurm gives to a job, and from slurmctld. Of a heterogeneous job, `component`; nothing: the
// job has to be another. Throws Error when there is no such allocation.
Allocation current_allocation(std::optional<std::uint32_t> component = {});

// Gives the view what slurmctld knew of the cluster when it chose the nodes of this job (PLACEMENT_STATE). Nothing
// happens where there is no such state, or where it is another job's. Throws Error when it is damaged.
void take_state_of_allocation(Allocation& allocation, std::optional<std::uint32_t> component = {});

// What the job, or that component of it, was submitted with; none when it asked for no policy.
std::optional<PlacementRequest> request_of_allocation(std::optional<std::uint32_t> component = {});

// The tasks of each node from SLURM_TASKS_PER_NODE: "2(x3),1". Throws Error.
std::vector<std::int32_t> parse_tasks_per_node(const std::string& text);

// Where the ranks go: by the function that srun's plugin calls. Throws Error when the matrix has
// another number of ranks than the allocation has tasks.
StepPlacement place_in(const Allocation& allocation, const PlacementRequest& placement_request);

}  // namespace placement
