// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/torus_bisection.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "tofa/slot_halves.hpp"
#include "treematch/bisection.hpp"

namespace placement {

namespace {

struct Part {
  std::vector<std::int32_t> ranks;
  std::vector<std::int32_t> slots;  // as many
};

class TorusBisection {
 public:
  TorusBisection(const Graph& graph, const TorusSlots& slots, std::uint64_t seed, std::int32_t tries, const Watch& watch)
      : graph_(graph), slots_(slots), watch_(watch), bisection_(seed, tries, watch),
        local_(static_cast<std::size_t>(graph.vertices()), -1), near_(static_cast<std::size_t>(graph.vertices()), -1) {}

  std::vector<std::int32_t> run(const std::vector<std::int32_t>& among) {
    Part all{std::vector<std::int32_t>(static_cast<std::size_t>(graph_.vertices())), among};
    std::iota(all.ranks.begin(), all.ranks.end(), 0);
    std::deque<Part> parts;
    parts.push_back(std::move(all));
    for (; !parts.empty(); parts.pop_front()) {  // all parts of one size before the smaller ones
      Part& part = parts.front();
      const std::optional<SlotCut> cut = cut_slots(slots_, part.slots);
      if (!cut) {
        for (std::size_t k = 0; k < part.ranks.size(); ++k) near_[part.ranks[k]] = part.slots[k];
        continue;
      }
      auto [left, right] = halves(part, cut->first);
      for (Part* half : {&left, &right})
        for (const std::int32_t rank : half->ranks) near_[rank] = half->slots[half->slots.size() / 2];
      parts.push_back(std::move(left));
      parts.push_back(std::move(right));
    }
    return near_;
  }

 private:
  std::pair<Part, Part> halves(Part& part, std::size_t first) {
    const auto half = static_cast<std::ptrdiff_t>(first);
    Part left{{}, {part.slots.begin(), part.slots.begin() + half}};
    Part right{{}, {part.slots.begin() + half, part.slots.end()}};
    const std::vector<std::int8_t> side = split_ranks(part.ranks, static_cast<std::int32_t>(first));
    const bool turned = left.slots.size() == right.slots.size() && better_turned(part.ranks, side, left, right);
    for (std::size_t k = 0; k < part.ranks.size(); ++k)
      ((side[k] == 0) != turned ? left : right).ranks.push_back(part.ranks[k]);
    return {std::move(left), std::move(right)};
  }

  std::vector<std::int8_t> split_ranks(const std::vector<std::int32_t>& ranks, std::int32_t first) {
    Graph part;
    for (std::size_t k = 0; k < ranks.size(); ++k) local_[ranks[k]] = static_cast<std::int32_t>(k);
    part.size.assign(ranks.size(), 1);
    for (const std::int32_t rank : ranks) {
      watch_.spend(static_cast<std::int64_t>(graph_.arcs(rank).size()) + 1);
      for (const Arc& arc : graph_.arcs(rank))
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

  // Whether the partners elsewhere are nearer when the halves change places.
  bool better_turned(const std::vector<std::int32_t>& ranks, const std::vector<std::int8_t>& side, const Part& left,
                     const Part& right) {
    const TorusTopology& torus = *slots_.torus;
    const std::int32_t a = slots_.position[left.slots[left.slots.size() / 2]];
    const std::int32_t b = slots_.position[right.slots[right.slots.size() / 2]];
    for (const std::int32_t rank : ranks) local_[rank] = 0;
    std::int64_t turned_costs_more = 0;
    for (std::size_t k = 0; k < ranks.size(); ++k)
      for (const Arc& arc : graph_.arcs(ranks[k])) {
        if (local_[arc.to] >= 0 || near_[arc.to] < 0) continue;
        const std::int32_t there = slots_.position[near_[arc.to]];
        const std::int64_t farther = torus.distance(b, there) - torus.distance(a, there);
        turned_costs_more += (side[k] == 0 ? farther : -farther) * arc.weight;
      }
    for (const std::int32_t rank : ranks) local_[rank] = -1;
    return turned_costs_more < 0;
  }

  const Graph& graph_;
  const TorusSlots& slots_;
  const Watch& watch_;
  Bisection bisection_;
  std::vector<std::int32_t> local_;
  std::vector<std::int32_t> near_;  // a slot where the rank is, or will be near; -1: nowhere yet
};

}  // namespace

std::vector<std::int32_t> torus_bisection(const Graph& graph, const TorusSlots& slots,
                                          const std::vector<std::int32_t>& among, std::uint64_t seed,
                                          std::int32_t tries, const Watch& watch) {
  return TorusBisection(graph, slots, seed, tries, watch).run(among);
}

}  // namespace placement
