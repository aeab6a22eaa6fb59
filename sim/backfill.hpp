// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

namespace placement::sim {

constexpr std::int64_t never_us = std::numeric_limits<std::int64_t>::max();

// When a running job will have ended by the time that it requested.
struct ExpectedEnd {
  std::int64_t time_us = 0;
  std::int64_t slot = 0;  // of the job: with the time, what tells them apart
  std::int64_t cores = 0;

  bool operator<(const ExpectedEnd& other) const {
    return time_us != other.time_us ? time_us < other.time_us : slot < other.slot;
  }
};
using ExpectedEnds = std::set<ExpectedEnd>;

// What a waiting job asks for.
struct Claim {
  std::int64_t cores = 0;
  std::int64_t long_us = 0;
};

// Which jobs of a queue may start now, ascending. The queue begins with the job that has waited longest and does
// not fit.

// EASY: the first has a reservation for the moment when, by the requested times, enough cores will be
// free. Others start if they end before it or leave enough cores for it.
std::vector<std::size_t> easy_backfill(std::int64_t now_us, std::int64_t free_cores, const ExpectedEnds& running,
                                       std::span<const Claim> queue);

// As Slurm's backfill plugin does it: one job after the other is given the earliest time that those before it
// leave, each being as long as its claim and the margin. Whose time is now may start; so many others keep theirs.
std::vector<std::size_t> planned_backfill(std::int64_t now_us, std::int64_t free_cores, const ExpectedEnds& running,
                                          std::span<const Claim> queue, std::int32_t reservations, std::int64_t margin_us);

}  // namespace placement::sim
