// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "netload/compute_load.hpp"
#include "netload/network_load.hpp"

namespace placement {

// Nodes and pairs as plain tables: one line with the names of the columns, then one per node or pair. Columns are
// apart by one tab each or, when the first line has none, by blanks; '#' starts a comment. A value is a number of
// 0 or more, of cores 1 or more; "-", "NA" or, between tabs, nothing says that it is not known.

struct NamedNodes {
  std::vector<std::string> names;
  NodeTable table;
};

// Columns: node, and the names of node_attributes(). Used memory that is absent is memory minus what is available.
// Throws Error naming file and line on an unknown or repeated column, a value that is none, a node named twice, no node.
NamedNodes read_node_table(std::string_view text, const std::string& file);

// Columns: u, v, and any of latency_us, bandwidth_Bps, bandwidth_missing_Bps. A pair may be given in both directions,
// and then has the mean; one of a node with itself is passed over. Throws Error likewise, and on a node that is not
// among `names` and a direction that is given twice.
DensePairs read_pair_table(std::string_view text, const std::string& file, const std::vector<std::string>& names);

// The most nodes for which all pairs are kept.
inline constexpr std::size_t max_table_nodes = 8192;

}  // namespace placement
