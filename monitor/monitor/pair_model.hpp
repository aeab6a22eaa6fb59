// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/state/live_state.hpp"
#include "common/state/pair_arrays.hpp"
#include "monitor/monitor/forecast.hpp"
#include "monitor/monitor/schedule.hpp"

namespace placement::monitor {

// The leaf switches of the nodes: pairs with equal leaf switches, or equal numbers of hops, are alike.
struct NodeSwitches {
  std::vector<std::int32_t> leaf_of_node;  // leaf switch of each node, 0 to leaves - 1
  std::int32_t leaves = 0;
  std::vector<std::int32_t> hops;  // leaves x leaves: hops between their nodes; the diagonal is within one leaf

  bool operator==(const NodeSwitches&) const = default;
  std::int32_t hops_between(std::int32_t leaf, std::int32_t other) const {
    return hops[static_cast<std::size_t>(leaf) * static_cast<std::size_t>(leaves) + static_cast<std::size_t>(other)];
  }
};

struct PairModelSettings {
  std::int32_t all_pairs_nodes = 128;  // with more nodes, each leaf switch is a group, else each node
  double keep_s = 2 * 3600;            // a measurement that is older is not used as a present one
  std::size_t most_pairs = 400000;     // largest number of pairs that are remembered
};

// Estimates the network between all nodes from the measured pairs. The value of a pair is the value of its hop class
// (all pairs with that number of hops), plus corrections for its leaf switches, its nodes and the pair [NLA §10]. All
// values are medians, so that a node with wrong measurements or reports affects only its own pairs.
class PairModel {
 public:
  PairModel(NodeSwitches switches, const PairModelSettings& settings);

  // Replaces the switches of the nodes, and the settings that depend on them. The pairs stay.
  void take_switches(NodeSwitches switches, const PairModelSettings& settings);
  const NodeSwitches& switches() const { return switches_; }

  // Adds a measurement: latency in microseconds or bandwidth in bytes per second. Ignores a value that is not positive
  // and finite, and any value of a new pair if most_pairs pairs are stored. `now_s` is the time by a steady clock.
  void add(std::int32_t a, std::int32_t b, Measurement measurement, double value, double now_s);

  struct Pair {
    std::int32_t a = 0, b = 0;  // a < b
    Forecast latency_us, bandwidth_Bps;
    double latency_at_s = unknown_value, bandwidth_at_s = unknown_value;
    double peak_bandwidth_Bps = unknown_value;

    double newest_s() const { return std::fmax(latency_at_s, bandwidth_at_s); }  // NaN: nothing was measured
  };
  std::vector<Pair> pairs() const;                         // ordered by a, then b
  const Pair* find(std::int32_t a, std::int32_t b) const;  // null: nothing is known of the pair
  std::size_t size() const { return pairs_.size(); }
  std::size_t most() const { return settings_.most_pairs; }  // the largest number of pairs
  std::int64_t dropped() const { return dropped_; }          // measurements that were ignored for lack of room
  // Removes the pairs without a measurement in the last keep_s seconds.
  void forget_old(double now_s);

  // Returns the table for all nodes. A measured cell has the forecast of its pair, or the median of its pairs. Where
  // each node is a group, the table also names the predictor and its error. Other cells are modelled, or assumed from
  // the nearest hop class with a measurement. Without any measurement the table is empty.
  PairTable table(double now_s) const;

 private:
  struct Fit;
  struct PairForecast {  // of a pair of nodes, or of two leaf switches
    double value, age_s, peak_Bps;
    PairSource source;
  };
  PairArrays::CellForecast forecast_of(const Pair& pair, double now_s) const;
  PairForecast forecast_pair(const Fit& fit, std::int32_t a, std::int32_t b, double now_s) const;
  PairForecast forecast_leaves(const Fit& fit, std::int32_t p, std::int32_t q, double now_s) const;
  PairForecast forecast_model(const Fit& fit, std::int32_t p, std::int32_t q, double now_s) const;
  std::int32_t hops(std::int32_t a, std::int32_t b) const;
  bool has_room(double now_s);

  NodeSwitches switches_;
  PairModelSettings settings_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  double forgot_s_ = -1e9;  // when old pairs were last removed
  std::int64_t dropped_ = 0;
};

}  // namespace placement::monitor
