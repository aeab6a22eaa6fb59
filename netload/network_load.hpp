// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/state/live_state.hpp"
#include "common/util/deadline.hpp"
#include "netload/pair_columns.hpp"
#include "netload/pair_scale.hpp"
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

// What becomes of differences between pairs that are within the error of their measurements, see BeyondError.
enum class WithinError : std::uint8_t { counts, counts_nothing };

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
  // one node says of itself does not move the scale for the others. The scale is that of the values as measured, so that
  // where nothing counts that is within the error each pair has the mean: the network then has no say. That is for up to
  // 1,024 nodes; of more, all differences count. Throws Error at the deadline.
  NetworkLoad(const PairTable& table, std::span<const std::int32_t> state_of, const NlaWeights& weights,
              const Deadline& deadline = Deadline::never(), WithinError within_error = WithinError::counts);

  std::int32_t nodes() const { return nodes_; }
  bool dense() const { return !values_.empty() || nodes_ == 0; }

  double at(std::int32_t u, std::int32_t v) const { return from(u).to(v); }  // 0 for u == v

  double most() const { return most_; }  // NL of no pair is above this

  // NL(v, ..) of one node: less work than at() for many others.
  class From {
   public:
    double to(std::int32_t u) const {
      if (values_ != nullptr) return values_[u];
      return u == node_ ? 0 : to_other(u);
    }

    // Has the measurements of the columns first .. end - 1 brought near; where not dense.
    void prefetch(std::int32_t first, std::int32_t end) const {
      constexpr std::int32_t line = 16;  // values
      const PairColumns& columns = load_.columns_;
      if (latency_ == nullptr || bandwidth_ == nullptr || end > columns.columns()) return;
      const std::int32_t last = columns.group(end - 1);
      for (std::int32_t group = columns.group(first); group < last + line; group += line) {
        __builtin_prefetch(latency_ + std::min(group, last));
        __builtin_prefetch(bandwidth_ + std::min(group, last));
      }
    }

   private:
    friend class NetworkLoad;
    From(const NetworkLoad& load, std::int32_t node);
    double to_other(std::int32_t u) const;
    double to_any_other(std::int32_t u) const;

    const NetworkLoad& load_;
    const std::int32_t node_;
    const double* values_ = nullptr;  // where dense
    const float* latency_ = nullptr;  // rows of the table; null: nothing is known
    const float* bandwidth_ = nullptr;
  };
  From from(std::int32_t v) const { return {*this, v}; }

  // Where not dense: the candidates in blocks, and for each block what base[block] + factor * NL(v, u) is at the least
  // for its nodes u. `base` and `floor` have padded_blocks() entries.
  const PairColumns& columns() const { return columns_; }
  const PairFloors& blocks() const { return floors_; }
  void floors(std::int32_t v, double factor, std::span<const double> base, std::span<double> floor) const;

  std::int64_t known_pairs() const { return scale_.known_pairs; }  // with latency or bandwidth
  double mean_latency_us() const { return scale_.mean_latency_us; }
  double mean_missing_Bps() const { return scale_.mean_missing_Bps; }

 private:
  void set_values(bool beyond_error, const Deadline& deadline);
  void set_terms_of_blocks();
  void set_rough();
  double load_of(double latency_us, double bandwidth_Bps) const;

  std::int32_t nodes_ = 0;
  std::vector<double> values_;  // nodes x nodes, for few nodes; else empty, and computed from the table
  PairScale scale_;
  PairColumns columns_;
  PairFloors floors_;
  std::vector<double> least_added_us_, most_Bps_;  // of the nodes of each block
  double rough_times_ = 0, rough_more_ = 0;        // a floor is so many times the rough load and this
  double most_ = 0;
  double latency_factor_ = 0;                      // NL per us
  double bandwidth_factor_ = 0;                    // NL per missing byte/s
};

// A pair as it counts: cut off above, and the worst where it is not known.
inline double NetworkLoad::load_of(double latency_us, double bandwidth_Bps) const {
  const double us = latency_us >= 0 ? std::min(latency_us, scale_.latency_bound) : scale_.worst_latency_us;
  const double Bps = bandwidth_Bps >= 0 ? std::min(bandwidth_Bps, scale_.bandwidth_bound) : scale_.least_Bps;
  return latency_factor_ * us + bandwidth_factor_ * (scale_.peak_Bps - Bps);
}

inline double NetworkLoad::From::to_other(std::int32_t u) const {
  const std::int32_t group = load_.columns_.group_of(u);
  if (load_.columns_.has_terms() || group < 0 || latency_ == nullptr || bandwidth_ == nullptr) return to_any_other(u);
  return load_.load_of(static_cast<double>(latency_[group]), static_cast<double>(bandwidth_[group]));
}

}  // namespace placement
