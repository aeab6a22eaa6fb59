// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/scontrol_topology.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

// One line of the output: a switch or a block.
struct Record {
  std::string name;
  std::int64_t level = 0;  // Level= of a switch; BlockSize= of an aggregated block; 0 of another block
  std::string_view nodes;
};

std::int64_t number(std::string_view key, std::string_view value) {
  const auto parsed = parse_integer(value);
  if (!parsed) throw Error("topology: " + std::string(key) + "=" + shown(value) + " is no number");
  return *parsed;
}

// Returns the switches and blocks of the output, those of the lowest level first.
std::vector<Record> records_of(std::string_view text) {
  std::vector<Record> records;
  for (const std::string_view line : split_at(text, '\n')) {
    Record record;
    bool aggregated = false, known = false;
    for (const std::string_view word : split_words(line)) {
      const std::size_t is = word.find('=');
      if (is == word.npos) continue;
      const std::string_view key = word.substr(0, is), value = word.substr(is + 1);
      if (key == "SwitchName" || key == "BlockName" || key == "AggregatedBlock") {
        record.name = value;
        aggregated = key == "AggregatedBlock";
        known = true;
      } else if (key == "Level" || (key == "BlockSize" && aggregated)) {
        record.level = number(key, value);
      } else if (key == "Nodes") {
        record.nodes = value;
      }
    }
    if (known) records.push_back(std::move(record));
  }
  std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.level < b.level; });
  return records;
}

// Builds the switches of the result.
class Forest {
 public:
  explicit Forest(std::span<const NodeShape> nodes) : switch_of_(nodes.size(), nowhere) {
    for (std::size_t n = 0; n < nodes.size(); ++n) index_of_.emplace(nodes[n].name, static_cast<std::int32_t>(n));
  }

  // Adds a switch or block. Those of lower levels must be added first. One that holds no known node, or whose nodes all
  // are below switches of its level already, is left out.
  void add(const Record& record) {
    const auto self = static_cast<std::int32_t>(switches.size());
    switches.push_back({record.name, nowhere, {}});
    levels_.push_back(record.level);
    bool holds = false;
    if (!record.nodes.empty())
      for (const std::string& name : expand_hostlist(record.nodes))
        if (const auto found = index_of_.find(name); found != index_of_.end())
          holds = hang(found->second, self) || holds;
    if (holds) return;
    switches.pop_back();
    levels_.pop_back();
  }

  std::vector<SwitchShape> switches;

 private:
  static constexpr std::int32_t nowhere = -1;

  // Attaches the node, or the highest switch above it, to the switch `self`. Returns false when that highest switch is
  // not of a lower level than `self`.
  bool hang(std::int32_t node, std::int32_t self) {
    std::int32_t top = switch_of_[node];
    if (top == nowhere) {
      switch_of_[node] = self;
      switches[self].nodes.push_back(node);
      return true;
    }
    while (switches[top].parent != nowhere) top = switches[top].parent;
    if (top == self) return true;
    if (levels_[top] >= levels_[self]) return false;
    switches[top].parent = self;
    return true;
  }

  std::unordered_map<std::string, std::int32_t> index_of_;
  std::vector<std::int32_t> switch_of_;  // per node
  std::vector<std::int64_t> levels_;     // per switch
};

}  // namespace

std::vector<SwitchShape> parse_scontrol_topology(std::string_view text, std::span<const NodeShape> nodes) {
  Forest forest(nodes);
  for (const Record& record : records_of(text)) forest.add(record);
  return std::move(forest.switches);
}

}  // namespace placement
