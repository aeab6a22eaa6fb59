// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <chrono>
#include <memory>

#include "common/policy/policy.hpp"
#include "common/policy/policy_spec.hpp"
#include "common/topology/cluster_view.hpp"
#include "pattern/pattern.hpp"
#include "spank/step/allocation.hpp"
#include "tools/input/torus_machine.hpp"

namespace placement::tools {

// One request to `placectl map`.
struct MapTask {
  std::string command;  // "map" or "run", for messages
  std::shared_ptr<const CommMatrix> matrix;
  std::optional<pattern::Pattern> pattern;            // the matrix is made from it when the number of ranks is known
  ClusterView view;                                   // if it has no nodes, only the leaves of its tree are known
  std::vector<std::int32_t> usable;                   // usable leaves, ascending
  PolicySpec spec;                                    // a policy of the table, or NATURAL or GREEDY
  Request request;                                    // only the limits; run_map() sets tasks, matrix and parameters
  std::optional<std::chrono::milliseconds> deadline;  // none: no limit
  MapFaults faults;                                   // from a torus file
  bool without_matrix = false;                        // an allocation without a matrix: `matrix` has no traffic
  std::int32_t processes_per_rank = 1;  // of torchrun: ranks of the user's matrix per node; `matrix` has 1 per node
  bool tells_faults = false;            // the report contains link load and abort probability
  double job_seconds = 0;               // run time of the job; 0: not known
};

// The result of a mapping: places of the ranks and their costs.
struct MapOutcome {
  std::vector<std::int32_t> leaf_of_rank;  // leaf of the first core; empty where ranks share cores
  std::vector<RankPlace> places;           // empty if the view has no nodes; without cores if ranks share threads
  Cost cost = 0;
  Cost natural_cost = 0;  // cost of the natural order on the first leaves or nodes that the request allows; of
                          // an allocation, on its nodes
  std::optional<Cost> greedy_cost;  // cost of the greedy baseline, which chooses among all usable leaves or nodes
  std::optional<tofa::Assessment> assessment;  // set on a torus, or where outages are known
  std::optional<double> objective;             // set on a torus: the value that TOFA minimises
  std::vector<std::string> reasons;
  spank::StepPlacement step;  // set for an allocation
  double wall_s = 0;          // time of the decision alone
  double cpu_s = 0;
};

// Maps the ranks. Throws Error when the policy cannot meet the request, and UsageError for an unknown policy.
MapOutcome run_map(MapTask task);

// Maps the ranks of a job whose nodes, and the number of tasks on each, are given by `allocation`. It uses the function
// that srun's plugin calls, with its `map_length`. Throws Error.
MapOutcome run_map_in(const spank::Allocation& allocation, const MapTask& task,
                      const spank::MapLength& map_length = nullptr);

}  // namespace placement::tools
