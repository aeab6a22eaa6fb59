// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>

#include "monitor/monitor/snapshot_publisher.hpp"
#include "monitor/protocol/periodic.hpp"

namespace placement::monitor {

// When the tasks of the monitor's loop are due. placement-monitor(8) states the intervals.
struct MonitorSchedule {
  static constexpr std::int32_t large_nodes = 1000;  // with more nodes, slurmctld's answer is long
  static constexpr double slurm_again_s = 5;

  explicit MonitorSchedule(std::int32_t nodes) : slurm(nodes > large_nodes ? 30 : 10) {}

  protocol::Periodic leases{0.1};  // giving leases for probes
  protocol::Periodic tick{1};      // judging the nodes and writing the history
  protocol::Periodic slurm;        // asking slurmctld about the nodes
  protocol::Periodic snapshot{publish_every_s};

  // Returns the time until which the loop may wait.
  double next_s() const { return std::min(leases.next_s(), tick.next_s()); }
};

}  // namespace placement::monitor
