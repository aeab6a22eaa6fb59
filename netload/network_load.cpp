// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/network_load.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "netload/pair_error.hpp"

namespace placement::netload {

namespace {

// Up to this number of nodes the whole matrix is computed once. With errors of measurement the limit covers all
// machines on which the monitor measures each pair.
constexpr std::int32_t most_dense = 256;
constexpr std::int32_t most_with_errors = 1024;

// Factor and part by which rounding may raise a floor.
constexpr double rounded = 1 - 1e-12;

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
        const double one =
            value[static_cast<std::size_t>(u) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(v)];
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
      const std::size_t at =
          static_cast<std::size_t>(u) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(v);
      if (u != v) load[at] += scale * (is_known(value[at]) ? value[at] / mean.most : 1);
    }
}

// Returns peak minus available bandwidth of each pair, where the input does not give this difference itself.
std::vector<double> missing_bandwidth(const DensePairs& pairs) {
  std::vector<double> missing = pairs.bandwidth_missing_Bps;
  if (pairs.bandwidth_Bps.empty()) return missing;
  missing.resize(pairs.bandwidth_Bps.size(), unknown_value);
  const double peak = mean_over_pairs(pairs.nodes, pairs.bandwidth_Bps).most;
  for (std::size_t k = 0; k < missing.size(); ++k)
    if (std::isnan(missing[k])) missing[k] = peak - pairs.bandwidth_Bps[k];
  return missing;
}

// Returns the time of a byte on each pair, relative to that by the mean bandwidth. An unknown bandwidth counts as the
// least.
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

NetworkLoad::NetworkLoad(std::int32_t nodes)
    : nodes_(nodes),
      values_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes), 0.0) {}

NetworkLoad::NetworkLoad(const DensePairs& pairs, const NlaWeights& weights, PairMeasure measure)
    : NetworkLoad(pairs.nodes) {
  if (!pairs.latency_us.empty()) {
    const PairMean mean = mean_over_pairs(nodes_, pairs.latency_us);
    add_attribute(nodes_, pairs.latency_us, mean, weights.latency, values_);
    scale_.known_pairs = mean.known;
    scale_.mean_latency_us = mean.mean();
  }
  if (const std::vector<double> missing = missing_bandwidth(pairs); !missing.empty()) {
    const PairMean mean = mean_over_pairs(nodes_, missing);
    if (measure == PairMeasure::time && !pairs.bandwidth_Bps.empty())
      add_attribute(nodes_, times_of_bytes(pairs), {1, 1, mean.known}, weights.bandwidth, values_);
    else
      add_attribute(nodes_, missing, mean, weights.bandwidth, values_);
    scale_.known_pairs = std::max(scale_.known_pairs, mean.known);
    scale_.mean_missing_Bps = mean.mean();
  }
  for (const double value : values_) most_ = std::max(most_, value);
}

NetworkLoad::NetworkLoad(const PairTable& table, std::span<const std::int32_t> state_of, const NlaWeights& weights,
                         const Deadline& deadline, WithinError within_error, PairMeasure measure)
    : nodes_(static_cast<std::int32_t>(state_of.size())),
      columns_(table, state_of),
      floors_(columns_) {
  scale_ = measure_pairs(columns_, floors_, deadline);
  if (scale_.mean_latency_us > 0) latency_factor_ = weights.latency / scale_.mean_latency_us / nodes_;
  if (scale_.mean_missing_Bps > 0) bandwidth_factor_ = weights.bandwidth / scale_.mean_missing_Bps / nodes_;
  most_ = load_of(scale_.worst_latency_us, scale_.least_Bps);
  const bool beyond_error =
      within_error == WithinError::counts_nothing && nodes_ <= most_with_errors && columns_.has_errors();
  if (nodes_ <= most_dense || beyond_error)
    set_values(beyond_error, measure, weights, deadline);
  else
    set_terms_of_blocks();
}

void NetworkLoad::set_values(bool beyond_error, PairMeasure measure, const NlaWeights& weights,
                             const Deadline& deadline) {
  const auto nodes = static_cast<std::size_t>(nodes_);
  const double mean_Bps = scale_.peak_Bps - scale_.mean_missing_Bps;
  const double byte_factor = scale_.peak_Bps > 0 ? weights.bandwidth * mean_Bps / nodes_ : 0;
  const auto load = [&](double us, double Bps) {
    if (measure == PairMeasure::difference) return load_of(us, Bps);
    const double known_Bps = Bps >= 0 ? std::min(Bps, scale_.bandwidth_bound) : scale_.least_Bps;
    return latency_factor_ * (us >= 0 ? std::min(us, scale_.latency_bound) : scale_.worst_latency_us) +
           byte_factor / std::max(known_Bps, least_Bps_of_time);
  };
  std::vector<double> values(nodes * nodes);
  const auto set = [&](std::int32_t u, std::int32_t v, double value) {
    values[static_cast<std::size_t>(u) * nodes + static_cast<std::size_t>(v)] = value;
    values[static_cast<std::size_t>(v) * nodes + static_cast<std::size_t>(u)] = value;
  };
  if (beyond_error) {
    const BeyondError latency(columns_, BeyondError::Series::latency, scale_.latency_bound, deadline);
    const BeyondError bandwidth(columns_, BeyondError::Series::bandwidth, scale_.bandwidth_bound, deadline);
    for (std::int32_t u = 0; u < nodes_; ++u) {
      const BeyondError::Row us = latency.row(u), Bps = bandwidth.row(u);
      for (std::int32_t v = 0; v < u; ++v) {
        const PairColumns::Pair pair = columns_.pair(u, v);
        const std::int32_t group = columns_.group_of(v);
        set(u, v, load(us.value(v, group, pair.latency_us), Bps.value(v, group, pair.bandwidth_Bps)));
      }
    }
  } else {
    for (std::int32_t u = 0; u < nodes_; ++u)
      for (std::int32_t v = 0; v < u; ++v) {
        const PairColumns::Pair pair = columns_.pair(u, v);
        set(u, v, load(pair.latency_us, pair.bandwidth_Bps));
      }
  }
  values_ = std::move(values);
  if (measure == PairMeasure::time) most_ = std::max(most_, values_.empty() ? 0 : *std::ranges::max_element(values_));
}

void NetworkLoad::set_terms_of_blocks() {
  const auto padded = static_cast<std::size_t>(floors_.blocks());
  least_added_us_.assign(padded, 0);
  most_Bps_.assign(padded, std::numeric_limits<double>::infinity());
  if (!columns_.has_terms()) return;
  for (std::int32_t block = 0; block < floors_.blocks(); ++block) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (std::int32_t c = floors_.begin(block); c < floors_.end(block); ++c)
      for (const std::int32_t node : columns_.members(c)) {
        least = std::min(least, columns_.added_us(node));
        most = std::max(most, columns_.most_Bps(node));
      }
    least_added_us_[static_cast<std::size_t>(block)] = least;
    most_Bps_[static_cast<std::size_t>(block)] = most;
  }
}

NetworkLoad::From::From(const NetworkLoad& load, std::int32_t node) : load_(load), node_(node) {
  if (load.dense()) {
    values_ = load.values_.data() + static_cast<std::size_t>(node) * static_cast<std::size_t>(load.nodes_);
  } else {
    latency_ = load.columns_.latency(load.columns_.group_of(node));
    bandwidth_ = load.columns_.bandwidth(load.columns_.group_of(node));
  }
}

// Without corrections of single nodes, all nodes of a column are equally far from v.
void NetworkLoad::add_row(std::int32_t v, double sign, std::span<double> sums) const {
  const From row = from(v);
  if (dense() || columns_.has_terms() || row.latency_ == nullptr || row.bandwidth_ == nullptr) {
    for (std::size_t u = 0; u < sums.size(); ++u) sums[u] += sign * row.to(static_cast<std::int32_t>(u));
    return;
  }
  std::vector<double> of_column;
  of_column.reserve(static_cast<std::size_t>(columns_.columns()) + 1);
  for (std::int32_t c = 0; c < columns_.columns(); ++c) {
    const std::int32_t group = columns_.group(c);
    of_column.push_back(sign *
                        load_of(static_cast<double>(row.latency_[group]), static_cast<double>(row.bandwidth_[group])));
  }
  of_column.push_back(sign * load_of(unknown_value, unknown_value));
  const double own = sums[static_cast<std::size_t>(v)];
  for (std::size_t u = 0; u < sums.size(); ++u)
    sums[u] += of_column[static_cast<std::size_t>(columns_.column_of(static_cast<std::int32_t>(u)))];
  sums[static_cast<std::size_t>(v)] = own;
}

double NetworkLoad::From::to_any_other(std::int32_t u) const {
  const PairColumns::Pair pair = load_.columns_.pair(node_, u);
  return load_.load_of(pair.latency_us, pair.bandwidth_Bps);
}

void NetworkLoad::floors(std::int32_t v, double factor, std::span<const double> base, std::span<double> floor) const {
  const std::int32_t column = columns_.column_of(v);
  const float *const latency = floors_.latency(column), *const bandwidth = floors_.bandwidth(column);
  const double added_us = columns_.added_us(v), most_Bps = columns_.most_Bps(v);
  const double per_us = rounded * factor * latency_factor_, per_Bps = rounded * factor * bandwidth_factor_;
  for (std::size_t block = 0; block < static_cast<std::size_t>(floors_.blocks()); ++block) {
    const double us =
        std::min(static_cast<double>(latency[block]) + (added_us + least_added_us_[block]), scale_.worst_latency_us);
    const double Bps =
        std::max(std::min({static_cast<double>(bandwidth[block]), most_Bps, most_Bps_[block]}), scale_.least_Bps);
    floor[block] = base[block] + per_us * us + per_Bps * (scale_.peak_Bps - Bps);
  }
}

}  // namespace placement::netload
