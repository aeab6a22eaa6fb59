// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/matching.hpp"

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/mapping_check.hpp"
#include "treematch/grouping.hpp"
#include "treematch/leaf_choice.hpp"

namespace placement::treematch {

MapResult map_by_matching(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                          const MapOptions& options, Pairing pairing) {
  mapping::check_usable(tree, usable, matrix.ranks());
  MapResult result;
  result.method = "matching";
  if (matrix.ranks() == 0) return result;
  const std::vector<std::int32_t> scope =
      leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up);
  const std::vector<std::int32_t> packed = packed_leaves(tree, scope, matrix.ranks());
  const mapping::LeafTree slots(tree, packed);
  const bool exact = matrix.ranks() <= 4096 && matrix.pairs() <= 1 << 18;
  if (pairing == Pairing::maximum_weight && !exact) pairing = Pairing::heaviest_first;
  result.leaf_of_rank = grouped_mapping(mapping::scaled_graph(matrix), slots, pairing);
  result.cost = mapping::mapping_cost(matrix, slots, result.leaf_of_rank);
  for (std::int32_t& slot : result.leaf_of_rank) slot = packed[slot];
  return result;
}

}  // namespace placement::treematch
