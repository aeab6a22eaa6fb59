// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

namespace placement::sim {

constexpr std::int64_t never_us = std::numeric_limits<std::int64_t>::max();

// The latest end of a running job, by its requested time. Two entries are equal if time and slot are equal.
struct ExpectedEnd {
  std::int64_t time_us = 0;  // simulated time
  std::int64_t slot = 0;     // number of the running job
  std::int64_t cores = 0;    // cores that the job has

  bool operator<(const ExpectedEnd& other) const {
    return time_us != other.time_us ? time_us < other.time_us : slot < other.slot;
  }
};
using ExpectedEnds = std::set<ExpectedEnd>;

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

}  // namespace placement::sim
