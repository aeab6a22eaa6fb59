// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/mapping_check.hpp"

#include <string>

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

}  // namespace placement::mapping
