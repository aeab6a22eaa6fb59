// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/pair_columns.hpp"

#include <map>
#include <utility>

namespace placement::netload {

PairColumns::PairColumns(const PairTable& table, std::span<const std::int32_t> state_of) : table_(&table) {
  std::map<std::int32_t, std::vector<std::int32_t>> of_group;
  std::vector<std::int32_t> without;  // a group
  for (std::size_t c = 0; c < state_of.size(); ++c) {
    const std::int32_t state = state_of[c];
    const bool known = state >= 0 && static_cast<std::size_t>(state) < table.group_of_node.size();
    const std::int32_t group = known ? table.group_of_node[static_cast<std::size_t>(state)] : -1;
    group_of_.push_back(group >= 0 && group < table.groups ? group : -1);
    (group_of_.back() >= 0 ? of_group[group] : without).push_back(static_cast<std::int32_t>(c));
  }
  column_of_.assign(group_of_.size(), static_cast<std::int32_t>(of_group.size()));
  for (auto& [group, nodes] : of_group) {
    for (const std::int32_t node : nodes) column_of_[static_cast<std::size_t>(node)] = columns();
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
