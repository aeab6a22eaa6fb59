// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/leaf_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "treematch/leaf_choice.hpp"

namespace placement::treematch {

std::vector<LeafSet> LeafSets::packings(std::span<const std::int32_t> tops, std::ptrdiff_t most) {
  std::vector<std::pair<double, std::int32_t>> candidates;  // a subtree of each class with its estimated cost
  std::vector<bool> seen(packing_.classes(), false);
  for (const std::int32_t top : tops) {
    const std::int32_t c = packing_.class_of(top);
    if (seen[c]) continue;
    seen[c] = true;
    candidates.emplace_back(packing_.least_cost_below(top), top);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (std::ssize(candidates) > most) candidates.resize(most);
  std::vector<LeafSet> all;
  for (const auto& [cost, top] : candidates) {
    add(all, top, packing_.best_below(top));
    add(all, top, packed_leaves(tree_, leaves_below(tree_, usable_, top), model_.ranks()));
  }
  std::stable_sort(all.begin(), all.end(), [](const LeafSet& a, const LeafSet& b) { return a.cost < b.cost; });
  return all;
}

void LeafSets::add(std::vector<LeafSet>& all, std::int32_t top, std::vector<std::int32_t> leaves) {
  if (leaves.empty() || std::find(returned_.begin(), returned_.end(), leaves) != returned_.end()) return;
  watch_.spend(static_cast<std::int64_t>(8 * leaves.size()));
  const double cost = model_.cost(tree_, leaves);
  returned_.push_back(leaves);
  all.push_back({top, std::move(leaves), cost});
}

std::vector<std::int32_t> leaves_near(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t top,
                                      const std::vector<std::int32_t>& leaves) {
  std::vector<std::int32_t> below = leaves_below(tree, usable, top);
  const std::size_t enough = 2 * leaves.size() + 64;
  if (below.size() <= 2 * enough) return below;
  below = packed_leaves(tree, below, static_cast<std::int32_t>(enough));
  std::vector<std::int32_t> all;
  std::set_union(below.begin(), below.end(), leaves.begin(), leaves.end(), std::back_inserter(all));
  return all;
}

}  // namespace placement::treematch
