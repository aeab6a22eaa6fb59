// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <unordered_map>

#include "monitor/monitor/schedule.hpp"

namespace placement {

// Bulk streams: bandwidth by more packets than a train has, between idle nodes only.

struct BulkSettings {
  double every_s = 1800;        // the same pair no more often
  double node_pause_s = 60;     // between two streams of one node: its budget fills again
  double stream_s = 0.2;        // so long a stream at the rate that the pair is known to have
  double budget_share = 0.25;   // of what the poorer end may send from one stream to the next
  std::int32_t at_once = 8;     // streams in one round
};

// Which pair is measured by a bulk stream next, and by how long a one. It holds no clock, and knows of no
// node whether it is idle: that is asked before.
class BulkTurns {
 public:
  explicit BulkTurns(const BulkSettings& settings) : settings_(settings) {}

  void begin_round() { in_round_ = 0; }
  // The pair's turn: counts as taken, whatever becomes of it. rate_Bps: what is known of the pair's bandwidth,
  // NaN: nothing, then a train has to be first. budget_Bpm: of the end that may send less. No packets: it is
  // not its turn, or a stream could not be longer than a train by much.
  BulkStream take(ProbePair pair, double rate_Bps, double budget_Bpm, double now_s);

 private:
  BulkSettings settings_;
  std::unordered_map<std::uint64_t, double> pair_at_s_;
  std::unordered_map<std::int32_t, double> node_at_s_;
  std::int32_t in_round_ = 0;
};

}  // namespace placement
