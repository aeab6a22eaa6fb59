// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/probe_limits.hpp"

#include <algorithm>
#include <cmath>

namespace placement::protocol {

namespace {

constexpr double assumed_link_Bps = 125e6;
constexpr double idle_utilisation = 0.25;
constexpr double idle_link_share = 0.05;

double known_link(double link_Bps) { return std::isnan(link_Bps) ? assumed_link_Bps : link_Bps; }

}  // namespace

double probe_budget_Bpm(const Config& config, double link_Bps) {
  const double share = known_link(link_Bps) * 60 * static_cast<double>(config.probe_link_percent) / 100;
  return std::min(share, static_cast<double>(config.probe_bytes_per_minute));
}

bool little_loaded(double utilisation, double flow_Bps, double link_Bps) {
  return utilisation < idle_utilisation && flow_Bps < idle_link_share * known_link(link_Bps);
}

}  // namespace placement::protocol
