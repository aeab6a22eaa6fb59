// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "monitor/protocol/query_client.hpp"

namespace placement::tools {

// Asks placement-monitor on the controllers of slurm.conf, as the calling user. User and port of the monitor are those
// that slurmctld reports, or else those in `config`. Throws Error.
protocol::MonitorAnswer ask_monitors(const protocol::Query& query, const Config& config);
// Asks as ask_monitors() for the decisions about `job` (0: about all jobs) that were made at `since_s` or later, and
// returns them. Throws Error.
protocol::DecisionAnswer ask_for_decisions(const Config& config, std::uint32_t job, double since_s);

// The report of a monitor about itself.
struct MonitorReport {
  std::string from;                // the controller's name
  std::string trouble;             // why it does not answer a query; empty: it does
  std::vector<std::string> notes;  // settings of its configuration files that are not in force in it
};
// Sends queries for notes, or measured pairs, to the monitor on each controller of slurm.conf, until it does not answer
// one. Throws Error when slurm.conf cannot be read, and without munge.
std::vector<MonitorReport> ask_each_monitor(std::span<const protocol::Query> queries, const Config& config);

// Returns the source of an answer for messages, such as "placement-monitor on head".
std::string described(const protocol::MonitorAnswer& answer);

}  // namespace placement::tools
