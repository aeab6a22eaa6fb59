// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/torus_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "common/util/random.hpp"
#include "common/util/sequence.hpp"

namespace placement::tofa {

namespace {

// Hops between ranks on slots, and the change of the cost by a move: the innermost loops of the search. PackedHops and
// PlainHops have one interface:
//   put()      records that `rank` is on `slot`
//   between()  returns the hops between the slots a and b
//   change()   returns the change of traffic times hops when the rank with `arcs` moves from slot `from` to slot `to`,
//              without the traffic with the rank `other`

// The fast form, for up to four dimensions of up to `longest` positions. One vector register of 16 bytes has the
// coordinates of both ends of a move.
class PackedHops {
 public:
  // Returns whether this form can be used for the torus.
  static bool fits(const TorusTopology& torus) {
    return torus.dimensions().size() <= half && std::all_of(torus.dimensions().begin(), torus.dimensions().end(),
                                                            [](const TorusDimension& d) { return d.size <= longest; });
  }

  PackedHops(const TorusSlots& slots, std::int32_t ranks) : slot_(slots.size()), rank_(ranks) {
    const auto dimensions = slots.torus->dimensions();
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      around_[d] = around_[half + d] = dimensions[d].wraps ? static_cast<std::int16_t>(dimensions[d].size) : INT16_MAX;
    for (std::size_t s = 0; s < slot_.size(); ++s) {
      std::array<std::int16_t, half> at{};
      for (std::size_t d = 0; d < dimensions.size(); ++d)
        at[d] = static_cast<std::int16_t>(slots.torus->coordinate(slots.position[s], d));
      std::memcpy(&slot_[s], at.data(), sizeof slot_[s]);
    }
  }

  void put(std::int32_t rank, std::int32_t slot) { rank_[rank] = {slot_[slot], slot_[slot]}; }

  std::int32_t between(std::int32_t a, std::int32_t b) const {
    const auto [first, second] = hops(lanes({slot_[a], slot_[a]}), {slot_[b], slot_[b]});
    return first;
  }

  std::int64_t change(std::span<const mapping::Arc> arcs, std::int32_t to, std::int32_t from,
                      std::int32_t other) const {
    const Lanes ends = lanes({slot_[to], slot_[from]});
    std::int64_t delta = 0;
    for (const mapping::Arc& arc : arcs) {
      const auto [then, now] = hops(ends, rank_[arc.to]);
      delta += static_cast<std::int64_t>(arc.to == other ? 0 : arc.weight) * (then - now);
    }
    return delta;
  }

 private:
  static constexpr std::size_t half = 4;
  static constexpr std::int32_t longest = 8191;  // the sum of four lengths fits in 16 bits
  using Lanes [[gnu::vector_size(16)]] = std::int16_t;
  using Two = std::array<std::uint64_t, 2>;  // the coordinates of two slots, 16 bits for each coordinate

  static Lanes lanes(const Two& two) {
    Lanes result;
    std::memcpy(&result, &two, sizeof result);
    return result;
  }

  struct Pair {
    std::int32_t first, second;
  };

  Pair hops(const Lanes& ends, const Two& there) const {
    const Lanes off = ends - lanes(there);
    const Lanes back = -off;
    const Lanes straight = off > back ? off : back;
    const Lanes round = around_ - straight;
    const Lanes way = straight < round ? straight : round;
    Two sums;
    std::memcpy(&sums, &way, sizeof sums);
    return {sum_of(sums[0]), sum_of(sums[1])};
  }

  // Returns the sum of four 16-bit numbers, which the multiplication collects in the highest 16 bits.
  static std::int32_t sum_of(std::uint64_t four) {
    return static_cast<std::int32_t>(four * 0x0001000100010001ULL >> 48);
  }

  std::vector<std::uint64_t> slot_;
  std::vector<Two> rank_;
  Lanes around_ = {INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX, INT16_MAX};
};

// The general form, for any torus.
class PlainHops {
 public:
  PlainHops(const TorusSlots& slots, std::int32_t ranks) : slots_(slots), position_(ranks) {}

  void put(std::int32_t rank, std::int32_t slot) { position_[rank] = slots_.position[slot]; }
  std::int32_t between(std::int32_t a, std::int32_t b) const {
    return slots_.torus->distance(slots_.position[a], slots_.position[b]);
  }
  std::int64_t change(std::span<const mapping::Arc> arcs, std::int32_t to, std::int32_t from,
                      std::int32_t other) const {
    std::int64_t delta = 0;
    for (const mapping::Arc& arc : arcs) {
      if (arc.to == other) continue;
      const std::int32_t there = position_[arc.to];
      delta += static_cast<std::int64_t>(arc.weight) * (slots_.torus->distance(slots_.position[to], there) -
                                                        slots_.torus->distance(slots_.position[from], there));
    }
    return delta;
  }

 private:
  const TorusSlots& slots_;
  std::vector<std::int32_t> position_;  // of each rank
};

constexpr std::size_t logarithms = 4096;

// The temperatures of each Heat, in units of the typical change of the cost when a rank moves by one hop.
struct Range {
  double first, last;
};
constexpr Range temperatures[] = {{0.35, 0.06}, {1.0, 0.06}, {3.0, 0.06}, {2.0, 0.5}};

// -ln of evenly spread numbers in units of 1/1024, for the random acceptance of worse moves. Integers give equal
// results on all machines.
const std::array<std::int32_t, logarithms>& log_table() {
  static const auto table = [] {
    std::array<std::int32_t, logarithms> t{};
    for (std::size_t k = 0; k < logarithms; ++k)
      t[k] = static_cast<std::int32_t>(std::lround(-1024.0 * std::log((static_cast<double>(k) + 0.5) / logarithms)));
    return t;
  }();
  return table;
}

// Returns the least weight of a pair in the penalty: the mean weight of all pairs. A pair with little traffic aborts
// the job like any other when a node on its route fails.
std::int64_t least_penalty_weight(const mapping::Graph& graph) {
  const auto pairs = static_cast<std::int64_t>(graph.arc.size() / 2);
  return pairs == 0 ? 1 : std::max<std::int64_t>(1, graph.total_weight() / pairs);
}

template <typename Hops, bool with_suspects>
class Annealing {
 public:
  Annealing(const mapping::Graph& graph, const TorusSlots& slots, std::vector<std::int32_t>& slot, std::uint64_t seed,
            const mapping::WorkBudget& watch, std::int64_t suspect_hops)
      : graph_(graph),
        slots_(slots),
        hops_(slots, graph.vertices()),
        slot_(slot),
        owner_(slots.size(), nobody),
        random_(seed),
        watch_(watch),
        penalty_weight_(least_penalty_weight(graph)),
        suspect_hops_(suspect_hops) {
    for (std::int32_t rank = 0; rank < graph.vertices(); ++rank) {
      owner_[slot[rank]] = rank;
      hops_.put(rank, slot[rank]);
      if (!graph.arcs(rank).empty()) talkers_.push_back(rank);
    }
    index_positions();
    if constexpr (with_suspects)
      for (std::int32_t rank = 0; rank < graph.vertices(); ++rank)
        penalty_.push_back(penalty_on(rank, slot[rank], slot[rank], nobody, INT64_MAX));
  }

  void run(std::int64_t work, Heat heat) {
    if (talkers_.empty()) return;
    std::vector<std::int32_t> best = slot_;
    std::int64_t cost = 0;
    std::int64_t best_cost = 0;  // relative to the start
    // The typical change of the cost when a rank moves by one hop.
    double square = 0;
    for (const mapping::Arc& arc : graph_.arc) square += static_cast<double>(arc.weight) * arc.weight;
    const double unit = square / static_cast<double>(2 * graph_.total_weight());
    const Range range = temperatures[static_cast<std::size_t>(heat)];
    const double start = unit * range.first, end = unit * range.last;
    constexpr int steps = 48;
    const std::int64_t work_per_step = work / steps;
    try {
      for (int step = 0; step <= steps; ++step) {
        const double share = static_cast<double>(step) / steps;
        const double heat_now = step == steps ? 0.0 : start * std::pow(end / start, share);
        const auto temperature = static_cast<std::int64_t>(std::llround(heat_now));
        for (std::int64_t left = step == steps ? 2 * work_per_step : work_per_step; left > 0;)
          left -= try_move(temperature, cost);
        if (cost < best_cost || (step == steps && cost == best_cost)) {
          best_cost = cost;
          best = slot_;
        }
      }
    } catch (const mapping::OutOfTime&) {  // the unfinished step is discarded
    }
    slot_ = best;
  }

  std::int64_t whole_cost() const {
    std::int64_t cost = 0;
    for (std::int32_t rank = 0; rank < graph_.vertices(); ++rank)
      for (const mapping::Arc& arc : graph_.arcs(rank))
        if (arc.to > rank) cost += pair_cost(arc.weight, slot_[rank], slot_[arc.to]);
    return cost;
  }

 private:
  void index_positions() {
    order_ = ordered_numbers(slots_.size(), [&](std::int32_t slot) { return slots_.position[slot]; });
    first_.assign(static_cast<std::size_t>(slots_.torus->positions()) + 1, 0);
    for (const std::int32_t position : slots_.position) ++first_[position + 1];
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    for (std::size_t k = 1; k < first_.size(); ++k) shared_ = shared_ || first_[k] - first_[k - 1] > 1;
    for (std::int32_t position = 0; position < slots_.torus->positions(); ++position)
      for_each_neighbour(*slots_.torus, position, [&](std::int32_t next) { neighbour_.push_back(next); });
    directions_ = static_cast<std::int32_t>(std::ssize(neighbour_) / slots_.torus->positions());
  }

  std::int64_t pair_cost(std::int32_t weight, std::int32_t a, std::int32_t b) const {
    std::int64_t cost = static_cast<std::int64_t>(weight) * hops_.between(a, b);
    if constexpr (with_suspects)
      if (const std::int32_t met = slots_.faults->between(slots_.position[a], slots_.position[b]))
        cost += penalty_of(weight, met);
    return cost;
  }

  // Returns the penalty of a pair of this weight that has `met` suspect nodes on its routes.
  std::int64_t penalty_of(std::int32_t weight, std::int32_t met) const {
    return std::max<std::int64_t>(weight, penalty_weight_) * suspect_hops_ * met;
  }

  // Returns the penalty of the pairs of `rank` if `rank` were on slot `to` and the rank `other` on slot `from`. May
  // stop early and return any value above `most` when the penalty exceeds `most`.
  std::int64_t penalty_on(std::int32_t rank, std::int32_t from, std::int32_t to, std::int32_t other,
                          std::int64_t most) const {
    std::int64_t sum = 0;
    for (const mapping::Arc& arc : graph_.arcs(rank)) {
      const std::int32_t there = arc.to == other ? from : slot_[arc.to];
      if (const std::int32_t met = slots_.faults->between(slots_.position[to], slots_.position[there]))
        sum += penalty_of(arc.weight, met);
      if (sum > most) break;
    }
    return sum;
  }

  // Updates the stored penalties of a rank that moves and of its partners.
  void move_penalties(std::int32_t rank, std::int32_t from, std::int32_t to, std::int32_t other, std::int64_t after) {
    if (penalty_[rank] == 0 && after == 0) return;
    for (const mapping::Arc& arc : graph_.arcs(rank)) {
      if (arc.to == other) continue;
      const std::int32_t there = slots_.position[slot_[arc.to]];
      const std::int32_t met =
          slots_.faults->between(slots_.position[to], there) - slots_.faults->between(slots_.position[from], there);
      penalty_[arc.to] += penalty_of(arc.weight, met);
    }
    penalty_[rank] = after;
  }

  std::int32_t target_for(std::int32_t rank) {
    const auto arcs = graph_.arcs(rank);
    const auto degree = static_cast<std::uint64_t>(arcs.size());
    const std::uint64_t choice = random_.next();
    const mapping::Arc& one = arcs[(choice >> 32) * degree >> 32];
    const mapping::Arc& another = arcs[(choice & UINT32_MAX) * degree >> 32];
    const mapping::Arc& partner = another.weight > one.weight ? another : one;
    std::int32_t position = slots_.position[slot_[partner.to]];
    const std::uint64_t way = random_.next();
    if (!shared_ || (way & 3) == 0) {
      if (directions_ == 0) return slot_[rank];
      position = neighbour(position, way >> 8 & 0xffff);
      if (position >= 0 && (way & 12) == 0) position = neighbour(position, way >> 24 & 0xffff);
    }
    if (position < 0) return slot_[rank];
    const std::int32_t here = first_[position + 1] - first_[position];
    if (here == 0) return slot_[rank];
    return order_[first_[position] +
                  (here == 1 ? 0 : static_cast<std::int32_t>((way >> 40) * static_cast<std::uint64_t>(here) >> 24))];
  }

  // Returns the neighbour of a position that 16 random bits choose.
  std::int32_t neighbour(std::int32_t position, std::uint64_t chance) const {
    const auto direction = static_cast<std::int32_t>(chance * static_cast<std::uint64_t>(directions_) >> 16);
    return neighbour_[static_cast<std::size_t>(position) * directions_ + direction];
  }

  // Adds the change of the penalties to `delta`, which has the change in hops. Returns whether the sum is at most
  // `most`, and only then updates the stored penalties. Rejects a move without reading its routes if its additional
  // hops exceed all penalties that it could save.
  bool past_suspects(std::int32_t rank, std::int32_t from, std::int32_t to, std::int32_t other, std::int64_t most,
                     std::int64_t& delta) {
    std::int64_t room = most - delta + penalty_[rank] + (other != nobody ? penalty_[other] : 0);
    if (room < 0) return false;
    const std::int64_t after = penalty_on(rank, from, to, other, room);
    if ((room -= after) < 0) return false;
    const std::int64_t other_after = other != nobody ? penalty_on(other, to, from, rank, room) : 0;
    if (room < other_after) return false;
    delta += after - penalty_[rank];
    if (other != nobody) {
      delta += other_after - penalty_[other];
      move_penalties(other, to, from, rank, other_after);
    }
    move_penalties(rank, from, to, other, after);
    return true;
  }

  // Tries one random move. Returns the work that it took, in arcs visited.
  std::int64_t try_move(std::int64_t temperature, std::int64_t& cost) {
    const std::int32_t rank = talkers_[random_.below(static_cast<std::int32_t>(talkers_.size()))];
    const std::int32_t from = slot_[rank];
    const std::int32_t to = target_for(rank);
    if (to == from || slots_.position[to] == slots_.position[from]) {
      watch_.spend(1);
      return 1;
    }
    const std::int32_t other = owner_[to];
    std::int64_t delta = hops_.change(graph_.arcs(rank), to, from, other);
    auto work = std::ssize(graph_.arcs(rank)) + 2;
    if (other != nobody) {
      delta += hops_.change(graph_.arcs(other), from, to, rank);
      work += std::ssize(graph_.arcs(other));
    }
    watch_.spend(work);
    if constexpr (with_suspects) {
      if (!past_suspects(rank, from, to, other, temperature * log_table()[random_.next() & (logarithms - 1)] / 1024,
                         delta))
        return work;
    } else if (delta > 0 && delta * 1024 > temperature * log_table()[random_.next() & (logarithms - 1)]) {
      return work;
    }
    slot_[rank] = to;
    hops_.put(rank, to);
    owner_[to] = rank;
    owner_[from] = other;
    if (other != nobody) {
      slot_[other] = from;
      hops_.put(other, from);
    }
    cost += delta;
    return work;
  }

  const mapping::Graph& graph_;
  const TorusSlots& slots_;
  Hops hops_;
  std::vector<std::int32_t>& slot_;
  std::vector<std::int32_t> owner_;
  std::vector<std::int32_t> talkers_;  // ranks with traffic
  Random random_;
  const mapping::WorkBudget& watch_;
  const std::int64_t penalty_weight_;
  const std::int64_t suspect_hops_;
  std::vector<std::int32_t> order_;      // all slots, sorted by position
  std::vector<std::int32_t> first_;      // index in order_ of the first slot of each position
  std::vector<std::int32_t> neighbour_;  // `directions_` neighbours for each position
  std::int32_t directions_ = 0;
  bool shared_ = false;                // some position has several slots
  std::vector<std::int64_t> penalty_;  // of each rank, for suspect nodes on its routes; empty without suspect nodes
};

template <typename Call>
auto with_annealing(const mapping::Graph& graph, const TorusSlots& slots, std::vector<std::int32_t>& slot,
                    std::uint64_t seed, const mapping::WorkBudget& watch, std::int64_t suspect_hops, Call call) {
  const bool suspects = slots.faults && slots.faults->suspects() > 0;
  if (PackedHops::fits(*slots.torus)) {
    if (suspects) return call(Annealing<PackedHops, true>(graph, slots, slot, seed, watch, suspect_hops));
    return call(Annealing<PackedHops, false>(graph, slots, slot, seed, watch, suspect_hops));
  }
  if (suspects) return call(Annealing<PlainHops, true>(graph, slots, slot, seed, watch, suspect_hops));
  return call(Annealing<PlainHops, false>(graph, slots, slot, seed, watch, suspect_hops));
}

}  // namespace

void anneal(const mapping::Graph& graph, const TorusSlots& slots, std::vector<std::int32_t>& slot, std::int64_t work,
            Heat heat, std::uint64_t seed, const mapping::WorkBudget& watch, std::int64_t suspect_hops) {
  with_annealing(graph, slots, slot, seed, watch, suspect_hops, [&](auto&& annealing) { annealing.run(work, heat); });
}

std::int64_t search_cost(const mapping::Graph& graph, const TorusSlots& slots, const std::vector<std::int32_t>& slot) {
  std::vector<std::int32_t> copy = slot;
  const mapping::WorkBudget patient;
  return with_annealing(graph, slots, copy, 1, patient, full_suspect_hops,
                        [](auto&& annealing) { return annealing.whole_cost(); });
}

}  // namespace placement::tofa
