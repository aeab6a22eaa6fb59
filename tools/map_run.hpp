// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/policy/policy_spec.hpp"
#include "common/topology/cluster_view.hpp"
#include "spank/allocation.hpp"
#include "tools/torus_machine.hpp"

namespace placement {

// One mapping as `placectl map` is asked for it.
struct MapTask {
  std::shared_ptr<const CommMatrix> matrix;
  ClusterView view;                  // without nodes: only the leaves of the tree are known
  std::vector<std::int32_t> usable;  // leaves, ascending
  PolicySpec spec;                   // a policy of the table, or NATURAL or GREEDY
  Request request;                   // limits; tasks, matrix and parameters are filled in
  std::optional<std::chrono::milliseconds> deadline;
  MapFaults faults;            // of a torus file
  bool tells_faults = false;   // link load and abort probability are wanted in the report
  double job_seconds = 0;      // 0: not known
};

struct MapOutcome {
  std::vector<std::int32_t> leaf_of_rank;  // of its first core; empty where ranks share cores
  std::vector<RankPlace> places;           // empty where the view has no nodes; without cores if shared
  Cost cost = 0;
  Cost natural_cost = 0;  // rank r on the r-th leaf: usable ones, or those of a policy with nodes
  std::optional<Cost> greedy_cost;  // heaviest pairs first: on the usable leaves, or those chosen
  std::optional<Assessment> assessment;  // on a torus, or where outages are known
  std::optional<double> objective;       // on a torus: what TOFA makes least
  std::vector<std::string> reasons;
  double wall_s = 0;  // of the decision alone
  double cpu_s = 0;
};

// Throws Error when the policy cannot serve the request, UsageError when there is no such policy.
MapOutcome run_map(MapTask task);

// The same where nodes and tasks of each node are given: by the function that srun's plugin calls.
MapOutcome run_map_in(const Allocation& allocation, const MapTask& task);

// Leaves by heaviest pairs first, a baseline.
std::vector<std::int32_t> greedy_leaves(const CommMatrix& matrix, const TreeTopology& tree,
                                        const std::vector<std::int32_t>& usable);

}  // namespace placement
