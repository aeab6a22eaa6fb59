// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "common/state/pair_arrays.hpp"

namespace placement {

// What the table tells of two nodes, which are indices into the nodes of the LiveState: the cell of their
// groups with what the nodes themselves add. Nothing is known where there are no groups.
inline PairArrays::Cell node_pair(const PairTable& table, std::int32_t a, std::int32_t b) {
  if (table.groups == 0) return {};
  PairArrays::Cell cell = pair_cell(table, table.group_of_node[a], table.group_of_node[b]);
  if (!table.node_latency_us.empty()) cell.latency_us += table.node_latency_us[a] + table.node_latency_us[b];
  if (!table.node_bandwidth_Bps.empty())
    for (const std::int32_t end : {a, b})  // an end that is not known is no bound
      if (table.node_bandwidth_Bps[end] < cell.bandwidth_Bps) cell.bandwidth_Bps = table.node_bandwidth_Bps[end];
  return cell;
}

// Where a cell is just these two nodes, whose forecast its values are; nothing where it is told of more.
inline PairArrays::CellForecast node_forecast(const PairTable& table, std::int32_t a, std::int32_t b) {
  if (table.groups == 0) return {};
  return pair_forecast(table, table.group_of_node[a], table.group_of_node[b]);
}

}  // namespace placement
