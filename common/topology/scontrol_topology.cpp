// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/scontrol_topology.hpp"

#include <cstdint>
#include <string>

#include "common/topology/switch_forest.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

std::int64_t number(std::string_view key, std::string_view value) {
  const auto parsed = parse_integer(value);
  if (!parsed) throw Error("topology: " + std::string(key) + "=" + shown(value) + " is not a number");
  return *parsed;
}

// Returns the switches and blocks of the output. The level of an aggregated block is its size, that of another block 0.
std::vector<SwitchRecord> records_of(std::string_view text) {
  std::vector<SwitchRecord> records;
  for (const std::string_view line : split_at(text, '\n')) {
    SwitchRecord record;
    bool aggregated = false, known = false;
    for (const std::string_view word : split_words(line)) {
      const std::size_t is = word.find('=');
      if (is == word.npos) continue;
      const std::string_view key = word.substr(0, is), value = word.substr(is + 1);
      if (key == "SwitchName" || key == "BlockName" || key == "RingName" || key == "AggregatedBlock") {
        record.name = value;
        aggregated = key == "AggregatedBlock";
        known = true;
      } else if (key == "Level" || (key == "BlockSize" && aggregated)) {
        record.level = number(key, value);
      } else if (key == "Nodes" && !value.empty()) {
        record.nodes = expand_hostlist(value);
      }
    }
    if (known) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

std::vector<SwitchShape> parse_scontrol_topology(std::string_view text, std::span<const NodeShape> nodes) {
  return text.find("BlockName=") != text.npos ? tree_of_blocks(records_of(text), nodes)
                                              : forest_of(records_of(text), nodes);
}

}  // namespace placement
