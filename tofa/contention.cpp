// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>

#include "common/matrix/cost.hpp"
#include "common/util/random.hpp"
#include "common/util/sequence.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/torus_search.hpp"

namespace placement::tofa {

namespace {

constexpr double least_gain = 1e-12;
constexpr std::size_t most_targets = 40;         // slots tried for one rank
constexpr std::int32_t most_ranks_at_once = 24;  // ranks that move before the busiest links are found again

// Numbers that change, and their maximum: a tree of maxima, updated from the leaf to the root.
class Greatest {
 public:
  explicit Greatest(std::size_t count) : leaves_(std::bit_ceil(std::max<std::size_t>(2, count))), at_(2 * leaves_, 0) {}
  std::int64_t of(std::size_t k) const { return at_[leaves_ + k]; }
  std::int64_t greatest() const { return at_[1]; }
  void add(std::size_t k, std::int64_t value) {
    std::size_t here = leaves_ + k;
    at_[here] += value;
    for (here /= 2; here > 0; here /= 2) {
      const std::int64_t now = std::max(at_[2 * here], at_[2 * here + 1]);
      if (at_[here] == now) return;
      at_[here] = now;
    }
  }

 private:
  std::size_t leaves_;
  std::vector<std::int64_t> at_;
};

class Relief {
 public:
  Relief(const mapping::Graph& graph, const TorusSlots& slots, const ExpectedTimeObjective& objective,
         std::vector<std::int32_t>& slot, std::int64_t work, std::uint64_t seed, const mapping::WorkBudget& watch)
      : graph_(graph),
        slots_(slots),
        torus_(*slots.torus),
        objective_(objective),
        slot_(slot),
        owner_(slots.size(), nobody),
        load_(torus_.links()),
        touched_(torus_.positions(), 0),
        random_(seed),
        watch_(watch),
        left_(work) {
    slots_at_.resize(touched_.size());
    for (std::int32_t s = 0; s < slots.size(); ++s) slots_at_[slots.position[s]].push_back(s);
    for (std::int32_t rank = 0; rank < graph.vertices(); ++rank) {
      owner_[slot[rank]] = rank;
      touch(slots.position[slot[rank]], 1);
    }
    if (const std::int64_t scaled = graph.total_weight(); scaled > 0)
      scale_ = static_cast<double>(objective.traffic()) / static_cast<double>(scaled);
    for (std::int32_t rank = 0; rank < graph.vertices(); ++rank)
      for (const mapping::Arc& arc : graph.arcs(rank))
        if (arc.to > rank) count(arc, slot[rank], slot[arc.to], 1);
    now_ = standing();
  }

  void run() {
    try {
      while (left_ > 0 && improve_once()) {
      }
    } catch (const mapping::OutOfTime&) {
      // The mapping is consistent: only spend() throws, and it is called between two moves.
    }
  }

 private:
  struct Standing {
    double log_expected_time;
    Cost squares;  // sum of the squares of all link loads
    bool before(const Standing& other) const {
      if (log_expected_time < other.log_expected_time - least_gain) return true;
      return log_expected_time <= other.log_expected_time && squares < other.squares;
    }
  };

  Standing standing() const {
    return {objective_.log_expected_time(scale_ * static_cast<double>(weighted_twice_) / 2,
                                         scale_ * static_cast<double>(load_.greatest()) / 2, hazard()),
            squares_};
  }

  // Returns the hazard. Adds up its few terms, because updates of a sum would accumulate rounding errors.
  double hazard() const {
    double sum = 0;
    for (const std::int32_t position : objective_.may_fail())
      if (touched_[position] > 0) sum += objective_.hazard(position);
    return sum;
  }

  void touch(std::int32_t position, std::int32_t sign) { touched_[position] += sign; }

  // Adds the traffic of a pair to its two routes, half to each (sign 1), or removes it from them (sign -1).
  void count(const mapping::Arc& arc, std::int32_t a, std::int32_t b, std::int32_t sign) {
    const std::int64_t weight = static_cast<std::int64_t>(arc.weight) * sign;
    for (const auto& [from, to] :
         {std::pair(slots_.position[a], slots_.position[b]), std::pair(slots_.position[b], slots_.position[a])}) {
      std::int64_t links = 0;
      torus_.walk(from, to, [&](std::int32_t link, std::int32_t next) {
        const std::int64_t before = load_.of(link);
        squares_ += static_cast<Cost>(weight) * (2 * before + weight);
        load_.add(link, weight);
        touch(next, sign);
        ++links;
      });
      weighted_twice_ += weight * (slots_.faults ? slots_.faults->weight(from, to) : links);
      left_ -= links + 1;
    }
  }

  void lift(std::int32_t rank, std::int32_t sign, std::int32_t except) {
    touch(slots_.position[slot_[rank]], sign);
    for (const mapping::Arc& arc : graph_.arcs(rank))
      if (arc.to != except) count(arc, slot_[rank], slot_[arc.to], sign);
  }

  // Moves `rank` to slot `to`. A rank on this slot moves to the slot that `rank` leaves.
  void move(std::int32_t rank, std::int32_t to) {
    const std::int32_t from = slot_[rank];
    const std::int32_t other = owner_[to];
    lift(rank, -1, nobody);
    if (other != nobody) lift(other, -1, rank);
    slot_[rank] = to;
    owner_[to] = rank;
    owner_[from] = other;
    if (other != nobody) {
      slot_[other] = from;
      lift(other, 1, rank);
    }
    lift(rank, 1, nobody);
  }

  bool try_move(std::int32_t rank, std::int32_t to) {
    const std::int32_t from = slot_[rank];
    if (slots_.position[to] == slots_.position[from]) return false;
    watch_.spend(16);
    move(rank, to);
    const Standing then = standing();
    if (then.before(now_)) {
      now_ = then;
      return true;
    }
    move(rank, from);
    return false;
  }

  // Returns the ranks with traffic on the busiest links, and the ranks whose node or routes may fail, in random order.
  std::vector<std::int32_t> troubled() {
    std::vector<std::int32_t> ranks;
    const std::int64_t busiest = load_.greatest();
    for (std::int32_t rank = 0; rank < graph_.vertices(); ++rank) {
      bool in_trouble = objective_.hazard(slots_.position[slot_[rank]]) > 0;
      for (const mapping::Arc& arc : graph_.arcs(rank)) {
        const std::int32_t here = slots_.position[slot_[rank]], there = slots_.position[slot_[arc.to]];
        for (const auto& [from, to] : {std::pair(here, there), std::pair(there, here)})
          torus_.walk(from, to, [&](std::int32_t link, std::int32_t next) {
            --left_;
            in_trouble = in_trouble || load_.of(link) == busiest || objective_.hazard(next) > 0;
          });
        if (in_trouble) break;
      }
      watch_.spend(1);
      if (in_trouble) ranks.push_back(rank);
    }
    random_.shuffle(ranks);
    return ranks;
  }

  bool improve_once() {
    std::int32_t looked_at = 0;
    bool better = false;
    for (const std::int32_t rank : troubled()) {
      if (left_ <= 0) return false;
      for (const std::int32_t to : targets(rank))
        if (left_ > 0 && try_move(rank, to)) {
          better = true;
          break;
        }
      if (better && ++looked_at >= most_ranks_at_once) break;
    }
    return better;
  }

  // Returns slots next to the rank and its partners; all slots if there are few.
  std::vector<std::int32_t> targets(std::int32_t rank) {
    if (static_cast<std::size_t>(slots_.size()) <= most_targets) return numbers(slots_.size());
    std::vector<std::int32_t> found;
    std::vector<std::int32_t> centres{slots_.position[slot_[rank]]};
    for (const mapping::Arc& arc : graph_.arcs(rank)) {
      centres.push_back(slots_.position[slot_[arc.to]]);
      if (centres.size() > most_targets / 4) break;
    }
    for (const std::int32_t centre : centres)
      for_each_neighbour(torus_, centre, [&](std::int32_t next) {
        if (next < 0 || slots_at_[next].empty()) return;
        const auto& there = slots_at_[next];
        found.push_back(there[there.size() == 1 ? 0 : random_.below(static_cast<std::int32_t>(there.size()))]);
      });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    random_.shuffle(found);
    if (found.size() > most_targets) found.resize(most_targets);
    return found;
  }

  const mapping::Graph& graph_;
  const TorusSlots& slots_;
  const TorusTopology& torus_;
  const ExpectedTimeObjective& objective_;
  std::vector<std::int32_t>& slot_;
  std::vector<std::int32_t> owner_;
  std::vector<std::vector<std::int32_t>> slots_at_;  // the slots at each position
  Greatest load_;                                    // of each link: its load times two, in the weights of the graph
  std::vector<std::int32_t> touched_;                // number of routes and ranks at each position
  double scale_ = 1;                                 // the factor from weights of the graph to traffic
  std::int64_t weighted_twice_ = 0;
  Cost squares_ = 0;
  Standing now_{};
  Random random_;
  const mapping::WorkBudget& watch_;
  std::int64_t left_;
};

}  // namespace

void relieve_links(const mapping::Graph& graph, const TorusSlots& slots, const ExpectedTimeObjective& objective,
                   std::vector<std::int32_t>& slot, std::int64_t work, std::uint64_t seed,
                   const mapping::WorkBudget& watch) {
  Relief(graph, slots, objective, slot, work, seed, watch).run();
}

}  // namespace placement::tofa
