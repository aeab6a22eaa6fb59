// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/topology/cluster_view.hpp"

namespace placement {

// A step as Slurm laid it out. Counts of tasks per node are Slurm's and stay; which rank runs where
// is ours to say.
struct StepShape {
  std::uint32_t job = 0;
  std::uint32_t step = 0;
  std::vector<std::string> nodes;     // in the order of the step
  std::vector<std::int32_t> tasks;    // of each node, 1 or more
  std::int32_t cores_per_task = 1;
};

// What the tasks of a step can take on its nodes.
struct StepView {
  ClusterView view;
  std::int32_t cores_per_task = 1;  // of the view
  bool whole_cores = true;          // else its "cores" are hardware threads, or mere places
  bool ordered = true;              // they come in the order in which task/affinity's masks sort
};

// From the nodes of the step, in its order, with the cores of the job free: where there are more
// than the tasks need, those that Slurm will deal out (in turn over the sockets, as it does by
// default); where cores do not suffice, their hardware threads; where not even these do, a place per
// task on each node, without order.
StepView view_of_step(const ClusterView& view, const StepShape& step);

}  // namespace placement
