// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/network_load.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace placement::netload {

namespace {

// The largest number of nodes for which the whole matrix is computed at once. The monitor measures each pair only up to
// this number of nodes.
constexpr std::int32_t most_dense = 1024;

constexpr double least_Bps_of_time = 1;  // no pair takes infinitely long

bool is_known(double value) { return value >= 0 && std::isfinite(value); }

// Mean and worst value of one attribute over the pairs. The mean is stored relative to the worst, so that no sum
// overflows.
struct PairMean {
  double part = 0;
  double most = -1;
  std::int64_t known = 0;

  double mean() const { return part * std::max(most, 0.0); }
};

PairMean mean_over_pairs(std::int32_t nodes, const std::vector<double>& value) {
  PairMean mean;
  const auto each = [&](auto take) {
    for (std::int32_t u = 0; u < nodes; ++u)
      for (std::int32_t v = u + 1; v < nodes; ++v) {
        const double one = value[static_cast<std::size_t>(u) * nodes + v];
        if (is_known(one)) take(one);
      }
  };
  each([&](double one) {
    mean.most = std::max(mean.most, one);
    ++mean.known;
  });
  if (!(mean.most > 0)) return mean;
  each([&](double one) { mean.part += one / mean.most; });
  mean.part /= static_cast<double>(mean.known);
  return mean;
}

// Adds weight * value / (nodes * mean) to each entry.
void add_attribute(std::int32_t nodes, const std::vector<double>& value, const PairMean& mean, double weight,
                   std::vector<double>& load) {
  if (!(weight > 0) || !(mean.part > 0)) return;
  const double scale = weight / mean.part / nodes;
  for (std::int32_t u = 0; u < nodes; ++u)
    for (std::int32_t v = 0; v < nodes; ++v) {
      const std::size_t at = static_cast<std::size_t>(u) * nodes + v;
      if (u != v) load[at] += scale * (is_known(value[at]) ? value[at] / mean.most : 1);
    }
}

// Returns the missing bandwidth of each pair: from the input if known, else peak minus available bandwidth.
std::vector<double> missing_bandwidth(const DensePairs& pairs) {
  std::vector<double> missing = pairs.bandwidth_missing_Bps;
  if (pairs.bandwidth_Bps.empty()) return missing;
  missing.resize(pairs.bandwidth_Bps.size(), unknown_value);
  const double peak = mean_over_pairs(pairs.nodes, pairs.bandwidth_Bps).most;
  for (std::size_t k = 0; k < missing.size(); ++k)
    if (std::isnan(missing[k])) missing[k] = peak - pairs.bandwidth_Bps[k];
  return missing;
}

// Returns the time of a byte on each pair, divided by the time at the mean bandwidth. An unknown bandwidth counts as
// the least one.
std::vector<double> times_of_bytes(const DensePairs& pairs) {
  const double mean = mean_over_pairs(pairs.nodes, pairs.bandwidth_Bps).mean();
  double least = mean;
  for (const double Bps : pairs.bandwidth_Bps)
    if (Bps >= least_Bps_of_time) least = std::min(least, Bps);
  std::vector<double> times;
  for (const double Bps : pairs.bandwidth_Bps)
    times.push_back(mean / (is_known(Bps) ? std::max(Bps, least_Bps_of_time) : least));
  return times;
}

}  // namespace

NetworkLoad::NetworkLoad(std::int32_t nodes) : nodes_(nodes), values_(static_cast<std::size_t>(nodes) * nodes, 0.0) {}

NetworkLoad::NetworkLoad(const DensePairs& pairs, const NlaWeights& weights, PairMeasure measure)
    : NetworkLoad(pairs.nodes) {
  if (!pairs.latency_us.empty()) {
    const PairMean mean = mean_over_pairs(nodes_, pairs.latency_us);
    add_attribute(nodes_, pairs.latency_us, mean, weights.latency, values_);
    scale_.known_pairs = mean.known;
  }
  if (const std::vector<double> missing = missing_bandwidth(pairs); !missing.empty()) {
    const PairMean mean = mean_over_pairs(nodes_, missing);
    if (measure == PairMeasure::time && !pairs.bandwidth_Bps.empty())
      add_attribute(nodes_, times_of_bytes(pairs), {1, 1, mean.known}, weights.bandwidth, values_);
    else
      add_attribute(nodes_, missing, mean, weights.bandwidth, values_);
    scale_.known_pairs = std::max(scale_.known_pairs, mean.known);
  }
  for (const double value : values_) most_ = std::max(most_, value);
}

NetworkLoad::NetworkLoad(const PairTable& table, std::span<const std::int32_t> state_of, const NlaWeights& weights,
                         const Deadline& deadline, WithinError within_error, PairMeasure measure)
    : nodes_(static_cast<std::int32_t>(state_of.size())),
      columns_(table, state_of) {
  scale_ = measure_pairs(columns_, deadline);
  if (scale_.mean_latency_us > 0) latency_factor_ = weights.latency / scale_.mean_latency_us / nodes_;
  if (scale_.mean_missing_Bps > 0) bandwidth_factor_ = weights.bandwidth / scale_.mean_missing_Bps / nodes_;
  most_ = load_of({scale_.worst_latency_us, scale_.least_Bps});
  if (nodes_ <= most_dense) set_values(within_error, measure, weights, deadline);
}

void NetworkLoad::set_values(WithinError within_error, PairMeasure measure, const NlaWeights& weights,
                             const Deadline& deadline) {
  const auto nodes = static_cast<std::size_t>(nodes_);
  const double mean_Bps = scale_.peak_Bps - scale_.mean_missing_Bps;
  const double byte_factor = scale_.peak_Bps > 0 ? weights.bandwidth * mean_Bps / nodes_ : 0;
  const auto load = [&](double us, double Bps) {
    if (measure == PairMeasure::difference) return load_of({us, Bps});
    const double known_Bps = Bps >= 0 ? std::min(Bps, scale_.bandwidth_bound) : scale_.least_Bps;
    return latency_factor_ * (us >= 0 ? std::min(us, scale_.latency_bound) : scale_.worst_latency_us) +
           byte_factor / std::max(known_Bps, least_Bps_of_time);
  };
  std::vector<double> values(nodes * nodes);
  const BeyondError latency(columns_, BeyondError::Series::latency, scale_.latency_bound, within_error, deadline);
  const BeyondError bandwidth(columns_, BeyondError::Series::bandwidth, scale_.bandwidth_bound, within_error, deadline);
  for (std::int32_t u = 0; u < nodes_; ++u) {
    const BeyondError::Row us = latency.row(u), Bps = bandwidth.row(u);
    for (std::int32_t v = 0; v < u; ++v) {
      const PairColumns::Pair pair = columns_.pair(u, v);
      const std::int32_t group = columns_.group_of(v);
      values[static_cast<std::size_t>(u) * nodes + v] = values[static_cast<std::size_t>(v) * nodes + u] =
          load(us.value(v, group, pair.latency_us), Bps.value(v, group, pair.bandwidth_Bps));
    }
  }
  values_ = std::move(values);
  if (measure == PairMeasure::time) most_ = std::max(most_, values_.empty() ? 0 : *std::ranges::max_element(values_));
}

void NetworkLoad::add_row(std::int32_t v, double sign, std::span<double> sums) const {
  if (dense())
    for (std::size_t u = 0; u < sums.size(); ++u) sums[u] += sign * at(v, static_cast<std::int32_t>(u));
  for (std::int32_t c = 0; !dense() && c <= columns_.columns(); ++c) {
    const ToColumn to(*this, v, c);
    for (const std::int32_t u : columns_.members(c)) sums[u] += sign * to.at(u);
  }
}

}  // namespace placement::netload
