// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"
#include "common/util/deadline.hpp"
#include "netload/pair_measurements.hpp"
#include "netload/weights.hpp"

namespace placement::netload {

// Measurements of all pairs of candidate nodes from a user. Each vector has nodes x nodes values, row by row and
// symmetric; NaN: not known. An absent attribute has an empty vector. The diagonal is not used.
struct DensePairs {
  std::int32_t nodes = 0;
  std::vector<double> latency_us;
  std::vector<double> bandwidth_Bps;          // available
  std::vector<double> bandwidth_missing_Bps;  // peak minus available; where NaN, computed from bandwidth_Bps
};

// How the bandwidth of a pair counts in its load: by the difference from the peak [NLA §3], or by the time of a byte
// (mean bandwidth / bandwidth). Times require a NetworkLoad that is dense(); any other uses differences.
enum class PairMeasure : std::uint8_t { difference, time };

// The network load NL(u, v) of all pairs of candidates [NLA §3, eq. 2]: the weighted sum of latency and of the
// difference between peak and available bandwidth. Each term is divided by the number of nodes times its mean over the
// known pairs. The peak is the largest bandwidth of any pair of candidates. An unknown value counts as the worst known
// value. An attribute that is absent, or 0 for all pairs, contributes 0.
class NetworkLoad {
 public:
  // Without measurements: NL is 0 for each pair.
  explicit NetworkLoad(std::int32_t nodes = 0);

  // Uses the values of all pairs, and the weights of latency and bandwidth.
  NetworkLoad(const DensePairs& pairs, const NlaWeights& weights, PairMeasure measure = PairMeasure::difference);

  // Uses the measurements of a snapshot. Throws Error at the deadline. Extreme and negative values are limited, so a
  // wrong report does not change the scale. If all differences are within the error, each pair has the mean.
  //   table         must outlive this object
  //   state_of      candidate c is node state_of[c] of the table; -1: unknown
  //   within_error  counts_nothing: up to 1,024 nodes, a difference within the error of measurement is ignored
  NetworkLoad(const PairTable& table, std::span<const std::int32_t> state_of, const NlaWeights& weights,
              const Deadline& deadline = Deadline::never(), WithinError within_error = WithinError::counts,
              PairMeasure measure = PairMeasure::difference);

  std::int32_t nodes() const { return nodes_; }
  // Returns whether NL of all pairs is stored as a matrix; otherwise it is computed from the table.
  bool dense() const { return !values_.empty() || nodes_ == 0; }

  // Returns NL(u, v); 0 for u == v.
  double at(std::int32_t u, std::int32_t v) const {
    if (dense()) return values_[static_cast<std::size_t>(u) * nodes_ + v];
    return u == v ? 0 : load_of(columns_.pair(u, v));
  }

  // NL from one node to the nodes of one column of columns(). If NL is dense(), column 0 has all nodes.
  class ToColumn {
   public:
    ToColumn(const NetworkLoad& load, std::int32_t v, std::int32_t column) : load_(load), v_(v) {
      if (!load.dense()) cell_ = load.columns_.cell(load.columns_.group_of(v), load.columns_.group(column));
    }
    double at(std::int32_t u) const {
      if (load_.dense()) return load_.at(v_, u);
      return u == v_ ? 0 : load_.load_of(load_.columns_.corrected(cell_, v_, u));
    }
    // Returns a lower bound: NL without the corrections of nodes, which only raise it; 0 if NL is dense().
    double least() const { return load_.dense() ? 0 : load_.load_of(cell_); }

   private:
    const NetworkLoad& load_;
    const std::int32_t v_;
    PairColumns::Pair cell_{};
  };

  // Returns an upper bound of NL over all pairs.
  double most() const { return most_; }

  // Adds sign * NL(v, u) to sums[u] for each node u.
  void add_row(std::int32_t v, double sign, std::span<double> sums) const;

  // Returns the columns of the table. Only for NL that is not dense().
  const PairColumns& columns() const { return columns_; }

  std::int64_t known_pairs() const { return scale_.known_pairs; }  // pairs with latency or bandwidth

 private:
  void set_values(WithinError within_error, PairMeasure measure, const NlaWeights& weights, const Deadline& deadline);
  double load_of(PairColumns::Pair pair) const;

  std::int32_t nodes_ = 0;
  std::vector<double> values_;  // nodes x nodes; empty when NL is computed from the table
  PairScale scale_;
  PairColumns columns_;
  double most_ = 0;
  double latency_factor_ = 0;    // NL per us
  double bandwidth_factor_ = 0;  // NL per missing byte/s
};

// Returns NL of one pair. Values are limited to the bounds; an unknown value counts as the worst known one.
inline double NetworkLoad::load_of(PairColumns::Pair pair) const {
  const double us = pair.latency_us >= 0 ? std::min(pair.latency_us, scale_.latency_bound) : scale_.worst_latency_us;
  const double Bps = pair.bandwidth_Bps >= 0 ? std::min(pair.bandwidth_Bps, scale_.bandwidth_bound) : scale_.least_Bps;
  return latency_factor_ * us + bandwidth_factor_ * (scale_.peak_Bps - Bps);
}

}  // namespace placement::netload
