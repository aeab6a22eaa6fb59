// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/switch_forest.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace placement {

namespace {

class Forest {
 public:
  explicit Forest(std::span<const NodeShape> nodes) : switch_of_(nodes.size(), nowhere) {
    for (std::size_t n = 0; n < nodes.size(); ++n) index_of_.emplace(nodes[n].name, static_cast<std::int32_t>(n));
  }

  // Adds a switch or block, after all of lower levels. Ignores one without a known node, and one whose nodes are all
  // below switches of its level already.
  void add(const SwitchRecord& record) {
    const auto self = static_cast<std::int32_t>(switches.size());
    switches.push_back({record.name, nowhere, {}});
    levels_.push_back(record.level);
    above_.push_back(self);
    bool holds = false;
    for (const std::string& name : record.nodes)
      if (const auto found = index_of_.find(name); found != index_of_.end()) holds = hang(found->second, self) || holds;
    if (holds) return;
    switches.pop_back();
    levels_.pop_back();
    above_.pop_back();
  }

  std::vector<SwitchShape> switches;

 private:
  static constexpr std::int32_t nowhere = -1;

  // Attaches the node, or the highest switch above it, to the switch `self`. Returns false if that switch is not lower.
  bool hang(std::int32_t node, std::int32_t self) {
    if (switch_of_[node] == nowhere) {
      switch_of_[node] = self;
      switches[self].nodes.push_back(node);
      return true;
    }
    const std::int32_t top = top_of(switch_of_[node]);
    if (top == self) return true;
    if (levels_[top] >= levels_[self]) return false;
    switches[top].parent = self;
    above_[top] = self;
    return true;
  }

  // Returns the highest switch above `one`. Shortens the path to it, because a chain may contain all switches.
  std::int32_t top_of(std::int32_t one) {
    while (above_[one] != one) one = above_[one] = above_[above_[one]];
    return one;
  }

  std::unordered_map<std::string, std::int32_t> index_of_;
  std::vector<std::int32_t> switch_of_;  // per node
  std::vector<std::int64_t> levels_;     // per switch
  std::vector<std::int32_t> above_;      // per switch: itself, or some switch above it
};

}  // namespace

std::vector<SwitchShape> forest_of(std::vector<SwitchRecord> records, std::span<const NodeShape> nodes) {
  std::ranges::stable_sort(records, [](const SwitchRecord& a, const SwitchRecord& b) { return a.level < b.level; });
  // Slurm ranks a node of several leaf switches by the last one.
  std::unordered_set<std::string> seen;
  for (auto leaf = records.rbegin(); leaf != records.rend(); ++leaf)
    if (leaf->level == records[0].level)
      std::erase_if(leaf->nodes, [&](const std::string& node) { return !seen.insert(node).second; });
  Forest forest(nodes);
  for (const SwitchRecord& record : records) forest.add(record);
  return std::move(forest.switches);
}

std::vector<SwitchShape> tree_of_blocks(std::vector<SwitchRecord> records, std::span<const NodeShape> nodes) {
  std::vector<SwitchShape> blocks = forest_of(std::move(records), nodes);
  const auto is_top = [](const SwitchShape& block) { return block.parent < 0; };
  if (std::ranges::count_if(blocks, is_top) < 2) return blocks;
  const auto joined = static_cast<std::int32_t>(blocks.size());
  for (SwitchShape& block : blocks)
    if (is_top(block)) block.parent = joined;
  blocks.push_back({"all blocks", -1, {}});
  return blocks;
}

}  // namespace placement
