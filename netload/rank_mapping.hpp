// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/util/deadline.hpp"

namespace placement::netload {

// The largest table of the search, in entries. Exchanges of single ranks, or of whole nodes, are skipped if their table
// would be larger.
inline constexpr std::int64_t most_distances = 1 << 21;

// Symmetric distances between nodes; 0 from a node to itself.
struct NodeDistances {
  std::int32_t nodes = 0;
  std::vector<double> value;  // nodes x nodes, row by row

  double operator()(std::int32_t a, std::int32_t b) const { return value[static_cast<std::size_t>(a) * nodes + b]; }
};

// Returns the sum over pairs of ranks of traffic times distance(a, b) between their nodes.
template <typename Distance>
double measured_cost(const CommMatrix& matrix, const Distance& distance, std::span<const std::int32_t> node_of_rank) {
  double cost = 0;
  for (const CommEdge& edge : matrix.edges())
    cost += static_cast<double>(edge.weight) * distance(node_of_rank[edge.a], node_of_rank[edge.b]);
  return cost;
}

// Returns a mapping (the node of each rank) with heavy pairs on nearby nodes. It starts from `node_of_rank`. While the
// cost falls, it exchanges all ranks of two nodes with equal numbers of ranks, and then single ranks. Each node keeps
// its number of ranks, and the cost never rises. The work is bounded. Above 1,024 ranks, a rank changes places only
// with ranks on the nodes of its partners. Only whole nodes are exchanged above 4,096 ranks or above most_distances
// ranks times nodes; nothing above most_distances pairs of nodes. At the deadline, returns the mapping so far.
std::vector<std::int32_t> mapped_by_distance(const CommMatrix& matrix, const NodeDistances& distances,
                                             std::vector<std::int32_t> node_of_rank, const Deadline& deadline);

}  // namespace placement::netload
