// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/backfill.hpp"

#include <algorithm>

namespace placement::sim {

namespace {

// The number of free cores from a time on, until the time of the next entry in the plan.
struct FreeCores {
  std::int64_t from_us;
  std::int64_t cores;
};

// Returns the first time from which `cores` cores are free for `long_us`, or never_us.
std::int64_t earliest(const std::vector<FreeCores>& plan, std::int64_t cores, std::int64_t long_us) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    if (plan[k].from_us - plan[begin].from_us >= long_us) return plan[begin].from_us;
    if (plan[k].cores < cores) begin = k + 1;
    if (begin >= plan.size()) return never_us;
  }
  return plan[begin].from_us;
}

// Takes `cores` cores out of the plan for `long_us` from at_us on. at_us is the time of an entry.
void withdraw(std::vector<FreeCores>& plan, std::int64_t at_us, std::int64_t long_us, std::int64_t cores) {
  auto entry = std::lower_bound(plan.begin(), plan.end(), at_us,
                                [](const FreeCores& free, std::int64_t time_us) { return free.from_us < time_us; });
  for (; entry != plan.end() && entry->from_us < at_us + long_us; ++entry) {
    const std::int64_t before = entry->cores;
    entry->cores -= cores;
    const auto next = entry + 1;
    if (next != plan.end() && next->from_us <= at_us + long_us) continue;
    plan.insert(next, {at_us + long_us, before});
    return;
  }
}

}  // namespace

std::vector<std::size_t> easy_backfill(std::int64_t now_us, std::int64_t free_cores, const ExpectedEnds& running,
                                       std::span<const Claim> queue) {
  std::vector<std::size_t> passed;
  if (queue.empty()) return passed;
  const std::int64_t head = queue.front().cores;
  std::int64_t then_free = free_cores;
  std::int64_t shadow_us = never_us;  // the time of the first job's reservation
  // All jobs that end at this time count, also those whose cores the first job does not need: others may use them.
  for (const ExpectedEnd& end : running) {
    const std::int64_t at_us = std::max(end.time_us, now_us);
    if (at_us > shadow_us) break;
    then_free += end.cores;
    if (then_free >= head) shadow_us = at_us;
  }
  // While nodes are down, the first job may never fit, as far as is known. It then holds no other job back.
  std::int64_t spare = shadow_us == never_us ? never_us : then_free - head;
  for (std::size_t k = 1; k < queue.size() && free_cores > 0; ++k) {
    if (queue[k].cores > free_cores) continue;
    const bool before_shadow = now_us + queue[k].long_us <= shadow_us;
    if (!before_shadow && queue[k].cores > spare) continue;
    if (!before_shadow) spare -= queue[k].cores;
    free_cores -= queue[k].cores;
    passed.push_back(k);
  }
  return passed;
}

std::vector<std::size_t> planned_backfill(std::int64_t now_us, std::int64_t free_cores, const ExpectedEnds& running,
                                          std::span<const Claim> queue, std::int32_t reservations, std::int64_t margin_us) {
  std::vector<FreeCores> plan{{now_us, free_cores}};
  for (const ExpectedEnd& end : running) {
    const std::int64_t at_us = std::max(end.time_us, now_us + 1);
    if (plan.back().from_us < at_us) plan.push_back({at_us, plan.back().cores});
    plan.back().cores += end.cores;
  }
  std::vector<std::size_t> passed;
  std::int32_t reserved = 0;
  for (std::size_t k = 0; k < queue.size() && free_cores > 0; ++k) {
    const std::int64_t long_us = std::max<std::int64_t>(queue[k].long_us + margin_us, 1);
    const std::int64_t at_us = earliest(plan, queue[k].cores, long_us);
    if (at_us > never_us - long_us) continue;  // never, or too late to be counted
    if (at_us > now_us && reserved++ >= reservations) {
      reserved = reservations;
      continue;
    }
    withdraw(plan, at_us, long_us, queue[k].cores);
    if (at_us > now_us) continue;
    free_cores -= queue[k].cores;
    passed.push_back(k);
  }
  return passed;
}

}  // namespace placement::sim
