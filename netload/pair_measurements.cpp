// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/pair_measurements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "common/util/median.hpp"
#include "common/util/placement_error.hpp"

namespace placement::netload {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

// A latency is plausible up to this multiple of the largest median of a node. A bandwidth is plausible up to this
// multiple of the largest value that a node has with at least two other nodes.
constexpr float latency_disbelief = 4;
constexpr float bandwidth_disbelief = 2;

// The upper limit of each bound, so that no sum overflows.
constexpr float most_believed = 1e30F;

// The number of nodes sampled for the bounds, and of pairs per node. Half of the pairs are with nodes close by, because
// the fast links are there.
constexpr std::int32_t most_sampled = 16;
constexpr std::int32_t pairs_sampled = 32;

// Throws Error at the deadline.
void check_time(const Deadline& deadline) {
  if (deadline.expired())
    throw PlacementError(STOCK_NO_TIME, "no time is left to read the measurements of all pairs of nodes");
}

// Returns the number of `nodes` nodes that may give wrong values: a tenth, at least one.
std::size_t liars(std::size_t nodes) { return std::max<std::size_t>(nodes / 10, 1); }

// Returns the largest value, after omission of as many of the largest values as liars may have sent.
float largest_believed(std::vector<float>& values) {
  if (values.empty()) return infinite;
  const std::size_t out = values.size() < 2 ? 0 : std::min(liars(values.size() + 1), values.size() - 1);
  const auto at = values.end() - out - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Sets the bounds of latency and bandwidth. A node influences all its own pairs, but only one pair of each other node.
// So it cannot change the median or the second best value of another node. A latency or bandwidth that is too low harms
// no other node.
void find_bounds(const PairColumns& columns, PairScale& scale) {
  const std::int32_t nodes = columns.nodes();
  const std::int32_t step = std::max(nodes / most_sampled, 1);
  const bool all = nodes <= pairs_sampled;
  std::vector<float> latency_medians, best_bandwidths, latency, bandwidth;
  for (std::int32_t u = 0; u < nodes; u += step) {
    latency.clear();
    bandwidth.clear();
    const auto look_at = [&](std::int32_t v) {
      if (u == v) return;
      const PairColumns::Pair pair = columns.pair(u, v);
      if (pair.latency_us >= 0) latency.push_back(static_cast<float>(pair.latency_us));
      if (pair.bandwidth_Bps >= 0) bandwidth.push_back(static_cast<float>(pair.bandwidth_Bps));
    };
    const std::int32_t near = all ? 0 : pairs_sampled / 2;
    const std::int32_t first = std::min(u, nodes - near);
    for (std::int32_t v = first; v < first + near; ++v) look_at(v);
    for (std::int32_t v = 0; v < nodes; v += all ? 1 : std::max(2 * nodes / pairs_sampled, 1)) look_at(v);
    if (!latency.empty()) latency_medians.push_back(upper_median(std::span(latency)));
    if (!bandwidth.empty()) best_bandwidths.push_back(largest_believed(bandwidth));
  }
  const auto bound = [](float times, float believed) {
    return static_cast<double>(believed > 0 ? std::min(times * believed, most_believed) : most_believed);
  };
  scale.latency_bound = bound(latency_disbelief, largest_believed(latency_medians));
  scale.bandwidth_bound = bound(bandwidth_disbelief, largest_believed(best_bandwidths));
}

// Sums over pairs of one attribute. Each value counts with its number of pairs.
struct PairSums {
  double sum = 0;
  double known = 0;  // the number of pairs
  float most = -1;
  float least = infinite;
};

// The corrections of the nodes of one column.
struct Corrections {
  std::vector<double> added_us;  // largest first
  double sum_us = 0;
  std::vector<double> caps;  // least first

  double count() const { return static_cast<double>(caps.size()); }
};

// Sums the pairs of each two columns, with the corrections of their nodes.
class CellByCell {
 public:
  CellByCell(const PairColumns& columns, const PairScale& scale) : columns_(columns), scale_(scale) {
    for (std::int32_t c = 0; c < columns.columns(); ++c) {
      Corrections& of = corrections_.emplace_back();
      for (const std::int32_t node : columns.members(c)) {
        of.added_us.push_back(columns.added_us(node));
        of.sum_us += columns.added_us(node);
        of.caps.push_back(columns.most_Bps(node));
      }
      std::sort(of.added_us.rbegin(), of.added_us.rend());
      std::sort(of.caps.begin(), of.caps.end());
    }
  }

  void add(PairSums& latency, PairSums& bandwidth, const Deadline& deadline) const {
    const auto bound_us = static_cast<float>(scale_.latency_bound),
               bound_Bps = static_cast<float>(scale_.bandwidth_bound);
    for (std::int32_t a = 0; a < columns_.columns(); ++a) {
      check_time(deadline);
      const float *const us = columns_.latency(columns_.group(a)), *const Bps = columns_.bandwidth(columns_.group(a));
      const Corrections& x = corrections_[a];
      for (std::int32_t b = a; b < columns_.columns(); ++b) {
        const bool same = a == b;
        if (same && x.caps.size() < 2) continue;
        const Corrections& y = corrections_[b];
        const std::int32_t group = columns_.group(b);
        if (!columns_.has_terms()) {
          const double pairs = pairs_of(same, x.count() * y.count(), x.count());
          if (us != nullptr) add_equal(latency, std::min(us[group], bound_us), pairs);
          if (Bps != nullptr) add_equal(bandwidth, std::min(Bps[group], bound_Bps), pairs);
          continue;
        }
        if (us != nullptr && us[group] >= 0) add_latency(latency, x, y, same, static_cast<double>(us[group]));
        if (Bps != nullptr && Bps[group] >= 0) add_bandwidth(bandwidth, x, y, same, static_cast<double>(Bps[group]));
      }
    }
  }

 private:
  // Adds pairs of equal nodes. A value below 0 or NaN is not known.
  static void add_equal(PairSums& sums, float value, double pairs) {
    if (!(value >= 0)) return;
    sums.sum += pairs * static_cast<double>(value);
    sums.known += pairs;
    sums.most = std::max(sums.most, value);
    sums.least = std::min(sums.least, value);
  }

  // Returns the sum over the pairs of two columns, or within one column if they are the `same`. `all` is the sum over
  // all ordered pairs, `with_itself` the sum over all nodes with themselves.
  static double pairs_of(bool same, double all, double with_itself) { return same ? (all - with_itself) / 2 : all; }

  void add_latency(PairSums& sums, const Corrections& x, const Corrections& y, bool same, double us) const {
    const double most = us + x.added_us[0] + y.added_us[same ? 1 : 0];
    double all = us * x.count() * y.count() + x.sum_us * y.count() + y.sum_us * x.count();
    double with_itself = us * x.count() + 2 * x.sum_us;
    if (most > scale_.latency_bound) {
      all = with_itself = 0;
      for (const double own : x.added_us) {
        with_itself += std::min(us + (own + own), scale_.latency_bound);
        for (const double other : y.added_us) all += std::min(us + (own + other), scale_.latency_bound);
      }
    }
    sums.sum += pairs_of(same, all, with_itself);
    sums.known += pairs_of(same, x.count() * y.count(), x.count());
    sums.most = std::max(sums.most, static_cast<float>(std::min(most, scale_.latency_bound)));
  }

  void add_bandwidth(PairSums& sums, const Corrections& x, const Corrections& y, bool same, double cell) const {
    const double Bps = std::min(cell, scale_.bandwidth_bound);
    double all = 0, with_itself = 0;
    // Both lists are sorted. Equal caps are handled together.
    for (std::size_t k = 0; k < x.caps.size();) {
      std::size_t alike = k + 1;
      while (alike < x.caps.size() && (x.caps[alike] == x.caps[k] || x.caps[k] >= Bps)) ++alike;
      const auto times = static_cast<double>(alike - k);
      const double most = std::min(Bps, x.caps[k]);
      with_itself += times * most;
      std::size_t l = 0;
      for (; l < y.caps.size() && y.caps[l] < most; ++l) all += times * y.caps[l];
      all += times * most * static_cast<double>(y.caps.size() - l);
      k = alike;
    }
    sums.sum += pairs_of(same, all, with_itself);
    sums.known += pairs_of(same, x.count() * y.count(), x.count());
    const double largest = std::min({Bps, same ? x.caps[x.caps.size() - 2] : x.caps.back(), y.caps.back()});
    sums.most = std::max(sums.most, static_cast<float>(largest));
    sums.least = std::min(sums.least, static_cast<float>(std::min({Bps, x.caps[0], y.caps[0]})));
  }

  const PairColumns& columns_;
  const PairScale& scale_;
  std::vector<Corrections> corrections_;  // by column
};

// The largest numbers of values for a median, sampled evenly.
constexpr std::int32_t pairs_of_node = 16;
constexpr std::int64_t pairs_of_all = 512;

}  // namespace

PairScale measure_pairs(const PairColumns& columns, const Deadline& deadline) {
  PairScale scale;
  find_bounds(columns, scale);
  PairSums latency, bandwidth;
  CellByCell(columns, scale).add(latency, bandwidth, deadline);
  scale.known_pairs = std::llround(std::max(latency.known, bandwidth.known));
  if (latency.known > 0) {
    scale.mean_latency_us = latency.sum / latency.known;
    scale.worst_latency_us = static_cast<double>(latency.most);
  }
  if (bandwidth.known > 0) {
    scale.peak_Bps = static_cast<double>(bandwidth.most);
    scale.least_Bps = static_cast<double>(bandwidth.least);
    // If all bandwidths are equal, nothing is missing, although the sum may have rounding errors.
    if (bandwidth.least < bandwidth.most)
      scale.mean_missing_Bps = std::max(0.0, scale.peak_Bps - bandwidth.sum / bandwidth.known);
  }
  return scale;
}

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
  Row row{*this, errors(u)};
  if (of_node_.empty() || row.errors == nullptr) return row;
  const std::int32_t group = columns_.group_of(u);
  row.of_node = of_node_[u];
  row.predictors = series_ == Series::latency ? columns_.latency_predictor(group) : columns_.bandwidth_predictor(group);
  return row;
}

void BeyondError::find_errors_of_nodes(const Deadline& deadline) {
  const std::int32_t nodes = columns_.nodes();
  const std::int32_t step = std::max(nodes / pairs_of_node, 1);
  std::vector<float> own;
  std::vector<double> of_node(nodes, unknown_value), known;
  for (std::int32_t u = 0; u < nodes; ++u) {
    check_time(deadline);
    const float* const row = errors(u);
    if (row == nullptr) continue;
    own.clear();
    for (std::int32_t further = 1; further < nodes; further += step) {
      const std::int32_t v = u + further < nodes ? u + further : u + further - nodes;
      if (const std::int32_t group = columns_.group_of(v); group >= 0 && row[group] >= 0) own.push_back(row[group]);
    }
    if (own.empty()) continue;
    known.push_back(static_cast<double>(upper_median(std::span(own))));
    of_node[u] = known.back();
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
    check_time(deadline);
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

PairColumns::PairColumns(const PairTable& table, std::span<const std::int32_t> state_of) : table_(&table) {
  std::map<std::int32_t, std::vector<std::int32_t>> of_group;
  std::vector<std::int32_t> without;  // the nodes that have no group
  for (std::size_t c = 0; c < state_of.size(); ++c) {
    const std::int32_t state = state_of[c];
    const bool known = state >= 0 && static_cast<std::size_t>(state) < table.group_of_node.size();
    const std::int32_t group = known ? table.group_of_node[static_cast<std::size_t>(state)] : -1;
    group_of_.push_back(group >= 0 && group < table.groups ? group : -1);
    (group_of_.back() >= 0 ? of_group[group] : without).push_back(static_cast<std::int32_t>(c));
  }
  column_of_.assign(group_of_.size(), static_cast<std::int32_t>(of_group.size()));
  for (auto& [group, nodes] : of_group) {
    for (const std::int32_t node : nodes) column_of_[node] = columns();
    group_.push_back(group);
    members_.push_back(std::move(nodes));
  }
  members_.push_back(std::move(without));
  if (table.node_latency_us.empty() && table.node_bandwidth_Bps.empty()) return;
  added_us_.assign(state_of.size(), 0);
  most_Bps_.assign(state_of.size(), std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < state_of.size(); ++c) {
    if (group_of_[c] < 0) continue;
    const auto state = static_cast<std::size_t>(state_of[c]);
    if (!table.node_latency_us.empty() && table.node_latency_us[state] > 0)
      added_us_[c] = static_cast<double>(table.node_latency_us[state]);
    if (!table.node_bandwidth_Bps.empty() && table.node_bandwidth_Bps[state] >= 0)
      most_Bps_[c] = static_cast<double>(table.node_bandwidth_Bps[state]);
  }
}

}  // namespace placement::netload
