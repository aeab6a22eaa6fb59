// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/controller_input.hpp"

#include <cstdio>

#include "common/slurm/controller_query.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "config.h"

namespace placement::tools {

bool knows_slurm_conf() { return std::string_view(SLURM_BINDIR).empty() || may_exist(slurm_conf_path()); }

bool slurmctld_answers() {
  static const bool answers = [] {
    try {
      return knows_slurm_conf() && SlurmCommand({"scontrol", "ping"}).output().text.find(" is UP") != std::string::npos;
    } catch (const Error&) {
      return false;
    }
  }();
  return answers;
}

ControllerInput read_controller() {
  if (!knows_slurm_conf()) return {{}, "no slurm.conf to find slurmctld"};
  if (!slurmctld_answers()) return {{}, "slurmctld does not answer"};
  try {
    return {controller_state_of(ask_controller()), {}};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

std::string described(const ControllerInput& controller) {
  if (!controller.state) return "not known: " + controller.why_not;
  const ControllerState& state = *controller.state;
  if (state.mode.empty()) return trouble_of(state);
  if (!state.failure.empty()) return state.mode + ": " + state.failure;
  return state.mode + ", by " + state.configuration;
}

std::optional<Config> settings_in_force(const ControllerInput& controller) {
  if (!controller.state || controller.state->mode.empty() || !controller.state->failure.empty()) return std::nullopt;
  Config config;
  const auto take = [&config](std::string_view name, std::string_view value) {
    const bool is_cut = value.size() >= max_fact_bytes && value.ends_with("..");
    for (const ConfigKey& key : config_keys())
      if (key.name == name && !is_cut) key.set(config, value);
  };
  take("Mode", controller.state->mode);
  for (const auto& [key, value] : controller.state->settings) take(key, value);
  return config;
}

std::string format_settings(const Config& config) {
  std::string text;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.show(config);
    text += (value.empty() ? "# " : "") + std::string(key.name) + "=" + value + "\n";
  }
  return text;
}

std::string settings_not_in_force(const Config& file, const Config& in_force, const std::string& reader) {
  std::string text;
  for (const ConfigKey& key : config_keys()) {
    const std::string name(key.name), here = key.show(file), there = key.show(in_force);
    if (here != there && here.size() <= max_fact_bytes)
      text += "# " + name + "=" + here + " of this file is not in force (" + name + "=" + there +
              " is): " + (reader.empty() ? "scontrol reconfigure" : reader) + "\n";
  }
  return text;
}

Config config_for_records() {
  try {
    return read_config(placement_conf_path(), MissingFile::defaults);
  } catch (const Error& error) {
    std::fprintf(stderr, "placectl: %s: using the default settings\n", error.what());
    return {};
  }
}

}  // namespace placement::tools
