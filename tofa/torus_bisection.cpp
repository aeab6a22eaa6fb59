// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/torus_bisection.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "mapping/bisection.hpp"

namespace placement::tofa {

namespace {

class TorusBisection {
 public:
  TorusBisection(const mapping::Graph& graph, const TorusSlots& slots, const SlotCuts& cuts, std::uint64_t seed,
                 std::int32_t tries, const mapping::WorkBudget& watch)
      : graph_(graph), slots_(slots), cuts_(cuts), watch_(watch), bisection_(seed, {tries, 2 * tries}, watch),
        local_(static_cast<std::size_t>(graph.vertices()), -1), near_(static_cast<std::size_t>(graph.vertices()), -1) {}

  std::vector<std::int32_t> run() {
    // `ranks` is ordered like cuts_.slots: the ranks of a part have the indices of its slots.
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(graph_.vertices()));
    std::iota(ranks.begin(), ranks.end(), 0);
    for (const SlotCuts::Part& part : cuts_.parts)  // a part always precedes its halves
      if (part.middle >= 0)
        split(part, std::span(ranks).subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.end - part.begin)));
    for (std::size_t k = 0; k < ranks.size(); ++k) near_[ranks[k]] = cuts_.slots[k];
    return near_;
  }

 private:
  void split(const SlotCuts::Part& part, std::span<std::int32_t> ranks) {
    const std::int32_t first = part.middle - part.begin;
    const std::vector<std::int8_t> side = split_ranks(ranks, first);
    const std::int32_t left = cuts_.centre(cuts_.parts[part.first_half]);
    const std::int32_t right = cuts_.centre(cuts_.parts[part.first_half + 1]);
    const bool turned = 2 * first == part.end - part.begin && better_turned(ranks, side, left, right);
    std::vector<std::int32_t> second;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const bool to_left = (side[k] == 0) != turned;
      near_[ranks[k]] = to_left ? left : right;
      if (to_left)
        ranks[kept++] = ranks[k];
      else
        second.push_back(ranks[k]);
    }
    std::copy(second.begin(), second.end(), ranks.begin() + static_cast<std::ptrdiff_t>(kept));
  }

  std::vector<std::int8_t> split_ranks(std::span<const std::int32_t> ranks, std::int32_t first) {
    mapping::Graph part;
    for (std::size_t k = 0; k < ranks.size(); ++k) local_[ranks[k]] = static_cast<std::int32_t>(k);
    part.size.assign(ranks.size(), 1);
    for (const std::int32_t rank : ranks) {
      watch_.spend(static_cast<std::int64_t>(graph_.arcs(rank).size()) + 1);
      for (const mapping::Arc& arc : graph_.arcs(rank))
        if (local_[arc.to] >= 0) part.arc.push_back({local_[arc.to], arc.weight});
      part.row.push_back(static_cast<std::int64_t>(part.arc.size()));
    }
    for (const std::int32_t rank : ranks) local_[rank] = -1;
    if (part.arc.empty()) {
      std::vector<std::int8_t> side(ranks.size(), 1);
      std::fill_n(side.begin(), first, 0);
      return side;
    }
    return bisection_.split(part, first, first);
  }

  // Returns whether partners outside of the part are nearer when the two halves are exchanged.
  bool better_turned(std::span<const std::int32_t> ranks, const std::vector<std::int8_t>& side, std::int32_t left,
                     std::int32_t right) {
    const TorusTopology& torus = *slots_.torus;
    const std::int32_t a = slots_.position[left];
    const std::int32_t b = slots_.position[right];
    for (const std::int32_t rank : ranks) local_[rank] = 0;
    std::int64_t turned_costs_more = 0;
    for (std::size_t k = 0; k < ranks.size(); ++k)
      for (const mapping::Arc& arc : graph_.arcs(ranks[k])) {
        if (local_[arc.to] >= 0 || near_[arc.to] < 0) continue;
        const std::int32_t there = slots_.position[near_[arc.to]];
        const std::int64_t farther = torus.distance(b, there) - torus.distance(a, there);
        turned_costs_more += (side[k] == 0 ? farther : -farther) * arc.weight;
      }
    for (const std::int32_t rank : ranks) local_[rank] = -1;
    return turned_costs_more < 0;
  }

  const mapping::Graph& graph_;
  const TorusSlots& slots_;
  const SlotCuts& cuts_;
  const mapping::WorkBudget& watch_;
  mapping::Bisection bisection_;
  std::vector<std::int32_t> local_;
  std::vector<std::int32_t> near_;  // a slot where the rank is, or near which it will be; -1: not known yet
};

}  // namespace

std::vector<std::int32_t> torus_bisection(const mapping::Graph& graph, const TorusSlots& slots, const SlotCuts& cuts,
                                          std::uint64_t seed, std::int32_t tries, const mapping::WorkBudget& watch) {
  return TorusBisection(graph, slots, cuts, seed, tries, watch).run();
}

}  // namespace placement::tofa
