// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/running_jobs.hpp"

namespace placement::sim {

void RunningJobs::add(RunningJob job) {
  ends_.emplace(job.free_us, next_slot_);
  expected_.insert({job.expected_us, next_slot_, std::ssize(job.cores)});
  jobs_.emplace(next_slot_++, std::move(job));
}

RunningJob RunningJobs::remove(std::int64_t slot) {
  RunningJob job = std::move(jobs_.extract(slot).mapped());
  ends_.erase({job.free_us, slot});
  expected_.erase({job.expected_us, slot, 0});
  return job;
}

std::vector<std::int64_t> RunningJobs::in_release(std::int64_t now_us, std::int64_t release_us) const {
  std::vector<std::int64_t> slots;
  for (const auto& [free_us, slot] : ends_) {
    if (free_us > now_us + release_us) break;
    if (at(slot).end_us <= now_us) slots.push_back(slot);
  }
  return slots;
}

void RunningJobs::expect_ended(std::int64_t now_us, std::int64_t release_us) {
  for (const std::int64_t slot : in_release(now_us, release_us)) {
    RunningJob& job = jobs_.at(slot);
    expected_.erase({job.expected_us, slot, 0});
    job.expected_us = job.end_us;
    expected_.insert({job.expected_us, slot, std::ssize(job.cores)});
  }
}

std::vector<std::int64_t> RunningJobs::slots() const {
  std::vector<std::int64_t> slots;
  for (const auto& [free_us, slot] : ends_) slots.push_back(slot);
  return slots;
}

}  // namespace placement::sim
