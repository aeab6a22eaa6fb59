// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/topology_conf.hpp"

#include "config.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "common/topology/slurm_conf.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::string_view switch_keys[] = {"SwitchName", "Nodes", "Switches", "LinkSpeed"};
constexpr std::string_view block_keys[] = {"BlockName", "Nodes", "BlockSizes", "BlockLevels"};
constexpr std::string_view ring_keys[] = {"RingName", "Nodes"};
constexpr std::int64_t most_blocks_in_one = 1 << 15;      // Slurm's limit
constexpr std::int64_t most_nodes_of_block = UINT16_MAX;  // slurmctld keeps the first of BlockSizes in 16 bits
constexpr std::int64_t usual_blocks_in_one = 16;          // in the largest block, by default
// Whether Slurm removes a node from this topology if its Topology= names only other topologies: from Slurm 26.05 on.
constexpr bool leaves_other_topologies = std::string_view(SLURM_RELEASE) >= "26.05";
// The largest number of switches above a node, as the mean of all nodes. A fat tree has some hundred roots.
constexpr std::size_t most_switches_above = 512;
constexpr std::size_t names_of_few_nodes = 1 << 20;  // added to the limit, for machines with few nodes

using FileLine = std::pair<std::string, ConfLine>;  // with the name of the file that has the line

std::string_view first_key(const ConfLine& line) {
  return line.pairs.empty() ? std::string_view() : line.pairs[0].first;
}

// Throws Error unless each pair of the line has one of the keys. As in Slurm, the last value of a key counts.
void check_keys(const std::string& file, const ConfLine& line, std::span<const std::string_view> keys) {
  if (!line.rest.empty()) fail_at(file, line.number, "'" + shown(line.rest) + "' is not of the form Key=value");
  for (const auto& pair : line.pairs)
    if (std::ranges::none_of(keys, [&](auto known) { return equal_any_case(pair.first, known); }))
      fail_at(file, line.number,
              "unknown key " + shown(pair.first) + ": " + suggested(pair.first, keys, "the keys are"));
}

// The nodes of the machine, and the names in the file that are not among them.
class KnownNodes {
 public:
  // `topology` is the name of the topology in the file. A node's Topology= names its switch, block or ring after it.
  KnownNodes(std::span<const NodeShape> nodes, std::string_view topology, bool has_rings) {
    for (const NodeShape& node : nodes) {
      std::string_view path;  // the switches above the node from the top, or its block, or RING:POSITION
      for (const std::string_view word : split_at(node.topology, ','))
        if (word.starts_with(topology) && word.substr(topology.size()).starts_with(':'))
          path = word.substr(topology.size() + 1);
      std::string_view place = has_rings ? path.substr(0, path.find(':')) : path.substr(path.rfind(':') + 1);
      if (place.empty() && leaves_other_topologies) place = node.topology;  // this is no name of a place
      known_.emplace(node.name, place);
      name_of_host_.emplace(node.hostname, node.name);
      if (place.empty()) continue;
      nodes_of_[place].push_back(node.name);
      if (place.size() < path.size() && (paths_.empty() || paths_.back() != path)) paths_.push_back(path);
    }
  }

  // Returns the nodes of a switch, block or ring: those of Nodes= that name no place, then those that name this place.
  // As in Slurm, Nodes= may have a NodeHostname. Skips nodes that the machine does not have.
  std::vector<std::string> of(const ConfLine& line, const std::string& file) {
    std::vector<std::string> names, listed;
    if (const std::string* const list = line.value("Nodes")) listed = hosts_at(*list, file, line);
    count(listed.size(), file);
    for (std::string& name : listed) {
      auto known = known_.find(name);
      if (const auto host = name_of_host_.find(name); known == known_.end() && host != name_of_host_.end()) {
        name = host->second;
        known = known_.find(name);
      }
      if (known == known_.end())
        unknown_.push_back(std::move(name));
      else if (known->second.empty())
        names.push_back(std::move(name));
    }
    if (const auto own = nodes_of_.find(line.pairs[0].second); own != nodes_of_.end()) {
      count(own->second.size(), file);
      names.insert(names.end(), own->second.begin(), own->second.end());
    }
    return names;
  }

  // Counts the nodes of a switch or block. Throws Error if the sum over all of them would need much time or memory.
  void count(std::size_t names, const std::string& file) {
    counted_ += names;
    if (counted_ > names_of_few_nodes + most_switches_above * known_.size())
      throw Error(file + ": its switches have " + std::to_string(counted_) + " nodes together: at most " +
                  std::to_string(most_switches_above) + " switches can be above a node");
  }
  const std::vector<std::string>& unknown() const { return unknown_; }
  const std::vector<std::string_view>& paths() const { return paths_; }

 private:
  std::unordered_map<std::string_view, std::string_view> known_;         // the place that each node names; empty: none
  std::unordered_map<std::string_view, std::string_view> name_of_host_;  // the first node of each NodeHostname
  std::unordered_map<std::string_view, std::vector<std::string>> nodes_of_;
  std::vector<std::string_view> paths_;  // of nodes that name two switches or more
  std::vector<std::string> unknown_;
  std::size_t counted_ = 0;
};

// Adds the switch `name` below the switch of lines[above].
void add_below(std::vector<FileLine>& lines, std::size_t above, const std::string& name) {
  auto& [file, line] = lines[above];
  const auto switches =  // the last one counts
      std::find_if(line.pairs.rbegin(), line.pairs.rend(),
                   [](const auto& pair) { return equal_any_case(pair.first, "Switches"); });
  if (switches == line.pairs.rend())
    line.pairs.emplace_back("Switches", name);
  else
    switches->second += "," + name;
  const FileLine added{file, ConfLine{line.number, {{"SwitchName", name}}, {}}};
  lines.push_back(added);
}

// Adds the switches of a node's path that the file does not describe, each below the one before it, as Slurm does.
void add_missing_switches(std::vector<FileLine>& lines, const std::vector<std::string_view>& paths) {
  std::unordered_map<std::string, std::size_t> number_of;
  for (std::size_t s = 0; s < lines.size(); ++s)
    if (const std::string* name = lines[s].second.value("SwitchName")) number_of.emplace(*name, s);
  for (const std::string_view path : paths) {
    std::size_t above = lines.size();
    for (const std::string_view name : split_at(path, ':')) {
      const auto [found, is_new] = number_of.emplace(name, lines.size());
      if (is_new && (above == lines.size() || lines[above].second.value("Nodes"))) {  // it has no place in the tree
        number_of.erase(found);
        break;
      }
      if (is_new) add_below(lines, above, std::string(name));
      above = found->second;
    }
  }
}

// Returns the switches, each after its children. There is no recursion, because a chain may have all switches.
std::vector<std::size_t> bottom_up(const std::vector<std::vector<std::size_t>>& children,
                                   const std::vector<SwitchRecord>& switches, const std::string& file) {
  std::vector<std::size_t> waits_for, order;
  std::vector<std::vector<std::size_t>> above(switches.size());
  for (std::size_t s = 0; s < switches.size(); ++s) {
    waits_for.push_back(children[s].size());
    for (const std::size_t child : children[s]) above[child].push_back(s);
    if (children[s].empty()) order.push_back(s);
  }
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const std::size_t s : above[order[at]])
      if (--waits_for[s] == 0) order.push_back(s);
  for (std::size_t s = 0; s < switches.size(); ++s)
    if (waits_for[s] != 0)
      throw Error(file + ": switch " + shown(switches[s].name) + " is above itself, or above a switch that is");
  return order;
}

// Reads the switches or the rings of a file. A switch may be named before the line that describes it.
std::vector<SwitchRecord> read_switch_lines(std::span<const FileLine> lines, const std::string& name, KnownNodes& nodes,
                                            std::span<const std::string_view> keys) {
  const std::string first(keys[0]);
  std::vector<SwitchRecord> switches;
  std::unordered_map<std::string, std::size_t> number_of;
  take_lines(lines, [&](const FileLine& each) {
    const auto& [file, line] = each;
    if (!equal_any_case(first_key(line), first))
      fail_at(file, line.number, "expected a line that starts with " + first + "=");
    check_keys(file, line, keys);
    const std::string& own = line.pairs[0].second;
    if (!number_of.emplace(own, switches.size()).second)
      fail_at(file, line.number, first + "=" + shown(own) + " is given twice");
    if (line.value("Nodes") && line.value("Switches"))
      fail_at(file, line.number, "switch " + shown(own) + " has Nodes= and Switches=: keep one of them");
    switches.push_back({own, 0, nodes.of(line, file)});
  });
  std::vector<std::vector<std::size_t>> children(switches.size());
  take_lines(lines, [&](const FileLine& each) {
    const auto& [file, line] = each;
    const std::string* list = line.value("Switches");
    if (!list) return;
    for (const std::string& child : hosts_at(*list, file, line)) {
      const auto found = number_of.find(child);
      if (found == number_of.end()) fail_at(file, line.number, "switch " + shown(child) + " has no SwitchName line");
      children[static_cast<std::size_t>(&each - lines.data())].push_back(found->second);
    }
  });
  for (const std::size_t s : bottom_up(children, switches, name)) {
    std::unordered_set<std::string_view> seen;
    for (const std::size_t child : children[s]) {
      switches[s].level = std::max(switches[s].level, switches[child].level + 1);
      if (switches[s].level == most_levels)
        throw Error(name + ": more than " + std::to_string(most_levels) + " levels of switches");
      for (const std::string& node : switches[child].nodes)
        if (seen.insert(node).second) switches[s].nodes.push_back(node);
    }
    if (!children[s].empty()) nodes.count(switches[s].nodes.size(), name);
  }
  return switches;
}

// Returns the numbers of blocks in the larger blocks, ascending.
std::vector<std::int64_t> read_block_sizes(const std::string& file, const ConfLine& line) {
  const std::string& list = line.pairs[0].second;
  std::vector<std::int64_t> in_one;
  std::int64_t first = 0;
  for (const std::string_view word : split_at(list, ',')) {
    if (word.empty() && list.find_first_not_of(',') != list.npos) continue;  // as Slurm does
    const std::int64_t size = parse_integer(word).value_or(0);
    if (first == 0) first = size;
    const std::int64_t count = first > 0 ? size / first : 0;
    if (size < 1 || first > most_nodes_of_block || size % first != 0 ||
        !std::has_single_bit(static_cast<std::uint64_t>(count)) || count > most_blocks_in_one)
      fail_at(file, line.number,
              "BlockSizes=" + shown(list) + ": '" + shown(word) +
                  "' is not a valid size: expected the first size, at most 65535, times a power of two, as in 4,8,32");
    in_one.push_back(count);
  }
  std::ranges::sort(in_one);
  in_one.erase(std::unique(in_one.begin(), in_one.end()), in_one.end());
  return in_one;
}

// Adds larger blocks, each of up to `count` blocks. `smaller` is the number in a block of the next smaller size.
void add_larger_blocks(std::span<const SwitchRecord> blocks, std::size_t count, std::size_t smaller,
                       std::vector<SwitchRecord>& records) {
  for (std::size_t first = 0; blocks.size() > first + smaller; first += count) {
    SwitchRecord larger{"", static_cast<std::int64_t>(count), {}};
    std::vector<std::string> names;
    for (const SwitchRecord& block : blocks.subspan(first, std::min(count, blocks.size() - first))) {
      names.push_back(block.name);
      larger.nodes.insert(larger.nodes.end(), block.nodes.begin(), block.nodes.end());
    }
    larger.name = compress_hostlist(names);
    records.push_back(std::move(larger));
  }
}

std::vector<SwitchRecord> read_block_lines(std::span<const FileLine> lines, const std::string& name,
                                           KnownNodes& nodes) {
  std::unordered_set<std::string> names;
  std::vector<SwitchRecord> blocks;
  std::vector<std::int64_t> in_one;
  take_lines(lines, [&](const FileLine& each) {
    const auto& [file, line] = each;
    const std::string_view first = first_key(line);
    const bool sizes = equal_any_case(first, "BlockSizes"), levels = equal_any_case(first, "BlockLevels");
    if (!sizes && !levels && !equal_any_case(first, "BlockName"))
      fail_at(file, line.number, "expected a line that starts with BlockName=, BlockSizes= or BlockLevels=");
    check_keys(file, line, block_keys);
    if (sizes || levels) {
      if (line.pairs.size() > 1) fail_at(file, line.number, std::string(first) + "= takes a line of its own");
      in_one = sizes ? read_block_sizes(file, line) : std::vector<std::int64_t>{1};
      return;
    }
    if (!names.insert(line.pairs[0].second).second)
      fail_at(file, line.number, "block " + shown(line.pairs[0].second) + " is given twice");
    blocks.push_back({line.pairs[0].second, 0, nodes.of(line, file)});
  });
  if (blocks.empty()) throw Error(name + ": has no BlockName line");
  if (in_one.empty() && std::ranges::all_of(blocks, [](const SwitchRecord& block) { return block.nodes.empty(); }))
    throw Error(name + ": no block has nodes of slurm.conf, and there is no BlockSizes line: give one of them");
  if (in_one.empty())
    for (std::int64_t count = 1; count <= usual_blocks_in_one; count *= 2) in_one.push_back(count);
  std::vector<SwitchRecord> records = blocks;
  for (std::size_t size = 0; size < in_one.size(); ++size)
    if (in_one[size] > 1) add_larger_blocks(blocks, in_one[size], size > 0 ? in_one[size - 1] : 1, records);
  return records;
}

bool is_of_blocks(const ConfLine& line) {
  const std::string_view first = first_key(line);
  return equal_any_case(first, "BlockName") || equal_any_case(first, "BlockSizes") ||
         equal_any_case(first, "BlockLevels");
}

// The content of a file: blocks, or switches, or rings.
struct ConfPlaces {
  bool are_blocks = false;
  std::vector<SwitchRecord> records = {};
};

ConfPlaces read_conf(std::string_view text, const std::string& name, std::span<const NodeShape> nodes,
                     std::string* warning, std::string_view topology) {
  std::vector<FileLine> lines;
  for_each_conf_line(name, text,
                     [&](const std::string& file, const ConfLine& line) { lines.emplace_back(file, line); });
  if (lines.empty()) return {};
  const bool blocks = is_of_blocks(lines[0].second), rings = equal_any_case(first_key(lines[0].second), "RingName");
  KnownNodes known(nodes, topology, rings);
  if (!blocks && !rings) add_missing_switches(lines, known.paths());
  ConfPlaces places{blocks, blocks  ? read_block_lines(lines, name, known)
                            : rings ? read_switch_lines(lines, name, known, ring_keys)
                                    : read_switch_lines(lines, name, known, switch_keys)};
  if (warning) *warning = unknown_nodes(name, known.unknown());
  return places;
}

}  // namespace

std::vector<SwitchShape> parse_topology_conf(std::string_view text, const std::string& name,
                                             std::span<const NodeShape> nodes, std::string* warning,
                                             std::string_view topology) {
  auto [are_blocks, records] = read_conf(text, name, nodes, warning, topology);
  return are_blocks ? tree_of_blocks(std::move(records), nodes) : forest_of(std::move(records), nodes);
}

std::vector<SwitchRecord> parse_topology_places(std::string_view text, const std::string& name,
                                                std::span<const NodeShape> nodes, std::string_view topology) {
  return read_conf(text, name, nodes, nullptr, topology).records;
}

}  // namespace placement
