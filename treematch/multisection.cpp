// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/multisection.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <utility>

#include "common/util/random.hpp"
#include "common/util/sequence.hpp"
#include "mapping/part_annealing.hpp"
#include "mapping/tuning.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

// A part of the ranks with the traffic among them.
struct Part {
  mapping::Graph graph;
  std::vector<std::int32_t> rank;  // of each vertex of the graph
};

class Multisection {
 public:
  Multisection(const mapping::LeafTree& tree, std::uint64_t seed, const mapping::BisectionTries& tries,
               std::int32_t sweeps, const mapping::WorkBudget& watch, mapping::BisectionMemory* memory)
      : tree_(tree),
        watch_(watch),
        bisection_(seed, tries, watch_),
        random_(seed),
        sweeps_(sweeps),
        memory_(memory) {}

  std::vector<std::int32_t> run(const mapping::Graph& graph) {
    slot_.resize(graph.vertices());
    local_.assign(graph.vertices(), -1);
    child_of_.assign(graph.vertices(), 0);
    Part all;
    all.rank = numbers(graph.vertices());
    try {
      if (graph.vertices() < ranks_in_cache) {
        all.graph = graph;
      } else {
        std::vector<std::int32_t> order = mapping::breadth_first(graph, watch_);
        all.graph = mapping::renumbered(graph, order, watch_);
        all.rank = std::move(order);
      }
    } catch (const mapping::OutOfTime&) {  // the ranks stay in the natural order
    }
    descend(0, std::move(all));
    return std::move(slot_);
  }

 private:
  void descend(std::int32_t v, Part part) {
    const mapping::LeafTree::Vertex& vertex = tree_.vertex(v);
    if (part.rank.empty()) return;
    if (part.graph.arc.empty() || watch_.over() || only_leaves(vertex)) return fill({&v, 1}, part.rank);
    const std::vector<std::int32_t> children = enough_children(vertex, static_cast<std::int32_t>(part.rank.size()));
    if (sweeps_ > 0 && mapping::can_anneal_parts(part.graph, children.size())) return split_and_anneal(children, part);
    split(children, std::move(part), [this](std::int32_t child, Part&& below) { descend(child, std::move(below)); });
  }

  // Distributes the part among the children. Anneals the parts of all children together before they are split further.
  void split_and_anneal(std::span<const std::int32_t> children, const Part& part) {
    std::vector<Part> parts(children.size()), annealed;
    split(children, Part(part), [&](std::int32_t child, Part&& below) {
      parts[std::find(children.begin(), children.end(), child) - children.begin()].rank = std::move(below.rank);
    });
    try {
      const std::vector<std::int32_t> child_of = annealed_parts(children, part, parts);
      for (std::size_t k = 0; k < children.size(); ++k)
        annealed.push_back(subset(part, child_of, static_cast<std::int32_t>(k), children.subspan(k, 1)));
    } catch (const mapping::OutOfTime&) {  // split() has placed the ranks that are in none of the parts
      for (std::size_t k = 0; k < children.size(); ++k) fill(children.subspan(k, 1), parts[k].rank);
      return;
    }
    for (std::size_t k = 0; k < children.size(); ++k) descend(children[k], std::move(annealed[k]));
  }

  // Returns the index of the child that each rank of `part` belongs to, after annealing of the parts. Throws OutOfTime.
  std::vector<std::int32_t> annealed_parts(std::span<const std::int32_t> children, const Part& part,
                                           const std::vector<Part>& parts) {
    watch_.spend(std::ssize(part.rank));
    std::vector<std::int32_t> child_of, capacity;
    for (std::size_t k = 0; k < children.size(); ++k) {
      capacity.push_back(tree_.vertex(children[k]).slots);
      for (const std::int32_t rank : parts[k].rank) child_of_[rank] = static_cast<std::int32_t>(k);
    }
    child_of.reserve(part.rank.size());
    for (const std::int32_t rank : part.rank) child_of.push_back(child_of_[rank]);
    mapping::anneal_parts(part.graph, capacity, child_of, sweeps_, random_, watch_);
    return child_of;
  }

  bool only_leaves(const mapping::LeafTree::Vertex& vertex) const {
    for (std::int32_t k = 0; k < vertex.children; ++k)
      if (tree_.vertex(vertex.first_child + k).slots > 1) return false;
    return true;
  }

  // Returns the fewest children that hold the ranks. Takes the children with the most slots until one of the others can
  // hold the rest, and then the smallest child that can. Ties go to the leftmost child.
  std::vector<std::int32_t> enough_children(const mapping::LeafTree::Vertex& vertex, std::int32_t ranks) const {
    std::vector<std::int32_t> children = numbers(vertex.children, vertex.first_child);
    if (ranks == vertex.slots) return children;
    const auto slots = [&](std::int32_t child) { return tree_.vertex(child).slots; };
    std::ranges::stable_sort(children, std::greater(), slots);
    std::size_t taken = 0;
    for (; slots(children[taken]) < ranks; ++taken) ranks -= slots(children[taken]);
    std::size_t tightest = taken;
    for (std::size_t k = taken; k < children.size() && slots(children[k]) >= ranks; ++k)
      if (slots(children[k]) < slots(children[tightest])) tightest = k;
    children[taken] = children[tightest];
    children.resize(taken + 1);
    std::sort(children.begin(), children.end());
    return children;
  }

  // Distributes the part among some children of a vertex. Bisects it between the two halves of the list of children,
  // and then bisects each half in turn.
  template <class Done>
  void split(std::span<const std::int32_t> children, Part part, const Done& done) {
    if (children.size() == 1) return done(children.front(), std::move(part));
    const auto left_children = children.first(children.size() / 2);
    const auto right_children = children.subspan(children.size() / 2);
    const auto ranks = static_cast<std::int32_t>(part.rank.size());
    const std::int32_t most = std::min(ranks, slots_of(left_children));
    const std::int32_t least = std::max(0, ranks - slots_of(right_children));
    Part left, right;
    try {
      const std::vector<std::int8_t> side = bisected(part, least, most);
      left = subset(part, side, std::int8_t{0}, left_children);
      right = subset(part, side, std::int8_t{1}, right_children);
    } catch (const mapping::OutOfTime&) {
      return fill(children, part.rank);
    }
    part = {};
    split(left_children, std::move(left), done);
    split(right_children, std::move(right), done);
  }

  std::vector<std::int8_t> bisected(const Part& part, std::int32_t least, std::int32_t most) {
    if (memory_ == nullptr || part.graph.vertices() > coarsest_graph) return bisection_.split(part.graph, least, most);
    return bisection_.split(part.graph, least, most, memory_->of(part.rank, least, most));
  }

  // Places the ranks on the slots of the children from left to right, in the order of the list.
  void fill(std::span<const std::int32_t> children, std::span<const std::int32_t> ranks) {
    std::size_t next = 0;
    for (const std::int32_t child : children)
      for (std::int32_t k = 0; k < tree_.vertex(child).slots && next < ranks.size(); ++k)
        slot_[ranks[next++]] = tree_.vertex(child).first_slot + k;
  }

  std::int32_t slots_of(std::span<const std::int32_t> children) const {
    std::int32_t slots = 0;
    for (const std::int32_t child : children) slots += tree_.vertex(child).slots;
    return slots;
  }

  // Returns the ranks of `part` on the side `which`, for some children. Leaves out the traffic among them if they go to
  // the leaves of one vertex: they are then placed in the order of the list.
  template <class Side>
  Part subset(const Part& part, const std::vector<Side>& side, Side which, std::span<const std::int32_t> children) {
    Part subset;
    const auto n = static_cast<std::int32_t>(part.rank.size());
    const auto count = static_cast<std::size_t>(std::count(side.begin(), side.end(), which));
    subset.rank.reserve(count);
    for (std::int32_t v = 0; v < n; ++v)
      if (side[v] == which) {
        local_[v] = static_cast<std::int32_t>(subset.rank.size());
        subset.rank.push_back(part.rank[v]);
      }
    if (children.size() == 1 && only_leaves(tree_.vertex(children.front()))) return subset;
    subset.graph.size.assign(count, 1);
    subset.graph.arc.reserve(part.graph.arc.size() * count / part.rank.size());
    subset.graph.row.reserve(count + 1);
    for (std::int32_t v = 0; v < n; ++v) {
      if (side[v] != which) continue;
      watch_.spend(std::ssize(part.graph.arcs(v)) + 1);
      for (const mapping::Arc& arc : part.graph.arcs(v))
        if (side[arc.to] == which) subset.graph.arc.push_back({local_[arc.to], arc.weight});
      subset.graph.row.push_back(std::ssize(subset.graph.arc));
    }
    return subset;
  }

  const mapping::LeafTree& tree_;
  const mapping::WorkBudget& watch_;
  mapping::Bisection bisection_;
  Random random_;
  const std::int32_t sweeps_;
  mapping::BisectionMemory* const memory_;
  std::vector<std::int32_t> slot_;
  std::vector<std::int32_t> local_;
  std::vector<std::int32_t> child_of_;  // of each rank of the part that is annealed: index of its child
};

// How often parts are bisected and annealed.
struct Efforts {
  mapping::BisectionTries tries;
  std::int32_t sweeps = 0;
};

// Returns the efforts that `work` allows. On each level, one bisection of all parts costs about one unit per arc and
// eight per vertex.
Efforts affordable(const mapping::Graph& graph, std::int64_t work, Annealing annealing) {
  const auto levels = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint32_t>(graph.vertices()))) - 3;
  const std::int64_t once = (std::ssize(graph.arc) + 8 * graph.vertices()) * std::max<std::int64_t>(1, levels);
  const auto tries = static_cast<std::int32_t>(std::clamp<std::int64_t>(work / once, 1, 8));
  const bool many = graph.vertices() > many_vertices;
  const auto sweeps = [&](std::int64_t cost) {
    return static_cast<std::int32_t>(std::min(work / cost / std::max(1, graph.vertices()), most_sweeps));
  };
  if (sweeps(work_per_sweep) < fewest_sweeps) annealing = Annealing::none;
  switch (annealing) {
    case Annealing::of_irregular_parts:
      return {{1, std::min(tries + 1, most_tries_of_irregular)}, sweeps(work_per_sweep_of_irregular)};
    case Annealing::of_parts:
      return {many ? mapping::BisectionTries{(tries + 2) / 3, tries + 1} : mapping::BisectionTries{tries, 2 * tries},
              sweeps(work_per_sweep)};
    case Annealing::none: break;
  }
  return {{many ? (2 * tries + 2) / 3 : tries, 2 * tries}, 0};
}

}  // namespace

std::vector<std::int32_t> multisection(const mapping::Graph& graph, const mapping::LeafTree& tree, std::uint64_t seed,
                                       std::int64_t work, const mapping::WorkBudget& watch, Annealing annealing,
                                       mapping::BisectionMemory* memory) {
  const Efforts efforts = affordable(graph, work, annealing);
  return Multisection(tree, seed, efforts.tries, efforts.sweeps, watch, memory).run(graph);
}

}  // namespace placement::treematch
