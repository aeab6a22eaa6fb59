// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine.hpp"

namespace placement::sim {

// The measures of a machine and of its running jobs at one time, as a replay computes them.
struct Occupancy {
  std::int64_t usable_cores = 0;        // of nodes that take jobs
  std::int64_t free_cores = 0;          // of nodes that take jobs
  std::int64_t largest_in_switch = 0;   // MachineSample::largest_in_switch
  std::int64_t largest_in_subtree = 0;  // MachineSample::largest_in_subtree
  std::int64_t jobs = 0;                // jobs that hold cores
  std::int64_t spread_jobs = 0;         // jobs on more leaf switches than they need on an empty machine
  double switches = 0;                  // mean number of leaf switches of a job; 0 without jobs
  double extra_switches = 0;            // mean number of them beyond those that the job needs on an empty machine
};

// Computes the measures. `view` has all nodes of the machine; core_free of a node is false for cores that take no job.
// Entry k of `jobs` has the cores of job k as leaves of view.tree. A core that several jobs share counts once as in
// use. Throws Error when the view is not a machine, or when a leaf does not belong to a node.
Occupancy occupancy_of(const ClusterView& view, std::span<const std::vector<std::int32_t>> jobs);

// The state of the site's machine over time by a log: where its jobs ran, and when.
struct PastOccupancy {
  // At equal distances, at most most_past_samples; none if no job is known. Waiting jobs are not counted.
  std::vector<MachineSample> samples;
  std::int64_t jobs = 0;     // jobs with a known start and known nodes
  std::int64_t unknown = 0;  // jobs without a start or a list of nodes, or with no node of the machine
};

inline constexpr std::int64_t most_past_samples = 1000;

// Computes the state from `from_s` to `to_s`, on the clock of submit_s. A job's tasks count in equal parts on its
// nodes, up to the cores of a node. Nodes that were down, drained or reserved count as free. A core that several jobs
// shared counts once. Memory is O(jobs + nodes).
PastOccupancy past_occupancy(const Machine& machine, std::span<const LogJob> jobs, std::int64_t from_s,
                             std::int64_t to_s);

}  // namespace placement::sim
