// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/canonical.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace placement::treematch {

namespace {

// The ranks below one vertex, from left to right, and the shape of the subtree of leaves that they occupy.
struct Branch {
  std::int32_t shape = 0;  // branches of equal shape have equal numbers; 0 for a single leaf
  std::int64_t edge = 0;   // position of the vertex less the position of its parent
  std::vector<std::int32_t> ranks;

  std::pair<std::int32_t, std::int64_t> kind() const { return {shape, edge}; }
  std::int32_t least_rank() const { return *std::min_element(ranks.begin(), ranks.end()); }
};

using Kind = std::vector<std::pair<std::int32_t, std::int64_t>>;

// Exchanges the contents of branches of one kind so that their least ranks ascend from left to right.
void sort_within_kinds(std::vector<Branch>& branches) {
  std::map<std::pair<std::int32_t, std::int64_t>, std::vector<std::size_t>> places;
  for (std::size_t k = 0; k < branches.size(); ++k) places[branches[k].kind()].push_back(k);
  for (const auto& [kind, where] : places) {
    std::vector<std::pair<std::int32_t, std::vector<std::int32_t>>> contents;
    for (const std::size_t k : where) contents.emplace_back(branches[k].least_rank(), std::move(branches[k].ranks));
    std::sort(contents.begin(), contents.end());
    for (std::size_t k = 0; k < where.size(); ++k) branches[where[k]].ranks = std::move(contents[k].second);
  }
}

}  // namespace

void order_equal_branches(const TreeTopology& whole, std::vector<std::int32_t>& leaf_of_rank,
                          const mapping::WorkBudget& watch) {
  watch.spend(static_cast<std::int64_t>(leaf_of_rank.size()));
  std::vector<std::pair<std::int32_t, std::int32_t>> used;  // leaf and rank, from left to right
  for (std::size_t r = 0; r < leaf_of_rank.size(); ++r)
    used.emplace_back(leaf_of_rank[r], static_cast<std::int32_t>(r));
  std::sort(used.begin(), used.end());
  std::vector<std::int32_t> vertices;
  for (const auto& [leaf, rank] : used) vertices.push_back(whole.leaf_vertex(leaf));
  watch.spend(static_cast<std::int64_t>(leaf_of_rank.size()));
  const TreeTopology tree = whole.cut_at(vertices);

  std::map<Kind, std::int32_t> number_of_shape;
  std::vector<Branch> branch(tree.vertices());
  for (std::int32_t v = tree.vertices() - 1; v >= 0; --v) {
    if (v > 0) branch[v].edge = tree.position(v) - tree.position(tree.parent(v));
    watch.spend(8 * static_cast<std::int64_t>(tree.leaf_count(v)));
    if (tree.children(v).empty()) {
      branch[v].ranks = {used[tree.first_leaf(v)].second};
      continue;
    }
    std::vector<Branch> below;
    for (const std::int32_t child : tree.children(v)) below.push_back(std::exchange(branch[child], {}));
    sort_within_kinds(below);
    Kind kind;
    for (const Branch& b : below) {
      kind.push_back(b.kind());
      branch[v].ranks.insert(branch[v].ranks.end(), b.ranks.begin(), b.ranks.end());
    }
    branch[v].shape = number_of_shape.emplace(std::move(kind), number_of_shape.size() + 1).first->second;
  }
  for (std::size_t k = 0; k < used.size(); ++k) leaf_of_rank[branch[0].ranks[k]] = used[k].first;
}

}  // namespace placement::treematch
