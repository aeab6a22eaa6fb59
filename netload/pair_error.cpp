// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/pair_error.hpp"

#include "common/util/median.hpp"
#include "common/util/placement_error.hpp"

namespace placement::netload {

namespace {

// The largest numbers of values for a median, sampled evenly.
constexpr std::int32_t pairs_of_node = 16;
constexpr std::int64_t pairs_of_all = 512;

constexpr const char* no_time_to_read = "no time is left to read the measurements of all pairs of nodes";

}  // namespace

BeyondError::BeyondError(const PairColumns& columns, Series series, double bound, WithinError within_error,
                         const Deadline& deadline)
    : columns_(columns),
      series_(series),
      bound_(bound) {
  if (within_error == WithinError::counts_nothing) find_errors_of_nodes(deadline);
  if (!of_node_.empty()) find_median(deadline);
}

const float* BeyondError::errors(std::int32_t node) const {
  const std::int32_t group = columns_.group_of(node);
  return series_ == Series::latency ? columns_.latency_error(group) : columns_.bandwidth_error(group);
}

BeyondError::Row BeyondError::row(std::int32_t u) const {
  Row row(*this);
  row.errors_ = errors(u);
  if (of_node_.empty() || row.errors_ == nullptr) return row;
  const std::int32_t group = columns_.group_of(u);
  row.of_node_ = of_node_[static_cast<std::size_t>(u)];
  row.predictors_ =
      series_ == Series::latency ? columns_.latency_predictor(group) : columns_.bandwidth_predictor(group);
  return row;
}

void BeyondError::find_errors_of_nodes(const Deadline& deadline) {
  const std::int32_t nodes = columns_.nodes();
  const std::int32_t step = std::max(nodes / pairs_of_node, 1);
  std::vector<float> own;
  std::vector<double> of_node(static_cast<std::size_t>(nodes), unknown_value), known;
  for (std::int32_t u = 0; u < nodes; ++u) {
    if (deadline.expired()) throw PlacementError(STOCK_NO_TIME, no_time_to_read);
    const float* const row = errors(u);
    if (row == nullptr) continue;
    own.clear();
    for (std::int32_t further = 1; further < nodes; further += step) {
      const std::int32_t v = u + further < nodes ? u + further : u + further - nodes;
      if (const std::int32_t group = columns_.group_of(v); group >= 0 && row[group] >= 0) own.push_back(row[group]);
    }
    if (own.empty()) continue;
    known.push_back(static_cast<double>(upper_median(std::span(own))));
    of_node[static_cast<std::size_t>(u)] = known.back();
  }
  if (known.empty()) return;
  // Pairs measured only once have no error yet and get the usual error.
  const double usual = upper_median(std::span(known));
  for (double& error : of_node)
    if (std::isnan(error)) error = usual;
  of_node_ = std::move(of_node);
}

void BeyondError::find_median(const Deadline& deadline) {
  const std::int64_t nodes = columns_.nodes();
  const std::int64_t step = std::max<std::int64_t>(nodes * (nodes - 1) / 2 / pairs_of_all, 1);
  std::vector<double> values;
  std::int64_t v = 0;  // the next pair is u and v
  for (std::int64_t u = 1; u < nodes; ++u) {
    if (deadline.expired()) throw PlacementError(STOCK_NO_TIME, no_time_to_read);
    for (; v < u; v += step) {
      const PairColumns::Pair pair = columns_.pair(static_cast<std::int32_t>(u), static_cast<std::int32_t>(v));
      const double value = series_ == Series::latency ? pair.latency_us : pair.bandwidth_Bps;
      if (value >= 0) values.push_back(std::min(value, bound_));
    }
    v -= u;
  }
  if (values.empty())
    of_node_.clear();
  else
    median_ = upper_median(std::span(values));
}

}  // namespace placement::netload
