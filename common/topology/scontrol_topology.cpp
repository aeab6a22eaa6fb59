// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/scontrol_topology.hpp"

#include <cstdint>
#include <string>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::size_t max_names = 4 * max_hosts;  // in all switches together: each level repeats the nodes below it

std::int64_t number(std::string_view key, std::string_view value) {
  const auto parsed = parse_integer(value);
  if (!parsed) throw Error("topology: " + std::string(key) + "=" + shown(value) + " is not a number");
  return *parsed;
}

// Returns the switches and blocks of the output. The level of an aggregated block is its size, and the level of any
// other block is 0.
std::vector<SwitchRecord> records_of(std::string_view text) {
  std::vector<SwitchRecord> records;
  std::size_t names = 0;
  for (const std::string_view line : split_at(text, '\n')) {
    auto pairs = scontrol_pairs(line);
    const bool aggregated = pairs.contains("AggregatedBlock");
    for (const std::string_view key : {"SwitchName", "BlockName", "RingName", "AggregatedBlock"}) {
      if (!pairs.contains(key)) continue;
      const std::string_view size = aggregated ? "BlockSize" : "Level", nodes = pairs["Nodes"];
      records.push_back({std::string(pairs[key]), pairs.contains(size) ? number(size, pairs[size]) : 0, {}});
      if (!aggregated && records.back().level >= most_levels)
        throw Error("topology: more than " + std::to_string(most_levels) + " levels of switches");
      if (!nodes.empty()) records.back().nodes = expand_hostlist(nodes);
      if ((names += records.back().nodes.size()) > max_names) throw Error("topology: its switches have too many nodes");
    }
  }
  return records;
}

}  // namespace

std::map<std::string_view, std::string_view> scontrol_pairs(std::string_view line) {
  std::map<std::string_view, std::string_view> pairs;
  for (const std::string_view word : split_words(line))
    if (const std::size_t is = word.find('='); is != word.npos) pairs.emplace(word.substr(0, is), word.substr(is + 1));
  return pairs;
}

std::vector<SwitchShape> parse_scontrol_topology(std::string_view text, std::span<const NodeShape> nodes) {
  return text.find("BlockName=") != text.npos ? tree_of_blocks(records_of(text), nodes)
                                              : forest_of(records_of(text), nodes);
}

}  // namespace placement
