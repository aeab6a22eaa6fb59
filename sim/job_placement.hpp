// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/policy/policy_spec.hpp"
#include "common/util/deadline.hpp"
#include "policies/table.hpp"
#include "sim/machine.hpp"
#include "sim/stock_choice.hpp"

namespace placement::sim {

// The strategy by which jobs of a replay get their cores. A job without a matrix takes the stock choice if the policy
// needs a matrix.
struct Strategy {
  std::string name;        // for tables and file names
  bool stock = false;      // all jobs take the stock choice
  bool allocated = false;  // the policy can only use the nodes and cores of the stock choice
  PolicySpec policy;       // not used if `stock` is true
};

// Parses a strategy: SLURM, TM-A, TM-I, TM-Isub, TM-Isub+K [TM §6], or a word as users give it to --placement, such as
// "RANDOM" or "TREEMATCH=scope=whole". Throws Error on any other word, and when a policy or a key is wrong.
Strategy parse_strategy(std::string_view word);

// A job of a replay that is about to start. The replay sets the tasks, with one core each, the matrix, the seed, and
// whole_nodes: the job gets all cores of its nodes, and the fewest nodes that hold it.
struct JobRequest : Request {
  std::int64_t limit_s = 0;  // requested time; 0: not known
  StockRequest stock = StockRequest::nodes;
  std::int32_t effort = 0;  // the key `effort` of policies that have it; 0: the policy's default
};

// The cores of a job and the core of each of its ranks.
struct JobPlacement {
  std::vector<std::int32_t> leaf_of_rank;
  std::vector<std::int32_t> taken;  // the leaves of all cores that the job occupies, also those without a rank
  double cost = 0;                  // Machine::communication() of the job; 0 without a matrix
  double stock_cost = 0;            // Machine::communication() of the stock choice on the same free cores
  double slowdown = 1;              // Machine::slowdown() divided by that of the stock choice
  std::int64_t thinking_us = 0;     // processor time that the policy took
  bool asked = false;               // the policy was asked
  std::string refusal;              // why the policy could not serve the job and the stock choice is used; else empty
};

// Chooses the cores and ranks of a job by the strategy. The machine is not changed. At the deadline the policy returns
// its best placement so far, or refuses. Throws Error when the machine has fewer free cores than the job has tasks.
JobPlacement place_job(const Machine& machine, const Strategy& strategy, const JobRequest& request,
                       const Deadline& deadline = Deadline::never());

}  // namespace placement::sim
