// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "common/util/random.hpp"

namespace placement::sim {

struct ReplayOptions;

// The failure of a node: the node goes down, and its jobs start again. The node is back after the repair.
struct NodeFailure {
  std::int64_t time_us = 0;    // time since the start of the window
  std::int32_t node = 0;       // number of the node in the view
  std::int64_t repair_us = 0;  // time from the failure until the node is back
};

// The failures of a replay in the order of time: the planned ones, and random ones at the rates of the options. A node
// has no random failure while it is down after the last one.
class Failures {
 public:
  // `options` must outlive the object; `nodes` is the number of nodes.
  Failures(const ReplayOptions& options, std::int32_t nodes);

  // Returns the time of the next failure, never_us when there is none.
  std::int64_t next_us() const;
  // Removes the next failure and returns it. There must be one.
  NodeFailure take();

 private:
  void draw(std::int32_t node, std::int64_t from_us);

  const ReplayOptions& options_;
  Random random_;
  std::size_t planned_ = 0;                                // number of planned failures that were taken
  std::set<std::pair<std::int64_t, std::int32_t>> drawn_;  // time and node of the next random failure of each node
};

}  // namespace placement::sim
