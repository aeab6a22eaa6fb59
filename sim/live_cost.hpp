// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/state/live_state.hpp"

namespace placement::sim {

// The effect of load and network, as a live state has them, on the run time of a job.
class LiveCost {
 public:
  // state_of_node[n] is the index of node n of the machine in live->nodes, -1 when its state is not known. `live` may
  // be null; load and network then have no effect.
  LiveCost(std::shared_ptr<const LiveState> live, std::vector<std::int32_t> state_of_node);

  // Returns whether the bandwidth of any pair of nodes is known.
  bool knows_network() const { return least_Bps_ > 0; }

  // Returns the seconds that it takes to send the traffic of all pairs of ranks one after the other. The traffic of a
  // pair is sent at the bandwidth available between the nodes of its ranks. An unknown bandwidth counts as the smallest
  // known bandwidth of any pair of nodes. Within a node, eight times the largest known bandwidth is assumed.
  // node_of_rank has the node of each rank; knows_network() must be true.
  double transfer_s(const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank) const;

  // Returns the factor by which load from outside Slurm prolongs the computation of a job on these nodes. Each step of
  // the job waits for the slowest node, so that the factor is 1 + load / cores of that node.
  //   nodes  nodes of the machine on which the job runs
  //   cores  number of cores of each node of the machine
  double slowdown(std::span<const std::int32_t> nodes, std::span<const std::int32_t> cores) const;

 private:
  double bandwidth_Bps(std::int32_t a, std::int32_t b) const;

  std::shared_ptr<const LiveState> live_;
  std::vector<std::int32_t> state_of_node_;
  double least_Bps_ = 0;
  double most_Bps_ = 0;
};

}  // namespace placement::sim
