// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/pair_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/util/median.hpp"
#include "common/util/placement_error.hpp"
#include "netload/row_kernels.hpp"

namespace placement::netload {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

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

// Returns the parameters of rough loads from a sample of pairs. The sample gives about the means of the table, and
// values that are certainly not better than the worst ones.
RoughLoad rough_load(const PairColumns& columns, const PairScale& scale, const NlaWeights& weights) {
  constexpr int samples = 1024;
  constexpr double most_load = 1e30;
  RoughLoad rough;
  rough.bound_us = static_cast<float>(scale.latency_bound);
  rough.bound_Bps = static_cast<float>(scale.bandwidth_bound);
  double us = 0, Bps = 0, most_Bps = 0, least_Bps = scale.bandwidth_bound, worst_us = 0;
  int known_us = 0, known_Bps = 0;
  std::uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(columns.nodes()));
  };
  for (int sample = 0; sample < samples && columns.nodes() > 1; ++sample) {
    const std::int32_t u = next(), v = next();
    // The fastest links are between neighbours.
    if (u > 0) most_Bps = std::max(most_Bps, std::min(columns.pair(u, u - 1).bandwidth_Bps, scale.bandwidth_bound));
    if (u == v) continue;
    const PairColumns::Pair pair = columns.pair(u, v);
    if (pair.latency_us >= 0) {
      const double value = std::min(pair.latency_us, scale.latency_bound);
      us += value;
      worst_us = std::max(worst_us, value);
      ++known_us;
    }
    if (pair.bandwidth_Bps >= 0) {
      const double value = std::min(pair.bandwidth_Bps, scale.bandwidth_bound);
      Bps += value;
      most_Bps = std::max(most_Bps, value);
      least_Bps = std::min(least_Bps, value);
      ++known_Bps;
    }
  }
  const double missing = known_Bps > 0 ? most_Bps - Bps / known_Bps : 0;
  const double per_us = us > 0 ? weights.latency / (us / known_us) : 0;
  const double per_Bps = missing > 0 ? weights.bandwidth / missing : 0;
  if (per_us * scale.latency_bound < most_load && per_us > 1 / most_load) rough.per_us = static_cast<float>(per_us);
  if (per_Bps * scale.bandwidth_bound < most_load && per_Bps > 1 / most_load)
    rough.per_Bps = static_cast<float>(per_Bps);
  rough.unknown_us = static_cast<float>(worst_us);
  rough.unknown_Bps = known_Bps > 0 ? static_cast<float>(least_Bps) : rough.bound_Bps;
  return rough;
}

// Sums the cells row by row, many at a time. This requires that nodes have no corrections and that blocks are wide
// enough.
class CellsByRow {
 public:
  CellsByRow(const PairColumns& columns, PairFloors& floors)
      : columns_(columns),
        floors_(floors),
        per_block_(floors.columns_per_block()) {
    const std::int32_t count = columns.columns();
    const auto padded = static_cast<std::size_t>((std::int64_t{count} + per_block_ - 1) / per_block_ * per_block_);
    weight_.assign(padded, 0);
    for (std::int32_t c = 0; c < count; ++c)
      weight_[static_cast<std::size_t>(c)] = static_cast<float>(columns.members(c).size());
    single_ = columns.nodes() - static_cast<std::int32_t>(columns.members(count).size()) == count;
    whole_ = count > 0 && columns.group(count - 1) - columns.group(0) == count - 1;
    for (std::vector<float>* row : {&latency_row_, &bandwidth_row_}) row->assign(padded, unknown);
    best_.assign(padded, infinite);
    own_weight_.resize(static_cast<std::size_t>(per_block_));
    const RoughLoad& rough = floors.measure;
    const float nothing_known = rough.per_us * rough.unknown_us - rough.per_Bps * rough.unknown_Bps;
    for (std::int32_t c = 0; c < count; ++c) floors.rough(c)[floors.blocks() - 1] = nothing_known;
  }

  void add(PairSums& latency, PairSums& bandwidth, const Deadline& deadline) {
    const std::int32_t blocks = static_cast<std::int32_t>(weight_.size()) / per_block_;
    std::int64_t looked = 0;
    for (std::int32_t block = 0; block < blocks; ++block) {
      for (std::int32_t c = floors_.begin(block); c < floors_.end(block); ++c) {
        looked += columns_.columns() - c;
        if (looked > cells_per_look && deadline.expired()) throw PlacementError(STOCK_NO_TIME, no_time);
        if (looked > cells_per_look) looked = 0;
        add_row(c, block, blocks, latency, bandwidth);
      }
      mirror(block);
    }
  }

 private:
  // Adds one row, beginning at its own block. In this block only cells behind the diagonal count; the diagonal counts
  // where the column has several nodes. The last block may be incomplete and is then copied.
  void add_row(std::int32_t column, std::int32_t block, std::int32_t blocks, PairSums& latency, PairSums& bandwidth) {
    PairSums of_latency, of_bandwidth;
    const float* const us = columns_.latency(columns_.group(column));
    const float* const Bps = columns_.bandwidth(columns_.group(column));
    const auto add = [&](std::int32_t from, std::int32_t to, const float* weight) {
      if (from >= to) return;
      const std::int32_t cell = from * per_block_;
      add_cells(of_latency, of_bandwidth,
                {cells(us, cell, to * per_block_, latency_row_), cells(Bps, cell, to * per_block_, bandwidth_row_),
                 weight, floors_.rough(column) + from, best_.data() + cell},
                floors_.measure, to - from, per_block_);
    };
    const auto own = static_cast<float>(columns_.members(column).size());
    std::fill(own_weight_.begin(), own_weight_.end(), 0.0F);
    for (std::int32_t c = column; c < floors_.end(block); ++c)
      own_weight_[static_cast<std::size_t>(c - block * per_block_)] =
          c == column ? (own - 1) / 2 : weight_[static_cast<std::size_t>(c)];
    add(block, block + 1, own_weight_.data());
    const std::int32_t last = std::max(block + 1, blocks - 1);
    add(block + 1, last, single_ ? nullptr : weight_.data() + (block + 1) * per_block_);
    add(last, blocks, weight_.data() + last * per_block_);
    merge(latency, of_latency, static_cast<double>(own));
    merge(bandwidth, of_bandwidth, static_cast<double>(own));
  }

  static void merge(PairSums& all, const PairSums& row, double weight) {
    all.sum += weight * row.sum;
    all.known += weight * row.known;
    all.most = std::max(all.most, row.most);
    all.least = std::min(all.least, row.least);
  }

  // Sets the floors of the columns behind a block from the rows of this block, as the table is symmetric.
  void mirror(std::int32_t block) {
    for (std::int32_t c = floors_.begin(block); c < columns_.columns(); ++c) {
      float& floor = floors_.rough(c)[block];
      floor = std::min(floor, best_[static_cast<std::size_t>(c)]);
    }
    std::fill(best_.begin(), best_.end(), infinite);
  }

  // Returns the cells of the columns first .. end - 1 of a row of the table, contiguous. Cells behind the last column
  // are not known.
  const float* cells(const float* row, std::int32_t first, std::int32_t end, std::vector<float>& copy) const {
    if (row == nullptr) return copy.data() + first;  // `copy` then still has its initial values, which are not known
    if (whole_ && end <= columns_.columns()) return row + columns_.group(first);
    for (std::int32_t c = first; c < std::min(end, columns_.columns()); ++c)
      copy[static_cast<std::size_t>(c)] = row[columns_.group(c)];
    return copy.data() + first;
  }

  const PairColumns& columns_;
  PairFloors& floors_;
  const std::int32_t per_block_;
  bool whole_ = false;   // the columns are contiguous in the table
  bool single_ = false;  // each column has one node
  std::vector<float> weight_, own_weight_, latency_row_, bandwidth_row_, best_;
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
      ends_.push_back(std::move(ends));
    }
  }

  void add(PairSums& latency, PairSums& bandwidth, const Deadline& deadline) {
    std::int64_t looked = 0;
    for (std::int32_t a = 0; a < columns_.columns(); ++a) {
      const float *const us = columns_.latency(columns_.group(a)), *const Bps = columns_.bandwidth(columns_.group(a));
      set_floors(a, us, Bps);
      for (std::int32_t b = a; b < columns_.columns(); ++b) {
        looked += 16;
        if (looked > cells_per_look && deadline.expired()) throw PlacementError(STOCK_NO_TIME, no_time);
        if (looked > cells_per_look) looked = 0;
        if (a == b && columns_.members(a).size() < 2) continue;
        const std::int32_t group = columns_.group(b);
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
};

}  // namespace

PairFloors::PairFloors(const PairColumns& columns) : columns_(columns.columns()) {
  while (per_block_ < block_nodes && 2LL * per_block_ * columns.nodes() <= std::int64_t{block_nodes} * columns_)
    per_block_ *= 2;
  blocks_ = (columns_ + per_block_ - 1) / per_block_ + 1;
  stride_ = (blocks_ + floor_lanes - 1) / floor_lanes * floor_lanes;
  rough_ = per_block_ % kernel_lanes == 0 && !columns.has_terms();
  const std::size_t size = static_cast<std::size_t>(columns_ + 1) * static_cast<std::size_t>(stride_);
  first_.assign(size, infinite);
  if (!rough_) second_.assign(size, -1);
}

std::int32_t PairFloors::end(std::int32_t block) const {
  return block + 1 < blocks_ ? std::min((block + 1) * per_block_, columns_) : columns_ + 1;
}

PairScale measure_pairs(const PairColumns& columns, PairFloors& floors, const NlaWeights& weights,
                        const Deadline& deadline) {
  PairScale scale;
  find_bounds(columns, scale);
  PairSums latency, bandwidth;
  if (floors.is_rough()) {
    floors.measure = rough_load(columns, scale, weights);
    CellsByRow(columns, floors).add(latency, bandwidth, deadline);
  } else {
    CellByCell(columns, floors, scale).add(latency, bandwidth, deadline);
  }
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
