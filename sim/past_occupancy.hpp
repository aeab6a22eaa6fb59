// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine.hpp"

namespace placement::sim {

// The state of the site's machine over time by a log: where its jobs ran, and when.
struct PastOccupancy {
  // At equal distances, at most most_past_samples; none if no job is known. Waiting jobs are not counted.
  std::vector<MachineSample> samples;
  std::int64_t jobs = 0;     // with a known start and known nodes
  std::int64_t unknown = 0;  // jobs without a start or a list of nodes, or none of whose nodes is one of the machine
};

inline constexpr std::int64_t most_past_samples = 1000;

// Computes the state from `from_s` to `to_s`, on the clock of submit_s. A job's tasks count in equal parts on its
// nodes, up to the cores of a node. Nodes that were down, drained or reserved count as free. A core that several jobs
// shared counts once. Memory is O(jobs + nodes).
PastOccupancy past_occupancy(const Machine& machine, std::span<const LogJob> jobs, std::int64_t from_s,
                             std::int64_t to_s);

}  // namespace placement::sim
