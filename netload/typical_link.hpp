// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "common/state/live_state.hpp"
#include "netload/network_load.hpp"

namespace placement::netload {

// The source of a value of a link: none (a default), the monitor's model of the network, or measurements. Measurements
// are between the candidates, or between the nodes of a profile's run.
enum class LinkSource { assumed, modelled, measured, of_run };

// Latency and bandwidth between two typical nodes of a cluster, from which the time of messages is estimated. The
// default values are those of Gigabit Ethernet.
struct TypicalLink {
  double latency_us = 60;  // of a small message
  double bandwidth_Bps = 125e6;
  LinkSource latency_source = LinkSource::assumed;
  LinkSource bandwidth_source = LinkSource::assumed;
};

// Which of the pairs stand for a link.
enum class LinkRank {
  median,
  slow,  // 95 % of the pairs are as fast or faster, so that one slow node of up to 40 counts
};

// Returns the median latency and the median bandwidth, or slow ones, of the measured pairs of candidate nodes. If one
// of the two is measured for no pair, it is taken from the pairs that the monitor models. The bandwidth is that of the
// idle link where it is known, and otherwise the available one. Candidate c is node state_of[c] of the table, or not
// known for -1. Beyond 65,536 pairs of groups only every k-th is used. A value that is neither measured nor modelled
// keeps its default.
TypicalLink typical_link(const PairTable& table, std::span<const std::int32_t> state_of,
                         LinkRank rank = LinkRank::median);

// Returns the typical link of pairs that a user gives. It uses the available bandwidth, as the idle one is not given.
TypicalLink typical_link(const DensePairs& pairs);

// Formats the link as "50 Mbit/s, 300 us". "modelled" or "assumed" precedes it when both values have this source. ",
// the slowest between the nodes of its run" follows a link between nodes of the run. With two sources, each value has
// its own, as in "assumed 1000 Mbit/s, measured 28 us".
std::string to_string(const TypicalLink& link);

}  // namespace placement::netload
