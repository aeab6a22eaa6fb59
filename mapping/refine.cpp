// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/refine.hpp"

#include <algorithm>

#include "mapping/graph.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/mapping_check.hpp"
#include "mapping/swap_search.hpp"

namespace placement::mapping {

std::vector<std::int32_t> refine(const CommMatrix& matrix, const TreeTopology& tree,
                                 std::span<const std::int32_t> usable, std::span<const std::int32_t> leaf_of_rank,
                                 const RefineOptions& options) {
  check_usable(tree, usable, matrix.ranks());
  check_mapping(usable, matrix.ranks(), leaf_of_rank);
  std::vector<std::int32_t> before(leaf_of_rank.begin(), leaf_of_rank.end());
  if (matrix.pairs() == 0) return before;

  std::vector<std::int32_t> leaves = before;
  std::sort(leaves.begin(), leaves.end());
  if (options.move_to_free) leaves.assign(usable.begin(), usable.end());
  const LeafTree slots(tree, leaves);
  std::vector<std::int32_t> slot(before.size());
  for (std::size_t rank = 0; rank < before.size(); ++rank)
    slot[rank] =
        static_cast<std::int32_t>(std::lower_bound(leaves.begin(), leaves.end(), before[rank]) - leaves.begin());

  const std::int64_t work = options.work_limit > 0
                                ? options.work_limit
                                : 1000 * static_cast<std::int64_t>(matrix.ranks()) + 100 * matrix.pairs();
  swap_search(scaled_graph(matrix), slots, slot, work, WorkBudget(options.deadline));
  for (std::int32_t& s : slot) s = slots.leaf(s);
  return tree.hop_bytes(matrix, slot) < tree.hop_bytes(matrix, before) ? slot : before;  // gains of rounded weights
}

}  // namespace placement::mapping
