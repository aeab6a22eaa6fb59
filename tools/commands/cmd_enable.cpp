// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <glob.h>
#include <pwd.h>

#include "common/policy/config.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "config.h"
#include "policies/settings.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/command_line.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

// What Slurm's configuration files say of this project, for the commands that tell an administrator which lines to put
// in or to take out. No file is changed.

// A setting as it stands in a file.
struct FoundLine {
  std::string file;         // empty: no file has it
  std::int64_t number = 0;  // line number in the file
  std::string text;         // of slurm.conf the value, of plugstack.conf the whole line
};

struct SiteFiles {
  std::string slurm_conf;
  std::string plugstack;       // path of plugstack.conf, as slurm.conf names it or beside it
  std::string placement_conf;  // path of placement.conf
  FoundLine select_type;
  FoundLine select_parameters;
  FoundLine plugin_dir;
  FoundLine task_plugin;
  std::vector<FoundLine> plugstack_lines;  // those that name a plugin of this project
  FoundLine mode;                          // of placement.conf

  // Returns the directories of PluginDir, without a '/' at their ends.
  std::vector<std::string> plugin_directories() const;
};

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
      for (const std::string& file :
           matching_files((named.is_absolute() ? named : std::filesystem::path(path).parent_path() / named).string()))
        take_plugstack(site, file, seen);
    } else if (std::ranges::count(plugin_names, std::filesystem::path(words[1]).filename().string()) > 0) {
      site.plugstack_lines.push_back({path, line.number, std::string(line.text)});
    }
  }
}

// Stores the last line of placement.conf that sets the mode.
void take_mode(SiteFiles& site) {
  if (!may_exist(site.placement_conf)) return;
  const std::string text = read_input_file(site.placement_conf, max_conf_bytes);
  for (const TextLine& line : text_lines(text)) {
    const std::size_t sign = line.text.find('=');
    if (sign != std::string_view::npos && equal_any_case(trimmed(line.text.substr(0, sign)), "Mode"))
      site.mode = {site.placement_conf, line.number, std::string(line.text)};
  }
}

std::vector<std::string> SiteFiles::plugin_directories() const {
  std::vector<std::string> directories;
  for (std::string_view part : split_at(plugin_dir.text, ':')) {
    while (part.size() > 1 && part.ends_with('/')) part.remove_suffix(1);
    if (!part.empty()) directories.emplace_back(part);
  }
  return directories;
}

// Reads slurm.conf at `slurm_conf`, the plugstack.conf and placement.conf that belong to it, and the files that these
// include. Throws Error when slurm.conf or a file that it includes cannot be read or has a wrong line.
SiteFiles read_site_files(const std::string& slurm_conf) {
  SiteFiles site;
  site.slurm_conf = slurm_conf;
  site.plugstack = std::filesystem::path(slurm_conf).replace_filename("plugstack.conf").string();
  site.placement_conf = placement_conf_path(slurm_conf);
  for_each_conf_line(slurm_conf,
                     [&](const std::string& file, const ConfLine& line) { take_slurm_line(site, file, line); });
  if (may_exist(site.plugstack)) {
    std::set<std::string> seen;
    take_plugstack(site, site.plugstack, seen);
  }
  take_mode(site);
  return site;
}

// Returns the version of Slurm that a select plugin of this project was built for, as in "22.05.8". Empty when the file
// cannot be read or is no such plugin.
std::string slurm_version_of_plugin(const std::string& path) {
  constexpr std::string_view words = "built for Slurm ";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > max_plugin_bytes)
    return {};
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

constexpr Option options[] = {
    {0, "slurm-conf", "FILE", "the slurm.conf [that of SLURM_CONF, or /etc/slurm/slurm.conf]"},
    {0, "plugins", "DIR", "where the plugins of slurm-placement are [" PLACEMENT_PLUGINS "]"},
};

constexpr CommandHelp enable_help{
    "placectl enable", "[OPTION]...",
    "Prints the lines that switch slurm-placement on, for each file of Slurm's configuration, and which of them are there\n"
    "already. Then it prints how they come into force. It changes no file. Exit code 1 when a line is missing or wrong.\n",
    options};

constexpr CommandHelp disable_help{
    "placectl disable", "[OPTION]...",
    "Prints the line that switches slurm-placement off, and the lines to take out of Slurm's configuration where it is to be\n"
    "removed, with file and line number. It changes no file. Exit code 0.\n",
    options};

std::string conf_path(const CommandLine& line) {
  return line.value_or("slurm-conf",
                       std::filesystem::path(placement_conf_path()).replace_filename("slurm.conf").string());
}

// The lines that are printed, and whether any of them asks for a change.
struct Report {
  std::string text;
  bool complete = true;

  void file(const std::string& path, const std::string& hosts) { text += path + ", " + hosts + "\n"; }
  void in_place(const std::string& words) { text += "  in place   " + words + "\n"; }
  void optional(const std::string& action, const std::string& words) {
    text += "  " + action + std::string(action.size() < 10 ? 10 - action.size() : 0, ' ') + " " + words + "\n";
  }
  void wanted(const std::string& action, const std::string& words) {
    optional(action, words);
    complete = false;
  }
};

std::string place_of(const FoundLine& found) { return "(" + found.file + ":" + std::to_string(found.number) + ")"; }

// Returns the version of the Slurm that is installed here, as in "22.05.8"; where scontrol cannot be run, the one that
// this program was built for.
std::string installed_slurm() {
  std::string text;
  if (FILE* answer = popen("scontrol --version 2>/dev/null", "r")) {
    char line[128];
    if (std::fgets(line, sizeof line, answer)) text = std::string(line, std::strcspn(line, "\n"));
    pclose(answer);
  }
  const std::vector<std::string_view> words = split_words(text);
  return words.size() == 2 ? std::string(words[1]) : SLURM_RELEASE;
}

// The plugin takes the place of select/cons_tres, which is Slurm's default since 23.11, and plans cores.
void report_select_type(const SiteFiles& site, const std::string& slurm, Report& report) {
  const bool default_fits = slurm >= "23.11";  // a version has two digits before and two after its first dot
  if (site.select_type.file.empty() && default_fits)
    report.in_place("SelectType=select/cons_tres, the default");
  else if (site.select_type.file.empty())
    report.wanted("put in", "SelectType=select/cons_tres");
  else if (equal_any_case(site.select_type.text, "select/cons_tres"))
    report.in_place("SelectType=select/cons_tres " + place_of(site.select_type));
  else
    report.wanted("replace", "SelectType=" + site.select_type.text + " " + place_of(site.select_type) +
                                 " by SelectType=select/cons_tres");
  const std::string parameters = lower_case(site.select_parameters.text);
  if (!parameters.empty() && parameters.find("cr_core") == std::string::npos &&
      parameters.find("cr_cpu") == std::string::npos)
    report.wanted("replace", "SelectTypeParameters=" + site.select_parameters.text + " " +
                                 place_of(site.select_parameters) +
                                 " by one with CR_Core or CR_CPU: others are not served, and their jobs run as stock");
}

void report_plugin_dir(const SiteFiles& site, const std::string& plugins, Report& report) {
  const std::vector<std::string> directories = site.plugin_directories();
  const std::string wanted = "PluginDir=" + plugins + ":";
  const auto own = std::ranges::find(directories, plugins);
  if (site.plugin_dir.file.empty()) {
    const std::string stock = SLURM_PLUGINS;
    report.wanted("put in", wanted + (stock.empty() ? "DIRECTORY_OF_SLURMS_PLUGINS" : stock));
  } else if (own == directories.begin() && directories.size() > 1) {
    report.in_place("PluginDir=" + site.plugin_dir.text + " " + place_of(site.plugin_dir));
  } else {
    std::string others;
    for (const std::string& directory : directories)
      if (directory != plugins) others += (others.empty() ? "" : ":") + directory;
    report.wanted("replace", "PluginDir=" + site.plugin_dir.text + " " + place_of(site.plugin_dir) + " by " + wanted +
                                 (others.empty() ? SLURM_PLUGINS : others));
  }
}

void report_plugstack(const SiteFiles& site, const std::string& plugins, Report& report) {
  const std::string path = plugins + "/loadmatrix.so";
  const std::vector<std::string> directories = site.plugin_directories();
  const bool searched = !directories.empty() && directories.front() == plugins;  // Slurm finds a bare name there
  const auto names = [&](const FoundLine& line) {
    const std::string_view plugin = split_words(line.text)[1];
    return plugin == path || (searched && plugin == "loadmatrix.so");
  };
  const auto found = std::ranges::find_if(site.plugstack_lines, names);
  if (found != site.plugstack_lines.end())
    report.in_place(found->text + " " + place_of(*found));
  else
    report.wanted("put in", "optional " + path);
}

// `elsewhere` says why a controller's files are not needed here; it is empty on a controller.
void report_plugin(const std::string& plugins, const std::string& slurm, const std::string& elsewhere, Report& report) {
  const std::string path = plugins + "/select_cons_tres.so";
  const std::string built_for = slurm_version_of_plugin(path);
  report.file(plugins, "on every host; select_cons_tres.so on the controllers");
  if (!std::filesystem::is_directory(plugins))
    report.wanted("missing", plugins + ": Slurm does not start with a PluginDir that does not exist");
  else if (!may_exist(path) && !elsewhere.empty())
    report.in_place("no select_cons_tres.so: " + elsewhere);
  else if (!may_exist(path))
    report.wanted("missing", path + ", unless this host is no controller");
  else if (built_for != slurm)
    report.wanted("replace",
                  path +
                      (built_for.empty() ? ", which is no plugin of this release" : ", built for Slurm " + built_for) +
                      ": Slurm here is " + slurm + " and refuses it");
  else
    report.in_place("select_cons_tres.so, built for Slurm " + built_for);
}

// `elsewhere` is as for report_plugin().
void report_placement_conf(const SiteFiles& site, const std::string& elsewhere, Report& report) {
  report.file(site.placement_conf, "on the controllers");
  if (!elsewhere.empty()) return report.in_place("no file is needed here: " + elsewhere);
  try {
    policies::check_policy_settings(read_config(site.placement_conf, MissingFile::defaults));
  } catch (const Error& error) {
    return report.wanted("mend", error.what());
  }
  report.in_place(site.mode.file.empty() ? "Mode=enforce, the default; begin with a line Mode=observe: slurmctld "
                                           "decides and logs, and changes nothing"
                                         : site.mode.text + " " + place_of(site.mode));
}

// Slurm's own default, which holds without the line, is task/none: it binds nothing.
void report_task_plugin(const SiteFiles& site, Report& report) {
  const std::string& given = site.task_plugin.text;
  if (given.empty())
    report.wanted("put in", "TaskPlugin=task/affinity, or ranks are not bound to cores");
  else if (given.find("affinity") == given.npos)
    report.wanted("replace", "TaskPlugin=" + given + " " + place_of(site.task_plugin) + " by TaskPlugin=task/affinity" +
                                 (equal_any_case(given, "task/none") ? "" : "," + given) +
                                 ", or ranks are not bound to cores");
}

// Returns the settings of placement.conf, or the defaults if it has a mistake, which is reported elsewhere.
Config settings_of(const SiteFiles& site) {
  try {
    return read_config(site.placement_conf, MissingFile::defaults);
  } catch (const Error&) {
    return {};
  }
}

// The daemons, which only live data need. `elsewhere` is as for report_plugin().
void report_daemons(const Config& config, const std::string& elsewhere, Report& report) {
  report.file("placement-monitor on the controllers, placement-agent on the compute nodes",
              "only for live data (NLA, and outages for TOFA)");
  if (getpwnam(config.monitor_user.c_str()))
    report.in_place("user " + config.monitor_user);
  else
    report.optional("make", "user " + config.monitor_user + ": useradd --system --user-group " + config.monitor_user);
  if (elsewhere.empty()) {
    if (may_exist(config.state_directory))
      report.in_place("directory " + config.state_directory);
    else
      report.optional("make", "directory " + config.state_directory + ": install -d -m 0750 -o " + config.monitor_user +
                                  " -g " + config.monitor_user + " " + config.state_directory);
  }
  for (const char* const unit : {"placement-monitor", "placement-agent"}) {
    if (may_exist(std::string("/etc/systemd/system/multi-user.target.wants/") + unit + ".service"))
      report.in_place(std::string("unit ") + unit);
    else
      report.optional("start", std::string("unit ") + unit + ": systemctl enable --now " + unit);
  }
}

// What is in force in slurmctld, which is asked only about its own slurm.conf.
std::string now(const CommandLine& line) {
  const ControllerInput controller =
      line.has("slurm-conf") ? ControllerInput{{}, "it was not asked (--slurm-conf)"} : read_controller();
  return "Now        slurmctld: " + described(controller) + "\n";
}

int run_enable(const CommandLine& line) {
  const SiteFiles site = read_site_files(conf_path(line));
  std::string plugins = line.value_or("plugins", PLACEMENT_PLUGINS);
  while (plugins.size() > 1 && plugins.ends_with('/')) plugins.pop_back();
  Report report;
  const std::string slurm = installed_slurm();
  const std::string elsewhere = controllers_elsewhere(site.slurm_conf);
  report_plugin(plugins, slurm, elsewhere, report);
  report.file(site.slurm_conf, "on every host");
  report_select_type(site, slurm, report);
  report_plugin_dir(site, plugins, report);
  report_task_plugin(site, report);
  const bool restart = !report.complete;
  report.file(site.plugstack, "on every host");
  report_plugstack(site, plugins, report);
  report_placement_conf(site, elsewhere, report);
  report_daemons(settings_of(site), elsewhere, report);
  report.text +=
      restart
          ? "Then       restart slurmctld and slurmd. They read PluginDir only when they start, so \"scontrol reconfigure\" is not enough.\n"
          : "Then       \"scontrol reconfigure\" brings a change of placement.conf into force. srun reads plugstack.conf each time.\n";
  report.text += now(line);
  write_output("", report.text);
  return report.complete ? exit_ok : exit_bad_input;
}

int run_disable(const CommandLine& line) {
  const SiteFiles site = read_site_files(conf_path(line));
  const std::string plugins = line.value_or("plugins", PLACEMENT_PLUGINS);
  Report report;
  report.file(site.placement_conf, "on the controllers");
  if (site.mode.file.empty())
    report.wanted("put in", "Mode=off");
  else
    report.wanted("replace", site.mode.text + " " + place_of(site.mode) + " by Mode=off");
  report.text +=
      "Then       \"scontrol reconfigure\": every job runs as stock, those with a policy too. Running jobs go on.\n"
      "To remove slurm-placement, after that:\n";
  report.file(site.plugstack, "on every host");
  for (const FoundLine& found : site.plugstack_lines) report.wanted("take out", found.text + " " + place_of(found));
  report.file(site.slurm_conf, "on every host");
  const std::vector<std::string> directories = site.plugin_directories();
  if (std::ranges::count(directories, plugins) > 0)
    report.wanted("take out", plugins + " of PluginDir " + place_of(site.plugin_dir));
  const Config config = settings_of(site);
  report.file("daemons", "on every host");
  report.wanted("stop", "systemctl disable --now placement-monitor placement-agent");
  report.text += "Then       restart slurmctld and slurmd, and remove the packages.\n";
  report.text += "           With them go user " + config.monitor_user + " (userdel) and " + config.state_directory +
                 ", which has the history.\n";
  report.text += now(line);
  write_output("", report.text);
  return exit_ok;
}

}  // namespace

int command_enable(int argc, char** argv) { return run_enable(CommandLine(enable_help, argc, argv)); }

int command_disable(int argc, char** argv) { return run_disable(CommandLine(disable_help, argc, argv)); }

}  // namespace placement::tools
