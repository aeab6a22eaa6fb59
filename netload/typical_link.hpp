// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "common/state/live_state.hpp"
#include "netload/network_load.hpp"

namespace placement {

// The network between two nodes of a cluster, as far as the time of messages goes.
struct TypicalLink {
  double latency_us = 60;       // of a small message
  double bandwidth_Bps = 125e6;
  bool measured = false;        // at least one of the two; otherwise both are what is assumed here, Gigabit Ethernet
};

// The median latency and the median bandwidth, idle where that is known, of the measured pairs of candidate nodes;
// candidate c is node state_of[c] of the table, or -1. Of more than 65,536 pairs of groups every k-th is looked at.
// What nobody measured is as in TypicalLink.
TypicalLink typical_link(const PairTable& table, std::span<const std::int32_t> state_of);

// Of pairs as a person gives them: available bandwidth, as the idle one is not given.
TypicalLink typical_link(const DensePairs& pairs);

// "50 Mbit/s, 300 us", with "assumed" before it where nothing was measured.
std::string to_string(const TypicalLink& link);

}  // namespace placement
