// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/tree_topology.hpp"
#include "common/util/deadline.hpp"

namespace placement::treematch {

class MapMemory;

// The scope: the usable leaves among which the mapper chooses when there are more of them than ranks [TM §6].
enum class LeafScope {
  given,    // TM-A: the first usable leaves from the left, as many as there are ranks
  whole,    // TM-I: all usable leaves of the tree
  subtree,  // TM-Isub+k: the usable leaves of the lowest subtrees that have enough, or of their ancestors k levels up
};

constexpr std::int32_t usual_effort = 10;  // MapOptions::effort if the user gives none

// The options of one search of the mapper.
struct MapOptions {
  std::uint64_t seed = 1;  // seed of the random choices
  LeafScope scope = LeafScope::subtree;
  std::int32_t levels_up = 0;   // k of TM-Isub+k, for scope `subtree`
  std::int64_t work_limit = 0;  // units of work for one search, about one arc visited each; 0: `effort` decides
  // Work of the searches if work_limit is 0, in proportion to this number. Above the usual effort E, searches with E, 4
  // E, 16 E and so on follow each other. The result then costs no more hop-bytes than any of them, unless the deadline
  // passes.
  std::int32_t effort = usual_effort;
  std::int64_t most_exact_steps = INT64_MAX;  // of the exact search; `effort` may allow fewer
  Deadline deadline = Deadline::never();
  // Whether ranks are annealed even if they take all usable leaves and can only exchange places. Ignored with more than
  // 256 ranks (512 with more than the usual effort) and with scope `given`.
  bool anneal_exchanges = false;
  // May be null (treematch/map_memory.hpp). Calls that share it have equal matrix, seed, work_limit, anneal_exchanges.
  MapMemory* memory = nullptr;
};

// A mapping, and how it was found.
struct MapResult {
  std::vector<std::int32_t> leaf_of_rank;  // one usable leaf per rank, all different
  Cost cost = 0;                           // hop-bytes of the mapping
  std::string method;                      // the way in which the mapping was found
  bool optimal = false;                    // no mapping in the scope costs less
  std::int64_t work = 0;                   // units of work that the search took, about one arc visited each
};

// Returns a mapping with its hop-bytes.
inline MapResult measured(const CommMatrix& matrix, const TreeTopology& tree, std::vector<std::int32_t> leaf_of_rank,
                          std::string method) {
  const Cost cost = tree.hop_bytes(matrix, leaf_of_rank);
  return {std::move(leaf_of_rank), cost, std::move(method)};
}

// Maps the ranks of the matrix to usable leaves, one leaf per rank, with few hop-bytes [TM §5].
//   usable  leaves that may be taken, ascending without duplicates, at least one per rank
// Equal arguments give equal results, unless the deadline passes. When it does, returns the best mapping found so far.
// With any deadline, the result costs no more than the natural order on the leaves of the scope. With up to
// tuning::most_pairs_mapped_quickly pairs, it costs no more than the greedy mapping. Throws Error when a leaf is out of
// range, listed twice or out of order, or when ranks outnumber usable leaves.
MapResult map_to_tree(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                      const MapOptions& options);

}  // namespace placement::treematch
