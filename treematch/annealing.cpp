// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/annealing.hpp"

#include <algorithm>
#include <utility>

#include "common/util/random.hpp"
#include "mapping/swap_search.hpp"
#include "mapping/tuning.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

constexpr std::int32_t no_parent = -1;

// Anneals a mapping. For each rank and each vertex above leaves, a table has the rank's traffic with the ranks below
// it. The leaves just below one vertex are interchangeable, so the table gives the change by a step in a few additions.
class TreeAnnealing {
 public:
  TreeAnnealing(const mapping::Graph& graph, const mapping::LeafTree& tree, std::vector<std::int32_t>& slot,
                std::uint64_t seed, const mapping::WorkBudget& watch)
      : graph_(graph),
        tree_(tree),
        watch_(watch),
        slot_(slot),
        nobody_(graph.vertices()),
        owner_(tree.slots(), nobody_),
        above_(tree.slots()),
        random_(seed) {
    number_vertices();
    place_.reserve(slot.size());
    for (std::int32_t rank = 0; rank < graph.vertices(); ++rank) {
      owner_[slot[rank]] = rank;
      place_.push_back(above_[slot[rank]]);
    }
    tabulate();
  }

  void run(std::int64_t work) {
    const double scale = mean_loss();
    if (scale <= 0) return;
    const std::int64_t steps = work / work_of_step / steps_of_temperature;
    double temperature = first_temperature * scale;
    for (int level = 0; level < steps_of_temperature; ++level, temperature *= cooling) anneal_at(temperature, steps);
  }

 private:
  // A vertex above leaves; parents have smaller numbers than their children.
  struct Vertex {
    std::int32_t parent;
    std::int32_t first_slot;
    std::int32_t slots;
    std::int64_t length;  // twice the length of the link to the parent
  };

  struct Step {
    std::int32_t rank;
    std::int32_t to;
  };

  void number_vertices() {
    std::vector<std::int32_t> number(tree_.vertices().size(), no_parent);
    for (std::size_t v = 0; v < tree_.vertices().size(); ++v) {
      const mapping::LeafTree::Vertex& vertex = tree_.vertices()[v];
      if (vertex.children == 0) continue;
      number[v] = static_cast<std::int32_t>(vertex_.size());
      if (vertex.parent < 0)
        vertex_.push_back({no_parent, vertex.first_slot, vertex.slots, 0});
      else
        vertex_.push_back({number[vertex.parent], vertex.first_slot, vertex.slots,
                           vertex.position - tree_.vertex(vertex.parent).position});
    }
    for (std::int32_t s = 0; s < tree_.slots(); ++s) above_[s] = number[tree_.vertex(tree_.slot_vertex(s)).parent];
  }

  void tabulate() {
    const std::size_t of_ranks = vertex_.size() * graph_.vertices();
    traffic_.assign(of_ranks + vertex_.size(), 0);
    watch_.spend(static_cast<std::int64_t>(of_ranks / 16));
    for (std::int32_t rank = 0; rank < graph_.vertices(); ++rank) {
      watch_.spend(static_cast<std::int64_t>(2 * graph_.arcs(rank).size()));
      for (const mapping::Arc& arc : graph_.arcs(rank))
        for (std::int32_t v = place_[arc.to]; v > 0; v = vertex_[v].parent) of(rank)[v] += arc.weight;
    }
  }

  std::int32_t* of(std::int32_t rank) { return traffic_.data() + vertex_.size() * rank; }

  // Makes some random steps and returns the mean rise of the hop-bytes over the steps that raise them; 0 if none does.
  double mean_loss() {
    double sum = 0;
    int count = 0;
    watch_.spend(steps_before_annealing * work_of_step);
    for (int k = 0; k < steps_before_annealing; ++k) {
      const Step step = random_step();
      if (step.rank == nobody_) continue;
      const std::int64_t change = change_by(step);
      if (change <= 0) continue;
      sum += static_cast<double>(change);
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  void anneal_at(double temperature, std::int64_t steps) {
    for (std::int64_t left = steps; left > 0;) {
      const std::int64_t now = std::min(left, steps_between_reports);
      const std::int64_t most = left * work_of_step;
      watch_.spend(now * work_of_step);
      for (std::int64_t k = 0; k < now && further_arcs_ < most; ++k) try_step(temperature);
      left -= now + std::exchange(further_arcs_, 0) / work_of_step;
    }
  }

  void try_step(double temperature) {
    const Step step = random_step();
    if (step.rank == nobody_) return;
    const std::int64_t change = change_by(step);
    if (static_cast<double>(change) > temperature * random_.exponential()) return;
    const std::int32_t from = slot_[step.rank];
    const std::int32_t other = owner_[step.to];
    move(step.rank, step.to);
    if (other == nobody_)
      owner_[from] = nobody_;
    else
      move(other, from);
  }

  // Returns a random rank and a random slot in a small subtree around one of its partners. Returns a step without a
  // rank when the rank has no partner or the step would change nothing. Without always_inline, the compiler inlines
  // neither this nor change_by(), and annealing takes 2 % longer.
  [[gnu::always_inline]] Step random_step() {
    const std::int32_t rank = random_.below(graph_.vertices());
    const auto arcs = graph_.arcs(rank);
    if (arcs.empty()) return {nobody_, 0};
    const std::int32_t partner = arcs[random_.below(static_cast<std::int32_t>(arcs.size()))].to;
    std::int32_t v = place_[partner];
    for (std::uint64_t bits = random_.next() >> 40; (bits & 3) == 0 && v > 0; bits >>= 2) v = vertex_[v].parent;
    const std::int32_t to = vertex_[v].first_slot + random_.below(vertex_[v].slots);
    if (above_[to] == place_[rank]) return {nobody_, 0};
    return {rank, to};
  }

  // Returns the change in hop-bytes when the rank and the owner of the slot, if there is one, change places.
  [[gnu::always_inline]] std::int64_t change_by(const Step& step) {
    const std::int32_t from = place_[step.rank];
    const std::int32_t to = above_[step.to];
    const std::int32_t other = owner_[step.to];
    const std::int32_t* traffic = of(step.rank);
    const std::int32_t* traffic_of_other = of(other);
    std::int64_t change = 0;
    std::int64_t apart = 0;
    std::int64_t sign = 1;
    for (std::int32_t u = from, v = to; u != v;) {  // without branches, as it is random which vertex is lower
      const Vertex& lower = vertex_[std::max(u, v)];
      const std::int32_t gone = traffic[std::max(u, v)] - traffic_of_other[std::max(u, v)];
      sign = u < v ? -sign : sign;
      v = std::min(u, v);
      u = lower.parent;
      change += sign * lower.length * gone;
      apart += lower.length;
    }
    if (other == nobody_ || (traffic[to] == 0 && to > 0)) return change;
    count_arcs(step.rank);
    for (const mapping::Arc& arc : graph_.arcs(step.rank))  // an exchange does not change the distance between the two
      if (arc.to == other) change += arc.weight * apart;
    return change;
  }

  // Counts the visited arcs of a rank, without those that work_of_step contains.
  void count_arcs(std::int32_t rank) {
    const auto arcs = std::ssize(graph_.arcs(rank));
    if (arcs <= arcs_of_step) return;
    further_arcs_ += arcs - arcs_of_step;
    watch_.spend(arcs - arcs_of_step);
  }

  void move(std::int32_t rank, std::int32_t to) {
    const std::int32_t old_place = place_[rank];
    const std::int32_t new_place = above_[to];
    owner_[to] = rank;
    slot_[rank] = to;
    place_[rank] = new_place;
    count_arcs(rank);
    for (const mapping::Arc& arc : graph_.arcs(rank)) {
      std::int32_t* traffic = of(arc.to);
      for (std::int32_t u = old_place, v = new_place; u != v;) {
        if (u > v) {
          traffic[u] -= arc.weight;
          u = vertex_[u].parent;
        } else {
          traffic[v] += arc.weight;
          v = vertex_[v].parent;
        }
      }
    }
  }

  const mapping::Graph& graph_;
  const mapping::LeafTree& tree_;
  const mapping::WorkBudget& watch_;
  std::vector<std::int32_t>& slot_;
  const std::int32_t nobody_;  // owner of a free slot; a rank number without traffic
  std::vector<std::int32_t> owner_;
  std::vector<std::int32_t> above_;    // the vertex just above each slot
  std::vector<std::int32_t> place_;    // the vertex just above the slot of each rank
  std::vector<Vertex> vertex_;         // all vertices above leaves; the root is vertex 0
  std::vector<std::int32_t> traffic_;  // of each rank, and of nobody_, with the ranks below each vertex but the root
  std::int64_t further_arcs_ = 0;      // arcs beyond work_of_step, visited since the last report
  Random random_;
};

// Anneals `slot`, the slot of each rank. When the time ends, it holds the mapping reached by then.
void anneal(const mapping::Graph& graph, const mapping::LeafTree& tree, std::vector<std::int32_t>& slot,
            std::uint64_t seed, std::int64_t work, const mapping::WorkBudget& watch) {
  if (graph.arc.empty() || tree.slots() < 2) return;
  try {
    TreeAnnealing(graph, tree, slot, seed, watch).run(work);
  } catch (const mapping::OutOfTime&) {
  }
}

}  // namespace

Cost anneal_on(const CommMatrix& matrix, const mapping::Graph& graph, const TreeTopology& tree,
               std::span<const std::int32_t> leaves, std::vector<std::int32_t>& leaf_of_rank, std::uint64_t seed,
               std::int64_t work, const mapping::WorkBudget& watch) {
  const mapping::LeafTree slots(tree, leaves);
  std::vector<std::int32_t> slot = slots.slots_of(leaf_of_rank);
  anneal(graph, slots, slot, seed, work, watch);
  swap_search(graph, slots, slot, work, watch);
  watch.look();
  for (std::size_t rank = 0; rank < slot.size(); ++rank) leaf_of_rank[rank] = leaves[slot[rank]];
  return tree.hop_bytes(matrix, leaf_of_rank);
}

}  // namespace placement::treematch
