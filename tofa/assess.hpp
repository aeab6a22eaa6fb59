// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/torus_topology.hpp"
#include "tofa/route_faults.hpp"

namespace placement::tofa {

// The probability that at least one of several independent events happens.
class AnyFailure {
 public:
  // Adds one event. A `probability` outside 0..1 is clamped to that range.
  void add(double probability);
  double probability() const;  // 1 - product of (1 - p), 0..1 [TOFA §3]
  // Returns -ln(1 - probability()), with at most `certain` for each event that was added.
  double hazard() const { return hazard_; }

  // The hazard of an event with probability 1, in place of infinity.
  static constexpr double certain = 50;

 private:
  double hazard_ = 0;
  bool surely_ = false;
};

// Cost and abort probability of one mapping. Half of the traffic of a pair (a, b) uses the route R(a, b), the other
// half uses R(b, a). Some sums are stored times two, so that these halves remain integers.
struct Assessment {
  Cost hop_bytes = 0;        // sum over all pairs of traffic times hops
  Cost weighted_twice = 0;   // sum over all pairs of traffic times the weights of [TOFA §3, eq. 1] of both routes
  Cost link_load_twice = 0;  // traffic of the busiest link in one direction, times two
  std::int64_t nodes_touched = 0;     // U: positions with ranks, or on a route between ranks with traffic
  std::int64_t suspects_touched = 0;  // positions of U with an outage probability above 0
  double abort_probability = 0;       // q = 1 - product of (1 - p) over U [TOFA §3]
  double hazard = 0;                  // -ln(1 - abort_probability), with a finite maximum (AnyFailure)
};

// Returns the cost and the abort probability of a mapping.
//   torus     the topology
//   matrix    the traffic between ranks
//   position  the torus position of each rank
//   outage    the outage probability (0..1) of each position of the torus; empty: no node can fail
//   faults    the raised link weights; null: each link has weight 1
Assessment assess(const TorusTopology& torus, const CommMatrix& matrix, std::span<const std::int32_t> position,
                  std::span<const double> outage, const RouteFaults* faults = nullptr);

// Returns only the hop-bytes of a mapping, in a fraction of the time of assess(); `position` as in assess().
Cost hop_bytes(const TorusTopology& torus, const CommMatrix& matrix, std::span<const std::int32_t> position);

// Returns the expected time in seconds until a job of `job_seconds` has completed. After each abort the job starts
// again, and an abort costs its full length. The result is infinite when `abort_probability` (0..1) is 1.
double expected_seconds(double job_seconds, double abort_probability);

}  // namespace placement::tofa
