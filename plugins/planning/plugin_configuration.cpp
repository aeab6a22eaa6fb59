// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/plugin_state.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "common/decision/decision_ring.hpp"
#include "policies/table.hpp"

namespace placement::planning {

namespace {

constexpr const char* not_recorded = "decisions are not recorded: ";

// After a restart, the previous slurmctld may hold the ring for a few seconds. If a process still holds it after this
// number of tries, the configuration is wrong, for example two slurmctld have one DecisionFile.
constexpr int tries_before_error = 10;

using Log = decltype(LiveSource::log);

// Opens the ring at `path`. Returns null if its directory does not exist: then the site records no decisions.
std::shared_ptr<DecisionLog> open_decision_log(const std::string& path, bool private_jobs, const Log& log) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!std::filesystem::is_directory(directory, error)) return nullptr;
  auto opened = std::make_shared<DecisionLog>(path, private_jobs ? RingReaders::group : RingReaders::everybody);
  if (const DecisionLog::Status status = opened->status(); !status.trouble.empty())
    log(!status.in_use, not_recorded + status.trouble + "; slurmctld tries again each second");
  return opened;
}

// Returns the users whose snapshot is trusted. Gives MonitorUser read access to the ring at `private_ring`, because
// placement-monitor answers queries of users about their own jobs. `private_ring` is empty if every user may read the
// ring, or if it is not open yet.
SnapshotOwners find_monitor(const std::string& monitor_user, const std::string& private_ring) {
  SnapshotOwners owners = snapshot_owners(monitor_user);
  if (owners.missing.empty() && !private_ring.empty()) let_read_ring(private_ring, owners.users.back());
  return owners;
}

// Gives MonitorUser read access to the ring. Returns why the file system of the ring does not allow this, otherwise an
// empty text. If MonitorUser does not exist, returns an empty text.
std::string why_not_let_in(const std::string& private_ring, const std::string& monitor_user) {
  const SnapshotOwners owners = snapshot_owners(monitor_user);
  if (private_ring.empty() || !owners.missing.empty() || let_read_ring(private_ring, owners.users.back())) return {};
  return "PrivateData=jobs: " + private_ring +
         " is on a file system without access control lists; placement-monitor can read it only if DecisionFile= is "
         "in a directory with the setgid bit and the group of MonitorUser";
}

// Returns a function that tries to open the ring of `kept`. It returns true when the ring is open, or when the log does
// not exist any more. It owns the log only while it runs, so that a reconfigure releases the lock on the ring at once.
std::function<bool()> opens_later(std::weak_ptr<DecisionLog> kept, const Config& config, bool private_jobs, Log log) {
  return [kept = std::move(kept), user = config.monitor_user, private_jobs, log = std::move(log), tries = 0]() mutable {
    const std::shared_ptr<DecisionLog> decisions = kept.lock();
    if (!decisions) return true;
    if (!decisions->open()) {
      const DecisionLog::Status status = decisions->status();
      if (++tries == tries_before_error && status.in_use) log(true, not_recorded + status.trouble);
      return false;
    }
    log(false, "decisions are recorded now: " + decisions->status().ring);
    if (const std::string wrong = private_jobs ? why_not_let_in(decisions->status().ring, user) : ""; !wrong.empty())
      log(false, wrong);
    return true;
  };
}

// Returns the settings that differ from their defaults, without the mode, which is reported separately.
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
  const Log log = [line = now.log](bool is_error, const std::string& text) {
    if (line != nullptr) line(is_error, text.c_str());
  };
  now.decision_log = open_decision_log(now.config.decision_file, machine.private_jobs, log);
  const std::weak_ptr<DecisionLog> ring = now.decision_log;
  const auto private_ring = [ring, is_private = machine.private_jobs] {
    const std::shared_ptr<DecisionLog> decisions = is_private ? ring.lock() : nullptr;
    return decisions ? decisions->status().ring : "";
  };
  LiveSource source{now.config.snapshot_file,
                    [user = now.config.monitor_user, private_ring] { return find_monitor(user, private_ring()); },
                    now.config.snapshot_max_age_s, known->node_names(), log};
  if (now.decision_log && !now.decision_log->status().trouble.empty())
    source.retry = opens_later(ring, now.config, machine.private_jobs, log);
  now.feed = std::make_unique<const LiveFeed>(std::move(source));
  for (const std::string& warning : {why_not_let_in(private_ring(), now.config.monitor_user), known->warning()})
    if (!warning.empty()) log(false, warning);
  now.machine = std::move(known);
}

ControllerState controller_state(const PluginState& now) {
  ControllerState told;
  told.configuration = now.config_path;
  told.failure = now.failure;
  told.mode = mode_names[now.machine ? now.config.mode : PLACEMENT_OFF];
  told.monitor_user = now.config.monitor_user;
  told.monitor_port = now.config.monitor_port;
  if (now.failure.empty()) told.settings = changed_settings(now.config);
  if (now.decision_log) told.not_recorded = now.decision_log->status().trouble;
  if (!now.feed) return told;
  told.longest_hold_us = now.longest_hold_us;
  told.decisions_over_limit = now.decisions_over_limit;
  const LiveNow live = now.feed->now();
  const std::string trouble = now.feed->trouble();
  told.live = !trouble.empty() ? LiveUse::refused : live.state ? LiveUse::used : LiveUse::none;
  told.live_text = !trouble.empty() ? trouble : live.state ? now.config.snapshot_file : live.why_not;
  return told;
}

}  // namespace placement::planning
