// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
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

// What foretells a value from those before it [NLA §10].
enum class Predictor : std::uint8_t { none, last, mean, median, ewma };

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
  // Of cells that are one measured pair: the predictor whose value is told, and its mean error (absolute) of late, NaN
  // before the second value. Both 0 bytes or all cells.
  std::span<const Predictor> latency_predictor, bandwidth_predictor;
  std::span<const float> latency_error_us, bandwidth_error_Bps;
  std::span<const float> node_latency_us;       // added once for each end; empty: none
  std::span<const float> node_bandwidth_Bps;    // a pair gets no more than either end; empty: no such bound
  std::shared_ptr<const void> owner;
};

// The place of row a and column b in a table of groups x groups.
constexpr std::size_t cell_index(std::int32_t groups, std::int32_t a, std::int32_t b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(groups) + static_cast<std::size_t>(b);
}

// How good an estimator of outages has been [TOFA §3], against the constant rate of all nodes.
inline constexpr std::size_t calibration_bins = 7;
struct CalibrationBin {
  double weight = 0;    // forecasts of this size
  double foretold = 0;  // outages by them
  double seen = 0;
};
struct EstimatorScore {
  std::string name;     // "constant" too
  bool in_use = false;  // its probabilities are told
  bool wanted = false;  // by the configuration
  double log_loss = unknown_value;         // mean, in nats
  double advantage = unknown_value;        // the constant's log-loss less its own: it is better above 0; may be negative
  double advantage_error = unknown_value;  // standard error of that
  double foretold = 0;                     // outages; see seen_outages
  std::array<CalibrationBin, calibration_bins> calibration{};  // by size of the forecast: below 1e-6, 1e-5, .. 0.1, up to 1
};
struct OutageEstimators {
  std::vector<EstimatorScore> scores;  // empty: nothing is known of estimators
  double scored_node_hours = 0;        // forecasts of an hour of a node that were held against what happened
  double seen_outages = 0;             // in these
  std::string sentence;                // which is in use, and why
};

// What was true of the cluster when it was published.
struct LiveState {
  std::int64_t published_at_s = 0;  // seconds since 1970
  double outage_horizon_s = unknown_value;
  std::vector<NodeState> nodes;
  PairTable pairs;
  OutageEstimators estimators;
};

}  // namespace placement
