// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine.hpp"
#include "sim/running_jobs.hpp"
#include "sim/stock_choice.hpp"

namespace placement::sim {

// The request of a waiting job.
struct Claim {
  std::int64_t cores = 0;
  std::int64_t long_us = 0;  // requested time
  std::int64_t array = -1;   // number of the job array to which the job belongs; -1: none
};

// The largest number of tasks of one job array that Slurm's backfill plugin plans for later in one cycle
// (bf_max_job_array_resv).
constexpr std::int32_t most_planned_tasks = 20;

// Returns the jobs of a queue that may start now by EASY backfill, as ascending indices into the queue. The first job
// reserves the time at which enough cores will be free by the requested times. Another job may start if it ends before
// that time, or leaves enough cores for the first job.
//   now_us   present simulated time
//   running  the running jobs
//   queue    the waiting jobs in their order; the first one does not fit in the free_cores
std::vector<std::size_t> easy_backfill(std::int64_t now_us, std::int64_t free_cores, const ExpectedEnds& running,
                                       std::span<const Claim> queue);

// The defaults of Slurm's backfill plugin: its plan has slots of bf_resolution, and no job that starts later than
// bf_window from now.
constexpr std::int64_t plan_slot_us = 60'000'000;
constexpr std::int64_t plan_window_us = 86'400'000'000;

// A waiting job that may start now.
struct Passing {
  std::size_t index = 0;             // into the queue
  std::vector<std::int32_t> closed;  // nodes that it may not use: promised to jobs before it, or in release
};

// Returns the jobs of a queue that may start now as in Slurm's backfill plugin, in the order of the queue. Each job
// gets a time and whole named nodes: those of the stock choice when running jobs end, without nodes promised to earlier
// jobs. Ends of running jobs are examined in groups of half a minute, one, two and more minutes. Cores in release count
// as free, but a job that gets some of their nodes starts a second later. At most most_planned_tasks tasks of a job
// array are planned for later. The first job of the queue does not fit now.
std::vector<Passing> planned_backfill(const Machine& machine, const RunningJobs& running, std::int64_t now_us,
                                      std::span<const Claim> queue, StockRequest request);

}  // namespace placement::sim
