// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/exact_work.hpp"

#include <array>
#include <utility>
#include <vector>

namespace placement::treematch {

namespace {

using Run = SubtreeClass::Run;

// choose[n][k] is the number of sets of k among n ranks, 0 where k > n.
constexpr auto choose = [] {
  std::array<std::array<std::int32_t, most_ranks_mapped_exactly + 1>, most_ranks_mapped_exactly + 1> table{};
  for (std::size_t n = 0; n < table.size(); ++n) {
    table[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
  }
  return table;
}();

// Counts the steps for one number of ranks, and of nodes that the tables tell apart.
class Count {
 public:
  Count(std::span<const SubtreeClass> classes, std::int32_t ranks, std::int32_t nodes)
      : classes_(classes),
        ranks_(ranks),
        nodes_(nodes) {}

  // Returns the steps for joining the children of the subtree, and the most of them for the equal children of one
  // class.
  std::pair<double, double> steps_in(const SubtreeClass& subtree) const {
    double steps = 0, most = 0;
    Capacity sum;
    for (auto run = subtree.children.rbegin(); run != subtree.children.rend(); ++run) {
      const Capacity child = capacity_of(classes_[run->of], nodes_);
      Capacity several = child;
      const double before = steps;
      for (std::int32_t k = 1; k < std::min(run->count, ranks_); ++k) {
        steps += steps_for(several, child, true);
        several = together(several, child, ranks_, nodes_);
      }
      most = std::max(most, steps - before);
      if (sum.slots > 0) steps += steps_for(sum, several, false);
      sum = together(sum, several, ranks_, nodes_);
      steps += 1 << ranks_;  // seen from the parent
    }
    return {steps, most};
  }

 private:
  // Returns the steps for joining two parts: for each division of a set into `w` ranks in `one` and `k` in `other`, one
  // for each number of nodes that either of them can use.
  double steps_for(const Capacity& one, const Capacity& other, bool equal) const {
    if (!equal && one.slots < other.slots) return steps_for(other, one, false);
    const std::int32_t fixed = equal ? 1 : 0;  // ranks that always lie in `other`
    double steps = 1;
    for (std::int32_t k = fixed; k <= other.slots; ++k)
      for (std::int32_t w = 0; w <= ranks_ - k; ++w) {
        std::int32_t counts = 0;
        for (std::int32_t m = other.least_nodes(k); m <= other.most_nodes(k); ++m)
          counts += 1 + std::max(0, std::min(nodes_ - m, one.most_nodes(w)) - one.least_nodes(w));
        steps += static_cast<double>(choose[ranks_][k + w]) * choose[k + w - fixed][k - fixed] * counts;
      }
    return steps;
  }

  const std::span<const SubtreeClass> classes_;
  const std::int32_t ranks_;
  const std::int32_t nodes_;
};

// Returns which classes occur at or below the vertices.
std::vector<bool> classes_below(const SubtreeClasses& classes, std::span<const std::int32_t> tops) {
  const std::span<const SubtreeClass> all = classes.classes();
  std::vector<bool> below(all.size(), false);
  for (const std::int32_t top : tops)
    if (classes.of(top) >= 0) below[classes.of(top)] = true;
  for (std::size_t c = all.size(); c-- > 0;)
    for (const Run& run : all[c].children) below[run.of] = below[run.of] || below[c];
  return below;
}

}  // namespace

Capacity capacity_of(const SubtreeClass& subtree, std::int32_t nodes) {
  return {subtree.slots, std::min(subtree.nodes, nodes), subtree.per_node};
}

Capacity together(const Capacity& one, const Capacity& other, std::int32_t ranks, std::int32_t nodes) {
  return {std::min(ranks, one.slots + other.slots), std::min(nodes, one.nodes + other.nodes),
          std::max(one.per_node, other.per_node)};
}

ExactWork exact_work(const SubtreeClasses& classes, std::span<const std::int32_t> tops, std::int32_t ranks,
                     std::int32_t nodes, double most_steps) {
  const std::span<const SubtreeClass> all = classes.classes();
  const std::vector<bool> needed = classes_below(classes, tops);
  const Count count(all, ranks, nodes);
  constexpr std::size_t always = 4;  // the cuts, the identity, and two tables that are being made
  std::size_t kept = always, at_once = 0;
  double steps = 0, placing = 0;
  std::vector<double> placing_in(all.size(), 0);  // the children are joined anew on the way to the leaves
  for (std::size_t c = 0; c < all.size() && steps + placing <= most_steps; ++c) {
    if (!needed[c]) continue;
    const bool several = all[c].children.size() > 1;
    const std::size_t width = capacity_of(all[c], nodes).numbers_of_nodes();
    kept += width;
    at_once = std::max(at_once, width * (2 * all[c].children.size() + ranks));
    for (const Run& run : all[c].children) placing_in[c] = std::max(placing_in[c], placing_in[run.of]);
    const auto [own, among_equals] = count.steps_in(all[c]);
    steps += own;
    placing_in[c] += own + (several ? among_equals : 0);
    placing = std::max(placing, placing_in[c]);
  }
  return {steps + placing, kept + at_once};
}

}  // namespace placement::treematch
