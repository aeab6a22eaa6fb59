// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "tofa/assess.hpp"
#include "tofa/route_faults.hpp"

namespace placement {

// What is to be feared from the nodes of a view while a job runs.
class FaultModel {
 public:
  // job_seconds 0: probabilities are taken as they are. Those of the site come before those in the live state,
  // where a node that does not answer counts as failing with one half.
  FaultModel(const ClusterView& view, double job_seconds);

  double of_node(std::int32_t node) const { return node_outage_[node]; }      // of a view node
  bool suspect(std::int32_t node) const { return is_suspect(node_outage_[node]); }
  bool any_suspect() const { return any_suspect_; }

  // One per position of the torus; empty without a torus.
  const std::vector<double>& of_positions() const { return position_outage_; }
  // Links at a suspect node weigh 101 as in the paper, or less where it fails with less than 2 %.
  RouteFaults route_faults(const TorusTopology& torus) const;

 private:
  bool is_suspect(double probability) const { return probability > 0 && probability > 3 * median_; }

  std::vector<double> node_outage_;
  std::vector<double> position_outage_;
  double median_ = 0;
  bool any_suspect_ = false;
};

// How mappings on a torus are compared.
class ExpectedTimeObjective {
 public:
  // `reference`: position of each rank in the mapping that all are held against.
  ExpectedTimeObjective(const TorusTopology& torus, const FaultModel& fault_model, const RouteFaults& faults, const CommMatrix& matrix,
        std::span<const std::int32_t> reference, double communication_share);

  Assessment assess(std::span<const std::int32_t> position) const;

  // The logarithm of the expected time, that of the reference without any fault being 1. Links at suspect nodes
  // are heavier, those of the reference are not.
  double log_expected_time(const Assessment& assessment) const;
  double log_expected_time(double weighted_hop_bytes, double link_load, double hazard) const;
  const Assessment& reference() const { return reference_; }
  Cost traffic() const { return matrix_.total_weight(); }
  const std::vector<std::int32_t>& may_fail() const { return may_fail_; }  // positions
  double hazard(std::int32_t position) const { return hazard_.empty() ? 0 : hazard_[position]; }

 private:
  const TorusTopology& torus_;
  const FaultModel& fault_model_;
  const RouteFaults* faults_;
  const CommMatrix& matrix_;
  double share_;
  Assessment reference_;
  std::vector<std::int32_t> may_fail_;
  std::vector<double> hazard_;  // of each position, or empty where none can fail
};

}  // namespace placement
