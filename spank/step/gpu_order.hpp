// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/step_view.hpp"
#include "common/util/deadline.hpp"
#include "spank/request/client_options.hpp"
#include "spank/step/step_ranks.hpp"

namespace placement::spank {

// The GPU of each rank of a step. Ranks of a node with much traffic between them get GPUs with links between them.
struct GpuOrder {
  bool changed = false;  // at least one node uses its GPUs in another order than that of their numbers
  // For each rank the index of its GPU among the job's GPUs on its node; by default, its index among the ranks there.
  std::vector<std::int32_t> gpu_of_rank;
  // The share, 0 to 1, of the traffic that is between linked GPUs, on nodes with known links. `linked` is for this
  // order, `natural_linked` for GPUs by number.
  double linked = 0, natural_linked = 0;
  double cost_ratio = 1;  // the cost of the traffic on these nodes by gpu_costs(), divided by that with GPUs by number
  std::string kept;       // why the first node that keeps the numeric order of its GPUs does so; empty: none keeps it
};

enum class GpuLists {
  per_node,  // each node may have an order of its own; nodes without known links keep the order of the numbers
  one        // the i-th rank of each node has the same GPU, as in srun's --gpu-bind=map_gpu; all nodes must be alike
};

// How GPUs can be given to the ranks of a step.
struct GpuChoice {
  std::optional<GpuLists> lists;
  std::string kept;  // why GPUs keep Slurm's order, if there are no lists
};

// Returns how GPUs can be assigned to the ranks of the step with the options `option`. If Slurm gives each task one
// GPU, one list for --gpu-bind decides. Otherwise each task sees a list of GPUs and reorders it.
GpuChoice gpu_choice(const ClientOption& option);

// Returns the GPUs of the ranks by Links= of the gres.conf `gres_conf`, where nodes have as many GPUs of the job as
// tasks. Nodes for which no order is found before the deadline keep Slurm's order. `view` has the nodes of the step,
// with the job's GPUs. Does not throw Error.
GpuOrder order_by_links(const CommMatrix& matrix, const StepPlacement& placement, const StepShape& step,
                        const ClusterView& view, const std::string& gres_conf, GpuLists lists,
                        const Deadline& deadline);

}  // namespace placement::spank
