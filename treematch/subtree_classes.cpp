// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/subtree_classes.hpp"

#include <algorithm>

#include "mapping/tuning.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

using Run = SubtreeClass::Run;

// Joins equal entries of an ascending list to runs. A count above `most` is cut down to `most`.
std::vector<Run> runs_of(std::span<const std::int32_t> sorted, std::int32_t most) {
  std::vector<Run> runs;
  for (const std::int32_t of : sorted) {
    if (runs.empty() || runs.back().of != of) runs.push_back({of, 0});
    if (runs.back().count < most) ++runs.back().count;
  }
  return runs;
}

}  // namespace

SubtreeClasses::SubtreeClasses(const TreeTopology& tree, std::span<const std::int32_t> usable, std::int32_t ranks,
                               std::span<const NodeLimit> nodes)
    : ranks_(ranks),
      class_of_(tree.vertices(), -1) {
  std::vector<std::int32_t> node_of(nodes.empty() ? 0 : tree.vertices(), -1);
  for (std::size_t n = 0; n < nodes.size(); ++n) node_of[nodes[n].vertex] = static_cast<std::int32_t>(n);
  std::vector<bool> free(tree.vertices(), false);
  for (const std::int32_t leaf : usable) free[tree.leaf_vertex(leaf)] = true;
  std::vector<std::int32_t> below;
  std::vector<std::int32_t> below_before;  // adjacent vertices are often of one class: saves a search
  SubtreeClass before;
  std::int32_t class_before = -1;
  std::int32_t leaf_class = -1;  // class of the last leaf that is not a node
  for (std::int32_t v = tree.vertices() - 1; v >= 0; --v) {
    if (tree.children(v).empty() && (node_of.empty() || node_of[v] < 0)) {
      if (!free[v]) continue;
      if (leaf_class < 0 || classes_[leaf_class].position != tree.position(v)) {
        SubtreeClass leaf;
        leaf.position = tree.position(v);
        leaf_class = add(std::move(leaf));
      }
      class_of_[v] = leaf_class;
      continue;
    }
    below.clear();
    for (const std::int32_t child : tree.children(v))
      if (class_of_[child] >= 0) below.push_back(class_of_[child]);
    if (below.empty() && !free[v]) continue;
    std::sort(below.begin(), below.end());
    SubtreeClass subtree;
    subtree.position = tree.position(v);
    if (!node_of.empty() && node_of[v] >= 0) {
      subtree.node_most = nodes[node_of[v]].most;
      subtree.node_required = nodes[node_of[v]].required ? 1 : 0;
      if (subtree.node_most <= 0) continue;
    }
    const bool as_before = class_before >= 0 && below == below_before && subtree.position == before.position &&
                           subtree.node_most == before.node_most && subtree.node_required == before.node_required;
    if (!as_before) {
      before = subtree;
      below_before = below;
      subtree.children = runs_of(below, ranks_);
      class_before = add(std::move(subtree));
    }
    class_of_[v] = class_before;
  }
}

std::int32_t SubtreeClasses::add(SubtreeClass subtree) {
  drop_replaceable(subtree.children);
  const Key key{{subtree.position, 2LL * subtree.node_most + subtree.node_required}, subtree.children};
  const auto [found, added] = number_.try_emplace(key, static_cast<std::int32_t>(classes_.size()));
  if (!added) return found->second;
  subtree.required = subtree.node_required;
  subtree.holds_nodes = subtree.node_most >= 0;
  subtree.slots = subtree.children.empty() ? 1 : 0;
  subtree.nearest = subtree.children.empty() ? subtree.position : INT64_MAX;
  for (const Run& run : subtree.children) {
    const SubtreeClass& child = classes_[run.of];
    subtree.holds_nodes = subtree.holds_nodes || child.holds_nodes;
    subtree.required += run.count * child.required;
    subtree.slots = std::min(ranks_, subtree.slots + run.count * child.slots);
    subtree.nodes = std::min(ranks_, subtree.nodes + run.count * child.nodes);
    subtree.per_node = std::max(subtree.per_node, child.per_node);
    subtree.nearest = std::min(subtree.nearest, child.nearest);
  }
  if (subtree.node_most >= 0) {
    subtree.slots = std::min(subtree.slots, subtree.node_most);
    subtree.nodes = 1;
    subtree.per_node = subtree.slots;
  }
  classes_.push_back(std::move(subtree));
  return found->second;
}

// Drops children that no optimal mapping needs. A mapping uses at most ranks_ children, so a child is never needed if
// ranks_ siblings can replace it. Only siblings not yet dropped count, because two classes can replace each other.
// After most_comparisons the other children are kept, which only makes the search longer.
void SubtreeClasses::drop_replaceable(std::vector<Run>& children) {
  std::int32_t all = 0;
  for (const Run& run : children) all += run.count;
  for (Run& run : children) {
    if (all <= ranks_ || comparisons_ > most_comparisons) break;
    if (classes_[run.of].required > 0) continue;
    std::int32_t better = 0;
    for (const Run& other : children)
      if (other.of != run.of && other.count > 0 && better < ranks_ && replaces(other.of, run.of)) better += other.count;
    const std::int32_t count = std::clamp(ranks_ - better, 0, run.count);
    all -= run.count - count;
    run.count = count;
  }
  std::erase_if(children, [](const Run& run) { return run.count == 0; });
}

// Whether every set of ranks that fits into a subtree of class `what` fits into one of class `by` at no higher cost.
// Returns false when this is not certain.
bool SubtreeClasses::replaces(std::int32_t by, std::int32_t what) {
  if (by == what) return true;
  if (++comparisons_ > most_comparisons) return false;
  const SubtreeClass& big = classes_[by];
  const SubtreeClass& small = classes_[what];
  if (big.required > 0 || small.required > 0 || small.slots > big.slots) return false;
  const auto known = replaces_.find({by, what});
  if (known != replaces_.end()) return known->second;
  bool result = false;
  // Only a node can replace a node, because used nodes are counted and the ranks on a node are limited.
  const bool both_nodes = big.node_most >= 0 && small.node_most >= small.slots && big.node_most >= small.node_most;
  if ((big.node_most >= 0) != (small.node_most >= 0) || (big.node_most >= 0 && !both_nodes)) {
    result = false;
  } else if (small.children.empty()) {
    result = big.nearest <= small.position;
  } else if (big.position >= small.position) {
    // Each child of the small subtree needs a child of the big one that can replace it, larger children first.
    std::vector<Run> left = big.children;
    result = true;
    for (auto run = small.children.rbegin(); result && run != small.children.rend(); ++run)
      for (std::int32_t k = 0; result && k < run->count; ++k) {
        auto place =
            std::find_if(left.begin(), left.end(), [&](const Run& r) { return r.of == run->of && r.count > 0; });
        if (place == left.end())
          place = std::find_if(left.begin(), left.end(),
                               [&](const Run& r) { return r.count > 0 && replaces(r.of, run->of); });
        result = place != left.end();
        if (result) --place->count;
      }
  }
  replaces_[{by, what}] = result;
  return result;
}

}  // namespace placement::treematch
