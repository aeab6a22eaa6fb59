// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/policy/policy.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "mapping/work_budget.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/node_sets.hpp"
#include "tofa/torus_search.hpp"

namespace placement::tofa {

// The parameters of the policies on a torus. place_tofa() describes them.
struct TofaSettings {
  std::uint64_t seed = 1;            // seed of the search
  std::int32_t effort = 10;          // work of the search, 1..1000
  double communication_share = 0.5;  // 0..1
  double job_seconds = 0;            // run time of the job; 0: outage probabilities are not converted
};

// Reads the parameters of a request. Throws Error when a value is not a number in its range.
TofaSettings tofa_settings(const Request& request);

// Throws Error when the request contradicts itself: no tasks, or a matrix or task counts that do not fit the tasks.
void check_torus_request(const ClusterView& view, const Request& request);

// Returns whether the view has a torus on which all nodes that must be used have coordinates. These are the required
// nodes and those to which the request gives tasks.
bool has_coordinates(const ClusterView& view, const Request& request);

// A job that is to be placed on a torus: its usable nodes and their outage probabilities. View and request must outlive
// the value. A mapping is given as the leaf of each rank.
struct TorusJob {
  const ClusterView& view;
  const Request& request;
  const TorusTopology& torus;
  TofaSettings settings;
  mapping::Slots slots;
  FaultModel fault_model;
  std::unique_ptr<RouteFaults> faults;     // never null
  OfferedNodes offered;                    // the nodes with coordinates
  std::vector<std::int32_t> node_of_leaf;  // view node of each leaf, -1 for a leaf of no node

  // Returns the capacity of each node in tasks. A node without coordinates has no capacity.
  mapping::NodeCounts capacity() const;
  // Returns the limits of the request with `counts` tasks at most on each node. Throws Error when none can serve it.
  mapping::NodeLimits limits_of(mapping::NodeCounts counts) const {
    return mapping::NodeLimits(view, request, std::move(counts));
  }

  // Returns the tasks of each node: those that the request gives, or else those of sequential_counts(). Throws Error
  // when no choice of nodes keeps to the limits.
  mapping::NodeCounts in_order() const;

  // Returns the first window of consecutive nodes that cannot fail [TOFA §4]. When there is none, because most nodes
  // have an outage probability above 0, it returns the first window of nodes that are not suspect.
  std::optional<mapping::NodeCounts> first_window() const;

  // Returns the slots with these leaves.
  TorusSlots torus_slots(const std::vector<std::int32_t>& leaves) const {
    return {&torus, positions(leaves), offered.faults};
  }
  // Returns the torus position of each leaf.
  std::vector<std::int32_t> positions(const std::vector<std::int32_t>& leaves) const;

  // Maps the ranks with SCOTCH onto some of `leaves`. `raised` selects the whole machine with the weights of eq. 1.
  // Returns nothing when SCOTCH is not available or the request has no matrix. Throws Error when SCOTCH fails.
  std::optional<std::vector<std::int32_t>> with_scotch(const std::vector<std::int32_t>& leaves, bool raised) const;
};

// Returns the job of a request on a view that has a torus. Throws Error when a parameter is wrong.
TorusJob torus_job(const ClusterView& view, const Request& request);

// The mappings of a job are compared by their expected time, and the best one is kept. The job must outlive the object.
class TorusContest {
 public:
  // natural: the first mapping; the expected times are related to its run time without failures. If the matrix has more
  // than `most_pairs` pairs, at least 1, mappings are compared by a sample. It has about that number of pairs, or two
  // for each rank. The costs in the placement are those of all pairs.
  TorusContest(const TorusJob& job, std::vector<std::int32_t> natural,
               std::int64_t most_pairs = std::numeric_limits<std::int64_t>::max());

  // Returns the expected time of a mapping, as a multiple of the run time of the natural mapping without failures.
  double expected_time(const std::vector<std::int32_t>& leaves) const;

  // Keeps the mapping when its expected time is less than that of the best one so far. When these are equal, the
  // mapping with fewer hop-bytes is kept.
  void offer(std::vector<std::int32_t> leaves, const std::string& method);

  // Returns a greedy mapping, heaviest pairs first. It uses all usable nodes if the result keeps to the limits, and
  // otherwise the nodes of the natural order. Throws OutOfTime.
  std::vector<std::int32_t> greedy_leaves(const mapping::WorkBudget& watch = mapping::WorkBudget()) const;

  // Returns the placement for a mapping, with its cost and the reasons. `method` is the way in which it was found.
  Placement answer(const std::vector<std::int32_t>& leaves, const std::string& method) const;

  const CommMatrix& matrix() const { return matrix_; }
  const ExpectedTimeObjective& objective() const { return objective_; }
  const std::vector<std::int32_t>& natural() const { return natural_; }
  const std::vector<std::int32_t>& best() const { return best_; }
  const std::string& method() const { return method_; }  // of the best mapping
  // The mappings that were the best ones before, oldest first. Later steps may start from several of them.
  const std::vector<std::vector<std::int32_t>>& overtaken() const { return overtaken_; }

 private:
  const TorusJob& job_;
  const std::vector<std::int32_t> natural_;
  const bool sampled_;         // stand_in_ is a sample of the pairs
  const CommMatrix stand_in_;  // the matrix of a job that has none, or the sample
  const CommMatrix& matrix_;
  const ExpectedTimeObjective objective_;
  std::vector<std::int32_t> best_;
  Assessment best_assessment_;
  double best_log_expected_time_;
  std::string method_ = "natural order";
  std::vector<std::vector<std::int32_t>> overtaken_;
};

}  // namespace placement::tofa
