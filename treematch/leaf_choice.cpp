// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/leaf_choice.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "common/util/error.hpp"

namespace placement::treematch {

namespace {

using LeafSpan = std::span<const std::int32_t>;

// A vertex with the usable leaves below it.
struct Subtree {
  std::int32_t vertex;
  LeafSpan usable;
};

// Returns the usable leaves below the vertex. A leaf counts as below itself.
LeafSpan within(const TreeTopology& tree, LeafSpan usable, std::int32_t vertex) {
  const std::int32_t first = tree.first_leaf(vertex);
  const auto begin = std::lower_bound(usable.begin(), usable.end(), first);
  const auto end = std::lower_bound(begin, usable.end(), first + tree.leaf_count(vertex));
  return {begin, end};
}

// Returns the leaves that within() returns, in less time. The caller guarantees that `usable` has no leaf with a
// smaller number than those below the vertex.
LeafSpan leading(const TreeTopology& tree, LeafSpan usable, std::int32_t vertex) {
  const auto most = std::min(usable.size(), static_cast<std::size_t>(tree.leaf_count(vertex)));
  const std::int32_t end = tree.first_leaf(vertex) + tree.leaf_count(vertex);
  if (most == 0 || usable.front() >= end) return {};
  if (usable[most - 1] < end) return usable.first(most);  // the frequent case, without a search
  const LeafSpan candidates = usable.first(most);
  return {candidates.begin(), std::lower_bound(candidates.begin(), candidates.end(), end)};
}

// Returns the lowest subtree with at least `ranks` usable leaves; if several have equal height, the leftmost one.
// Visits only subtrees with enough usable leaves, from left to right. Ends at a subtree of the least height that can
// hold `ranks` leaves.
std::int32_t lowest_with_enough(const TreeTopology& tree, LeafSpan usable, std::int32_t ranks) {
  // Leaves are numbered from left to right. So all usable leaves are below the lowest common ancestor of the first and
  // the last.
  if (static_cast<std::size_t>(ranks) == usable.size())
    return tree.lowest_common_ancestor(tree.leaf_vertex(usable.front()), tree.leaf_vertex(usable.back()));
  const std::int32_t least_height = tree.least_height_of(ranks);
  std::vector<Subtree> stack{{0, usable}};
  std::int32_t best = 0;
  while (!stack.empty()) {
    const Subtree place = stack.back();
    stack.pop_back();
    if (tree.height(place.vertex) < tree.height(best)) best = place.vertex;
    if (tree.height(best) == least_height) break;
    const std::size_t first = stack.size();
    LeafSpan rest = place.usable;
    for (const std::int32_t child : tree.children(place.vertex)) {
      const LeafSpan below = leading(tree, rest, child);
      rest = rest.subspan(below.size());
      if (below.size() >= static_cast<std::size_t>(ranks)) stack.push_back({child, below});
    }
    std::reverse(stack.begin() + first, stack.end());
  }
  return best;
}

// Returns the children of `vertex` that have usable leaves. Children with more usable leaves come first.
std::vector<Subtree> branches(const TreeTopology& tree, std::int32_t vertex, LeafSpan usable) {
  std::vector<Subtree> all;
  for (const std::int32_t child : tree.children(vertex))
    if (const LeafSpan below = within(tree, usable, child); !below.empty()) all.push_back({child, below});
  std::ranges::stable_sort(all, std::greater(), [](const Subtree& subtree) { return subtree.usable.size(); });
  return all;
}

}  // namespace

void check_usable(const TreeTopology& tree, LeafSpan usable, std::int32_t ranks) {
  std::int32_t before = -1;
  for (const std::int32_t leaf : usable) {
    if (leaf < 0 || leaf >= tree.leaves())
      throw Error("usable leaf " + std::to_string(leaf) + " is outside 0.." + std::to_string(tree.leaves() - 1));
    if (leaf == before) throw Error("usable leaf " + std::to_string(leaf) + " is listed twice");
    if (leaf < before)
      throw Error("usable leaf " + std::to_string(leaf) + " comes after " + std::to_string(before) +
                  ": usable leaves must ascend");
    before = leaf;
  }
  if (ranks > 0 && usable.empty()) throw Error("no leaf of the tree is usable for " + std::to_string(ranks) + " ranks");
  if (static_cast<std::size_t>(ranks) > usable.size())
    throw Error(std::to_string(ranks) + " ranks do not fit on " + std::to_string(usable.size()) + " usable leaves");
}

std::vector<std::int32_t> leaves_in_scope(const TreeTopology& tree, LeafSpan usable, std::int32_t ranks,
                                          LeafScope scope, std::int32_t levels_up) {
  if (scope == LeafScope::given) return {usable.begin(), usable.begin() + ranks};
  if (scope == LeafScope::whole) return {usable.begin(), usable.end()};
  std::int32_t vertex = lowest_with_enough(tree, usable, std::max(ranks, 1));
  for (std::int32_t up = 0; up < levels_up && vertex > 0; ++up) vertex = tree.parent(vertex);
  return leaves_below(tree, usable, vertex);
}

std::vector<std::int32_t> leaves_below(const TreeTopology& tree, LeafSpan usable, std::int32_t vertex) {
  const LeafSpan below = within(tree, usable, vertex);
  return {below.begin(), below.end()};
}

bool all_below(const TreeTopology& tree, std::span<const std::int32_t> leaves, std::int32_t vertex) {
  const std::int32_t first = tree.first_leaf(vertex);
  return leaves.front() >= first && leaves.back() < first + tree.leaf_count(vertex);
}

std::vector<std::int32_t> subtrees_with_enough(const TreeTopology& tree, LeafSpan usable, std::int32_t ranks,
                                               std::int32_t height) {
  std::vector<std::int32_t> found;
  std::vector<std::pair<std::int32_t, LeafSpan>> stack{{0, usable}};
  while (!stack.empty()) {
    const auto [vertex, below] = stack.back();
    stack.pop_back();
    if (below.size() < static_cast<std::size_t>(ranks) || tree.height(vertex) < height) continue;
    if (tree.height(vertex) == height) {
      found.push_back(vertex);
      continue;
    }
    const auto children = tree.children(vertex);
    for (std::size_t k = children.size(); k-- > 0;)
      if (tree.leaf_count(children[k]) >= ranks) stack.emplace_back(children[k], within(tree, below, children[k]));
  }
  return found;
}

std::vector<std::int32_t> lowest_subtrees(const TreeTopology& tree, LeafSpan usable, std::int32_t ranks) {
  std::vector<std::int32_t> tops;
  for (std::int32_t height = tree.least_height_of(ranks); tops.empty(); ++height)
    tops = subtrees_with_enough(tree, usable, ranks, height);
  return tops;
}

std::vector<std::int32_t> ancestors(const TreeTopology& tree, std::span<const std::int32_t> vertices,
                                    std::int32_t levels) {
  std::vector<std::int32_t> above;
  std::vector<bool> listed(tree.vertices(), false);
  for (std::int32_t vertex : vertices) {
    for (std::int32_t k = 0; k < levels && vertex > 0; ++k) vertex = tree.parent(vertex);
    if (!listed[vertex]) above.push_back(vertex);
    listed[vertex] = true;
  }
  return above;
}

std::vector<std::int32_t> packed_leaves(const TreeTopology& tree, LeafSpan usable, std::int32_t count) {
  std::vector<std::int32_t> chosen;
  if (count == 0) return chosen;
  if (static_cast<std::size_t>(count) == usable.size()) return {usable.begin(), usable.end()};
  std::int32_t vertex = lowest_with_enough(tree, usable, count);
  usable = within(tree, usable, vertex);
  std::size_t wanted = static_cast<std::size_t>(count);
  while (wanted > 0) {
    if (wanted >= usable.size() || tree.children(vertex).empty()) {
      chosen.insert(chosen.end(), usable.begin(), usable.begin() + std::min(wanted, usable.size()));
      break;
    }
    // The children are sorted, with the most usable leaves first. Whole children are taken until one other child can
    // hold the remaining `wanted` leaves. The search continues in the child with the fewest usable leaves that can.
    const std::vector<Subtree> children = branches(tree, vertex, usable);
    std::vector<bool> taken(children.size(), false);
    const auto tightest = [&] {
      std::size_t found = children.size();
      for (std::size_t k = 0; k < children.size(); ++k)
        if (!taken[k] && children[k].usable.size() >= wanted &&
            (found == children.size() || children[k].usable.size() < children[found].usable.size()))
          found = k;
      return found;
    };
    for (std::size_t k = 0; k < children.size() && tightest() == children.size(); ++k) {
      if (children[k].usable.size() > wanted) continue;
      chosen.insert(chosen.end(), children[k].usable.begin(), children[k].usable.end());
      wanted -= children[k].usable.size();
      taken[k] = true;
    }
    if (wanted == 0) break;
    const std::size_t rest = tightest();
    vertex = children[rest].vertex;
    usable = children[rest].usable;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<std::int32_t> fullest_subtrees(const TreeTopology& tree, LeafSpan usable, std::int32_t count,
                                           std::int32_t height) {
  std::vector<LeafSpan> parts;
  while (!usable.empty()) {
    std::int32_t vertex = tree.leaf_vertex(usable.front());
    while (vertex > 0 && tree.height(vertex) < height) vertex = tree.parent(vertex);
    parts.push_back(within(tree, usable, vertex));
    usable = usable.subspan(parts.back().size());
  }
  std::ranges::stable_sort(parts, std::greater(), [](const LeafSpan& part) { return part.size(); });
  std::vector<std::int32_t> chosen;
  for (const LeafSpan& part : parts) {
    const std::size_t wanted = static_cast<std::size_t>(count) - chosen.size();
    chosen.insert(chosen.end(), part.begin(), part.begin() + std::min(wanted, part.size()));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace placement::treematch
