// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "netload/compute_load.hpp"
#include "netload/network_load.hpp"

namespace placement::netload {

// Nodes and pairs as text tables. The first line has the names of the columns; each further line has one node or pair.
// Columns are separated by one tab, or by blanks if the first line has no tab. '#' starts a comment. A value is a
// number, at least 0, and at least 1 in the column cores. "-" and "NA" mean an unknown value, as does an empty field
// between tabs.

// The nodes of a table. `table` has their attributes in the order of `names`.
struct NamedNodes {
  std::vector<std::string> names;
  NodeTable table;
};

// Parses a table of nodes. Its columns are `node` and names of node_attributes(). If used memory is absent, it is total
// minus available memory. `file` is the name for messages. Throws Error with file and line for an unknown or repeated
// column, a wrong value, a repeated node, no node, or more than max_table_nodes nodes.
NamedNodes read_node_table(std::string_view text, const std::string& file);

// Parses a table of pairs of the nodes `names`. Its columns are u, v, and any of latency_us, bandwidth_Bps and
// bandwidth_missing_Bps. The column measured_at_s of placement-measure is ignored. When a pair is given in both
// directions, its value is the mean. Throws Error with file and line on an unknown or repeated column, a wrong value or
// an unknown node. Also throws it for a pair of a node with itself, and for a direction that is given twice.
DensePairs read_pair_table(std::string_view text, const std::string& file, const std::vector<std::string>& names);

// The largest number of nodes in a table, because all pairs are stored.
inline constexpr std::size_t max_table_nodes = 8192;

}  // namespace placement::netload
