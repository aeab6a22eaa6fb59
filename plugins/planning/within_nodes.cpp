// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/within_nodes.hpp"

namespace placement::planning {

WithinNodes within_nodes(const ClusterView& view, const CommMatrix& matrix, const Placement& placement) {
  const auto leaf_of = [&](const RankPlace& rank) {
    return view.nodes[static_cast<std::size_t>(rank.node)].first_leaf + rank.cores.front();
  };
  WithinNodes within;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const RankPlace& here = placement.ranks.at(static_cast<std::size_t>(rank));
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < partners.size() && partners[k] < rank; ++k) {
      const RankPlace& there = placement.ranks.at(static_cast<std::size_t>(partners[k]));
      if (there.node != here.node) continue;
      within.bytes += weights[k];
      within.hop_bytes += static_cast<Cost>(weights[k]) * view.tree->distance(leaf_of(here), leaf_of(there));
    }
  }
  return within;
}

Cost as_far_within_nodes(Cost cost, const WithinNodes& within, const WithinNodes& known) {
  if (known.bytes == 0) return cost;
  // Divided before they are multiplied, so that the products stay below 127 bits.
  const Cost hops = known.hop_bytes / known.bytes, rest = known.hop_bytes % known.bytes;
  return cost - within.hop_bytes + within.bytes * hops + within.bytes * rest / known.bytes;
}

}  // namespace placement::planning
