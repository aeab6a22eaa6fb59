// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/topology/switch_tree.hpp"
#include "monitor/monitor/pair_model.hpp"
#include "monitor/protocol/messages.hpp"

namespace placement {

// The places of these nodes by the topology.conf beside a slurm.conf; one leaf without such a file.
// Throws Error naming file and line.
PairPlaces read_pair_places(const std::string& slurm_conf, std::span<const std::string> nodes);

// Leaves and hops of these switches: the least switch above a node is its leaf; nodes below none share
// one. Two hops within a leaf, two more for each level up.
PairPlaces pair_places(std::span<const SwitchShape> switches, std::size_t nodes);

// The addresses of a host by the resolver, ports 0; none when it knows none. Remembers good answers
// for an hour and bad ones for a minute, so that asking is cheap.
class AddressCache {
 public:
  const std::vector<NetAddress>& find(const std::string& address, double now_s);

 private:
  struct Entry {
    std::vector<NetAddress> addresses;
    double until_s = 0;
  };
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace placement
