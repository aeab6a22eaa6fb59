// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "tofa/node_sets.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/torus_search.hpp"

namespace placement {

// What the policies on a torus are told by parameters; place_tofa() describes them.
struct TofaSettings {
  std::uint64_t seed = 1;
  std::int32_t effort = 10;
  double communication_share = 0.5;
  double job_seconds = 0;
};

// Throws Error.
TofaSettings tofa_settings(const Request& request);

// Throws Error on a request that contradicts itself.
void check_torus_request(const ClusterView& view, const Request& request);

// Whether each node that must be used has its place on the torus.
bool has_coordinates(const ClusterView& view, const Request& request);

std::string in_percent(double share);

// A job that is to be placed on a torus: the nodes that it may have, what is to be feared from them, and the best
// mapping offered so far. View, request and deadline must outlive it.
class TorusJob {
 public:
  TorusJob(const ClusterView& view, const Request& request);
  TorusJob(const TorusJob&) = delete;

  // ---- nodes

  NodeCounts capacity() const;  // nodes without coordinates have none
  NodeLimits limits_of(NodeCounts capacity) const { return NodeLimits(view_, request_, std::move(capacity)); }

  // What stock Slurm roughly does. Throws Error where nothing keeps to the limits.
  NodeCounts sequential() const;

  // The first window of consecutive nodes that do not fail [TOFA §4]; where there is none because most nodes may fail
  // a little, of nodes that are not suspect.
  std::optional<NodeCounts> first_window() const;

  // ---- mappings, as the leaf of each rank

  TorusSlots torus_slots(const std::vector<std::int32_t>& leaves) const { return {&torus_, positions(leaves), offered_.faults}; }
  std::vector<std::int32_t> positions(const std::vector<std::int32_t>& leaves) const;

  // With the natural order of ranks on the nodes that are given, or else on the first ones.
  void begin_in_order();

  // Expected time of a mapping, that of the one begun with being 1 if nothing failed.
  double expected_time(const std::vector<std::int32_t>& leaves) const;

  // The mapping that others are held against, and the first one offered.
  void begin(std::vector<std::int32_t> natural);

  // Keeps the better one in expected time.
  void offer(std::vector<std::int32_t> leaves, const std::string& method);

  // The heaviest pairs first: on any node if that keeps to the limits, else on those of the natural order.
  std::vector<std::int32_t> greedy_leaves() const;

  // SCOTCH on these leaves, or on some of them; nothing when it is not at hand.
  std::optional<std::vector<std::int32_t>> with_scotch(const std::vector<std::int32_t>& leaves, bool raised) const;

  Placement answer(const std::vector<std::int32_t>& leaves, const std::string& method) const;
  Placement best_placement() const { return answer(best_, method_); }

 protected:
  const ClusterView& view_;
  const Request& request_;
  const TorusTopology& torus_;
  const TofaSettings settings_;
  const Slots slots_;
  const FaultModel fault_model_;
  RouteFaults faults_;
  OfferedNodes offered_;
  std::vector<std::int32_t> node_of_leaf_;
  CommMatrix stand_in_;                  // for the matrix of a job that has none
  const CommMatrix* matrix_ = nullptr;

  std::vector<std::int32_t> natural_;
  std::optional<ExpectedTimeObjective> objective_;
  std::vector<std::int32_t> best_;
  Assessment best_assessment_;
  double best_log_expected_time_ = 0;
  std::string method_;

  // Better mappings that came before, the last one last, for those who begin on several.
  std::vector<std::vector<std::int32_t>> overtaken_;
};

}  // namespace placement
