// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "common/util/random.hpp"
#include "sim/backfill.hpp"
#include "sim/metrics.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"

namespace placement::sim {

inline ReplayOptions plain() {
  ReplayOptions options;
  options.charge_policy_s = options.charge_policy_task_s = 0;
  return options;
}

inline Replay run(const Machine& machine, const std::vector<LogJob>& jobs, const char* strategy,
                  const ReplayOptions& options, const char* pattern = "random") {
  return replay(machine, jobs, parse_strategy(strategy), PatternSource(parse_pattern(pattern)), options);
}

inline std::vector<double> starts(const Replay& replay) {
  std::vector<double> seconds;
  for (const JobOutcome& outcome : replay.outcomes) seconds.push_back(static_cast<double>(outcome.start_us) / 1e6);
  return seconds;
}

inline std::vector<LogJob> random_jobs(int count, std::int32_t most_tasks, std::uint64_t seed) {
  Random random(seed);
  std::vector<LogJob> jobs;
  std::int64_t submit_s = 0;
  for (int k = 0; k < count; ++k) {
    submit_s += random.below(60);
    const std::int32_t run_s = 1 + random.below(600);
    jobs.push_back(job_of(submit_s, run_s, run_s + random.below(1000), 1 + random.below(most_tasks)));
    jobs.back().id = k;
  }
  return jobs;
}

// Checks that no job starts before its submit time, and that running jobs never have more tasks than there are cores.
inline void check_legal(const Machine& machine, const std::vector<LogJob>& jobs, const Replay& replay) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // sorted; at one time, ends come before starts
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const JobOutcome& outcome = replay.outcomes[k];
    ck_assert_int_ge(outcome.start_us, jobs[k].submit_s * 1000000);
    ck_assert_int_eq(outcome.end_us, outcome.start_us + outcome.run_us);
    changes.push_back({outcome.start_us, jobs[k].tasks});
    changes.push_back({outcome.end_us, -jobs[k].tasks});
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t used = 0;
  for (const auto& [time_us, change] : changes) {
    used += change;
    ck_assert_int_le(used, machine.cores());
  }
  ck_assert_int_eq(replay.ended, std::ssize(jobs));
}

}  // namespace placement::sim
