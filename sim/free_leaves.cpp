// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/free_leaves.hpp"

#include <algorithm>

namespace placement::sim {

std::int64_t FreeLeaves::leaves() const {
  std::int64_t sum = 0;
  for (const auto& [first, last] : runs) sum += last - first + 1;
  return sum;
}

FreeLeaves free_leaves_of(const Machine& machine, std::int64_t time_us) {
  std::vector<std::int32_t> leaves;
  for (const NodeView& node : machine.view().nodes)
    for (std::size_t core = 0; core < node.core_free.size(); ++core)
      if (node.core_free[core]) leaves.push_back(node.first_leaf + static_cast<std::int32_t>(core));
  if (!std::is_sorted(leaves.begin(), leaves.end())) std::sort(leaves.begin(), leaves.end());
  FreeLeaves free;
  free.time_us = time_us;
  for (const std::int32_t leaf : leaves) {
    if (free.runs.empty() || free.runs.back().second + 1 != leaf) free.runs.emplace_back(leaf, leaf);
    free.runs.back().second = leaf;
  }
  return free;
}

std::string free_leaves_text(const FreeLeaves& free, std::int64_t cores) {
  std::string text = "# " + std::to_string(free.time_us / 1'000'000) + " s after the begin, " + std::to_string(free.leaves()) + " of " +
                     std::to_string(cores) + " cores are free\n";
  for (const auto& [first, last] : free.runs)
    for (std::int32_t leaf = first; leaf <= last; ++leaf) text += std::to_string(leaf) + '\n';
  return text;
}

}  // namespace placement::sim
