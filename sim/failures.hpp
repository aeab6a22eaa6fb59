// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/util/random.hpp"

namespace placement::sim {

struct ReplayOptions;

// A node that fails at a moment of the window, and is back later. Its jobs start again.
struct PlannedFailure {
  std::int64_t time_us = 0;
  std::int32_t node = 0;
  std::int64_t repair_us = 0;  // until it is back
  bool random = false;         // one that no user told
};

// The failures of a replay, by time: those planned, and random ones by the rates of the options.
class Failures {
 public:
  // The options must outlive it.
  Failures(const ReplayOptions& options, std::int32_t nodes);

  std::int64_t next_us() const;  // of the next one; never_us without one
  PlannedFailure take();         // the next one; there must be one

  bool strikes(std::int32_t node) const;  // random ones can
  // No random failure before then: while all nodes that they strike are down, each would be none.
  void rest_until(std::int64_t time_us);

 private:
  void draw();

  const ReplayOptions& options_;
  const std::int32_t nodes_;
  Random random_;
  std::vector<double> rates_;  // of nodes 0..n together, per hour; empty: all alike
  std::size_t planned_ = 0;    // those taken
  PlannedFailure drawn_;       // the next random one
};

}  // namespace placement::sim
