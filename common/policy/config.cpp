// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/policy/config.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::size_t max_file_bytes = 1 << 20;

std::string unknown_key(std::string_view key) {
  std::vector<std::string_view> names;
  for (const ConfigKey& known : config_keys()) names.push_back(known.name);
  std::string message = "unknown key " + shown(key) + ": ";
  if (const std::string_view meant = near_miss(key, names); !meant.empty())
    return message + "did you mean " + std::string(meant) + "?";
  message += "the keys are";
  for (std::size_t i = 0; i < names.size(); ++i)
    message += (i == 0 ? " " : i + 1 < names.size() ? ", " : " and ") + std::string(names[i]);
  return message;
}

std::size_t find_key(std::string_view key, const std::string& name, std::int64_t line) {
  const std::span<const ConfigKey> keys = config_keys();
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (equal_any_case(key, keys[k].name)) return k;
  fail_at(name, line, unknown_key(key));
}

}  // namespace

Config parse_config(std::string_view text, const std::string& name) {
  Config config;
  const std::span<const ConfigKey> keys = config_keys();
  std::vector<std::int64_t> line_of_key(keys.size());
  for (const TextLine& line : text_lines(text)) {
    const std::size_t equals = line.text.find('=');
    if (equals == std::string_view::npos)
      fail_at(name, line.number, "'" + shown(line.text) + "' is not of the form Key=value");
    const std::size_t k = find_key(trimmed(line.text.substr(0, equals)), name, line.number);
    const std::string key(keys[k].name);
    if (line_of_key[k] != 0)
      fail_at(name, line.number, key + " is given twice, first in line " + std::to_string(line_of_key[k]));
    line_of_key[k] = line.number;
    const std::string_view value = trimmed(line.text.substr(equals + 1));
    if (!keys[k].set(config, value))
      fail_at(name, line.number, key + "=" + shown(value) + ": it takes " + std::string(keys[k].values));
  }
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (line_of_key[k] != 0) config.places.line_of_key.emplace_back(keys[k].name, line_of_key[k]);
  config.places.file = name;
  // On a host with both daemons, the second one could not open its port.
  if (config.monitor_port == config.agent_port)
    for (const auto& [key, line] : config.places.line_of_key)
      if (key == "MonitorPort" || key == "AgentPort")
        fail_at_key(config, key, std::to_string(config.agent_port),
                    "MonitorPort and AgentPort are the same: want two ports");
  return config;
}

void fail_at_key(const Config& config, std::string_view key, const std::string& value, const std::string& message) {
  const std::string text = std::string(key) + "=" + shown(value) + ": " + message;
  for (const auto& [known, line] : config.places.line_of_key)
    if (known == key) fail_at(config.places.file, line, text);
  throw Error((config.places.file.empty() ? "" : config.places.file + ": ") + text);
}

void check_named_file(const Config& config, std::string_view key, const std::string& path) {
  if (access(path.c_str(), R_OK) != 0)
    fail_at_key(config, key, path, std::string("cannot be opened: ") + std::strerror(errno));
}

Config read_config(const std::string& path, MissingFile missing) {
  std::error_code unreadable;  // set: the file may exist, and read_input_file() says what is wrong
  if (missing == MissingFile::defaults && !std::filesystem::exists(path, unreadable) && !unreadable) return {};
  return parse_config(read_input_file(path, max_file_bytes), path);
}

std::string placement_conf_path(std::string_view slurm_conf) {
  std::filesystem::path path(slurm_conf.empty() ? slurm_conf_path() : std::string(slurm_conf));
  return path.replace_filename("placement.conf").string();
}

}  // namespace placement
