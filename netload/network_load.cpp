// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/network_load.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "netload/row_kernels.hpp"

namespace placement {

namespace {

// Up to so many nodes the whole matrix is computed once, in double precision.
constexpr std::int32_t most_dense = 1024;

// A latency so many times the largest of the nodes' medians is not believed, and a bandwidth so many times the
// largest of what the nodes have with more than one other.
constexpr float latency_disbelief = 4;
constexpr float bandwidth_disbelief = 2;

// Nodes that are looked at to find what is believed, and pairs of each: half of those close by, where the fast links
// are.
constexpr std::int32_t most_sampled = 16;
constexpr std::int32_t pairs_sampled = 32;

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

bool is_known(double value) { return value >= 0 && std::isfinite(value); }

// Mean and worst of one attribute over the pairs; the mean as a part of the worst, so that no sum overflows.
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
        const double one = value[static_cast<std::size_t>(u) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(v)];
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
      const std::size_t at = static_cast<std::size_t>(u) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(v);
      if (u != v) load[at] += scale * (is_known(value[at]) ? value[at] / mean.most : 1);
    }
}

// What is missing from the peak, where that is not given.
std::vector<double> missing_bandwidth(const DensePairs& pairs) {
  std::vector<double> missing = pairs.bandwidth_missing_Bps;
  if (pairs.bandwidth_Bps.empty()) return missing;
  missing.resize(pairs.bandwidth_Bps.size(), unknown_value);
  const double peak = mean_over_pairs(pairs.nodes, pairs.bandwidth_Bps).most;
  for (std::size_t k = 0; k < missing.size(); ++k)
    if (std::isnan(missing[k])) missing[k] = peak - pairs.bandwidth_Bps[k];
  return missing;
}

// How many of so many nodes may lie: a tenth, and one at least.
std::size_t liars(std::size_t nodes) { return std::max<std::size_t>(nodes / 10, 1); }

float median(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The largest value but for those that liars may have made.
float largest_believed(std::vector<float>& values) {
  if (values.empty()) return infinite;
  const std::size_t out = values.size() < 2 ? 0 : std::min(liars(values.size() + 1), values.size() - 1);
  const auto at = values.end() - static_cast<std::ptrdiff_t>(out) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

NetworkLoad::NetworkLoad(std::int32_t nodes)
    : nodes_(nodes), values_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes), 0.0) {}

NetworkLoad::NetworkLoad(const DensePairs& pairs, const NlaWeights& weights) : NetworkLoad(pairs.nodes) {
  if (!pairs.latency_us.empty()) {
    const PairMean mean = mean_over_pairs(nodes_, pairs.latency_us);
    add_attribute(nodes_, pairs.latency_us, mean, weights.latency, values_);
    known_pairs_ = mean.known;
    mean_latency_us_ = mean.mean();
  }
  const std::vector<double> missing = missing_bandwidth(pairs);
  if (missing.empty()) return;
  const PairMean mean = mean_over_pairs(nodes_, missing);
  add_attribute(nodes_, missing, mean, weights.bandwidth, values_);
  known_pairs_ = std::max(known_pairs_, mean.known);
  mean_missing_Bps_ = mean.mean();
}

NetworkLoad::NetworkLoad(const PairTable& table, std::span<const std::int32_t> state_of, const NlaWeights& weights,
                         const Deadline& deadline)
    : nodes_(static_cast<std::int32_t>(state_of.size())), table_(&table), state_of_(state_of.begin(), state_of.end()) {
  direct_ = table.node_latency_us.empty() && table.node_bandwidth_Bps.empty();
  for (const std::int32_t state : state_of_) {
    const bool known = state >= 0 && static_cast<std::size_t>(state) < table.group_of_node.size();
    const std::int32_t group = known ? table.group_of_node[static_cast<std::size_t>(state)] : -1;
    group_.push_back(group >= 0 && group < table.groups ? group : -1);
    direct_ = direct_ && group_.back() >= 0 && group_.back() == group_[0] + static_cast<std::int32_t>(group_.size()) - 1;
  }
  find_bounds();
  measure(deadline);
  set_scale(weights);
  if (nodes_ > most_dense) return;
  values_.assign(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(nodes_), 0.0);
  std::vector<float> scratch;
  for (std::int32_t u = 0; u < nodes_; ++u) {
    const Row raw = raw_row(u, 0, scratch);
    double* const loads = values_.data() + static_cast<std::size_t>(u) * static_cast<std::size_t>(nodes_);
    for (std::int32_t v = 0; v < nodes_; ++v) loads[v] = load_of({raw.latency[v], raw.bandwidth[v]});
    loads[u] = 0;
  }
}

// Latency and bandwidth of a pair as the table has it; NaN: not known.
NetworkLoad::Cell NetworkLoad::cell(std::int32_t u, std::int32_t v) const {
  const std::int32_t gu = group_[static_cast<std::size_t>(u)];
  const std::int32_t gv = group_[static_cast<std::size_t>(v)];
  if (gu < 0 || gv < 0) return {unknown, unknown};
  const std::size_t at = static_cast<std::size_t>(gu) * static_cast<std::size_t>(table_->groups) + static_cast<std::size_t>(gv);
  Cell cell{unknown, unknown};
  if (!table_->latency_us.empty()) cell.latency = table_->latency_us[at];
  if (!table_->bandwidth_Bps.empty()) cell.bandwidth = table_->bandwidth_Bps[at];
  for (const std::int32_t node : {u, v}) {
    const auto state = static_cast<std::size_t>(state_of_[static_cast<std::size_t>(node)]);
    if (!table_->node_latency_us.empty() && table_->node_latency_us[state] > 0)
      cell.latency += table_->node_latency_us[state];
    if (!table_->node_bandwidth_Bps.empty() && table_->node_bandwidth_Bps[state] >= 0)
      cell.bandwidth = std::isnan(cell.bandwidth) ? cell.bandwidth
                                                  : std::min(cell.bandwidth, table_->node_bandwidth_Bps[state]);
  }
  return cell;
}

// The cells (v, from), (v, from + 1), ..: the table's own memory where that is possible.
NetworkLoad::Row NetworkLoad::raw_row(std::int32_t v, std::int32_t from, std::vector<float>& scratch) const {
  if (direct_ && !table_->latency_us.empty() && !table_->bandwidth_Bps.empty()) {
    const std::size_t at = static_cast<std::size_t>(group_[static_cast<std::size_t>(v)]) * static_cast<std::size_t>(table_->groups) +
                           static_cast<std::size_t>(group_[static_cast<std::size_t>(from)]);
    return {table_->latency_us.data() + at, table_->bandwidth_Bps.data() + at};
  }
  scratch.resize(2 * static_cast<std::size_t>(nodes_));
  float* const latency = scratch.data();
  float* const bandwidth = latency + nodes_;
  for (std::int32_t u = from; u < nodes_; ++u) {
    const Cell pair = cell(v, u);
    latency[u - from] = pair.latency;
    bandwidth[u - from] = pair.bandwidth;
  }
  return {latency, bandwidth};
}

// A node has a say in all of its own pairs, but in one of each other node's: too little to move that one's median
// or its second best. Too low a latency and too low a bandwidth harm nobody else.
void NetworkLoad::find_bounds() {
  const std::int32_t step = std::max(nodes_ / most_sampled, 1);
  const bool all = nodes_ <= pairs_sampled;
  std::vector<float> latency_medians, best_bandwidths, latency, bandwidth;
  for (std::int32_t u = 0; u < nodes_; u += step) {
    latency.clear();
    bandwidth.clear();
    const auto look_at = [&](std::int32_t v) {
      if (u == v) return;
      const Cell pair = cell(u, v);
      if (pair.latency >= 0) latency.push_back(pair.latency);
      if (pair.bandwidth >= 0) bandwidth.push_back(pair.bandwidth);
    };
    const std::int32_t near = all ? 0 : pairs_sampled / 2;
    const std::int32_t first = std::min(u, nodes_ - near);
    for (std::int32_t v = first; v < first + near; ++v) look_at(v);
    for (std::int32_t v = 0; v < nodes_; v += all ? 1 : std::max(2 * nodes_ / pairs_sampled, 1)) look_at(v);
    if (!latency.empty()) latency_medians.push_back(median(latency));
    if (!bandwidth.empty()) best_bandwidths.push_back(largest_believed(bandwidth));
  }
  bound_ = {latency_disbelief * largest_believed(latency_medians),
            bandwidth_disbelief * largest_believed(best_bandwidths)};
  if (!(bound_.latency > 0)) bound_.latency = infinite;
  if (!(bound_.bandwidth > 0)) bound_.bandwidth = infinite;
}

void NetworkLoad::measure(const Deadline& deadline) {
  RowSums latency, bandwidth;
  std::vector<float> scratch;
  for (std::int32_t v = 0; v + 1 < nodes_; ++v) {
    if (v % 64 == 0 && deadline.expired()) throw Error("no time is left to look at the network between all nodes");
    const Row row = raw_row(v, v + 1, scratch);
    add_to_sums(latency, row.latency, nodes_ - v - 1, bound_.latency);
    add_to_sums(bandwidth, row.bandwidth, nodes_ - v - 1, bound_.bandwidth);
  }
  known_pairs_ = std::max(latency.known, bandwidth.known);
  if (latency.known > 0) {
    mean_latency_us_ = latency.sum / static_cast<double>(latency.known);
    worst_latency_ = latency.most;
  }
  if (bandwidth.known > 0) {
    peak_bandwidth_ = bandwidth.most;
    least_bandwidth_ = bandwidth.least;
    mean_missing_Bps_ = std::max(0.0, peak_bandwidth_ - bandwidth.sum / static_cast<double>(bandwidth.known));
    if (least_bandwidth_ == peak_bandwidth_) mean_missing_Bps_ = 0;  // all the same, whatever the sum lost
  }
}

void NetworkLoad::set_scale(const NlaWeights& weights) {
  if (mean_latency_us_ > 0) latency_factor_ = weights.latency / mean_latency_us_ / nodes_;
  if (mean_missing_Bps_ > 0) bandwidth_factor_ = weights.bandwidth / mean_missing_Bps_ / nodes_;
}

double NetworkLoad::load_of(Cell cell) const {
  const double latency = cell.latency >= 0 ? std::min(cell.latency, bound_.latency) : worst_latency_;
  const double bandwidth = cell.bandwidth >= 0 ? std::min(cell.bandwidth, bound_.bandwidth) : least_bandwidth_;
  return latency_factor_ * latency + bandwidth_factor_ * (peak_bandwidth_ - bandwidth);
}

double NetworkLoad::at(std::int32_t u, std::int32_t v) const {
  if (u == v) return 0;
  return dense() ? row(u)[static_cast<std::size_t>(v)] : load_of(cell(u, v));
}

void NetworkLoad::add_row(std::int32_t v, float factor, std::span<const float> base, std::span<float> sum,
                          std::span<float> least, std::vector<float>& scratch) const {
  const Row raw = raw_row(v, 0, scratch);
  const auto per_us = static_cast<float>(factor * latency_factor_);
  const auto per_Bps = static_cast<float>(factor * bandwidth_factor_);
  // The peak, from which bandwidth is taken, is the same in all entries and changes no order; but for it the sums of
  // a row may be below 0.
  add_rows(base, {raw.latency, bound_.latency, worst_latency_, per_us},
           {raw.bandwidth, bound_.bandwidth, least_bandwidth_, -per_Bps}, sum, least);
}

}  // namespace placement
