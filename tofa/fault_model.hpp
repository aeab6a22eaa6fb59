// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
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

// The outage probability of each node of a view over the run time of one job, and which nodes are suspect.
class FaultModel {
 public:
  // job_seconds: the run time of the job in seconds. Probabilities of the live state are converted to this time; with 0
  // they are used unchanged. Probabilities from the site (view.outages) replace those of the live state and are not
  // converted. A node that does not answer fails with a probability of at least 0.5.
  FaultModel(const ClusterView& view, double job_seconds);

  double of_node(std::int32_t node) const { return node_outage_[node]; }  // outage probability of a view node, 0..1
  // Returns whether a view node is suspect: its outage probability is more than 0 and more than three times the median.
  bool suspect(std::int32_t node) const { return is_suspect(node_outage_[node]); }
  // Returns whether any view node or any position of the torus is suspect.
  bool any_suspect() const { return any_suspect_; }

  // The outage probability of each position of the torus; empty when the view has no torus.
  const std::vector<double>& of_positions() const { return position_outage_; }
  // Returns the raised link weights of [TOFA §3, eq. 1]: a link at a suspect node weighs 101. A node with an outage
  // probability p below 2 % adds less than 100, in proportion to p.
  RouteFaults route_faults(const TorusTopology& torus) const;

 private:
  bool is_suspect(double probability) const { return probability > 0 && probability > 3 * median_; }

  std::vector<double> node_outage_;
  std::vector<double> position_outage_;
  double median_ = 0;
  bool any_suspect_ = false;
};

// The objective by which mappings on a torus are compared: the logarithm of the expected time of the job [TOFA §4].
class ExpectedTimeObjective {
 public:
  //   torus, fault_model, faults, matrix  must outlive this object
  //   reference            the position of each rank in a mapping; hop-bytes and link loads are divided by its values
  //   communication_share  share of the run time that is communication, 0..1
  ExpectedTimeObjective(const TorusTopology& torus, const FaultModel& fault_model, const RouteFaults& faults,
                        const CommMatrix& matrix, std::span<const std::int32_t> reference, double communication_share);

  // Returns the cost and the abort probability of a mapping, given as the position of each rank.
  Assessment assess(std::span<const std::int32_t> position) const;

  // Returns the natural logarithm of the expected time. The unit is the run time of the reference mapping without
  // failures and raised link weights. The hop-bytes of `assessment` have the raised weights of links at suspect nodes.
  double log_expected_time(const Assessment& assessment) const;
  // Returns the logarithm of the expected time from its terms. `hazard` is -ln(1 - q), where q is the abort
  // probability.
  double log_expected_time(double weighted_hop_bytes, double link_load, double hazard) const;
  // Returns the assessment of the reference mapping.
  const Assessment& reference() const { return reference_; }
  // Returns the sum of the traffic over all pairs.
  Cost traffic() const { return matrix_.total_weight(); }
  // Returns the positions with an outage probability above 0.
  const std::vector<std::int32_t>& may_fail() const { return may_fail_; }
  // Returns -ln(1 - p), where p is the outage probability of the position.
  double hazard(std::int32_t position) const { return hazard_.empty() ? 0 : hazard_[position]; }

 private:
  const TorusTopology& torus_;
  const FaultModel& fault_model_;
  const RouteFaults* faults_;
  const CommMatrix& matrix_;
  double share_;
  Assessment reference_;
  std::vector<std::int32_t> may_fail_;
  std::vector<double> hazard_;  // of each position; empty when no position can fail
};

}  // namespace placement::tofa
