// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/rank_mapping.hpp"

#include <algorithm>
#include <utility>

#include "common/util/sequence.hpp"

namespace placement::netload {

namespace {

// Largest size of the table with the cost of each rank on each node.
constexpr std::int64_t most_entries = most_distances;
constexpr std::int32_t most_ranks = 4096;
constexpr int most_sweeps = 20;
// With more units than the first number, and at least the second number per node, a unit changes places only with units
// on the nodes of its partners.
constexpr std::size_t most_compared_with_all = 1024, least_units_per_node = 4;
constexpr std::int64_t most_comparisons = 1 << 23;  // of two units, in one search; some 50 ms

// A gain smaller than this part of the cost may be rounding.
constexpr double least_time_gain = 1e-12;

// Exchanges units (ranks, or nodes with all of their ranks) between places while the cost falls.
class Exchange {
 public:
  Exchange(const CommMatrix& matrix, const NodeDistances& distances, std::vector<std::int32_t>& place)
      : matrix_(matrix),
        distances_(distances),
        place_(place),
        nodes_(distances.nodes),
        units_on_(nodes_),
        seen_in_(nodes_, 0) {
    for (std::size_t unit = 0; unit < place_.size(); ++unit) units_on_[place_[unit]].push_back(unit);
  }

  // Makes the exchanges. The ranks keep their places if the deadline passes before all costs are known.
  template <typename MayExchange>
  void run(const Deadline& deadline, MayExchange may_exchange) {
    if (!sum_costs(deadline)) return;
    bool better = true;
    for (int sweep = 0; sweep < most_sweeps && better; ++sweep) {
      better = false;
      for (std::size_t a = 0; a < place_.size(); ++a) {
        if (left_ < 0 || deadline.expired()) return;
        better = best_exchange(a, may_exchange) || better;
      }
    }
  }

 private:
  bool sum_costs(const Deadline& deadline) {
    cost_on_.assign(place_.size() * nodes_, 0.0);
    for (std::size_t unit = 0; unit < place_.size(); ++unit) {
      if (deadline.expired()) return false;
      const auto rank = static_cast<std::int32_t>(unit);
      const auto partners = matrix_.neighbours(rank);
      for (std::size_t k = 0; k < partners.size(); ++k)
        move_peer(unit, -1, place_[partners[k]], static_cast<double>(matrix_.weights(rank)[k]));
      total_ += cost_on(unit, place_[unit]) / 2;
    }
    return true;
  }

  double cost_on(std::size_t unit, std::int32_t node) const { return cost_on_[unit * nodes_ + node]; }

  // Updates the costs of the unit when a partner moves from one node to another; `from` -1: it had no node.
  void move_peer(std::size_t unit, std::int32_t from, std::int32_t to, double weight) {
    double* const row = &cost_on_[unit * nodes_];
    const double* const far = &distances_.value[static_cast<std::size_t>(to) * nodes_];  // distances are symmetric
    if (from < 0) {
      for (std::size_t node = 0; node < nodes_; ++node) row[node] += weight * far[node];
      return;
    }
    const double* const before = &distances_.value[static_cast<std::size_t>(from) * nodes_];
    for (std::size_t node = 0; node < nodes_; ++node) row[node] += weight * (far[node] - before[node]);
  }

  // Calls `look` for each unit that may change places with `a`.
  template <typename Look>
  void for_each_candidate(std::size_t a, Look look) {
    if (place_.size() <= most_compared_with_all || place_.size() < least_units_per_node * nodes_) {
      left_ -= std::ssize(place_);
      for (std::size_t b = 0; b < place_.size(); ++b) look(b);
      return;
    }
    ++look_;
    for (const std::int32_t partner : matrix_.neighbours(static_cast<std::int32_t>(a))) {
      const std::int32_t node = place_[partner];
      if (std::exchange(seen_in_[node], look_) == look_) continue;
      left_ -= std::ssize(units_on_[node]);
      for (const std::size_t b : units_on_[node]) look(b);
    }
  }

  template <typename MayExchange>
  bool best_exchange(std::size_t a, MayExchange may_exchange) {
    double best = -least_time_gain * total_;
    std::size_t best_unit = a;
    for_each_candidate(a, [&](std::size_t b) {
      if (place_[a] == place_[b] || !may_exchange(a, b)) return;
      double change = cost_on(a, place_[b]) + cost_on(b, place_[a]) - cost_on(a, place_[a]) - cost_on(b, place_[b]);
      if (!(change < best)) return;
      // The traffic between a and b keeps its distance, but the sum above subtracted it twice.
      change += 2 * static_cast<double>(matrix_.weight(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b))) *
                distances_(place_[a], place_[b]);
      if (!(change < best)) return;
      best = change;
      best_unit = b;
    });
    if (best_unit == a) return false;
    total_ += best;
    move(a, place_[a], place_[best_unit]);
    move(best_unit, place_[best_unit], place_[a]);
    *std::ranges::find(units_on_[place_[a]], a) = best_unit;
    *std::ranges::find(units_on_[place_[best_unit]], best_unit) = a;
    std::swap(place_[a], place_[best_unit]);
    return true;
  }

  void move(std::size_t unit, std::int32_t from, std::int32_t to) {
    const auto rank = static_cast<std::int32_t>(unit);
    for (std::size_t k = 0; k < matrix_.neighbours(rank).size(); ++k)
      move_peer(static_cast<std::size_t>(matrix_.neighbours(rank)[k]), from, to,
                static_cast<double>(matrix_.weights(rank)[k]));
  }

  const CommMatrix& matrix_;
  const NodeDistances& distances_;
  std::vector<std::int32_t>& place_;
  const std::size_t nodes_;
  std::vector<std::vector<std::size_t>> units_on_;  // the units on each node
  std::int64_t look_ = 0;                           // number of the current call of for_each_candidate()
  std::vector<std::int64_t> seen_in_;               // by node: the last call that visited it
  std::int64_t left_ = most_comparisons;
  std::vector<double> cost_on_;  // of each unit on each node, while the others keep their places
  double total_ = 0;
};

}  // namespace

std::vector<std::int32_t> mapped_by_distance(const CommMatrix& matrix, const NodeDistances& distances,
                                             std::vector<std::int32_t> node_of_rank, const Deadline& deadline) {
  const auto nodes = static_cast<std::size_t>(distances.nodes);
  if (static_cast<std::int64_t>(nodes * nodes) > most_entries) return node_of_rank;
  std::vector<std::int32_t> count(nodes, 0), place = numbers(nodes);
  for (const std::int32_t node : node_of_rank) ++count[node];
  const CommMatrix between = matrix.aggregated(node_of_rank, distances.nodes);
  Exchange(between, distances, place).run(deadline, [&](std::size_t a, std::size_t b) { return count[a] == count[b]; });
  for (std::int32_t& node : node_of_rank) node = place[node];
  const bool few =
      matrix.ranks() <= most_ranks && static_cast<std::int64_t>(nodes * node_of_rank.size()) <= most_entries;
  if (few) Exchange(matrix, distances, node_of_rank).run(deadline, [](std::size_t, std::size_t) { return true; });
  return node_of_rank;
}

}  // namespace placement::netload
