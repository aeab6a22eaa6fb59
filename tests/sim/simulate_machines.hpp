// SPDX-License-Identifier: GPL-2.0-or-later
// Small machines and jobs for tests of the replay.
#pragma once
#include <string>
#include <vector>

#include "common/topology/switch_tree.hpp"
#include "sim/engine.hpp"

// Returns a machine of leaf switches below one root. nodes_per_switch has the number of nodes of each switch.
inline placement::sim::Machine machine_of(const std::vector<int>& nodes_per_switch, int sockets, int cores_per_socket) {
  std::vector<placement::SwitchShape> switches{{"root", -1, {}}};
  std::vector<placement::NodeShape> nodes;
  for (const int count : nodes_per_switch) {
    switches.push_back({"s" + std::to_string(switches.size()), 0, {}});
    for (int k = 0; k < count; ++k) {
      switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
      nodes.push_back({"n" + std::to_string(nodes.size()), sockets, cores_per_socket, 1});
    }
  }
  return placement::sim::Machine(placement::view_of_switches(switches, nodes));
}

inline placement::sim::LogJob job_of(std::int64_t submit_s, std::int64_t run_s, std::int64_t limit_s,
                                     std::int32_t tasks) {
  placement::sim::LogJob job;
  job.submit_s = submit_s;
  job.run_s = run_s;
  job.limit_s = limit_s;
  job.tasks = tasks;
  return job;
}
