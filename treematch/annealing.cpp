// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/annealing.hpp"

#include <algorithm>
#include <bit>

#include "common/util/random.hpp"
#include "mapping/mapping_check.hpp"
#include "mapping/swap_search.hpp"

namespace placement::treematch {

namespace {

constexpr std::int32_t nobody = -1;
constexpr int steps_of_temperature = 100;
constexpr double first_temperature = 0.15;  // as a fraction of the mean loss of a step that raises the hop-bytes
constexpr double cooling = 0.97328288714084;  // factor per step of temperature; the last is a fifteenth of the first

class Annealing {
 public:
  Annealing(const mapping::Graph& graph, const mapping::LeafTree& tree, std::vector<std::int32_t>& slot,
            std::uint64_t seed, const mapping::WorkBudget& watch)
      : graph_(graph), tree_(tree), watch_(watch), slot_(slot), owner_(tree.slots(), nobody), random_(seed) {
    for (std::int32_t rank = 0; rank < graph.vertices(); ++rank) owner_[slot[rank]] = rank;
  }

  void run(std::int64_t work) {
    const double scale = mean_loss();
    work -= work_;
    if (scale <= 0) return;
    double temperature = first_temperature * scale;
    for (int step = 0; step < steps_of_temperature; ++step, temperature *= cooling) {
      work_ = 0;
      while (work_ < work / steps_of_temperature) try_step(temperature);
    }
  }

 private:
  struct Step {
    std::int32_t rank = nobody;
    std::int32_t to = 0;
  };

  // Returns the mean rise in hop-bytes over those of 256 random steps that raise them; 0 if none does.
  double mean_loss() {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 256; ++k) {
      const Step step = random_step();
      if (step.rank == nobody) continue;
      const std::int64_t change = change_by(step);
      if (change <= 0) continue;
      sum += static_cast<double>(change);
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  void try_step(double temperature) {
    const Step step = random_step();
    if (step.rank == nobody) return;
    const std::int64_t change = change_by(step);
    // The Metropolis test compares with -ln of a uniform random number. The logarithm is approximated by straight lines
    // between powers of two, so that every machine computes the same value.
    const std::uint64_t bits = random_.next() | 1;
    const int zeros = std::countl_zero(bits);
    const double fraction = static_cast<double>(bits << zeros << 1 >> 12) * 0x1p-52;
    if (static_cast<double>(change) > temperature * 0.6931471805599453 * (zeros + 1 - fraction)) return;
    const std::int32_t from = slot_[step.rank];
    const std::int32_t other = owner_[step.to];
    owner_[from] = other;
    owner_[step.to] = step.rank;
    slot_[step.rank] = step.to;
    if (other != nobody) slot_[other] = from;
  }

  // Returns a random rank and a random slot in a small subtree around one of its partners. Returns a step without a
  // rank when the rank has no partner or already holds that slot.
  Step random_step() {
    work_ += 4;
    const std::int32_t rank = random_.below(graph_.vertices());
    const auto arcs = graph_.arcs(rank);
    if (arcs.empty()) return {};
    const std::int32_t partner = arcs[random_.below(static_cast<std::int32_t>(arcs.size()))].to;
    std::int32_t v = tree_.vertex(tree_.slot_vertex(slot_[partner])).parent;
    for (std::uint64_t bits = random_.next() >> 40; (bits & 3) == 0 && tree_.vertex(v).parent >= 0; bits >>= 2)
      v = tree_.vertex(v).parent;
    const std::int32_t to = tree_.vertex(v).first_slot + random_.below(tree_.vertex(v).slots);
    if (to == slot_[rank]) return {};
    return {rank, to};
  }

  std::int64_t change_by(const Step& step) {
    const std::int32_t from = slot_[step.rank];
    const std::int32_t other = owner_[step.to];
    std::int64_t change = 0;
    for (const mapping::Arc& arc : graph_.arcs(step.rank)) {
      if (arc.to == other) continue;  // an exchange does not change the distance between the two ranks
      const std::int32_t place = slot_[arc.to];
      change += arc.weight * tree_.distance_change(from, step.to, place);
    }
    auto visited = static_cast<std::int64_t>(graph_.arcs(step.rank).size());
    if (other != nobody) {
      for (const mapping::Arc& arc : graph_.arcs(other)) {
        if (arc.to == step.rank) continue;
        const std::int32_t place = slot_[arc.to];
        change += arc.weight * tree_.distance_change(step.to, from, place);
      }
      visited += static_cast<std::int64_t>(graph_.arcs(other).size());
    }
    work_ += visited;
    watch_.spend(visited / 2 + 4);
    return change;
  }

  const mapping::Graph& graph_;
  const mapping::LeafTree& tree_;
  const mapping::WorkBudget& watch_;
  std::vector<std::int32_t>& slot_;
  std::vector<std::int32_t> owner_;
  Random random_;
  std::int64_t work_ = 0;
};

}  // namespace

void anneal(const mapping::Graph& graph, const mapping::LeafTree& tree, std::vector<std::int32_t>& slot,
            std::uint64_t seed, std::int64_t work, const mapping::WorkBudget& watch) {
  if (graph.arc.empty() || tree.slots() < 2) return;
  try {
    Annealing(graph, tree, slot, seed, watch).run(work);
  } catch (const mapping::OutOfTime&) {
  }
}

Cost anneal_on(const CommMatrix& matrix, const mapping::Graph& graph, const TreeTopology& tree, std::span<const std::int32_t> leaves,
               std::vector<std::int32_t>& leaf_of_rank, std::uint64_t seed, std::int64_t work, const mapping::WorkBudget& watch) {
  const mapping::LeafTree slots(tree, leaves);
  std::vector<std::int32_t> slot;
  slot.reserve(leaf_of_rank.size());
  for (const std::int32_t leaf : leaf_of_rank)
    slot.push_back(static_cast<std::int32_t>(std::lower_bound(leaves.begin(), leaves.end(), leaf) - leaves.begin()));
  anneal(graph, slots, slot, seed, work, watch);
  swap_search(graph, slots, slot, work, watch);
  const Cost cost = mapping::mapping_cost(matrix, slots, slot, watch);
  for (std::size_t rank = 0; rank < slot.size(); ++rank) leaf_of_rank[rank] = leaves[slot[rank]];
  return cost;
}

}  // namespace placement
