// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/agent_config.hpp"

#include <algorithm>
#include <array>

#include "common/util/error.hpp"

namespace placement::protocol {

namespace {

constexpr std::array<std::string_view, 5> agent_keys = {"AgentPort", "NodeProcessors", "ProbeInterface",
                                                        "ProbeLinkMbps", "ProbeBytesPerMinute"};

bool is_agents(std::string_view key) {
  return std::find(agent_keys.begin(), agent_keys.end(), key) != agent_keys.end();
}

}  // namespace

std::string agent_settings_text(const Config& config) {
  std::string text;
  for (const ConfigKey& key : config_keys())
    if (const std::string value = key.show(config); is_agents(key.name) && !value.empty())
      text += std::string(key.name) + "=" + value + "\n";
  return text;
}

void take_agent_settings(Config& config, std::string_view text) {
  const std::string name = "the monitor's settings";
  // parse_config() checks that the ports in the text do not conflict, so the monitor's port is added from this host.
  const Config told =
      parse_config("MonitorPort=" + std::to_string(config.monitor_port) + "\n" + std::string(text), name);
  for (const auto& [key, line] : told.places.line_of_key)
    if (!is_agents(key) && line > 1)
      throw Error(name + ": " + std::string(key) + " is not a setting that a monitor sends");
  config.agent_port = told.agent_port;
  config.allowed_cpus_only = told.allowed_cpus_only;
  config.probe_interfaces = told.probe_interfaces;
  config.probe_link_Mbps = told.probe_link_Mbps;
  config.probe_bytes_per_minute = told.probe_bytes_per_minute;
}

}  // namespace placement::protocol
