// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/plugin_configuration.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "common/decision/ring_place.hpp"
#include "common/util/error.hpp"
#include "policies/settings.hpp"

namespace placement::planning {

namespace {

// Opens the ring at `path`. Returns null, without a warning, if its directory does not exist: decisions are recorded
// only where the site has made that directory.
std::unique_ptr<DecisionLog> open_decision_log(const std::string& path, bool private_jobs, std::string& warning) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!std::filesystem::is_directory(directory, error)) return nullptr;
  try {
    return std::make_unique<DecisionLog>(path, private_jobs ? RingReaders::group : RingReaders::everybody);
  } catch (const Error& wrong) {
    warning = std::string("decisions are not recorded: ") + wrong.what();
    return nullptr;
  }
}

// Looks up the users whose snapshot is believed. With PrivateData=jobs, MonitorUser is let read the ring at
// `private_ring` (empty: everybody reads it), because it answers users about their own jobs.
SnapshotOwners find_monitor(const std::string& monitor_user, const std::string& private_ring) {
  SnapshotOwners owners = snapshot_owners(monitor_user);
  if (owners.missing.empty() && !private_ring.empty()) let_read_ring(private_ring, owners.users.back());
  return owners;
}

// Returns whether MonitorUser can read the ring as far as its file system decides. A user who does not exist yet is let
// in once it does.
bool is_let_in(const std::string& private_ring, const std::string& monitor_user) {
  const SnapshotOwners owners = snapshot_owners(monitor_user);
  return !owners.missing.empty() || let_read_ring(private_ring, owners.users.back());
}

// Returns the settings that differ from their defaults. The mode is left out, because it is reported by itself.
Facts changed_settings(const Config& config) {
  static const Config defaults;
  Facts changed;
  for (const ConfigKey& key : config_keys())
    if (std::string value = key.show(config); key.name != "Mode" && value != key.show(defaults))
      changed.emplace_back(key.name, std::move(value));
  return changed;
}

}  // namespace

void configure_on(PluginState& now, const placement_machine& machine) {
  policies::check_policy_settings(now.config);
  for (const auto& [partition, word] : now.config.partition_policies) now.partitions.try_emplace(partition, word);
  auto known = std::make_unique<const Machine>(machine, now.config);
  for (const char* const topology : std::span(machine.other_topologies, machine.other_topology_count))
    now.other_machines.push_back(std::make_unique<const Machine>(*known, topology));
  now.decision_log = open_decision_log(now.config.decision_file, now.private_jobs, now.warning);
  const std::string private_ring = now.decision_log && now.private_jobs ? now.decision_log->path() : "";
  now.feed = std::make_unique<const LiveFeed>(
      now.config.snapshot_file,
      [user = now.config.monitor_user, private_ring] { return find_monitor(user, private_ring); },
      now.config.snapshot_max_age_s, known->node_names(),
      [log = now.log](bool is_error, const std::string& text) {
        if (log != nullptr) log(is_error, text.c_str());
      });
  if (!private_ring.empty() && !is_let_in(private_ring, now.config.monitor_user))
    now.warning +=
        (now.warning.empty() ? "" : "; ") + ("PrivateData=jobs: " + private_ring +
                                             " is on a file system without access control lists, so that "
                                             "placement-monitor gets the decisions only by the group of its directory");
  if (!known->warning().empty()) now.warning += (now.warning.empty() ? "" : "; ") + known->warning();
  now.machine = std::move(known);
}

ControllerState controller_state(const PluginState& now) {
  ControllerState told;
  told.configuration = now.config_path;
  told.failure = now.failure;
  told.mode = to_string(now.machine ? now.config.mode : Mode::off);
  told.monitor_user = now.config.monitor_user;
  told.monitor_port = now.config.monitor_port;
  if (now.failure.empty()) told.settings = changed_settings(now.config);
  if (!now.feed) return told;
  const LiveNow live = now.feed->now();
  const std::string trouble = now.feed->trouble();
  told.live = !trouble.empty() ? LiveUse::refused : live.state ? LiveUse::used : LiveUse::none;
  told.live_text = !trouble.empty() ? trouble : live.state ? now.config.snapshot_file : live.why_not;
  return told;
}

}  // namespace placement::planning
