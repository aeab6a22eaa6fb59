// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/site_files.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "common/policy/config.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t max_conf_bytes = 1 << 20;
constexpr std::size_t max_plugin_bytes = 256 << 20;  // one that was not stripped has some 40 MB
constexpr std::string_view plugin_names[] = {"loadmatrix.so", "nodestate.so"};

// Stores a line of slurm.conf where it belongs. Slurm takes the last line that has a key.
void take_slurm_line(SiteFiles& site, const std::string& file, const ConfLine& line) {
  const auto take = [&](std::string_view key, FoundLine& found) {
    if (const std::string* value = line.value(key)) found = {file, line.number, *value};
  };
  take("SelectType", site.select_type);
  take("SelectTypeParameters", site.select_parameters);
  take("PluginDir", site.plugin_dir);
  take("TaskPlugin", site.task_plugin);
  if (const std::string* value = line.value("PlugStackConfig")) site.plugstack = *value;
}

std::vector<std::string> matching_files(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

// Stores the lines of a plugstack.conf and of what it includes that name a plugin of this project. `seen` has the files
// that were read, so that two files which include each other end.
void take_plugstack(SiteFiles& site, const std::string& path, std::set<std::string>& seen) {
  if (!seen.insert(path).second) return;
  const std::string text = read_input_file(path, max_conf_bytes);
  for (const TextLine& line : text_lines(text)) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() < 2) continue;
    if (words[0] == "include") {
      const std::filesystem::path named(words[1]);
      for (const std::string& file : matching_files((named.is_absolute() ? named : std::filesystem::path(path).parent_path() / named).string()))
        take_plugstack(site, file, seen);
    } else if (std::ranges::count(plugin_names, std::filesystem::path(words[1]).filename().string()) > 0) {
      site.plugstack_lines.push_back({path, line.number, std::string(line.text)});
    }
  }
}

// Stores the last line of placement.conf that sets the mode.
void take_mode(SiteFiles& site) {
  if (!std::filesystem::exists(site.placement_conf)) return;
  const std::string text = read_input_file(site.placement_conf, max_conf_bytes);
  for (const TextLine& line : text_lines(text)) {
    const std::size_t sign = line.text.find('=');
    if (sign != std::string_view::npos && equal_any_case(trimmed(line.text.substr(0, sign)), "Mode"))
      site.mode = {site.placement_conf, line.number, std::string(line.text)};
  }
}

}  // namespace

std::vector<std::string> SiteFiles::plugin_directories() const {
  std::vector<std::string> directories;
  for (std::string_view part : split_at(plugin_dir.text, ':')) {
    while (part.size() > 1 && part.ends_with('/')) part.remove_suffix(1);
    if (!part.empty()) directories.emplace_back(part);
  }
  return directories;
}

SiteFiles read_site_files(const std::string& slurm_conf) {
  SiteFiles site;
  site.slurm_conf = slurm_conf;
  site.plugstack = std::filesystem::path(slurm_conf).replace_filename("plugstack.conf").string();
  site.placement_conf = placement_conf_path(slurm_conf);
  for_each_conf_line(slurm_conf, [&](const std::string& file, const ConfLine& line) { take_slurm_line(site, file, line); });
  if (std::filesystem::exists(site.plugstack)) {
    std::set<std::string> seen;
    take_plugstack(site, site.plugstack, seen);
  } else {
    site.plugstack_readable = false;
  }
  take_mode(site);
  return site;
}

std::string slurm_version_of_plugin(const std::string& path) {
  constexpr std::string_view words = "built for Slurm ";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > max_plugin_bytes) return {};
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t at = bytes.find(words);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + words.size();
  const std::size_t end = bytes.find_first_not_of("0123456789.", begin);
  std::string version = bytes.substr(begin, end - begin);
  while (version.ends_with('.')) version.pop_back();
  return version;
}

}  // namespace placement::tools
