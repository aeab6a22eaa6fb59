// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/util/deadline.hpp"
#include "sim/machine.hpp"
#include "sim/stock_choice.hpp"
#include "sim/strategy.hpp"

namespace placement::sim {

// What a job asks for at the moment when its cores are free.
struct JobRequest {
  std::int32_t tasks = 1;
  std::int64_t limit_s = 0;                  // requested time; 0: not known
  bool whole_nodes = false;                  // it gets all cores of its nodes, and as few nodes as can be
  StockRequest stock = StockRequest::nodes;
  std::shared_ptr<const CommMatrix> matrix;  // or null
  std::int32_t effort = 0;                   // of the policy, where it has such a key; 0: as it wants
  std::uint64_t seed = 1;
};

struct Decision {
  std::vector<std::int32_t> leaf_of_rank;
  std::vector<std::int32_t> taken;   // all cores of the job, those of its ranks and of its whole nodes
  double cost = 0;                   // Machine::communication(); 0 without a matrix
  double stock_cost = 0;             // that of the stock choice in the same state of the machine
  double slowdown = 1;               // Machine::slowdown() over that of the stock choice
  std::int64_t thinking_us = 0;      // processor time that the policy took
  bool asked = false;                // the policy was asked
  bool refused = false;              // it could not serve the job: the stock choice stands
};

// Of the calling thread, since it started.
std::int64_t processor_time_us();

// Cores and ranks of a job by the strategy. Does not change the machine, which must have room. At the deadline the
// policy gives what it has, or refuses.
Decision decide(const Machine& machine, const Strategy& strategy, const JobRequest& request,
                const Deadline& deadline = Deadline::never());

}  // namespace placement::sim
