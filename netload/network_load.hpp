// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/deadline.hpp"
#include "core/live_state.hpp"
#include "netload/weights.hpp"

namespace placement {

// Measurements of each pair of the candidate nodes, as a person gives them: nodes x nodes values each, row by
// row and symmetric; NaN: not known, empty: absent. The diagonal is not looked at.
struct DensePairs {
  std::int32_t nodes = 0;
  std::vector<double> latency_us;
  std::vector<double> bandwidth_Bps;          // available
  std::vector<double> bandwidth_missing_Bps;  // peak minus available; where not known, from bandwidth_Bps
};

// NL(u, v) [NLA §3, eq. 2]: the weighted sum of latency and of what is missing from the peak bandwidth, each
// divided by |V| times its mean over the pairs that are known. The peak is the largest bandwidth of any pair of
// candidates. What is not known of a pair counts as the worst that is known of any. An attribute that is
// absent, or the same 0 everywhere, contributes 0.
class NetworkLoad {
 public:
  // Nothing known: 0 for every pair.
  explicit NetworkLoad(std::int32_t nodes = 0);

  NetworkLoad(const DensePairs& pairs, const NlaWeights& weights);

  // From a snapshot: candidate c is node state_of[c] of the table, or -1 when nothing is known of it. The table
  // outlives this. Values of nodes that claim much more than others have, or negative ones, are cut off: what
  // one node says of itself does not move the scale for the others. Throws Error at the deadline.
  NetworkLoad(const PairTable& table, std::span<const std::int32_t> state_of, const NlaWeights& weights,
              const Deadline& deadline = Deadline::never());

  std::int32_t nodes() const { return nodes_; }
  bool dense() const { return !values_.empty() || nodes_ == 0; }

  double at(std::int32_t u, std::int32_t v) const;  // 0 for u == v

  // NL(v, ..) of all nodes, where dense(); own entry 0.
  std::span<const double> row(std::int32_t v) const {
    return {values_.data() + static_cast<std::size_t>(v) * static_cast<std::size_t>(nodes_),
            static_cast<std::size_t>(nodes_)};
  }

  // sum[u] = base[u] + factor * NL(v, u) for all u but v, less one number that is the same for all u, in single
  // precision; and for each block of row_block nodes the least of them. Only where not dense().
  // scratch is the caller's, to be kept.
  void add_row(std::int32_t v, float factor, std::span<const float> base, std::span<float> sum,
               std::span<float> least, std::vector<float>& scratch) const;

  std::int64_t known_pairs() const { return known_pairs_; }  // with latency or bandwidth
  double mean_latency_us() const { return mean_latency_us_; }
  double mean_missing_Bps() const { return mean_missing_Bps_; }

 private:
  // A pair as the table has it, or the pairs (v, from ..) of a whole row.
  struct Cell {
    float latency;
    float bandwidth;
  };
  struct Row {
    const float* latency;
    const float* bandwidth;
  };

  Cell cell(std::int32_t u, std::int32_t v) const;
  Row raw_row(std::int32_t v, std::int32_t from, std::vector<float>& scratch) const;
  void find_bounds();
  void measure(const Deadline& deadline);
  void set_scale(const NlaWeights& weights);
  double load_of(Cell cell) const;

  std::int32_t nodes_ = 0;
  std::vector<double> values_;  // nodes x nodes, for few nodes; else empty, and computed from the table

  const PairTable* table_ = nullptr;
  std::vector<std::int32_t> state_of_;
  std::vector<std::int32_t> group_;  // of each candidate, -1: none
  bool direct_ = false;              // candidate c is in group group_[0] + c, and no node has terms of its own
  Cell bound_{};                     // what is above is cut off
  float worst_latency_ = 0;
  float peak_bandwidth_ = 0;
  float least_bandwidth_ = 0;
  double latency_factor_ = 0;    // NL per us
  double bandwidth_factor_ = 0;  // NL per missing byte/s
  std::int64_t known_pairs_ = 0;
  double mean_latency_us_ = 0;
  double mean_missing_Bps_ = 0;
};

}  // namespace placement
