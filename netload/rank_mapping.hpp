// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/util/deadline.hpp"

namespace placement {

// Any symmetric distance of some nodes, with 0 of a node to itself.
struct NodeDistances {
  std::int32_t nodes = 0;
  std::vector<double> value;  // nodes x nodes, row by row

  double at(std::int32_t a, std::int32_t b) const {
    return value[static_cast<std::size_t>(a) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(b)];
  }
};

// The sum over pairs of ranks of their traffic times the distance of their nodes.
double measured_cost(const CommMatrix& matrix, const NodeDistances& distances, std::span<const std::int32_t> node_of_rank);

// Heavy pairs on near nodes: from the given node of each rank on, exchanges the ranks of two nodes that have the same
// number, then two ranks, as long as the cost falls. Each node keeps its number of ranks, and the cost never rises.
// The work is bounded: very many ranks are only exchanged node by node.
std::vector<std::int32_t> mapped_by_distance(const CommMatrix& matrix, const NodeDistances& distances,
                                             std::vector<std::int32_t> node_of_rank, const Deadline& deadline);

}  // namespace placement
