// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/controller_state.hpp"

#include <algorithm>
#include <array>

#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::string_view mode_name = "PlacementMode", configuration_name = "PlacementConf",
                           failure_name = "PlacementFailure", live_name = "PlacementLiveData",
                           not_recorded_name = "PlacementNotRecorded", monitor_name = "PlacementMonitor",
                           binding_name = "PlacementBinding", no_binding = "none: ", locks_name = "PlacementLocksHeld";
constexpr std::string_view port_word = ", port ";
constexpr std::string_view setting_prefix = "Placement";  // starts the name of a fact that reports a setting
constexpr std::array<std::string_view, 4> live_names = {"off", "none", "used", "refused"};

// Returns the text as one line: each control character, which a path or a message may have, becomes '?'.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c < ' ' || c == 127) c = '?';
  return text;
}

void take_live(ControllerState& state, std::string_view value) {
  const std::size_t colon = value.find(':');
  for (std::size_t i = 0; i < live_names.size(); ++i)
    if (value.substr(0, colon) == live_names[i]) state.live = static_cast<LiveUse>(i);
  if (colon != std::string_view::npos) state.live_text = trimmed(value.substr(colon + 1));
}

// Reads MonitorUser and MonitorPort from a value such as "placement, port 6828". A wrong value is ignored.
void take_monitor(ControllerState& state, std::string_view value) {
  const std::size_t comma = value.find(port_word);
  if (comma == std::string_view::npos) return;
  const auto port = parse_integer(value.substr(comma + port_word.size()));
  if (!port || *port < 1 || *port > UINT16_MAX) return;
  state.monitor_user = value.substr(0, comma);
  state.monitor_port = *port;
}

// Reads a value such as "52134 us, 3 decisions over DecisionTimeMs". A wrong value is ignored.
void take_locks(ControllerState& state, std::string_view value) {
  const std::vector<std::string_view> words = split_words(value);
  if (words.size() < 3) return;
  state.longest_hold_us = parse_integer(words[0]).value_or(-1);
  state.decisions_over_limit = parse_integer(words[2]).value_or(0);
}

}  // namespace

std::string ControllerState::setting(std::string_view key) const {
  const auto found = std::ranges::find(settings, key, &Facts::value_type::first);
  return found == settings.end() ? "" : found->second;
}

Facts facts_of(const ControllerState& state) {
  Facts facts;
  if (state.mode.empty()) return facts;
  const auto add = [&facts](std::string_view name, const std::string& value) {
    facts.emplace_back(name, one_line(value));
  };
  add(mode_name, state.mode);
  add(configuration_name, state.configuration);
  if (!state.failure.empty()) add(failure_name, state.failure);
  const std::string live(live_names[static_cast<std::size_t>(state.live)]);
  add(live_name, state.live_text.empty() ? live : live + ": " + state.live_text);
  if (!state.not_recorded.empty()) add(not_recorded_name, state.not_recorded);
  if (!state.monitor_user.empty())
    add(monitor_name, state.monitor_user + std::string(port_word) + std::to_string(state.monitor_port));
  if (state.longest_hold_us >= 0)
    add(locks_name, std::to_string(state.longest_hold_us) + " us, " + std::to_string(state.decisions_over_limit) +
                        " decisions over DecisionTimeMs");
  for (const auto& [key, value] : state.settings)
    add(std::string(setting_prefix) + key,
        value.size() > max_fact_bytes ? value.substr(0, max_fact_bytes - 2) + ".." : value);
  return facts;
}

ControllerState controller_state_of(std::string_view lines) {
  ControllerState state;
  for (const std::string_view line : split_at(lines, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (name == mode_name)
      state.mode = value;
    else if (name == configuration_name)
      state.configuration = value;
    else if (name == failure_name)
      state.failure = value;
    else if (name == live_name)
      take_live(state, value);
    else if (name == not_recorded_name)
      state.not_recorded = value;
    else if (name == monitor_name)
      take_monitor(state, value);
    else if (name == locks_name)
      take_locks(state, value);
    else if (name == binding_name)
      state.unbound = value.starts_with(no_binding) ? value.substr(no_binding.size()) : "";
    else if (name.starts_with(setting_prefix))
      state.settings.emplace_back(name.substr(setting_prefix.size()), value);
  }
  return state;
}

std::string trouble_of(const ControllerState& state) {
  if (state.mode.empty())
    return "slurmctld does not run select_cons_tres.so of slurm-placement, and all jobs run as stock; or, from Slurm 25.05 on, mpi_placement.so is missing next to it";
  if (!state.failure.empty()) return "placement is off in slurmctld: " + state.failure;
  std::string text;
  if (state.live == LiveUse::refused) text = "slurmctld refuses the live data: " + state.live_text;
  if (!state.not_recorded.empty())
    text += (text.empty() ? "" : "; ") + ("slurmctld does not record decisions: " + state.not_recorded);
  return text;
}

}  // namespace placement
