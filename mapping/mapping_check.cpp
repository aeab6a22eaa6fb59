// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/mapping_check.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/util/error.hpp"

namespace placement::mapping {

void check_usable(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks) {
  std::int32_t before = -1;
  for (const std::int32_t leaf : usable) {
    if (leaf < 0 || leaf >= tree.leaves())
      throw Error("usable leaf " + std::to_string(leaf) + " is outside 0.." + std::to_string(tree.leaves() - 1));
    if (leaf == before) throw Error("usable leaf " + std::to_string(leaf) + " is listed twice");
    if (leaf < before)
      throw Error("usable leaf " + std::to_string(leaf) + " comes after " + std::to_string(before) +
                  ": they must ascend");
    before = leaf;
  }
  if (ranks > 0 && usable.empty()) throw Error("no leaf of the tree is usable for " + std::to_string(ranks) + " ranks");
  if (static_cast<std::size_t>(ranks) > usable.size())
    throw Error(std::to_string(ranks) + " ranks do not fit on " + std::to_string(usable.size()) + " usable leaves");
}

void check_mapping(std::span<const std::int32_t> usable, std::int32_t ranks,
                   std::span<const std::int32_t> leaf_of_rank) {
  if (leaf_of_rank.size() != static_cast<std::size_t>(ranks))
    throw Error("the mapping has " + std::to_string(leaf_of_rank.size()) + " ranks, but the matrix has " +
                std::to_string(ranks));
  std::vector<std::int32_t> owner(usable.size(), -1);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const auto found = std::lower_bound(usable.begin(), usable.end(), leaf_of_rank[rank]);
    if (found == usable.end() || *found != leaf_of_rank[rank])
      throw Error("rank " + std::to_string(rank) + " is on leaf " + std::to_string(leaf_of_rank[rank]) +
                  ", which is not usable");
    std::int32_t& who = owner[found - usable.begin()];
    if (who >= 0)
      throw Error("ranks " + std::to_string(who) + " and " + std::to_string(rank) + " are both on leaf " +
                  std::to_string(leaf_of_rank[rank]));
    who = rank;
  }
}

}  // namespace placement::mapping
