// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/state/live_state.hpp"

namespace placement::sim {

// What load and network, as a state tells them, do to a job.
class LiveCost {
 public:
  // `state_of_node` has one entry per node of the machine, -1 where the state knows nothing of it. A null
  // state leaves all jobs alone.
  LiveCost(std::shared_ptr<const LiveState> live, std::vector<std::int32_t> state_of_node);

  // Whether bandwidth is known of any pair of nodes.
  bool knows_network() const { return least_Bps_ > 0; }

  // Seconds that it takes to send all of the matrix one after the other, node_of_rank[r] being the node of rank r:
  // each pair of ranks by what is available between their nodes; unknown counts as the worst that is known of any
  // pair, and within a node eight times the best.
  double transfer_s(const CommMatrix& matrix, std::span<const std::int32_t> node_of_rank) const;

  // By how much load that is not Slurm's stretches the computing of a job on these nodes, each step of which waits
  // for the slowest: 1 + load / cores of that node. `cores` is one entry per node of the machine.
  double slowdown(std::span<const std::int32_t> nodes, std::span<const std::int32_t> cores) const;

 private:
  double bandwidth_Bps(std::int32_t a, std::int32_t b) const;

  std::shared_ptr<const LiveState> live_;
  std::vector<std::int32_t> state_of_node_;
  double least_Bps_ = 0;
  double most_Bps_ = 0;
};

}  // namespace placement::sim
