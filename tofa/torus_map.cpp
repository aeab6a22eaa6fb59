// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/torus_map.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/sequence.hpp"
#include "mapping/bisection.hpp"
#include "mapping/greedy.hpp"
#include "tofa/geometry.hpp"
#include "tofa/slot_bisection.hpp"

namespace placement::tofa {

namespace {

// Maps ranks to slots by recursive bisection. Splits the ranks in two with little traffic across the cut. Each half
// gets the half of the slots that is nearer to its partners outside of the part; halves of unequal size are not
// exchanged for this.
class TorusBisection {
 public:
  //   graph        the traffic between ranks, scaled
  //   cuts         a bisection of exactly one slot per vertex of the graph
  //   seed, tries  seed and number of starts of each bisection
  TorusBisection(const mapping::Graph& graph, const TorusSlots& slots, const SlotCuts& cuts, std::uint64_t seed,
                 std::int32_t tries, const mapping::WorkBudget& watch)
      : graph_(graph),
        slots_(slots),
        cuts_(cuts),
        watch_(watch),
        bisection_(seed, {tries, 2 * tries}, watch),
        local_(graph.vertices(), -1),
        near_(graph.vertices(), -1) {}

  // Returns the slot of each rank. Throws OutOfTime.
  std::vector<std::int32_t> run() {
    // `ranks` is in the order of cuts_.slots: the ranks of a part have the indices of its slots.
    std::vector<std::int32_t> ranks = numbers(graph_.vertices());
    for (const SlotCuts::Part& part : cuts_.parts)  // a part always precedes its halves
      if (part.middle >= 0)
        split(part, std::span(ranks).subspan(static_cast<std::size_t>(part.begin),
                                             static_cast<std::size_t>(part.end - part.begin)));
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
    std::copy(second.begin(), second.end(), ranks.begin() + kept);
  }

  std::vector<std::int8_t> split_ranks(std::span<const std::int32_t> ranks, std::int32_t first) {
    mapping::Graph part;
    for (std::size_t k = 0; k < ranks.size(); ++k) local_[ranks[k]] = static_cast<std::int32_t>(k);
    part.size.assign(ranks.size(), 1);
    for (const std::int32_t rank : ranks) {
      watch_.spend(std::ssize(graph_.arcs(rank)) + 1);
      for (const mapping::Arc& arc : graph_.arcs(rank))
        if (local_[arc.to] >= 0) part.arc.push_back({local_[arc.to], arc.weight});
      part.row.push_back(std::ssize(part.arc));
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
  std::vector<std::int32_t> near_;  // the slot of each rank, or a slot near it; -1: not known yet
};

constexpr std::int64_t work_per_place = 100;         // of annealing, per rank and arc and per step of effort
constexpr std::int64_t least_work = 60'000;          // lower limit of the work of one search
constexpr std::int64_t least_work_per_rank = 2'000;  // lower limit per rank, if that is less
constexpr std::int64_t work_when_longer = 2;         // factor from effort 2 on
constexpr std::int64_t work_among_suspects = 8;      // factor with suspect nodes, because good routes are few
// The factor for suspect nodes falls beyond this number of ranks and arcs.
constexpr std::int64_t places_among_suspects = 8'000;
constexpr std::int64_t low_suspect_hops = 8;
constexpr std::int64_t most_work = 2'000'000'000;

class Portfolio {
 public:
  Portfolio(const CommMatrix& matrix, const TorusSlots& slots, const std::vector<std::vector<std::int32_t>>& sets,
            const TorusMapOptions& options)
      : matrix_(matrix),
        slots_(slots),
        sets_(sets),
        options_(options),
        watch_(options.deadline) {}

  std::vector<TorusMapping> run() {
    found_.push_back({sets_.front(), "natural order"});
    try {
      graph_ = mapping::scaled_graph(matrix_, watch_);
      if (!graph_.arc.empty()) improve();
    } catch (const mapping::OutOfTime&) {
    }
    return std::move(found_);
  }

 private:
  void improve() {
    cost_ = cost_of(found_.front().slot_of_rank);
    offer(greedy_on_torus(graph_, slots_, watch_), "greedy", true);
    const auto by_number = points_by_number(graph_, watch_);
    const auto sides = slots_.torus->dimensions();
    const std::int64_t long_sides =
        std::count_if(sides.begin(), sides.end(), [](const TorusDimension& d) { return d.size > 1; });
    const auto by_distance = points_by_distance(graph_, long_sides < 2 ? 1 : 3, options_.seed, watch_);
    for (const auto& set : sets_) {
      const SlotCuts cuts = cut_all(slots_, set, CutAt::planes, watch_);
      if (by_number) offer_points(*by_number, cuts, "grid of ranks");
      if (by_distance) offer_points(*by_distance, cuts, "grid by distances");
      if (!(on_grid() && options_.effort <= 1))
        offer(TorusBisection(graph_, slots_, cuts, options_.seed, options_.effort > 3 ? 2 : 1, watch_).run(),
              "bisection", false);
    }
    search();
  }

  // Whether a grid of ranks was found on which they communicate: most traffic has one hop.
  bool on_grid() const { return geometric_ && cost_ < 2 * graph_.total_weight(); }

  void offer_points(const RankPoints& points, const SlotCuts& cuts, const char* method) {
    std::array<std::size_t, 3> axis{0, 1, 2};
    do {
      const bool better = offer(map_points(points, axis, cuts, watch_), method, false);
      geometric_ = geometric_ || better;
    } while (std::next_permutation(axis.begin(), axis.end()));
  }

  void search() {
    const std::vector<std::int32_t> start = found_.back().slot_of_rank;
    const std::string from = found_.back().method;
    const std::int64_t size = std::ssize(graph_.arc) + graph_.vertices();
    const bool suspects = slots_.faults && slots_.faults->suspects() > 0;
    std::int64_t work = std::max(std::min(least_work, least_work_per_rank * graph_.vertices()), work_per_place * size);
    if (options_.effort > 1)
      work *= options_.effort * (suspects ? std::clamp(work_among_suspects * places_among_suspects / size,
                                                       work_when_longer, work_among_suspects)
                                          : work_when_longer);
    work = std::min(most_work, work);
    if (options_.effort <= 1)
      return annealed(start, suspects ? work : work / 2, geometric_ ? Heat::cool : Heat::warm, from);
    if (suspects) {  // a low penalty lets ranks pass suspect nodes, then the full one moves them away
      std::vector<std::int32_t> slot = start;
      anneal(graph_, slots_, slot, work / 4, Heat::hot, options_.seed, watch_, low_suspect_hops);
      annealed(std::move(slot), work / 4, Heat::warm, from);
      annealed(start, work / 4, Heat::cool, from);
    } else {  // a long search finds distant solutions
      annealed(start, 3 * (work / 4), on_grid() ? Heat::warm : Heat::steady, from);
    }
    annealed(found_.back().slot_of_rank, work / 4, Heat::cool, from);
  }

  void annealed(std::vector<std::int32_t> slot, std::int64_t work, Heat heat, const std::string& from) {
    anneal(graph_, slots_, slot, work, heat, options_.seed, watch_);
    offer(std::move(slot), from + ", annealed", false);
  }

  std::int64_t cost_of(const std::vector<std::int32_t>& slot) const {
    watch_.spend(std::ssize(graph_.arc));
    return search_cost(graph_, slots_, slot);
  }

  // Keeps the mapping if it costs less than the best one, or in any case with `anyway`. Returns whether it costs less.
  bool offer(std::vector<std::int32_t> slot, const std::string& method, bool anyway) {
    const std::int64_t cost = cost_of(slot);
    const bool better = cost < cost_;
    if (better) {
      cost_ = cost;
      found_.push_back({std::move(slot), method});
    } else if (anyway) {
      found_.insert(found_.end() - 1, {std::move(slot), method});
    }
    return better;
  }

  const CommMatrix& matrix_;
  const TorusSlots& slots_;
  const std::vector<std::vector<std::int32_t>>& sets_;
  const TorusMapOptions& options_;
  const mapping::WorkBudget watch_;
  mapping::Graph graph_;
  std::vector<TorusMapping> found_;  // the best one is last
  std::int64_t cost_ = 0;            // of the best mapping
  bool geometric_ = false;           // a mapping of a grid of ranks was an improvement
};

// The free slots of each position, with a search for the free slot nearest to a position.
class NearestFree {
 public:
  explicit NearestFree(const TorusSlots& slots, const mapping::WorkBudget& watch)
      : slots_(slots),
        watch_(watch),
        at_(slots.torus->positions()) {
    for (std::int32_t slot = slots.size(); slot-- > 0;) at_[slots.position[slot]].push_back(slot);
  }

  std::int32_t take_near(std::int32_t slot) {
    // A breadth-first search over the grid meets the nearest free slot first.
    const std::int32_t position = slots_.position[slot];
    if (stamp_.empty()) stamp_.assign(at_.size(), 0);
    ++now_;
    queue_.assign(1, position);
    stamp_[position] = now_;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::int32_t here = queue_[head];
      watch_.spend(1);
      if (!at_[here].empty()) return take(here);
      for_each_neighbour(*slots_.torus, here, [&](std::int32_t next) {
        if (next < 0 || stamp_[next] == now_) return;
        stamp_[next] = now_;
        queue_.push_back(next);
      });
    }
    return -1;
  }

  std::int32_t take_any() {
    while (first_ < at_.size() && at_[first_].empty()) ++first_;
    return take(static_cast<std::int32_t>(first_));
  }

 private:
  std::int32_t take(std::int32_t position) {
    const std::int32_t slot = at_[position].back();
    at_[position].pop_back();
    return slot;
  }

  const TorusSlots& slots_;
  const mapping::WorkBudget& watch_;
  std::vector<std::vector<std::int32_t>> at_;
  std::vector<std::int32_t> stamp_;
  std::vector<std::int32_t> queue_;
  std::int32_t now_ = 0;
  std::size_t first_ = 0;
};

}  // namespace

std::vector<std::int32_t> greedy_on_torus(const mapping::Graph& graph, const TorusSlots& slots,
                                          const mapping::WorkBudget& watch) {
  return mapping::greedy_slots(graph, NearestFree(slots, watch), watch);
}

std::vector<TorusMapping> map_to_torus(const CommMatrix& matrix, const TorusSlots& slots,
                                       const std::vector<std::vector<std::int32_t>>& sets,
                                       const TorusMapOptions& options) {
  return Portfolio(matrix, slots, sets, options).run();
}

}  // namespace placement::tofa
