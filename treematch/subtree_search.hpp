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
#include "treematch/tuning.hpp"

namespace placement::treematch {

// Returns the number of sets of leaves that are tried with this effort.
std::ptrdiff_t sets_of_leaves_tried(std::int32_t ranks, std::int32_t effort);

// How much a search below some subtrees does. The counts are units of work, about one arc visited each.
struct SearchLimits {
  std::int64_t work = 0;          // after this much no further set of leaves is tried
  std::int64_t annealing = 0;     // for each annealing
  std::int64_t units = 0;         // for each size of units; 0: the ranks are not joined to units
  bool anneal_exchanges = false;  // also where the ranks take all leaves, so that they can only exchange their places
};

// Chooses one of the usable leaves below `tops` for each rank, with few hop-bytes: tries several sets of leaves with
// little work, maps units of ranks, searches the best set below each vertex with all work, and anneals.
//   structure  that of the matrix; what has been found before does not change the result
//   usable     leaves that may be taken, ascending
//   tops       vertices with at least one usable leaf per rank below each
//   options    seed, effort, deadline and memory are used
//   best       a mapping found before, whose cost the search tries to better
//   wider      `best` is that of a narrower scope: only sets of leaves that promise a lower cost are tried
// At most 512 ranks. Returns the best mapping, at worst `best`; its `work` is that of this search.
MapResult search_subtrees(const CommMatrix& matrix, RankStructure& structure, const TreeTopology& tree,
                          std::span<const std::int32_t> usable, std::span<const std::int32_t> tops,
                          const MapOptions& options, const SearchLimits& limits, MapResult best, bool wider);

// Returns the natural order on these leaves, of which there is one per rank: rank r on the r-th leaf.
MapResult natural_order_on(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaves);

}  // namespace placement::treematch
