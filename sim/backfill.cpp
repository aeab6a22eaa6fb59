// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/backfill.hpp"

#include <algorithm>

namespace placement::sim {

std::vector<std::size_t> easy_backfill(std::int64_t now_us, std::int64_t free_cores, const ExpectedEnds& running,
                                       std::span<const Claim> queue) {
  std::vector<std::size_t> passed;
  if (queue.empty()) return passed;
  const std::int64_t head = queue.front().cores;
  std::int64_t then_free = free_cores;
  std::int64_t shadow_us = never_us;  // the time of the first job's reservation
  // All jobs that end at this time count, even if the first job needs no cores of theirs: others may use them.
  for (const ExpectedEnd& end : running) {
    const std::int64_t at_us = std::max(end.time_us, now_us);
    if (at_us > shadow_us) break;
    then_free += end.cores;
    if (then_free >= head) shadow_us = at_us;
  }
  // While nodes are down, the first job may never fit. It then holds no other job back.
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

}  // namespace placement::sim
