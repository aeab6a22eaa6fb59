// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <span>
#include <vector>

#include "sim/engine.hpp"

namespace placement {

// What all replays of a run share.
struct ReplayInput {
  const sim::Machine& machine;
  std::span<const sim::LogJob> jobs;
  const sim::PatternSource& patterns;
  const sim::ReplayOptions& options;
  const sim::Replay* reference = nullptr;  // see replay()
};

// Replays all strategies, so many at the same time; the order of the results is that of the strategies, whatever
// ends first. Once `stop` is set they end soon with what there is; an error of one sets it. With show_progress a bar
// with the estimated end is on standard error.
std::vector<sim::Replay> run_strategies(const ReplayInput& input, const std::vector<sim::Strategy>& strategies, std::size_t threads,
                                   std::atomic<bool>& stop, bool show_progress);

}  // namespace placement
