// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/backfill.hpp"
#include "sim/machine.hpp"
#include "sim/running_jobs.hpp"
#include "sim/stock_choice.hpp"

namespace placement::sim {

// How Slurm's backfill plugin plans by default: it keeps its plan in slots of bf_resolution, and keeps no place in it
// for jobs that start later than bf_window from now.
constexpr std::int64_t plan_slot_us = 60'000'000;
constexpr std::int64_t plan_window_us = 86'400'000'000;

struct PlanRules {
  StockRequest request = StockRequest::nodes;
  std::int64_t margin_us = 0;  // time that is added to the limit of each waiting job
};

// A waiting job that may start now.
struct Passing {
  std::size_t index = 0;             // into the queue
  std::vector<std::int32_t> closed;  // nodes that it may not use: promised to jobs before it, or in release
};

// Returns the jobs of a queue that may start now in the manner of Slurm's backfill plugin, in the order of the queue.
// Each job in turn gets a time and named nodes: those that the stock choice takes when the running jobs have ended by
// their requested times and the nodes promised to jobs before it are left out. A promised node is promised whole. As
// Slurm does, ends of running jobs are looked at in groups, those of the first half minute, then of one, two and more
// minutes, so that a job that cannot start soon is planned for the end of a group. The cores of jobs that have ended
// and are in release count as free, but a job that gets some of their nodes is planned for a second later. Of a job
// array at most most_planned_tasks are planned for later.
//   machine  as it is now
//   running  the jobs on it
//   now_us   present simulated time
//   queue    the waiting jobs in their order; the first one does not fit now
std::vector<Passing> planned_backfill(const Machine& machine, const RunningJobs& running, std::int64_t now_us,
                                      std::span<const Claim> queue, const PlanRules& rules);

}  // namespace placement::sim
