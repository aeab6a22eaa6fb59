// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/cut_model.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/tuning.hpp"
#include "treematch/leaf_choice.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

double inner(std::int32_t part, std::int32_t ranks) {
  return static_cast<double>(part) * (1.0 - static_cast<double>(part) / ranks);
}

// Returns the traffic that leaves each subtree.
std::vector<std::int64_t> cuts_of(const mapping::Graph& graph, const mapping::LeafTree& tree,
                                  std::span<const std::int32_t> slot, const mapping::WorkBudget& watch) {
  std::vector<std::int64_t> cut(tree.vertices().size(), 0);
  for (std::int32_t a = 0; a < graph.vertices(); ++a) {
    watch.spend(8 * (static_cast<std::int64_t>(graph.arcs(a).size()) + 1));
    for (const mapping::Arc& arc : graph.arcs(a)) {
      if (arc.to <= a) continue;
      std::int32_t u = tree.slot_vertex(slot[a]);
      std::int32_t v = tree.slot_vertex(slot[arc.to]);
      while (u != v) {  // parents have smaller numbers
        std::int32_t& lower = u > v ? u : v;
        cut[lower] += arc.weight;
        lower = tree.vertex(lower).parent;
      }
    }
  }
  return cut;
}

}  // namespace

CutModel::CutModel(const mapping::Graph& graph, const mapping::LeafTree& tree, std::span<const std::int32_t> slot,
                   const mapping::WorkBudget& watch) {
  const std::int32_t ranks = graph.vertices();
  const std::vector<std::int64_t> cut = cuts_of(graph, tree, slot, watch);
  std::vector<std::int32_t> size(tree.vertices().size(), 0);
  for (const std::int32_t s : slot)
    for (std::int32_t v = tree.slot_vertex(s); v >= 0; v = tree.vertex(v).parent) ++size[v];
  // The exponent is the slope of a straight line through the logarithms; each subtree is weighted by its ranks.
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t v = 0; v < cut.size(); ++v) {
    if (cut[v] <= 0 || size[v] >= ranks) continue;
    const double a = std::log(inner(size[v], ranks)), b = std::log(static_cast<double>(cut[v]));
    const double w = size[v];
    weight += w, x += w * a, y += w * b, xx += w * a * a, xy += w * a * b;
  }
  const double spread = weight * xx - x * x;
  const double slope = spread > 1e-9 * weight * weight ? (weight * xy - x * y) / spread : halo_exchange;
  tabulate(ranks, std::clamp(slope, least_exponent, all_to_all));
}

void CutModel::tabulate(std::int32_t ranks, double exponent) {
  for (std::int32_t part = 0; part <= ranks; ++part)
    cut_.push_back(part == 0 || part == ranks ? 0 : std::pow(inner(part, ranks), exponent));
}

double CutModel::cost(const TreeTopology& tree, std::span<const std::int32_t> leaves) const {
  const mapping::LeafTree occupied(tree, leaves);
  double sum = 0;
  for (std::size_t v = 1; v < occupied.vertices().size(); ++v) {
    const mapping::LeafTree::Vertex& vertex = occupied.vertices()[v];
    const auto length = static_cast<double>(vertex.position - occupied.vertex(vertex.parent).position);
    sum += length * cut_[vertex.slots];
  }
  return sum;
}

std::vector<std::vector<std::int32_t>> leaf_sets(const CutModel& model, const TreeTopology& tree,
                                                 std::span<const std::int32_t> usable) {
  std::vector<std::vector<std::int32_t>> sets{packed_leaves(tree, usable, model.ranks())};
  const std::int32_t top =
      tree.lowest_common_ancestor(tree.leaf_vertex(usable.front()), tree.leaf_vertex(usable.back()));
  for (std::int32_t height = tree.height(top) - 1; height > 0; --height)
    sets.push_back(fullest_subtrees(tree, usable, model.ranks(), height));
  std::ranges::stable_sort(sets, {}, [&](const auto& set) { return model.cost(tree, set); });
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

}  // namespace placement::treematch
