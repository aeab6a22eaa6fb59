// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/cluster_view.hpp"

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

}  // namespace placement::sim
