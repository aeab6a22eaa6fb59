// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "core/cluster_view.hpp"
#include "spank/step_ranks.hpp"

namespace placement {

// The Slurm allocation in which placectl runs, as a step that takes all of its tasks would have it.
struct Allocation {
  StepShape step;
  ClusterView view;  // of the step's nodes; the job's cores are the free ones
};

// From the environment that Slurm gives to a job, and from slurmctld. Throws Error when there is no
// allocation, or one that cannot be placed as a whole (heterogeneous).
Allocation current_allocation();

// What the job itself was submitted with; none when it asked for no policy.
std::optional<Wish> wish_of_allocation();

// The tasks of each node from SLURM_TASKS_PER_NODE: "2(x3),1". Throws Error.
std::vector<std::int32_t> parse_tasks_per_node(const std::string& text);

// Where the ranks go: by the function that srun's plugin calls. Throws Error when the matrix has
// another number of ranks than the allocation has tasks.
StepPlacement place_in(const Allocation& allocation, const Wish& wish);

}  // namespace placement
