// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "common/state/pair_arrays.hpp"

namespace placement::tools {

// Returns what the table knows about two nodes, which are indices into the nodes of the LiveState. It is the cell of
// their groups, corrected by the values of the nodes. If the table has no groups, nothing is known.
inline PairArrays::Cell node_pair(const PairTable& table, std::int32_t a, std::int32_t b) {
  if (table.groups == 0) return {};
  PairArrays::Cell cell = pair_cell(table, table.group_of_node[a], table.group_of_node[b]);
  if (!table.node_latency_us.empty()) cell.latency_us += table.node_latency_us[a] + table.node_latency_us[b];
  if (!table.node_bandwidth_Bps.empty())
    for (const std::int32_t end : {a, b})  // NaN, a node without a known bound, does not limit the bandwidth
      if (table.node_bandwidth_Bps[end] < cell.bandwidth_Bps) cell.bandwidth_Bps = table.node_bandwidth_Bps[end];
  return cell;
}

// Returns the forecast for two nodes if their cell contains only them. Otherwise the result names no predictor.
inline PairArrays::CellForecast node_forecast(const PairTable& table, std::int32_t a, std::int32_t b) {
  if (table.groups == 0) return {};
  return pair_forecast(table, table.group_of_node[a], table.group_of_node[b]);
}

}  // namespace placement::tools
