// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "mapping/work_budget.hpp"
#include "tofa/node_sets.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/torus_search.hpp"

namespace placement::tofa {

// The parameters of the policies on a torus. place_tofa() describes them.
struct TofaSettings {
  std::uint64_t seed = 1;
  std::int32_t effort = 10;
  double communication_share = 0.5;  // 0..1
  double job_seconds = 0;
};

// Reads the parameters of a request. Throws Error when a value is not a number in its range.
TofaSettings tofa_settings(const Request& request);

// Throws Error when the request contradicts itself: no tasks, or a matrix or task counts that do not fit the tasks.
void check_torus_request(const ClusterView& view, const Request& request);

// Returns whether the view has a torus on which all nodes that must be used have coordinates. These are the required
// nodes and those to which the request gives tasks.
bool has_coordinates(const ClusterView& view, const Request& request);

// A job that is to be placed on a torus: its usable nodes, their outage probabilities, and the best mapping offered so
// far. A mapping is given as the leaf of each rank. View and request must outlive this object.
class TorusJob {
 public:
  TorusJob(const ClusterView& view, const Request& request);
  TorusJob(const TorusJob&) = delete;

  // ---- nodes

  // Returns the capacity of each node in tasks. A node without coordinates has no capacity.
  mapping::NodeCounts capacity() const;
  mapping::NodeLimits limits_of(mapping::NodeCounts capacity) const {
    return mapping::NodeLimits(view_, request_, std::move(capacity));
  }

  // Returns about the nodes that stock Slurm would choose. Throws Error when no choice of nodes keeps to the limits.
  mapping::NodeCounts sequential() const;

  // Returns the first window of consecutive nodes that cannot fail [TOFA §4]. When there is none, because most nodes
  // have an outage probability above 0, it returns the first window of nodes that are not suspect.
  std::optional<mapping::NodeCounts> first_window() const;

  // ---- mappings

  TorusSlots torus_slots(const std::vector<std::int32_t>& leaves) const {
    return {&torus_, positions(leaves), offered_.faults};
  }
  // Returns the torus position of each leaf.
  std::vector<std::int32_t> positions(const std::vector<std::int32_t>& leaves) const;

  // Calls begin() with the natural order: on the nodes that the request gives, or else on those of sequential().
  // Throws Error when no choice of nodes keeps to the limits.
  void begin_in_order();

  // Returns the expected time of a mapping, relative to the run time of the mapping given to begin() without failures.
  double expected_time(const std::vector<std::int32_t>& leaves) const;

  // Sets the reference mapping for expected_time() and offers it as the first mapping. Must precede the calls below.
  // When the matrix has more than `most_pairs` pairs, at least 1, mappings are compared by a sample of about so many
  // pairs, or of two for each rank; the costs in the placement are those of all pairs.
  void begin(std::vector<std::int32_t> natural, std::int64_t most_pairs = std::numeric_limits<std::int64_t>::max());

  // Keeps the mapping when its expected time is less than that of the best one so far. When these are equal, the
  // mapping with fewer hop-bytes is kept.
  void offer(std::vector<std::int32_t> leaves, const std::string& method);

  // Returns a greedy mapping, heaviest pairs first. It uses all usable nodes if the result keeps to the limits, and
  // otherwise the nodes of the natural order. Throws OutOfTime.
  std::vector<std::int32_t> greedy_leaves(const mapping::WorkBudget& watch = mapping::WorkBudget()) const;

  // Maps the ranks with SCOTCH onto some of `leaves`. `raised` selects the whole machine with the weights of eq. 1.
  // Returns nothing when SCOTCH is not available or the request has no matrix. Throws Error when SCOTCH fails.
  std::optional<std::vector<std::int32_t>> with_scotch(const std::vector<std::int32_t>& leaves, bool raised) const;

  // Returns the placement for a mapping, with its cost and the reasons; `method` tells how the mapping was found.
  Placement answer(const std::vector<std::int32_t>& leaves, const std::string& method) const;
  Placement best_placement() const { return answer(best_, method_); }

 protected:
  const ClusterView& view_;
  const Request& request_;
  const TorusTopology& torus_;
  const TofaSettings settings_;
  const mapping::Slots slots_;
  const FaultModel fault_model_;
  RouteFaults faults_;
  OfferedNodes offered_;
  std::vector<std::int32_t> node_of_leaf_;
  CommMatrix stand_in_;   // used as the matrix of a job that has none, or for a sample of its pairs
  bool sampled_ = false;  // stand_in_ is a sample
  const CommMatrix* matrix_ = nullptr;

  std::vector<std::int32_t> natural_;
  std::optional<ExpectedTimeObjective> objective_;
  std::vector<std::int32_t> best_;
  Assessment best_assessment_;
  double best_log_expected_time_ = 0;
  std::string method_;

  // The mappings that were the best ones before, oldest first. Later steps may start from several of them.
  std::vector<std::vector<std::int32_t>> overtaken_;
};

}  // namespace placement::tofa
