// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/settings_in_force.hpp"

#include <cstdio>

#include "common/state/controller_state.hpp"
#include "common/util/error.hpp"

namespace placement::tools {

namespace {

// A value that slurmctld had to cut. It is compared as far as it is known.
bool is_cut(const std::string& value) { return value.size() >= max_fact_bytes && value.ends_with(".."); }

}  // namespace

std::optional<Config> settings_in_force(const ControllerInput& controller) {
  if (!controller.state || controller.state->mode.empty() || !controller.state->failure.empty()) return std::nullopt;
  Config config;
  const auto take = [&config](std::string_view name, std::string_view value) {
    for (const ConfigKey& key : config_keys())
      if (key.name == name && !is_cut(std::string(value))) key.set(config, value);
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
    std::fprintf(stderr, "placectl: %s: goes on with the default settings\n", error.what());
    return {};
  }
}

}  // namespace placement::tools
