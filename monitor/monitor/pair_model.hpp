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

namespace placement {

// Where the nodes are, as far as it says which pairs are alike.
struct PairPlaces {
  std::vector<std::int32_t> leaf_of_node;  // 0 .. leaves - 1
  std::int32_t leaves = 0;
  std::vector<std::int32_t> hops;          // leaves x leaves: between nodes of both; the diagonal within one
};

struct PairModelSettings {
  std::int32_t all_pairs_nodes = 128;   // up to so many nodes each is a group of its own; beyond, each leaf is
  double keep_s = 2 * 3600;             // what was measured longer ago is no measurement of now
  std::size_t most_pairs = 400000;      // that are remembered
};

// What is known of the network between all nodes, from the pairs that were measured: a value of a pair
// is that of its hop class, plus what its leaves, its nodes, and the pair itself add [NLA §10]. Medians
// throughout, so that a node that measures nonsense, or says so, moves its own pairs alone.
class PairModel {
 public:
  PairModel(PairPlaces places, const PairModelSettings& settings);

  // A result: latency in microseconds, bandwidth in bytes per second. What is no positive finite number
  // is passed over.
  void add(std::int32_t a, std::int32_t b, Measurement measurement, double value, double now_s);
  // What an idle network gave in an earlier life.
  void remember_peak(std::int32_t a, std::int32_t b, double peak_bandwidth_Bps);

  struct Pair {
    std::int32_t a = 0, b = 0;  // a < b
    Forecast latency_us, bandwidth_Bps;
    double latency_at_s = unknown_value, bandwidth_at_s = unknown_value;
    double peak_bandwidth_Bps = unknown_value;

    double newest_s() const { return std::fmax(latency_at_s, bandwidth_at_s); }  // NaN: nothing was measured
  };
  std::vector<Pair> pairs() const;  // ascending
  std::vector<Pair> measured_since(double s) const;  // those of them whose newest value is not older
  const Pair* find(std::int32_t a, std::int32_t b) const;  // null: nothing is known
  std::size_t size() const { return pairs_.size(); }
  void forget_old(double now_s);

  // The table for all nodes. Cells that are measured have the forecast of their pair, or the median of
  // their pairs; where nodes are their own groups it is told whose forecast, with its error. Others are modelled, or assumed from the nearest hop class in which anything was
  // measured; nothing measured at all: an empty table.
  PairTable table(double now_s) const;

 private:
  struct Fit;
  struct Told {
    double value, age_s, peak_Bps;
    PairSource source;
  };
  PairArrays::CellForecast forecast_of(const Pair& pair, double now_s) const;
  Told tell_pair(const Fit& fit, std::int32_t a, std::int32_t b, double now_s) const;
  Told tell_leaves(const Fit& fit, std::int32_t p, std::int32_t q, double now_s) const;
  Told tell_model(const Fit& fit, std::int32_t p, std::int32_t q, double now_s) const;
  std::int32_t hops(std::int32_t a, std::int32_t b) const;

  PairPlaces places_;
  PairModelSettings settings_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
};

}  // namespace placement
