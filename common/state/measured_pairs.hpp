// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// One pair of nodes, measured by the MPI program placement-measure [NLA §4].
struct MeasuredPair {
  std::string a, b;       // names of the nodes; a comes before b
  double latency_us = 0;  // of a short message, one way
  double bandwidth_Bps = 0;
  std::int64_t at_s = 0;  // seconds since 1970
};

// A table of measured pairs is a text. Its first line has the names of the columns, each further line has one pair, and
// '#' starts a comment. `placectl select --pairs` reads it, too.
inline constexpr std::string_view measured_pairs_header = "u v latency_us bandwidth_Bps measured_at_s\n";

// The largest number of pairs in one table: those of 181 nodes.
inline constexpr std::size_t most_measured_pairs = 16384;
inline constexpr std::size_t most_measured_bytes = 2 << 20;

// Returns the line of one pair, with its line feed.
std::string measured_pair_line(const MeasuredPair& pair);

// Parses a table. `file` is the name for messages. Throws Error with file and line on another first line, a pair of a
// node with itself, and a value that is not in the range of a live state. Throws it also with a latency below 1 ns, a
// bandwidth below 1 byte/s, and more than most_measured_pairs pairs.
std::vector<MeasuredPair> read_measured_pairs(std::string_view text, const std::string& file);

}  // namespace placement
