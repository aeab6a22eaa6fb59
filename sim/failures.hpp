// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/util/random.hpp"

namespace placement::sim {

struct ReplayOptions;

// The failure of a node: the node goes down, and its jobs start again. The node is back after the repair.
struct NodeFailure {
  std::int64_t time_us = 0;    // time since the start of the window
  std::int32_t node = 0;       // number of the node in the view
  std::int64_t repair_us = 0;  // time from the failure until the node is back
};

// The failures of a replay in the order of time: the planned ones, and random ones at the rates of the options.
class Failures {
 public:
  // `options` must outlive the object; `nodes` is the number of nodes.
  Failures(const ReplayOptions& options, std::int32_t nodes);

  // Returns the time of the next failure, never_us when there is none.
  std::int64_t next_us() const;
  // Removes the next failure and returns it. There must be one.
  NodeFailure take();

  // Returns whether the node can have random failures.
  bool strikes(std::int32_t node) const;
  // Suspends random failures until time_us. The replay calls it while all nodes that can have random failures are down.
  void rest_until(std::int64_t time_us);

 private:
  void draw();

  const ReplayOptions& options_;
  const std::int32_t nodes_;
  Random random_;
  std::vector<double> rates_;  // entry n: failures per hour of nodes 0..n together; empty when all rates are equal
  std::size_t planned_ = 0;    // number of planned failures that were taken
  NodeFailure drawn_;          // the next random failure
};

}  // namespace placement::sim
