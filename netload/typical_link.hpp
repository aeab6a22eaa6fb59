// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "common/state/live_state.hpp"
#include "netload/network_load.hpp"

namespace placement::netload {

// The source of a value of a link: a default, the monitor's model of the network, measurements between the candidates,
// or measurements between the nodes of a profile's run.
enum class LinkSource { assumed, modelled, measured, of_run };

// Latency and bandwidth between two typical nodes of a cluster, for estimates of the time of messages. The defaults are
// those of Gigabit Ethernet.
struct TypicalLink {
  double latency_us = 60;  // of a small message
  double bandwidth_Bps = 125e6;
  LinkSource latency_source = LinkSource::assumed;
  LinkSource bandwidth_source = LinkSource::assumed;
};

// Which of the pairs gives the value of a link.
enum class LinkRank {
  median,
  slow,  // 95 % of the pairs are as fast or faster; one slow node of 40 counts
};

// Returns the median latency and the median bandwidth, or slow ones, of the measured pairs of candidate nodes; if there
// are none, of the modelled pairs; otherwise the default. The bandwidth is that of the idle link if known, otherwise
// the available one. Candidate c is node state_of[c] of the table; -1: without data. Beyond 65,536 pairs of groups only
// every k-th is used.
TypicalLink typical_link(const PairTable& table, std::span<const std::int32_t> state_of,
                         LinkRank rank = LinkRank::median);

// Returns the typical link of a user's pairs. Uses the available bandwidth, because the idle one is not given.
TypicalLink typical_link(const DensePairs& pairs);

// Formats the link as "50 Mbit/s, 300 us". If both values have one source, "modelled" or "assumed" precedes them, or ",
// the slowest between the nodes of its run" follows. With two sources, each value has its own, as in "assumed 1000
// Mbit/s, measured 28 us".
std::string to_string(const TypicalLink& link);

}  // namespace placement::netload
