// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/util/text.hpp"

namespace placement {

// The value of a number that is not known.
inline constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

// Running means over the last 1, 5 and 15 minutes [NLA §1]; NaN: not known.
struct RunningMeans {
  double minutes_1 = unknown_value;
  double minutes_5 = unknown_value;
  double minutes_15 = unknown_value;
};

// Whether a node is alive, by its heartbeats.
enum class Liveness : std::uint8_t {
  unknown,  // never observed, or the monitor is in doubt
  up,
  suspect,  // heartbeats are missing, but not yet long enough for `down`
  down,
};

// The least outage probability of a node while it is suspect or down.
inline constexpr double outage_of_silent_node = 0.5;

// The state of one node when the LiveState was published. NaN: not known.
struct NodeState {
  std::string name;
  Liveness liveness = Liveness::unknown;
  double age_s = unknown_value;  // age of the attributes below

  // Reported by the node once.
  double cores = unknown_value;  // logical cores
  double sockets = unknown_value;
  double frequency_MHz = unknown_value;
  double memory_MiB = unknown_value;

  // Sampled every few seconds.
  RunningMeans cpu_load;         // length of the run queue
  RunningMeans slurm_load;       // the part of cpu_load that jobs of Slurm cause
  RunningMeans cpu_utilisation;  // share of all logical cores, 0 .. 1
  RunningMeans memory_available_MiB;
  RunningMeans flow_rate_Bps;  // bytes received and sent, on the interfaces that count
  RunningMeans users;          // number of users who are logged in
  RunningMeans cpu_pressure;   // pressure stall information "some", 0 .. 1
  RunningMeans memory_pressure;
  RunningMeans io_pressure;

  // From the history of outages [TOFA §3].
  double outage_probability = unknown_value;  // of an outage within LiveState::outage_horizon_s
  std::int64_t outages = 0;                   // number of unplanned outages in the history
  double observed_s = 0;                      // time for which the node was observed

  // Whether the node does not answer.
  bool silent() const { return liveness == Liveness::suspect || liveness == Liveness::down; }
};

// The method that forecasts the next value of a measurement from earlier ones [NLA §10].
enum class Predictor : std::uint8_t { none, last, mean, median, ewma };

// The origin of the values of a cell. `measured`: by probes between nodes of its groups. `modelled`: from measurements
// of other pairs. `assumed`: from pairs at another distance. `mpi`: as `measured`, by an MPI program.
enum class PairSource : std::uint8_t { none, measured, modelled, assumed, mpi };

// The known latency and bandwidth of the network between nodes. Each node belongs to a group. The cell (a, b) applies
// to each node of group a with each node of group b; a and b may be equal. On a small cluster each node is a group of
// its own and each cell is one measured pair [NLA §8, §10]. The arrays belong to `owner`, which keeps them alive.
struct PairTable {
  std::int32_t groups = 0;
  std::span<const std::int32_t> group_of_node;  // the group of each node of the LiveState
  std::span<const float> latency_us;            // like all tables: groups x groups, by rows, symmetric; NaN: not known
  std::span<const float> bandwidth_Bps;         // bandwidth of a new flow
  std::span<const float> peak_bandwidth_Bps;    // bandwidth of the idle network
  std::span<const PairSource> source;
  std::span<const float> age_s;  // age of the older of latency and bandwidth
  // These four are tables if each cell is one measured pair with a forecast, else empty. They hold the predictor whose
  // forecast is the value of the cell, and its recent mean absolute error (NaN before the second value).
  std::span<const Predictor> latency_predictor, bandwidth_predictor;
  std::span<const float> latency_error_us, bandwidth_error_Bps;
  std::span<const float> node_latency_us;     // of each node, added to the latency of its pairs; empty: none
  std::span<const float> node_bandwidth_Bps;  // of each node, an upper limit for its pairs; empty: none
  std::shared_ptr<const void> owner;
};

// Returns the index of row `a`, column `b` in a table of groups x groups.
constexpr std::size_t cell_index(std::int32_t groups, std::int32_t a, std::int32_t b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(groups) + static_cast<std::size_t>(b);
}

// The live state of the cluster at the time when it was published.
struct LiveState {
  std::int64_t published_at_s = 0;          // seconds since 1970
  double outage_horizon_s = unknown_value;  // the time for which NodeState::outage_probability holds
  std::vector<NodeState> nodes;
  PairTable pairs;
};

// The valid range of a value of the live state. A number outside is an error of the program that wrote it. It could
// also make sums and products in policies infinite, or hide other terms.
struct NumberRange {
  double least = 0;
  double most = 0;

  // Returns whether the value is in the range. NaN is in no range.
  constexpr bool has(double value) const { return value >= least && value <= most; }
  // Returns the range as text: "a number from 1 to 1000000".
  std::string text() const { return "a number from " + short_number(least, 16) + " to " + short_number(most, 16); }
};

// The ranges of the values of a live state. Units are in the names; `share` is a fraction, `load` a length of a queue.
namespace live_range {
inline constexpr NumberRange share{0, 1};
inline constexpr NumberRange cores{1, 1e6};
inline constexpr NumberRange sockets{1, 1e6};
inline constexpr NumberRange frequency_MHz{0, 1e6};
inline constexpr NumberRange memory_MiB{0, 1e12};
inline constexpr NumberRange load{0, 1e9};
inline constexpr NumberRange users{0, 1e9};
inline constexpr NumberRange rate_Bps{0, 1e15};
inline constexpr NumberRange latency_us{0, 1e9};
inline constexpr NumberRange seconds{0, 1e12};
}  // namespace live_range

// The limits of a live state.
inline constexpr std::size_t max_live_nodes = 1 << 17;
inline constexpr std::int32_t max_pair_groups = 8192;
inline constexpr std::int64_t max_outages = 1000000000;

// Checks all values that policies rely on, because the state may come from anywhere. Sizes must be within the limits
// above, and numbers NaN or in range (live_range). Node names must be unique, printable and without blanks. If
// there are groups, each node is in one. The tables of pairs must be symmetric and complete. A pair of source `none`
// has no values, and a cell without a predictor has no error. Throws Error with the node or the pair and the value.
void check_live_state(const LiveState& state);

}  // namespace placement
