// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/node_switches.hpp"

#include <algorithm>

#include "common/topology/topology_yaml.hpp"

namespace placement::monitor {

constexpr double good_for_s = 3600, bad_for_s = 60;
constexpr double slow_s = 0.1, pauses = 4;
constexpr double times_the_wait = 20;  // a failure that took long is kept longer, because nothing is heard meanwhile

NodeSwitches node_switches(std::span<const SwitchShape> switches, std::size_t nodes) {
  NodeSwitches found;
  found.leaf_of_node.assign(nodes, -1);
  std::vector<std::int32_t> switch_of_leaf;
  for (std::size_t s = 0; s < switches.size(); ++s) {
    if (switches[s].nodes.empty()) continue;
    for (const std::int32_t node : switches[s].nodes)
      found.leaf_of_node[node] = static_cast<std::int32_t>(switch_of_leaf.size());
    switch_of_leaf.push_back(static_cast<std::int32_t>(s));
  }
  if (std::ranges::find(found.leaf_of_node, -1) != found.leaf_of_node.end()) {
    std::ranges::replace(found.leaf_of_node, -1, static_cast<std::int32_t>(switch_of_leaf.size()));
    switch_of_leaf.push_back(-1);
  }
  found.leaves = static_cast<std::int32_t>(switch_of_leaf.size());
  // Finds the way up from each leaf. All switches without a parent hang on a root that has no name.
  const auto n = static_cast<std::size_t>(found.leaves);
  std::vector<std::vector<std::int32_t>> way(n);
  std::size_t longest = 0;
  for (std::size_t leaf = 0; leaf < n; ++leaf) {
    for (std::int32_t s = switch_of_leaf[leaf]; s >= 0 && way[leaf].size() <= switches.size(); s = switches[s].parent)
      way[leaf].push_back(s);
    longest = std::max(longest, way[leaf].size());
  }
  found.hops.assign(n * n, 2);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const auto common = std::ranges::find_first_of(way[a], way[b]);
      const auto up = common == way[a].end() ? longest : static_cast<std::size_t>(common - way[a].begin());
      found.hops[a * n + b] = static_cast<std::int32_t>(2 + 2 * std::max<std::size_t>(up, 1));
    }
  for (std::size_t a = 0; a < n; ++a)  // makes the hops symmetric where the ways up have different lengths
    for (std::size_t b = 0; b < a; ++b)
      found.hops[a * n + b] = found.hops[b * n + a] = std::max(found.hops[a * n + b], found.hops[b * n + a]);
  return found;
}

NodeSwitches read_node_switches(const std::string& slurm_conf, std::span<const NodeShape> nodes, std::string* warning) {
  return node_switches(read_switches(slurm_conf, nodes, warning), nodes.size());
}

const std::vector<protocol::NetAddress>& AddressCache::find(const std::string& address, double now_s) {
  Entry& entry = entries_[address];
  if (entry.until_s > now_s || pause_until_s_ > now_s) return entry.addresses;
  const double began_s = protocol::steady_s();
  entry.addresses = resolve_(address, 0);
  const double took_s = protocol::steady_s() - began_s;
  if (took_s > slow_s) pause_until_s_ = now_s + (entry.addresses.empty() ? 1 + pauses : 2) * took_s;
  entry.until_s = now_s + (entry.addresses.empty() ? std::max(bad_for_s, times_the_wait * took_s) : good_for_s);
  return entry.addresses;
}

}  // namespace placement::monitor
