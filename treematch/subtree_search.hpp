// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/topology/tree_topology.hpp"
#include "treematch/rank_structure.hpp"
#include "treematch/tree_map.hpp"

namespace placement::treematch {

// The work of a search of one subtree, in units of work: about one arc visited each.
struct SearchLimits {
  std::int64_t annealing = 0;     // for each annealing
  std::int64_t units = 0;         // for each size of units; 0: the ranks are not joined to units
  bool anneal_exchanges = false;  // anneal even if the ranks take all leaves and can only swap
};

// Chooses one of the usable leaves for each rank, with few hop-bytes. Packs the ranks closely, maps units of ranks, and
// improves and anneals the best mapping found.
//   structure  structure of the matrix; parts that are already computed do not change the result
//   usable     leaves that may be taken, ascending, at least one per rank
//   options    seed, effort and deadline are used
// Returns the best mapping, at worst the natural order on the first leaves.
MapResult search_subtree(const CommMatrix& matrix, RankStructure& structure, const TreeTopology& tree,
                         std::span<const std::int32_t> usable, const MapOptions& options, const SearchLimits& limits);

// Returns the given leaves together with other usable leaves to which ranks may move: all of them, or the closest ones
// if there are many.
std::vector<std::int32_t> leaves_near(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                      const std::vector<std::int32_t>& leaves);

}  // namespace placement::treematch
