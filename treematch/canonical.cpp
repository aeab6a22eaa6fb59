// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/canonical.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace placement::treematch {

namespace {

// The subtree of used leaves below one vertex.
struct Branch {
  std::int32_t shape = 0;  // branches of equal shape have equal numbers; 0 for a single leaf
  std::int32_t least_rank = 0;
  std::int64_t edge = 0;  // position of the vertex minus the position of its parent

  std::pair<std::int32_t, std::int64_t> kind() const { return {shape, edge}; }
};

using Kind = std::vector<std::pair<std::int32_t, std::int64_t>>;

class BranchOrder {
 public:
  // `rank` has the rank on each leaf of the tree.
  BranchOrder(const TreeTopology& tree, std::vector<std::int32_t> rank, const mapping::WorkBudget& watch)
      : tree_(tree),
        rank_(std::move(rank)),
        branch_(tree.vertices()) {
    std::map<Kind, std::int32_t> number_of_shape;
    for (std::int32_t v = tree.vertices() - 1; v >= 0; --v) {
      Branch& branch = branch_[v];
      if (v > 0) branch.edge = tree.position(v) - tree.position(tree.parent(v));
      watch.spend(8 * static_cast<std::int64_t>(tree.leaf_count(v)));
      branch.least_rank = rank_[tree.first_leaf(v)];
      if (tree.children(v).empty()) continue;
      sort_within_kinds(tree.children(v));
      Kind kind;
      kind.reserve(tree.children(v).size());
      for (const std::int32_t child : tree.children(v)) {
        kind.push_back(branch_[child].kind());
        branch.least_rank = std::min(branch.least_rank, branch_[child].least_rank);
      }
      branch.shape = number_of_shape.emplace(std::move(kind), number_of_shape.size() + 1).first->second;
    }
  }

  std::vector<std::int32_t> take() { return std::move(rank_); }

 private:
  // Exchanges the contents of branches of one kind so that their least ranks ascend from left to right.
  void sort_within_kinds(std::span<const std::int32_t> children) {
    place_.assign(children.begin(), children.end());
    std::ranges::sort(place_, {}, [&](std::int32_t v) { return std::pair(branch_[v].kind(), v); });
    for (auto begin = place_.begin(), end = begin; begin != place_.end(); begin = end) {
      end = std::find_if(begin, place_.end(),
                         [&](std::int32_t v) { return branch_[v].kind() != branch_[*begin].kind(); });
      exchange({begin, end});
    }
  }

  // Exchanges the contents of branches of one kind.
  void exchange(std::span<const std::int32_t> place) {
    const auto less = [&](std::int32_t a, std::int32_t b) { return branch_[a].least_rank < branch_[b].least_rank; };
    if (std::is_sorted(place.begin(), place.end(), less)) return;
    from_.assign(place.begin(), place.end());
    std::sort(from_.begin(), from_.end(), less);
    content_.clear();
    for (const std::int32_t v : from_) {
      const auto first = rank_.begin() + tree_.first_leaf(v);
      content_.insert(content_.end(), first, first + tree_.leaf_count(v));
    }
    auto next = content_.begin();
    for (const std::int32_t v : place) {
      const auto end = next + tree_.leaf_count(v);
      std::copy(next, end, rank_.begin() + tree_.first_leaf(v));
      branch_[v].least_rank = *std::min_element(next, end);
      next = end;
    }
  }

  const TreeTopology& tree_;
  std::vector<std::int32_t> rank_;  // on each leaf
  std::vector<Branch> branch_;      // below each vertex
  std::vector<std::int32_t> place_, from_, content_;
};

}  // namespace

void order_equal_branches(const TreeTopology& whole, std::vector<std::int32_t>& leaf_of_rank,
                          const mapping::WorkBudget& watch) {
  watch.spend(std::ssize(leaf_of_rank));
  std::vector<std::pair<std::int32_t, std::int32_t>> used;  // leaf and rank, from left to right
  for (std::size_t r = 0; r < leaf_of_rank.size(); ++r)
    used.emplace_back(leaf_of_rank[r], static_cast<std::int32_t>(r));
  std::sort(used.begin(), used.end());
  std::vector<std::int32_t> vertices;
  for (const auto& [leaf, rank] : used) vertices.push_back(whole.leaf_vertex(leaf));
  watch.spend(std::ssize(leaf_of_rank));
  const TreeTopology tree = whole.cut_at(vertices);

  std::vector<std::int32_t> rank;
  rank.reserve(used.size());
  for (const auto& [leaf, on_leaf] : used) rank.push_back(on_leaf);
  rank = BranchOrder(tree, std::move(rank), watch).take();
  for (std::size_t k = 0; k < used.size(); ++k) leaf_of_rank[rank[k]] = used[k].first;
}

}  // namespace placement::treematch
