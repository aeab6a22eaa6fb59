// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "sim/engine.hpp"

namespace placement::tools {

// The input that is common to all replays of a run.
struct ReplayInput {
  const sim::Machine& machine;
  std::span<const sim::LogJob> jobs;
  const sim::PatternSource& patterns;
  const sim::ReplayOptions& options;
};

// Replays all strategies, at most `threads` at a time, and returns the results in the order of the strategies. Once
// `stop` is set, the replays end soon, with partial results. An error in one replay sets `stop` and is thrown at the
// end. With `show_progress` a bar with the estimated end is shown on standard error.
std::vector<sim::Replay> run_strategies(const ReplayInput& input, const std::vector<sim::Strategy>& strategies,
                                        std::size_t threads, std::atomic<bool>& stop, bool show_progress);

}  // namespace placement::tools
