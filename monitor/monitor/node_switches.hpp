// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/topology/switch_tree.hpp"
#include "monitor/monitor/pair_model.hpp"
#include "monitor/protocol/messages.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::monitor {

// Returns the leaf switches of `nodes`, read from topology_file(slurm_conf). In a topology.yaml, the topology of the
// cluster counts, not those of partitions. Without a file or switches, all nodes are on one leaf switch.
// NodeShape::name and NodeShape::topology of `nodes` are used. `warning` names the nodes of the file that are not among
// `nodes`. Throws Error with the name of the file and the line.
NodeSwitches read_node_switches(const std::string& slurm_conf, std::span<const NodeShape> nodes,
                                std::string* warning = nullptr);

// Returns the leaf switch of each node and the hops between leaf switches. The lowest switch above a node is its leaf
// switch; nodes below no switch share one. There are two hops within a leaf switch, and two more for each level up.
NodeSwitches node_switches(std::span<const SwitchShape> switches, std::size_t nodes);

// Caches the addresses of hosts for an hour, and failures for a minute or twenty times as long as the lookup took.
class AddressCache {
 public:
  explicit AddressCache(decltype(protocol::resolve)* resolve = protocol::resolve) : resolve_(resolve) {}
  // Returns the addresses of a host, with port 0, or none when the resolver knows none. May block for a lookup. After a
  // lookup of more than 0.1 s, there is no other one for its duration, or four times its duration if it found nothing.
  // Then find() returns what is cached.
  const std::vector<protocol::NetAddress>& find(const std::string& address, double now_s);

 private:
  struct Entry {
    std::vector<protocol::NetAddress> addresses;
    double until_s = 0;
  };
  std::unordered_map<std::string, Entry> entries_;
  decltype(protocol::resolve)* resolve_;
  double pause_until_s_ = 0;
};

}  // namespace placement::monitor
