// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <unordered_map>

#include "monitor/monitor/schedule.hpp"

namespace placement::monitor {

// Bulk streams measure bandwidth with more packets than a packet train has. They run between idle nodes only.

struct BulkSettings {
  double every_s = 1800;       // least time between two streams of one pair
  double node_pause_s = 60;    // least time between two streams of one node, in which its budget fills again
  double stream_s = 0.2;       // length of a stream at the rate that the pair is known to have
  double budget_share = 0.25;  // largest share of what the node with the smaller budget may send in node_pause_s
  std::int32_t at_once = 8;    // largest number of streams in one round
};

// Decides which pairs are measured by a bulk stream, and how long the stream is. It has no clock. The caller checks
// that both nodes are idle.
class BulkTurns {
 public:
  explicit BulkTurns(const BulkSettings& settings) : settings_(settings) {}

  // Starts a new round of probes.
  void begin_round() { in_round_ = 0; }
  // Returns the bulk stream for `pair`, and counts it as sent in any case. A stream of 0 packets means that the pair
  // has to wait, or that a stream would hardly be longer than a train. `rate_Bps` is the known bandwidth of the pair.
  // NaN means that it is not known; the pair then needs a train first. `budget_Bpm` is the budget of the node that may
  // send less, in bytes per minute. `now_s` is the time by a steady clock.
  BulkStream take(ProbePair pair, double rate_Bps, double budget_Bpm, double now_s);

 private:
  BulkSettings settings_;
  std::unordered_map<std::uint64_t, double> pair_at_s_;
  std::unordered_map<std::int32_t, double> node_at_s_;
  std::int32_t in_round_ = 0;
};

}  // namespace placement::monitor
