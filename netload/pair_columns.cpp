// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/pair_columns.hpp"

#include <algorithm>

namespace placement::netload {

PairColumns::PairColumns(const PairTable& table, std::span<const std::int32_t> state_of) : table_(&table) {
  const auto groups = static_cast<std::size_t>(std::max(table.groups, 0));
  std::vector<std::int32_t> count(groups + 1, 0);
  group_of_.reserve(state_of.size());
  for (const std::int32_t state : state_of) {
    const bool known = state >= 0 && static_cast<std::size_t>(state) < table.group_of_node.size();
    const std::int32_t group = known ? table.group_of_node[static_cast<std::size_t>(state)] : -1;
    group_of_.push_back(group >= 0 && group < table.groups ? group : -1);
    ++count[group_of_.back() >= 0 ? static_cast<std::size_t>(group) : groups];
  }
  // Counting sort by group. Candidates without a group come last.
  std::vector<std::int32_t> column(groups + 1, 0);
  begin_.assign(1, 0);
  for (std::size_t g = 0; g <= groups; ++g) {
    column[g] = columns();
    if (count[g] == 0 && g < groups) continue;
    if (g < groups) group_.push_back(static_cast<std::int32_t>(g));
    begin_.push_back(begin_.back() + count[g]);
  }
  std::vector<std::int32_t> next = begin_;
  members_.resize(group_of_.size());
  column_of_.reserve(group_of_.size());
  for (std::size_t c = 0; c < group_of_.size(); ++c) {
    column_of_.push_back(column[group_of_[c] >= 0 ? static_cast<std::size_t>(group_of_[c]) : groups]);
    members_[static_cast<std::size_t>(next[static_cast<std::size_t>(column_of_.back())]++)] =
        static_cast<std::int32_t>(c);
  }
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
