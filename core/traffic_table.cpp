// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/traffic_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace placement {

bool TrafficTable::add(std::int32_t from, std::int32_t to, const Decimal& value) {
  if (from == to || value.digits == 0) return true;
  if (static_cast<std::int64_t>(entries_.size()) >= max_entries_) return false;
  if (value.exponent != 0) exponents_.resize(entries_.size());
  if (value.exponent != 0 || !exponents_.empty()) exponents_.push_back(value.exponent);
  entries_.push_back({from, to, value.digits});
  return true;
}

void TrafficTable::scale(MatrixInfo& info) {
  if (exponents_.empty()) return;
  const std::int32_t most_digits = -*std::min_element(exponents_.begin(), exponents_.end());
  double sum = 0;
  std::int32_t exponent = 0;
  double unit = 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (exponents_[i] != exponent) unit = std::pow(10.0, exponent = exponents_[i]);
    sum += static_cast<double>(entries_[i].weight) * unit;
  }
  // pow may be off in its last bits: half of 2^63 is left unused.
  const double room = sum > 0 ? std::floor(62 * std::log10(2.0) - std::log10(sum)) : most_digits;
  info.scale_power = static_cast<std::int32_t>(std::clamp<double>(room, 0, most_digits));
  bool exact = true;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    entries_[i].weight = scaled({entries_[i].weight, exponents_[i]}, info.scale_power, exact);
  info.rounded = !exact;
}

CommMatrix TrafficTable::finish(std::int32_t ranks, bool full, std::string_view name, MatrixInfo& info) && {
  info.entries = static_cast<std::int64_t>(entries_.size());
  scale(info);
  exponents_ = {};
  try {
    if (full) {
      const auto lower_begin = std::stable_partition(
          entries_.begin(), entries_.end(), [](const CommEdge& entry) { return entry.a < entry.b; });
      __int128 upper_sum = 0;
      __int128 lower_sum = 0;
      for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
        (entry < lower_begin ? upper_sum : lower_sum) += entry->weight;
      if (upper_sum == lower_sum) {
        CommMatrix upper = CommMatrix::from_edges(ranks, {entries_.begin(), lower_begin});
        if (upper == CommMatrix::from_edges(ranks, {lower_begin, entries_.end()})) {
          info.symmetric = true;
          return upper;
        }
      }
    }
    return CommMatrix::from_edges(ranks, std::move(entries_));
  } catch (const Error& error) {
    throw Error(std::string(name) + ": " + error.what());
  }
}

}  // namespace placement
