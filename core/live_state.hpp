// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace placement {

// What nobody has measured.
inline constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

// Running means over the last 1, 5 and 15 minutes [NLA §1]; NaN: not known.
struct RunningMeans {
  double minutes_1 = unknown_value;
  double minutes_5 = unknown_value;
  double minutes_15 = unknown_value;
};

enum class Liveness : std::uint8_t {
  unknown,  // never observed, or the observer is in doubt
  up,
  suspect,  // heartbeats are missing, not yet long enough
  down,
};

// Probability of an outage that a node counts with, at least, while it is suspect or down.
inline constexpr double outage_of_silent_node = 0.5;

// One node at one moment. NaN: not known.
struct NodeState {
  std::string name;
  Liveness liveness = Liveness::unknown;
  double age_s = unknown_value;  // of the attributes below, when the state was published

  // Told once by the node.
  double cores = unknown_value;  // logical
  double sockets = unknown_value;
  double frequency_MHz = unknown_value;
  double memory_MiB = unknown_value;

  // Sampled every few seconds.
  RunningMeans cpu_load;              // length of the run queue
  RunningMeans slurm_load;            // the part of it that Slurm's own jobs cause
  RunningMeans cpu_utilisation;       // 0 .. 1 of all logical cores
  RunningMeans memory_available_MiB;
  RunningMeans flow_rate_Bps;         // received and sent, of the interfaces that matter
  RunningMeans users;                 // logged in
  RunningMeans cpu_pressure;          // PSI "some", 0 .. 1
  RunningMeans memory_pressure;
  RunningMeans io_pressure;

  // From the history of outages [TOFA §3].
  double outage_probability = unknown_value;  // that the node fails within outage_horizon_s of LiveState
  std::int64_t outages = 0;                   // unplanned ones on record
  double observed_s = 0;                      // time under observation

  bool silent() const { return liveness == Liveness::suspect || liveness == Liveness::down; }
};

enum class PairSource : std::uint8_t { none, measured, modelled, assumed };

// What is known of the network between nodes. Nodes belong to groups; a cell of two groups holds
// for each pair of nodes from them, the diagonal for two nodes of the same group. On a small
// cluster each node is a group of its own and each cell is one measured pair [NLA §8, §10]. The
// arrays may lie in a mapped file, which `owner` keeps alive.
struct PairTable {
  std::int32_t groups = 0;
  std::span<const std::int32_t> group_of_node;  // one per node of the LiveState
  std::span<const float> latency_us;            // groups x groups, row by row, symmetric; NaN: not known
  std::span<const float> bandwidth_Bps;         // likewise: what a new flow would get
  std::span<const float> peak_bandwidth_Bps;    // likewise: what an idle network gives
  std::span<const PairSource> source;           // likewise
  std::span<const float> age_s;                 // likewise, of the older of the two measurements
  std::span<const float> node_latency_us;       // added once for each end; empty: none
  std::span<const float> node_bandwidth_Bps;    // a pair gets no more than either end; empty: no such bound
  std::shared_ptr<const void> owner;
};

// What was true of the cluster when it was published.
struct LiveState {
  std::int64_t published_at_s = 0;  // seconds since 1970
  double outage_horizon_s = unknown_value;
  std::vector<NodeState> nodes;
  PairTable pairs;
};

}  // namespace placement
