// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "common/util/error.hpp"

namespace placement {

bool TrafficTable::add(std::int32_t from, std::int32_t to, long double value) {
  if (from == to || value == 0) return true;
  if (static_cast<std::int64_t>(entries_.size()) >= max_entries_) return false;
  const auto whole = static_cast<std::int64_t>(value);
  const bool fraction = static_cast<long double>(whole) != value;
  if (fraction && values_.empty())
    for (const CommEdge& entry : entries_) values_.push_back(static_cast<long double>(entry.weight));
  if (fraction || !values_.empty()) values_.push_back(value);
  entries_.push_back({from, to, whole});
  return true;
}

// Multiplies the values by the least power of ten that makes them integers. If their sum would reach 2^62, multiplies
// them by the largest power that keeps the sum below it, and rounds them.
void TrafficTable::scale(MatrixInfo& info) {
  if (values_.empty()) return;
  long double sum = 0, unit = 1;
  for (const long double value : values_) sum += value;
  const auto is_whole = [&](long double value) {
    return std::abs(value * unit - std::rint(value * unit)) <= value * unit * 1e-18L;
  };
  while (!std::ranges::all_of(values_, is_whole)) {
    const long double next = std::pow(10.0L, info.scale_power + 1);
    info.rounded = sum * next >= 0x1p62L;
    if (info.rounded) break;
    unit = next;
    ++info.scale_power;
  }
  for (std::size_t i = 0; i < entries_.size(); ++i)
    entries_[i].weight = static_cast<std::int64_t>(std::floor(values_[i] * unit + (0.5L + 1e-17L)));
}

// Sorts the entries by (from, to) and adds up entries with equal (from, to).
void TrafficTable::sort_and_merge() {
  const auto ends = [](const CommEdge& entry) { return std::pair(entry.a, entry.b); };
  if (std::ranges::adjacent_find(entries_, std::greater_equal(), ends) == entries_.end()) return;
  std::ranges::sort(entries_, {}, ends);
  std::size_t kept = 0;
  for (const CommEdge& entry : entries_) {
    if (kept == 0 || entries_[kept - 1].a != entry.a || entries_[kept - 1].b != entry.b)
      entries_[kept++] = entry;
    else if (__builtin_add_overflow(entries_[kept - 1].weight, entry.weight, &entries_[kept - 1].weight))
      throw Error("the traffic from rank " + std::to_string(entry.a) + " to rank " + std::to_string(entry.b) +
                  " is 2^63 or more");
  }
  entries_.resize(kept);
}

// Removes the entries with from > to if the matrix is symmetric: each entry (from, to) has an entry (to, from) of equal
// weight. Returns whether it is. The entries must be sorted.
bool TrafficTable::drop_lower_half_if_equal(std::int32_t ranks) {
  // at[r] is the next entry of row r above the diagonal. The loop below meets its mirrored entries in order.
  std::vector<std::size_t> at(static_cast<std::size_t>(ranks), entries_.size());
  std::size_t upper = 0;
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].a > entries_[i].b) continue;
    at[entries_[i].a] = i;
    ++upper;
  }
  if (2 * upper != entries_.size()) return false;
  for (const CommEdge& entry : entries_) {
    if (entry.a < entry.b) continue;
    if (at[entry.b] == entries_.size()) return false;
    const CommEdge& twin = entries_[at[entry.b]++];
    if (twin.a != entry.b || twin.b != entry.a || twin.weight != entry.weight) return false;
  }
  std::erase_if(entries_, [](const CommEdge& entry) { return entry.a > entry.b; });
  return true;
}

CommMatrix TrafficTable::finish(std::int32_t ranks, bool full, std::string_view name, MatrixInfo& info) && {
  info.entries = entries();
  scale(info);
  values_ = {};
  return naming_file(std::string(name), [&] {
    if (full) {
      sort_and_merge();
      info.symmetric = drop_lower_half_if_equal(ranks);
    }
    return CommMatrix::from_edges(ranks, std::move(entries_));
  });
}

}  // namespace placement
