// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/state/controller_state.hpp"
#include "monitor/monitor/history_keeper.hpp"
#include "monitor/monitor/node_watch.hpp"
#include "monitor/monitor/probing.hpp"
#include "monitor/monitor/snapshot_publisher.hpp"
#include "monitor/protocol/session.hpp"

namespace placement::monitor {

// The objects from which the metrics of the monitor are taken.
struct MetricSources {
  const NodeWatch& watch;
  bool leads;
  const protocol::ServerSessions& sessions;
  const Probing& probing;
  const HistoryKeeper& keeper;
  std::int64_t heartbeats;  // since the start
  const SnapshotPublisher& publisher;
  const std::optional<ControllerState>& controller;  // the settings in force in slurmctld, by its last answer
  std::size_t configuration_notes;                   // messages about files that cannot be read or are not in force
};

// Returns the metrics in Prometheus' text format. man placement-monitor has the list. `wall_s` is the present time.
std::string monitor_metrics(const MetricSources& of, double wall_s);

}  // namespace placement::monitor
