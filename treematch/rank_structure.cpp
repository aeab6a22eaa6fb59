// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/rank_structure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/util/sequence.hpp"
#include "mapping/leaf_tree.hpp"
#include "mapping/tuning.hpp"
#include "treematch/graph_growing.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/multisection.hpp"

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
    watch.spend(8 * (std::ssize(graph.arcs(a)) + 1));
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

using namespace mapping::tuning;

std::optional<RankUnits> joined_to_units(const CommMatrix& matrix, const mapping::Graph& graph, std::int32_t size,
                                         const mapping::WorkBudget& watch) {
  FrontGroups groups = front_groups(graph, size, watch);
  if (fit_of(graph, groups, watch) < least_fit_of_rank_units) return std::nullopt;
  watch.spend(4 * matrix.pairs());
  CommMatrix traffic = matrix.aggregated(groups.group, groups.groups);
  if (traffic.pairs() == 0) return std::nullopt;
  return RankUnits{size, std::move(groups.group), std::move(traffic)};
}

std::vector<std::int32_t> places_of_units(const TreeTopology& tree, std::span<const std::int32_t> usable,
                                          std::int32_t size) {
  std::vector<std::int32_t> places;
  const auto above = [&](std::size_t k) { return tree.parent(tree.leaf_vertex(usable[k])); };
  std::size_t first = 0;  // the leaves of a place lie from here on
  for (std::size_t k = 0; k < usable.size(); ++k) {
    if (above(k) != above(first)) first = k;
    if (k + 1 - first < static_cast<std::size_t>(size)) continue;
    places.push_back(usable[first]);
    first = k + 1 < usable.size() ? k + 1 : first;
  }
  return places;
}

std::vector<std::int32_t> leaves_of_ranks(const RankUnits& units, std::span<const std::int32_t> usable,
                                          std::span<const std::int32_t> place_of_unit) {
  std::vector<std::size_t> next;
  for (const std::int32_t leaf : place_of_unit)
    next.push_back(static_cast<std::size_t>(std::lower_bound(usable.begin(), usable.end(), leaf) - usable.begin()));
  std::vector<std::int32_t> leaf_of_rank;
  leaf_of_rank.reserve(units.unit_of.size());
  for (const std::int32_t unit : units.unit_of) leaf_of_rank.push_back(usable[next[unit]++]);
  return leaf_of_rank;
}

const mapping::Graph& RankStructure::graph() {
  if (!graph_) graph_ = mapping::scaled_graph(matrix_, watch_);
  return *graph_;
}

const CutModel& RankStructure::model() {
  if (!model_) bisect();
  return *model_;
}

std::span<const std::int32_t> RankStructure::order() {
  if (!model_) bisect();
  return order_;
}

void RankStructure::bisect() {
  const std::int32_t ranks = matrix_.ranks();
  if (matrix_.pairs() == std::int64_t{ranks} * (ranks - 1) / 2) {
    order_ = numbers(ranks);
    model_.emplace(ranks, exponent_of_all_to_all);
    return;
  }
  std::vector<std::int32_t> arities;
  std::int32_t smallest = smallest_part_of_model;
  while (smallest * parts_of_model < ranks) smallest *= 2;
  std::int32_t leaves = smallest;
  for (; leaves < ranks; leaves *= 2) arities.push_back(2);
  arities.push_back(smallest);
  std::vector<std::int32_t> slots(ranks);
  for (std::int32_t k = 0; k < ranks; ++k) slots[k] = static_cast<std::int32_t>(std::int64_t{k} * leaves / ranks);
  const mapping::LeafTree halves(TreeTopology::balanced(arities), slots);
  order_ = multisection(graph(), halves, seed_, 1, watch_, Annealing::none, &bisections_);
  model_.emplace(graph(), halves, order_, watch_);
}

const std::vector<std::vector<std::int32_t>>& RankStructure::groups() {
  if (groups_) return *groups_;
  groups_ = heavy_groups(matrix_);
  std::size_t members = 0;
  for (const std::vector<std::int32_t>& group : *groups_) members += group.size();
  if (groups_->size() == 1 || 2 * members < static_cast<std::size_t>(matrix_.ranks())) groups_->clear();
  return *groups_;
}

const std::vector<RankUnits>& RankStructure::units(std::int32_t smallest) {
  if (units_) return *units_;
  std::vector<RankUnits> all;
  if (matrix_.pairs() <= most_pairs_of_units * matrix_.ranks())
    for (std::int32_t size = largest_rank_unit; size >= smallest; size /= 2) {
      if (4 * size > matrix_.ranks()) continue;
      if (std::optional<RankUnits> units = joined_to_units(matrix_, graph(), size, watch_))
        all.push_back(std::move(*units));
    }
  return units_.emplace(std::move(all));
}

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
  const double slope = spread > 1e-9 * weight * weight ? (weight * xy - x * y) / spread : exponent_of_halo_exchange;
  tabulate(ranks, std::clamp(slope, least_exponent, exponent_of_all_to_all));
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
