// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cmath>
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

// Returns whether the view has a torus with coordinates for all nodes that must be used: the required nodes, and those
// to which the request gives tasks.
bool has_coordinates(const ClusterView& view, const Request& request);

// A job to be placed on a torus: its usable nodes and their outage probabilities. View and request must outlive the
// value. A mapping is the leaf of each rank.
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

  // Returns the capacity of each node in tasks, 0 for a node without coordinates.
  mapping::NodeCounts capacity() const;
  // Returns the limits of the request with at most counts[n] tasks on node n. Throws Error when no nodes can serve it.
  mapping::NodeLimits limits_of(mapping::NodeCounts counts) const {
    return mapping::NodeLimits(view, request, std::move(counts));
  }

  // Returns the result of mapping::counts_in_order(): the tasks of each node by the request, or else on the first nodes
  // with coordinates. Throws Error if no set of nodes meets the limits.
  mapping::NodeCounts in_order() const { return mapping::counts_in_order(view, request, capacity()); }

  // Returns the first window of consecutive nodes that cannot fail [TOFA §4]. If there is none, as when most nodes have
  // an outage probability above 0, returns the first window of nodes that are not suspect.
  std::optional<mapping::NodeCounts> first_window() const;

  // Returns the slots with these leaves.
  TorusSlots torus_slots(const std::vector<std::int32_t>& leaves) const {
    return {&torus, positions(leaves), offered.faults};
  }
  // Returns the torus position of each leaf.
  std::vector<std::int32_t> positions(const std::vector<std::int32_t>& leaves) const;

  // Maps the ranks with SCOTCH to some of `leaves`. With `raised`, SCOTCH maps to the whole machine, with the link
  // weights of [TOFA §3, eq. 1]; otherwise to the part of the machine that `leaves` form. Returns nothing when SCOTCH
  // is not available or the request has no matrix. Throws Error when SCOTCH fails.
  std::optional<std::vector<std::int32_t>> with_scotch(const std::vector<std::int32_t>& leaves, bool raised) const;
};

// Returns the job of a request on a view that has a torus. Throws Error when a parameter is wrong.
TorusJob torus_job(const ClusterView& view, const Request& request);

// Compares the mappings of a job by their expected time, and keeps the best one. The job must outlive the object.
class TorusContest {
 public:
  //   natural     the first mapping; its run time without failures is the unit of expected times
  //   most_pairs  at least 1; if the matrix has more pairs, mappings are compared by a sample of about this number of
  //               pairs, or two per rank if that is more. The costs in the placement are still those of all pairs
  TorusContest(const TorusJob& job, std::vector<std::int32_t> natural,
               std::int64_t most_pairs = std::numeric_limits<std::int64_t>::max());

  // Returns the expected time of a mapping, as a multiple of the run time of the natural mapping without failures.
  double expected_time(const std::vector<std::int32_t>& leaves) const { return std::exp(log_expected_time(leaves)); }
  // Returns the natural logarithm of expected_time().
  double log_expected_time(const std::vector<std::int32_t>& leaves) const;

  // Keeps the mapping if its expected time is less than that of the best one. Ties go to fewer hop-bytes.
  void offer(std::vector<std::int32_t> leaves, const std::string& method);

  // Returns a greedy mapping, heaviest pairs first, on all usable nodes. If it violates the limits, returns one on the
  // nodes of the natural order. Throws OutOfTime.
  std::vector<std::int32_t> greedy_leaves(const mapping::WorkBudget& watch = mapping::WorkBudget()) const;

  // Returns the placement for a mapping, with its cost and reasons. `method` names the method that found it.
  Placement answer(const std::vector<std::int32_t>& leaves, const std::string& method) const;

  const CommMatrix& matrix() const { return matrix_; }
  const ExpectedTimeObjective& objective() const { return objective_; }
  const std::vector<std::int32_t>& natural() const { return natural_; }
  const std::vector<std::int32_t>& best() const { return best_; }
  const std::string& method() const { return method_; }  // of the best mapping
  // The earlier best mappings, oldest first. Later steps may start from several of them.
  const std::vector<std::vector<std::int32_t>>& overtaken() const { return overtaken_; }

 private:
  const TorusJob& job_;
  const std::vector<std::int32_t> natural_;
  const bool sampled_;         // stand_in_ is a sample
  const CommMatrix stand_in_;  // the matrix of a job without one, or a sample of the pairs
  const CommMatrix& matrix_;
  const ExpectedTimeObjective objective_;
  std::vector<std::int32_t> best_;
  Assessment best_assessment_;
  double best_log_expected_time_;
  std::string method_ = "natural order";
  std::vector<std::vector<std::int32_t>> overtaken_;
};

}  // namespace placement::tofa
