// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/topology/torus_topology.hpp"
#include "tofa/route_faults.hpp"

namespace placement {

// Probability that at least one of some things fails. Values outside 0..1 are taken as the nearer of these.
class AnyFailure {
 public:
  void add(double probability);
  double probability() const;   // 1 - product of (1 - p) [TOFA §3]
  double hazard() const { return hazard_; }  // -ln(1 - probability()), at most `certain` for each thing added

  static constexpr double certain = 50;

 private:
  double hazard_ = 0;
  bool surely_ = false;
};

// What a mapping is worth. The traffic of a pair goes half each way, on R(a, b) and R(b, a).
struct Assessment {
  Cost hop_bytes = 0;
  Cost weighted_twice = 0;           // traffic times weights of eq. 1, both ways together
  Cost link_load_twice = 0;          // traffic of the busiest link, in one direction, times two
  std::int64_t nodes_touched = 0;    // positions with ranks or on routes between ranks that talk: U
  std::int64_t suspects_touched = 0; // of these, those that may fail: U and F
  double abort_probability = 0;      // 1 - product of (1 - p) over U
  double hazard = 0;                 // -ln of (1 - abort_probability)
};

// position: of each rank; outage: of each position of the torus, or empty: none can fail. Without
// `faults` no link is heavier than others.
Assessment assess(const TorusTopology& torus, const CommMatrix& matrix, std::span<const std::int32_t> position,
                  std::span<const double> outage, const RouteFaults* faults = nullptr);

// Time until a job of so many seconds is through when it begins anew after each abort, and an abort costs
// its whole length; infinite when it never is.
double expected_seconds(double job_seconds, double abort_probability);

}  // namespace placement
