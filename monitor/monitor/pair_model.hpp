// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cmath>
#include <cstdint>
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
  double mpi_keep_s = 26 * 3600;       // keep_s for measurements by MPI
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
  // Adds a measurement of two nodes by an MPI program. It replaces the probes of the pair until it is mpi_keep_s old.
  // Both values are in the ranges of read_measured_pairs(). Ignores a new pair without room, and a result that is not
  // newer.
  void add_mpi(std::int32_t a, std::int32_t b, double latency_us, double bandwidth_Bps, double at_s, double now_s);

  struct Pair {
    std::int32_t a = 0, b = 0;  // a < b
    Forecast latency_us, bandwidth_Bps;
    double latency_at_s = unknown_value, bandwidth_at_s = unknown_value;
    double peak_bandwidth_Bps = unknown_value;
    double mpi_latency_us = unknown_value, mpi_bandwidth_Bps = unknown_value, mpi_at_s = unknown_value;

    double newest_s() const { return std::fmax(latency_at_s, bandwidth_at_s); }  // NaN: no probe has measured it
  };
  const Pair* find(std::int32_t a, std::int32_t b) const;  // null: nothing is known of the pair
  std::size_t size() const { return pairs_.size(); }
  std::size_t most() const { return settings_.most_pairs; }  // the largest number of pairs
  std::int64_t dropped() const { return dropped_; }          // measurements that were ignored for lack of room
  // Removes pairs with neither a probe in the last keep_s seconds nor a measurement by MPI in the last mpi_keep_s.
  void forget_old(double now_s);

  // Returns the table for all nodes. A measured cell has the forecast of its pair, or the median of its pairs. Where
  // each node is a group, the table also names the predictor and its error. Other cells are modelled, or assumed from
  // the nearest hop class with a measurement. Without any measurement the table is empty.
  //
  // MPI and probes measure different things: a probe over IP does not reach the bandwidth of InfiniBand. Pairs must
  // stay comparable while only some are measured by MPI. So the values of probes are multiplied by the median ratio of
  // MPI to probe over the pairs that have both.
  PairTable table(double now_s) const;

 private:
  struct Fit;
  struct Sample {  // one attribute of a pair of nodes, or of two leaf switches
    std::int32_t a = 0, b = 0;
    double value = unknown_value, at_s = unknown_value;  // value and error: in us or bytes per second
    double peak_Bps = unknown_value;                     // if the attribute is bandwidth
    PairSource source = PairSource::none;                // none: there is no present value
    Predictor predictor = Predictor::none;
    double error = unknown_value;
  };
  Sample present(const Pair& pair, Measurement measurement, double scale, double now_s) const;
  double mpi_over_probe(Measurement measurement, double now_s) const;
  std::vector<Sample> present_values(Measurement measurement, double now_s) const;
  Sample forecast_pair(const Fit& fit, std::int32_t a, std::int32_t b) const;
  Sample forecast_leaves(const Fit& fit, std::int32_t p, std::int32_t q) const;
  Sample forecast_model(const Fit& fit, std::int32_t p, std::int32_t q) const;
  std::int32_t hops(std::int32_t a, std::int32_t b) const;
  bool has_room(double now_s);
  Pair* pair_to_measure(std::int32_t a, std::int32_t b, double now_s);

  NodeSwitches switches_;
  PairModelSettings settings_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  double forgot_s_ = -1e9;  // when old pairs were last removed
  std::int64_t dropped_ = 0;
};

}  // namespace placement::monitor
