// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of a rank for each process [JA §2]. This header does not use MPI, so that it can be tested without MPI.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/tree_topology.hpp"

namespace placement::mpi {

// The place where a process runs: the path from the root of the machine down (switches, node, package, cache, core). If
// the processes use a hardware file of the paper [JA §2], the path has the digits of the place in that file instead. A
// level that does not exist or is not known has -1.
struct ProcessPlace {
  static constexpr std::size_t switch_levels = 8;  // also the maximum number of levels of a hardware file
  static constexpr std::size_t levels = switch_levels + 4;
  std::array<std::int64_t, levels> path{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

  bool operator==(const ProcessPlace&) const = default;
};

// The tree that the places of the processes span, and the leaf of each process. Levels without a branch are left out.
// Processes at one place are siblings below it.
struct ProcessTree {
  TreeTopology tree;
  std::vector<std::int32_t> leaf_of_process;
};
// Returns the tree of the places; places[p] is the place of process p.
ProcessTree process_tree(std::span<const ProcessPlace> places);

// The mapping that is used: that of TREEMATCH, or the published matching [JA §2].
enum class OrderMethod { treematch, matching };

// The method of order_ranks(), and the gain below which it keeps the given order.
struct OrderOptions {
  OrderMethod method = OrderMethod::treematch;
  double least_gain = 0.05;  // part of the hop-bytes (0..1) that a new order must save
};

// The chosen ranks.
struct RankOrder {
  std::vector<std::int32_t> rank_of_process;  // a permutation; 0, 1, 2, .. if a new order does not save enough
  Cost cost = 0;                              // hop-bytes of this order
  Cost natural_cost = 0;                      // hop-bytes of the given order
  bool changed = false;                       // whether the order differs from the given one
};

// Returns the rank for each process. Process p runs at places[p]. Rank r of the result has the traffic of row r of the
// matrix. The result is deterministic. Throws Error when matrix and places differ in size.
RankOrder order_ranks(const CommMatrix& matrix, std::span<const ProcessPlace> places, const OrderOptions& options);

// Returns the names of the switches above a node, from the top. `address` and `pattern` are Slurm's SLURM_TOPOLOGY_ADDR
// ("core.rack3.n17") and SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node"), see srun(1). The name of a node may
// contain dots. The pattern must have "switch" for each level and "node" at the end. The result is empty for another
// pattern, for an address with fewer levels than the pattern, and without switches.
std::vector<std::string> switches_of_address(std::string_view address, std::string_view pattern);

}  // namespace placement::mpi
