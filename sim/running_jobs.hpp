// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
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

inline constexpr std::int32_t filler = -1;  // stands for a job that filled the machine and is not in the list

// A job that runs. All times are simulated ones.
struct RunningJob {
  std::int32_t job = filler;
  std::int64_t start_us = 0;
  std::int64_t end_us = 0;
  std::int64_t free_us = 0;         // time at which its cores are free: the end plus the release
  std::int64_t expected_us = 0;     // end by the requested time, or the end itself once it is known
  std::vector<std::int32_t> cores;  // as leaves
};

// The jobs that run in a replay. Each has a number of its own, its slot.
class RunningJobs {
 public:
  bool empty() const { return ends_.empty(); }
  const RunningJob& at(std::int64_t slot) const { return jobs_.at(slot); }
  void add(RunningJob job);
  RunningJob remove(std::int64_t slot);

  // Returns the time at which the cores of the next job are free; never_us without jobs.
  std::int64_t next_end_us() const { return ends_.empty() ? never_us : ends_.begin()->first; }
  // Returns the slot of the job whose cores are free first. There must be a job.
  std::int64_t first() const { return ends_.begin()->second; }
  // Returns all slots, ordered by the time at which their cores are free.
  std::vector<std::int64_t> slots() const;
  const ExpectedEnds& expected_ends() const { return expected_; }
  // Returns the slots of the jobs that have ended by now_us and whose cores are still in release. Release takes
  // release_us for all jobs, or nothing.
  std::vector<std::int64_t> in_release(std::int64_t now_us, std::int64_t release_us) const;
  // Replaces the expected end of each of the jobs by its actual end.
  void expect_ended(std::int64_t now_us, std::int64_t release_us);

 private:
  std::map<std::int64_t, RunningJob> jobs_;  // by slot
  std::int64_t next_slot_ = 0;
  std::set<std::pair<std::int64_t, std::int64_t>> ends_;  // free_us, slot
  ExpectedEnds expected_;
};

}  // namespace placement::sim
