// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/packing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace placement::treematch {

namespace {

constexpr std::int32_t most_portions = 128;
constexpr double least_exponent = 0.4;  // a line of ranks has a lower one, but nearly every set of leaves suits it
constexpr float impossible = std::numeric_limits<float>::infinity();

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

// Lowers each entry of `sum` to that of `one` plus `more`, if this is less. The compiler makes vector instructions of
// the blocks of eight.
void lower(float* sum, const float* one, float more, std::size_t count) {
  std::size_t k = 0;
  for (; k + 8 <= count; k += 8) {
    float block[8];
    for (int i = 0; i < 8; ++i) block[i] = one[k + i] + more;
    for (int i = 0; i < 8; ++i) block[i] = block[i] < sum[k + i] ? block[i] : sum[k + i];
    for (int i = 0; i < 8; ++i) sum[k + i] = block[i];
  }
  for (; k < count; ++k) sum[k] = std::min(sum[k], one[k] + more);
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

PackingSearch::PackingSearch(const TreeTopology& tree, std::span<const std::int32_t> usable, const CutModel& model,
                             const mapping::WorkBudget& watch)
    : tree_(tree),
      model_(model),
      watch_(watch),
      portion_((model.ranks() + most_portions - 1) / most_portions),
      portions_((model.ranks() + portion_ - 1) / portion_),
      classes_(tree, usable, portion_ * portions_, {}),
      costs_(classes_.classes().size()) {
  watch.spend(4 * static_cast<std::int64_t>(tree.vertices()));
}

double PackingSearch::least_cost_below(std::int32_t vertex) {
  const std::int32_t c = classes_.of(vertex);
  if (c < 0) return impossible;
  const Costs& costs = costs_of(c);
  return std::ssize(costs) > portions_ ? costs[portions_] : impossible;
}

std::vector<std::int32_t> PackingSearch::best_below(std::int32_t vertex) {
  std::vector<std::int32_t> leaves;
  if (least_cost_below(vertex) == impossible) return leaves;
  take(vertex, portions_, leaves);
  leaves.resize(model_.ranks());
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

const PackingSearch::Costs& PackingSearch::costs_of(std::int32_t c) {
  if (!costs_[c].empty()) return costs_[c];
  const SubtreeClass& subtree = classes_.classes()[c];
  Costs costs{0};
  if (subtree.children.empty() && portion_ == 1) costs.push_back(0);
  std::int32_t single = 0;  // number of children that are leaves
  for (const SubtreeClass::Run& run : subtree.children) {
    if (classes_.classes()[run.of].children.empty()) {
      single += run.count;
      continue;
    }
    costs = joined(costs, repeated(seen_from(subtree, run.of), run.count));
  }
  // The link above a leaf adds an equal cost for every rank and is left out.
  if (single >= portion_) costs = joined(costs, Costs(std::min(single / portion_, portions_) + 1, 0));
  return costs_[c] = std::move(costs);
}

PackingSearch::Costs PackingSearch::seen_from(const SubtreeClass& parent, std::int32_t child) {
  Costs costs = costs_of(child);
  const auto length = static_cast<double>(classes_.classes()[child].position - parent.position);
  for (std::size_t k = 1; k < costs.size(); ++k)
    costs[k] +=
        static_cast<float>(length * model_.cut(std::min(model_.ranks(), static_cast<std::int32_t>(k) * portion_)));
  return costs;
}

PackingSearch::Costs PackingSearch::joined(const Costs& one, const Costs& other) const {
  if (one.size() < other.size()) return joined(other, one);
  Costs sum(std::min<std::size_t>(one.size() + other.size() - 1, static_cast<std::size_t>(portions_) + 1), impossible);
  watch_.spend(static_cast<std::int64_t>(one.size() * other.size()) / 8);
  for (std::size_t b = 0; b < other.size(); ++b) {
    if (other[b] == impossible) continue;
    const std::size_t end = std::min(one.size(), sum.size() - b);
    lower(sum.data() + b, one.data(), other[b], end);
  }
  return sum;
}

// Returns the least costs for `count` subtrees together, at least 1, each of which has the costs `child`.
PackingSearch::Costs PackingSearch::repeated(Costs child, std::int32_t count) const {
  Costs sum{0};
  for (;; count /= 2) {
    if (count % 2 == 1) sum = joined(sum, child);
    if (count < 2) return sum;
    child = joined(child, child);
  }
}

// Adds the best leaves for `portions` portions of ranks below the vertex to `leaves`.
void PackingSearch::take(std::int32_t vertex, std::int32_t portions, std::vector<std::int32_t>& leaves) {
  if (portions == 0) return;
  const SubtreeClass& subtree = classes_.classes()[classes_.of(vertex)];
  if (subtree.children.empty()) {
    leaves.push_back(tree_.first_leaf(vertex));
    return;
  }
  // costs[k] is for child part[k], and the last entry for all children that are leaves together (`single`). first[k] is
  // for the parts before part k together.
  std::vector<std::int32_t> part;
  std::vector<Costs> costs, first{{0}};
  std::vector<std::int32_t> single;
  std::vector<std::int32_t> kept(classes_.classes().size(), 0);
  for (const SubtreeClass::Run& run : subtree.children) kept[run.of] = run.count;
  for (const std::int32_t child : tree_.children(vertex)) {
    const std::int32_t c = classes_.of(child);
    if (c < 0 || kept[c]-- <= 0) continue;
    if (classes_.classes()[c].children.empty()) {
      single.push_back(child);
      continue;
    }
    part.push_back(child);
    costs.push_back(seen_from(subtree, c));
    first.push_back(joined(first.back(), costs.back()));
  }
  costs.push_back(Costs(std::min(static_cast<std::int32_t>(single.size()) / portion_, portions_) + 1, 0));
  first.push_back(joined(first.back(), costs.back()));
  for (std::size_t k = costs.size(); k-- > 0;) {
    std::int32_t best = 0;
    float least = impossible;
    for (std::int32_t mine = 0; mine <= portions && mine < std::ssize(costs[k]); ++mine) {
      if (portions - mine >= std::ssize(first[k])) continue;
      const float cost = costs[k][mine] + first[k][portions - mine];
      if (cost < least) least = cost, best = mine;
    }
    if (k < part.size()) {
      take(part[k], best, leaves);
    } else {
      for (std::int32_t leaf = 0; leaf < best * portion_; ++leaf) leaves.push_back(tree_.first_leaf(single[leaf]));
    }
    portions -= best;
  }
}

}  // namespace placement::treematch
