// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/policy/config.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/topology/slurm_hosts.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

constexpr std::size_t max_file_bytes = 1 << 20;

const ConfigKey& find_key(std::string_view key, const std::string& name, std::int64_t line) {
  std::vector<std::string_view> names;
  for (const ConfigKey& known : config_keys()) {
    if (equal_any_case(key, known.name)) return known;
    names.push_back(known.name);
  }
  fail_at(name, line, "unknown key " + shown(key) + ": " + suggested(key, names, "the keys are"));
}

// Stores the value of a line "Key=value" in `config`, with the number of the line. Throws Error if the line is wrong or
// repeats a key.
void take_line(Config& config, const TextLine& line, const std::string& name) {
  const std::size_t equals = line.text.find('=');
  if (equals == std::string_view::npos)
    fail_at(name, line.number, "'" + shown(line.text) + "' is not of the form Key=value");
  const ConfigKey& known = find_key(trimmed(line.text.substr(0, equals)), name, line.number);
  const std::string key(known.name);
  for (const auto& [given, first] : config.places.line_of_key)
    if (given == key) fail_at(name, line.number, key + " is given twice, first in line " + std::to_string(first));
  config.places.line_of_key.emplace_back(known.name, line.number);
  const std::string_view value = trimmed(line.text.substr(equals + 1));
  if (!known.set(config, value))
    fail_at(name, line.number, key + "=" + shown(value) + ": expected " + std::string(known.values));
}

// Throws Error for two equal ports: on a host with both daemons, the second one could not open its port.
void check_ports(const Config& config) {
  if (config.monitor_port != config.agent_port) return;
  for (const auto& [key, line] : config.places.line_of_key)
    if (key == "MonitorPort" || key == "AgentPort")
      fail_at_key(config, key, std::to_string(config.agent_port), "MonitorPort and AgentPort are equal: use two ports");
}

// Parses the text. Adds its mistakes to `mistakes`, and stops when there are `most` of them.
Config parse(std::string_view text, const std::string& name, std::vector<std::string>& mistakes, std::size_t most) {
  Config config;
  config.places.file = name;
  for (const TextLine& line : text_lines(text)) {
    note_mistake(mistakes, [&] { take_line(config, line, name); });
    if (mistakes.size() >= most) return config;
  }
  note_mistake(mistakes, [&] { check_ports(config); });
  return config;
}

bool is_missing(const std::string& path) {
  std::error_code unreadable;  // set: the file may exist, and read_input_file() throws the reason
  return !std::filesystem::exists(path, unreadable) && !unreadable;
}

}  // namespace

Config parse_config(std::string_view text, const std::string& name) {
  std::vector<std::string> mistakes;
  Config config = parse(text, name, mistakes, 1);
  if (!mistakes.empty()) throw Error(mistakes.front());
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
  if (missing == MissingFile::defaults && is_missing(path)) return {};
  return parse_config(read_input_file(path, max_file_bytes), path);
}

Config read_config(const std::string& path, MissingFile missing, std::vector<std::string>& mistakes) {
  constexpr std::size_t most_mistakes = 100;
  if (missing == MissingFile::defaults && is_missing(path)) return {};
  return parse(read_input_file(path, max_file_bytes), path, mistakes, most_mistakes);
}

std::string placement_conf_path(std::string_view slurm_conf) {
  std::filesystem::path path(slurm_conf.empty() ? slurm_conf_path() : std::string(slurm_conf));
  return path.replace_filename("placement.conf").string();
}

std::string probe_budget_warning(const Config& config) {
  constexpr std::int64_t least = 2 * probe_train_bytes;
  const std::int64_t of_link = config.probe_link_Mbps * 125000 * 60 * probe_link_percent / 100;
  const std::string consequence = ": bandwidth is not measured with less than " + std::to_string(least) +
                                  " bytes per minute, twice the bytes of a packet train";
  if (config.probe_bytes_per_minute == 0) return {};
  if (config.probe_bytes_per_minute < least)
    return "ProbeBytesPerMinute=" + std::to_string(config.probe_bytes_per_minute) + " is too little" + consequence;
  if (config.probe_link_Mbps > 0 && of_link < least)
    return std::to_string(probe_link_percent) + " % of ProbeLinkMbps=" + std::to_string(config.probe_link_Mbps) +
           " is " + std::to_string(of_link) + " bytes per minute" + consequence;
  return {};
}

}  // namespace placement
