// SPDX-License-Identifier: GPL-2.0-or-later
// Which process gets which rank [JA §2]. Knows no MPI, so that it can be tested without one.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/tree_topology.hpp"

namespace placement {

// Where a process runs: the way from the root of the machine down (switches, node, package, cache, core), or the
// digits of a place in the paper's hardware file. -1 at each level that does not exist or is not known.
struct ProcessPlace {
  static constexpr std::size_t switch_levels = 8;  // also the most levels of a hardware file
  static constexpr std::size_t levels = switch_levels + 4;
  std::array<std::int64_t, levels> path{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

  bool operator==(const ProcessPlace&) const = default;
};

// The tree that the places span, and the leaf of each process in it. Levels at which nothing branches
// are left out. Processes that share a place are siblings below it.
struct ProcessTree {
  TreeTopology tree;
  std::vector<std::int32_t> leaf_of_process;
};
ProcessTree process_tree(std::span<const ProcessPlace> places);

enum class OrderMethod { treematch, matching };

struct OrderOptions {
  OrderMethod method = OrderMethod::treematch;
  double least_gain = 0.05;  // of hop-bytes; a new order that saves less is not worth its price
};

struct RankOrder {
  std::vector<std::int32_t> rank_of_process;  // a permutation; 0, 1, 2 .. where nothing is gained
  Cost cost = 0;                              // hop-bytes of that order
  Cost natural_cost = 0;                      // hop-bytes of the order as it was
  bool changed = false;
};

// matrix.ranks() processes, the p-th of them at places[p]; rank r of the result exchanges what row r
// of the matrix says. Deterministic. Throws Error when matrix and places differ in size.
RankOrder order_ranks(const CommMatrix& matrix, std::span<const ProcessPlace> places, const OrderOptions& options);

}  // namespace placement
