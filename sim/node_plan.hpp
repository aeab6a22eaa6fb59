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
