// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/pair_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/util/median.hpp"
#include "common/util/placement_error.hpp"

namespace placement::netload {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

// A latency is believed up to this multiple of the largest median of a node. A bandwidth is believed up to this
// multiple of the largest value that a node has with more than one other node.
constexpr float latency_disbelief = 4;
constexpr float bandwidth_disbelief = 2;

// The upper limit of each bound, so that no sum overflows.
constexpr float most_believed = 1e30F;

// The number of nodes that are sampled for the bounds, and of pairs of each. Half of these pairs are with nodes close
// by, because the fast links are there.
constexpr std::int32_t most_sampled = 16;
constexpr std::int32_t pairs_sampled = 32;

// The number of cells between two looks at the clock, and the error when it is late.
constexpr std::int64_t cells_per_look = 1 << 16;
constexpr const char* no_time = "no time is left to look at the network between all nodes";

// Returns how many of `nodes` nodes may give wrong values: a tenth, at least one.
std::size_t liars(std::size_t nodes) { return std::max<std::size_t>(nodes / 10, 1); }

// Returns the largest value after the number of values that liars may have made is left out.
float largest_believed(std::vector<float>& values) {
  if (values.empty()) return infinite;
  const std::size_t out = values.size() < 2 ? 0 : std::min(liars(values.size() + 1), values.size() - 1);
  const auto at = values.end() - static_cast<std::ptrdiff_t>(out) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Sets the bounds of latency and bandwidth. A node influences all of its own pairs, but only one pair of each other
// node. That is too little to change the median or the second best value of the other node. A latency or bandwidth
// that is too low harms no other node.
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

// Sums the pairs of each two columns, with the corrections of their nodes.
class CellByCell {
 public:
  CellByCell(const PairColumns& columns, PairFloors& floors, const PairScale& scale)
      : columns_(columns),
        floors_(floors),
        scale_(scale) {
    for (std::int32_t c = 0; c < columns.columns(); ++c) {
      Ends ends;
      for (const std::int32_t node : columns.members(c)) {
        ends.added_us.push_back(columns.added_us(node));
        ends.sum_us += columns.added_us(node);
        ends.caps.push_back(columns.most_Bps(node));
      }
      std::sort(ends.added_us.rbegin(), ends.added_us.rend());
      std::sort(ends.caps.begin(), ends.caps.end());
      count_.push_back(static_cast<double>(ends.caps.size()));
      ends_.push_back(std::move(ends));
    }
  }

  void add(PairSums& latency, PairSums& bandwidth, const Deadline& deadline) {
    const auto bound_us = static_cast<float>(scale_.latency_bound),
               bound_Bps = static_cast<float>(scale_.bandwidth_bound);
    std::int64_t looked = 0;
    for (std::int32_t a = 0; a < columns_.columns(); ++a) {
      const float *const us = columns_.latency(columns_.group(a)), *const Bps = columns_.bandwidth(columns_.group(a));
      set_floors(a, us, Bps);
      for (std::int32_t b = a; b < columns_.columns(); ++b) {
        looked += columns_.has_terms() ? 16 : 1;
        if (looked > cells_per_look && deadline.expired()) throw PlacementError(STOCK_NO_TIME, no_time);
        if (looked > cells_per_look) looked = 0;
        if (a == b && columns_.members(a).size() < 2) continue;
        const std::int32_t group = columns_.group(b);
        if (!columns_.has_terms()) {
          const double pairs = a == b ? count_[a] * (count_[a] - 1) / 2 : count_[a] * count_[b];
          if (us != nullptr) add_equal(latency, std::min(us[group], bound_us), pairs);
          if (Bps != nullptr) add_equal(bandwidth, std::min(Bps[group], bound_Bps), pairs);
          continue;
        }
        if (us != nullptr && us[group] >= 0) looked += add_latency(latency, a, b, us[group]);
        if (Bps != nullptr && Bps[group] >= 0) looked += add_bandwidth(bandwidth, a, b, Bps[group]);
      }
    }
  }

 private:
  struct Ends {
    std::vector<double> added_us;  // largest first
    double sum_us = 0;
    std::vector<double> caps;  // least first
  };

  // Adds pairs of equal nodes. A value that is below 0 or NaN is not known.
  static void add_equal(PairSums& sums, float value, double pairs) {
    if (!(value >= 0)) return;
    sums.sum += pairs * static_cast<double>(value);
    sums.known += pairs;
    sums.most = std::max(sums.most, value);
    sums.least = std::min(sums.least, value);
  }

  const Ends& ends(std::int32_t column) const { return ends_[static_cast<std::size_t>(column)]; }

  // Returns the sum over the pairs of a and b. `all` is the sum over all ordered pairs, `same` that over all nodes with
  // themselves.
  static double pairs_of(std::int32_t a, std::int32_t b, double all, double same) {
    return a == b ? (all - same) / 2 : all;
  }

  static double count(const Ends& of) { return static_cast<double>(of.caps.size()); }

  // Sets the floors of one row; the table is symmetric. A column of one node has no pair with itself.
  void set_floors(std::int32_t row, const float* us, const float* Bps) {
    const auto bound_us = static_cast<float>(scale_.latency_bound),
               bound_Bps = static_cast<float>(scale_.bandwidth_bound);
    for (std::int32_t block = 0; block + 1 < floors_.blocks(); ++block) {
      float least_us = infinite, most_Bps = -1;
      for (std::int32_t c = floors_.begin(block); c < floors_.end(block); ++c) {
        if (c == row && columns_.members(c).size() < 2) continue;
        const std::int32_t group = columns_.group(c);
        if (us != nullptr && us[group] >= 0) least_us = std::min({least_us, us[group], bound_us});
        if (Bps != nullptr && Bps[group] >= 0) most_Bps = std::max(most_Bps, std::min(Bps[group], bound_Bps));
      }
      floors_.latency(row)[block] = least_us;
      floors_.bandwidth(row)[block] = most_Bps;
    }
  }

  // add_latency() and add_bandwidth() add the pairs of one cell. They return the number of steps taken.
  std::int64_t add_latency(PairSums& sums, std::int32_t a, std::int32_t b, float cell) {
    const Ends& x = ends(a);
    const Ends& y = ends(b);
    const auto us = static_cast<double>(cell);
    const double most = us + x.added_us[0] + y.added_us[a == b ? 1 : 0];
    std::int64_t steps = 1;
    double sum;
    if (most <= scale_.latency_bound) {
      sum = pairs_of(a, b, us * count(x) * count(y) + x.sum_us * count(y) + y.sum_us * count(x),
                     us * count(x) + 2 * x.sum_us);
    } else {
      double all = 0, same = 0;
      for (const double own : x.added_us) {
        same += std::min(us + (own + own), scale_.latency_bound);
        for (const double other : y.added_us) all += std::min(us + (own + other), scale_.latency_bound);
      }
      steps = static_cast<std::int64_t>(x.added_us.size() * y.added_us.size());
      sum = pairs_of(a, b, all, same);
    }
    sums.sum += sum;
    sums.known += pairs_of(a, b, count(x) * count(y), count(x));
    sums.most = std::max(sums.most, static_cast<float>(std::min(most, scale_.latency_bound)));
    return steps;
  }

  std::int64_t add_bandwidth(PairSums& sums, std::int32_t a, std::int32_t b, float cell) {
    const Ends& x = ends(a);
    const Ends& y = ends(b);
    const double Bps = std::min(static_cast<double>(cell), scale_.bandwidth_bound);
    double all = 0, same = 0;
    std::int64_t steps = 1;
    if (std::min(x.caps[0], y.caps[0]) >= Bps) {
      all = Bps * count(x) * count(y);
      same = Bps * count(x);
    } else {
      // Both lists are sorted. Equal caps are treated together.
      for (std::size_t k = 0; k < x.caps.size();) {
        std::size_t alike = k + 1;
        while (alike < x.caps.size() && (x.caps[alike] == x.caps[k] || x.caps[k] >= Bps)) ++alike;
        const auto times = static_cast<double>(alike - k);
        const double most = std::min(Bps, x.caps[k]);
        same += times * most;
        std::size_t l = 0;
        for (; l < y.caps.size() && y.caps[l] < most; ++l) all += times * y.caps[l];
        all += times * most * static_cast<double>(y.caps.size() - l);
        steps += static_cast<std::int64_t>(l + 1);
        k = alike;
      }
    }
    sums.sum += pairs_of(a, b, all, same);
    sums.known += pairs_of(a, b, count(x) * count(y), count(x));
    const double largest = std::min({Bps, a == b ? x.caps[x.caps.size() - 2] : x.caps.back(), y.caps.back()});
    sums.most = std::max(sums.most, static_cast<float>(largest));
    sums.least = std::min(sums.least, static_cast<float>(std::min({Bps, x.caps[0], y.caps[0]})));
    return steps;
  }

  const PairColumns& columns_;
  PairFloors& floors_;
  const PairScale& scale_;
  std::vector<Ends> ends_;
  std::vector<double> count_;  // number of nodes of each column
};

}  // namespace

PairFloors::PairFloors(const PairColumns& columns) : columns_(columns.columns()) {
  while (per_block_ < block_nodes && 2LL * per_block_ * columns.nodes() <= std::int64_t{block_nodes} * columns_)
    per_block_ *= 2;
  blocks_ = (columns_ + per_block_ - 1) / per_block_ + 1;
  const std::size_t size = static_cast<std::size_t>(columns_ + 1) * static_cast<std::size_t>(blocks_);
  latency_.assign(size, infinite);
  bandwidth_.assign(size, -1);
}

std::int32_t PairFloors::end(std::int32_t block) const {
  return block + 1 < blocks_ ? std::min((block + 1) * per_block_, columns_) : columns_ + 1;
}

PairScale measure_pairs(const PairColumns& columns, PairFloors& floors, const Deadline& deadline) {
  PairScale scale;
  find_bounds(columns, scale);
  PairSums latency, bandwidth;
  CellByCell(columns, floors, scale).add(latency, bandwidth, deadline);
  scale.known_pairs = std::llround(std::max(latency.known, bandwidth.known));
  if (latency.known > 0) {
    scale.mean_latency_us = latency.sum / latency.known;
    scale.worst_latency_us = static_cast<double>(latency.most);
  }
  if (bandwidth.known > 0) {
    scale.peak_Bps = static_cast<double>(bandwidth.most);
    scale.least_Bps = static_cast<double>(bandwidth.least);
    // If all bandwidths are equal, nothing is missing, whatever the sum lost by rounding.
    if (bandwidth.least < bandwidth.most)
      scale.mean_missing_Bps = std::max(0.0, scale.peak_Bps - bandwidth.sum / bandwidth.known);
  }
  return scale;
}

}  // namespace placement::netload
