// SPDX-License-Identifier: GPL-2.0-or-later
// placectl enable and placectl disable: the lines of Slurm's configuration that switch slurm-placement on or off.
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/policy/config.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "common/util/users.hpp"
#include "config.h"
#include "policies/table.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"

namespace placement::tools {

namespace {

constexpr Option enable_options[] = {
    {0, "slurm-conf", "FILE", "the slurm.conf [that of SLURM_CONF, or /etc/slurm/slurm.conf]"},
    {0, "plugins", "DIR", "directory of the plugins of slurm-placement [" PLACEMENT_PLUGINS "]"},
};

constexpr CommandHelp enable_help{
    "placectl enable [OPTION]...",
    "Prints the lines of Slurm's configuration files that switch slurm-placement on, and reports which lines exist. It\n"
    "changes no file. Exit code 1 if a line is missing or wrong.\n",
    enable_options};

constexpr CommandHelp disable_help{
    "placectl disable [OPTION]...",
    "Prints the line that switches slurm-placement off, and the lines of Slurm's configuration to delete before you remove\n"
    "slurm-placement, with file and line number. It changes no file. Exit code 0.\n",
    enable_options};

// A line of a configuration file. `text` is empty if no file has it.
struct FoundLine {
  std::string text, value;
  std::string place;  // "(FILE:LINE)"
};

struct SiteFiles {
  std::string slurm_conf, plugstack, placement_conf;
  std::string plugins;                             // the directory of this project's plugins
  std::map<std::string_view, FoundLine> settings;  // by key; Slurm uses the last line with a key
  std::vector<FoundLine> plugstack_lines;          // lines that name a plugin of this project; the value is its path
  std::vector<std::string> plugin_directories;     // the directories of PluginDir
  std::string elsewhere;  // why this host needs no files of a controller; empty on a controller
  Config config;          // of placement.conf, or the defaults if it has a mistake
  std::string mistake;
};

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

FoundLine line_at(const std::string& file, std::int64_t number, const std::string& text, const std::string& value) {
  return {text, value, "(" + file + ":" + std::to_string(number) + ")"};
}

void read_settings(SiteFiles& site, const std::string& path, std::initializer_list<const char*> keys) {
  for_each_conf_line(path, [&](const std::string& file, const ConfLine& line) {
    for (const char* key : keys)
      if (const std::string* value = line.value(key))
        site.settings[key] = line_at(file, line.number, std::string(key) + "=" + *value, *value);
  });
}

// Reads plugstack.conf and the files that it includes, each once.
void read_plugstack(SiteFiles& site) {
  constexpr std::size_t max_bytes = 1 << 20;
  std::vector<std::string> files{site.plugstack};
  for (std::size_t at = 0; at < files.size(); ++at) {
    const std::string file = files[at], content = may_exist(file) ? read_input_file(file, max_bytes) : "";
    for (const TextLine& line : text_lines(content)) {
      const std::vector<std::string_view> words = split_words(line.text);
      if (words.size() < 2) continue;
      const std::string_view plugin = base_name(words[1]);
      if (plugin == "loadmatrix.so" || plugin == "nodestate.so")
        site.plugstack_lines.push_back(line_at(file, line.number, std::string(line.text), std::string(words[1])));
      if (words[0] != "include") continue;
      glob_t found{};
      const std::string pattern = (std::filesystem::path(file).parent_path() / words[1]).string();
      if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        for (std::size_t k = 0; k < found.gl_pathc; ++k)
          if (std::ranges::count(files, found.gl_pathv[k]) == 0) files.emplace_back(found.gl_pathv[k]);
      globfree(&found);
    }
  }
}

// Throws Error if slurm.conf or a file that it includes cannot be read or has a wrong line.
SiteFiles read_site_files(const CommandLine& line) {
  SiteFiles site;
  site.slurm_conf =
      line.value_or("slurm-conf", std::filesystem::path(placement_conf_path()).replace_filename("slurm.conf").string());
  site.placement_conf = placement_conf_path(site.slurm_conf);
  site.plugins = without_slash(line.value_or("plugins", PLACEMENT_PLUGINS));
  read_settings(site, site.slurm_conf,
                {"SelectType", "SelectTypeParameters", "PluginDir", "TaskPlugin", "PlugStackConfig"});
  site.plugstack = site.settings["PlugStackConfig"].value;
  if (site.plugstack.empty())
    site.plugstack = std::filesystem::path(site.slurm_conf).replace_filename("plugstack.conf").string();
  read_plugstack(site);
  if (may_exist(site.placement_conf)) read_settings(site, site.placement_conf, {"Mode"});
  for (const std::string_view part : split_at(site.settings["PluginDir"].value, ':'))
    if (!part.empty()) site.plugin_directories.push_back(without_slash(std::string(part)));
  site.elsewhere = controllers_elsewhere(site.slurm_conf);
  try {
    Config config = read_config(site.placement_conf, MissingFile::defaults);
    policies::check_policy_settings(config);
    site.config = std::move(config);
  } catch (const Error& error) {
    site.mistake = error.what();
  }
  return site;
}

struct Report {
  std::string text;
  bool complete = true;

  void file(const std::string& path, const std::string& hosts) { text += path + ", " + hosts + "\n"; }
  void add(std::string action, const std::string& words) {
    action.resize(std::max<std::size_t>(action.size(), 10), ' ');
    text += "  " + action + " " + words + "\n";
  }
  void in_place(const std::string& words) { add("in place", words); }
  void needed(const std::string& action, const std::string& words) {
    add(action, words);
    complete = false;
  }
  // Reports a line to put in or to replace by `wanted`. `wanted` is empty if the line, or its absence, is right.
  void compare(const FoundLine& found, const std::string& wanted) {
    if (found.text.empty() && !wanted.empty())
      needed("put in", wanted);
    else if (!wanted.empty())
      needed("replace", found.text + " " + found.place + " by " + wanted);
    else if (!found.text.empty())
      in_place(found.text + " " + found.place);
  }
};

// Returns the version of the Slurm on this host, such as "22.05.8", or that for which this program was built.
std::string installed_slurm() {
  std::string text;
  try {
    text = SlurmCommand({"scontrol", "--version"}).output().text;
  } catch (const Error&) {
    return SLURM_RELEASE;
  }
  const std::vector<std::string_view> words = split_words(std::string_view(text).substr(0, text.find('\n')));
  return words.size() == 2 ? std::string(words[1]) : SLURM_RELEASE;
}

// Returns the version of Slurm for which a select plugin of this project was built; empty for another file.
std::string slurm_version_of_plugin(const std::string& path) {
  constexpr std::string_view words = "built for Slurm ";
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t at = bytes.find(words);
  if (at == bytes.npos) return {};
  std::string version = bytes.substr(at + words.size(), 16);
  version.resize(std::min(version.find_first_not_of("0123456789."), version.size()));
  while (version.ends_with('.')) version.pop_back();
  return version;
}

void report_plugin(const SiteFiles& site, const std::string& slurm, Report& report) {
  const std::string path = site.plugins + "/select_cons_tres.so";
  report.file(site.plugins, "on every host; select_cons_tres.so on the controllers");
  if (std::error_code unreadable; !std::filesystem::exists(site.plugins, unreadable) && !unreadable)
    return report.needed("missing", site.plugins + ": Slurm does not start with a PluginDir that does not exist");
  if (!may_exist(path))
    return site.elsewhere.empty() ? report.needed("missing", path + ", if this host is a controller")
                                  : report.in_place("no select_cons_tres.so: " + site.elsewhere);
  const std::string built_for = slurm_version_of_plugin(path);
  if (built_for == slurm) return report.in_place("select_cons_tres.so, built for Slurm " + built_for);
  report.needed("replace",
                path +
                    (built_for.empty() ? ", which is not a plugin of this release" : ", built for Slurm " + built_for) +
                    ": Slurm here is " + slurm + " and refuses it");
}

void report_slurm_conf(SiteFiles& site, const std::string& slurm, Report& report) {
  report.file(site.slurm_conf, "on every host");
  // The plugin replaces select/cons_tres, which is Slurm's default since 23.11, and plans cores.
  const FoundLine& type = site.settings["SelectType"];
  if (type.text.empty() && slurm >= "23.11")  // a version has two digits before and after its first dot
    report.in_place("SelectType=select/cons_tres, the default");
  else
    report.compare(type, equal_any_case(type.value, "select/cons_tres") ? "" : "SelectType=select/cons_tres");
  const FoundLine& parameters = site.settings["SelectTypeParameters"];
  const std::string words = lower_case(parameters.value);
  const bool by_core = words.empty() || words.find("cr_core") != words.npos || words.find("cr_cpu") != words.npos;
  report.compare(parameters, by_core ? "" : "one with CR_Core or CR_CPU: with other values all jobs run as stock");
  const bool first = site.plugin_directories.size() > 1 && site.plugin_directories.front() == site.plugins;
  std::string directories = "PluginDir=" + site.plugins, stock = SLURM_PLUGINS;
  for (const std::string& directory : site.plugin_directories)
    if (directory != site.plugins) directories += ":" + directory;
  if (directories.find(':') == directories.npos)
    directories += ":" + (stock.empty() ? "DIRECTORY_OF_SLURMS_PLUGINS" : stock);
  report.compare(site.settings["PluginDir"], first ? "" : directories);
  // Slurm's default, task/none, binds nothing.
  const FoundLine& task = site.settings["TaskPlugin"];
  const bool others = !task.value.empty() && !equal_any_case(task.value, "task/none");
  report.compare(
      task, task.value.find("affinity") != std::string::npos
                ? ""
                : "TaskPlugin=task/affinity" + (others ? "," + task.value : "") + ", or ranks are not bound to cores");
}

void report_plugstack(const SiteFiles& site, Report& report) {
  const std::string path = site.plugins + "/loadmatrix.so";
  // Slurm looks for a bare name in the first directory of PluginDir.
  const bool searched = !site.plugin_directories.empty() && site.plugin_directories.front() == site.plugins;
  report.file(site.plugstack, "on every host");
  for (const FoundLine& line : site.plugstack_lines)
    if (line.value == path || (searched && line.value == "loadmatrix.so")) return report.compare(line, "");
  report.needed("put in", "optional " + path);
}

void report_placement_conf(SiteFiles& site, Report& report) {
  report.file(site.placement_conf, "on the controllers");
  if (!site.elsewhere.empty()) return report.in_place("no file is required here: " + site.elsewhere);
  if (!site.mistake.empty()) return report.needed("mend", site.mistake);
  report.compare(site.settings["Mode"], "");
  if (site.settings["Mode"].text.empty())
    report.in_place(
        "Mode=enforce, the default; start with a line Mode=observe: slurmctld then only records its decisions");
}

// Reports on the daemons, which only live data need.
void report_daemons(const SiteFiles& site, Report& report) {
  const std::string &user = site.config.monitor_user, &directory = site.config.state_directory;
  report.file("placement-monitor on the controllers, placement-agent on the compute nodes",
              "only for live data (NLA, and outages for TOFA)");
  const auto add = [&](bool exists, const std::string& what, const char* action, const std::string& command) {
    if (exists)
      report.in_place(what);
    else
      report.add(action, what + ": " + command);
  };
  add(number_of_user(user).has_value(), "user " + user, "make", "useradd --system --uid 6828 --user-group " + user);
  if (site.elsewhere.empty())
    add(may_exist(directory), "directory " + directory, "make",
        "install -d -m 0750 -o " + user + " -g " + user + " " + directory);
  for (const std::string unit : {"placement-monitor", "placement-agent"})
    add(may_exist("/etc/systemd/system/multi-user.target.wants/" + unit + ".service"), "unit " + unit, "start",
        "systemctl enable --now " + unit);
}

// Returns what is in force in slurmctld, which is asked only about its own slurm.conf.
std::string now(const CommandLine& line) {
  const ControllerInput controller =
      line.has("slurm-conf") ? ControllerInput{{}, "not asked because of --slurm-conf"} : read_controller();
  return "Now        slurmctld: " + described(controller) + "\n";
}

}  // namespace

int command_enable(int argc, char** argv) {
  const CommandLine line(enable_help, argc, argv);
  SiteFiles site = read_site_files(line);
  const std::string slurm = installed_slurm();
  Report report;
  report_plugin(site, slurm, report);
  report_slurm_conf(site, slurm, report);
  const bool restart = !report.complete;
  report_plugstack(site, report);
  report_placement_conf(site, report);
  report_daemons(site, report);
  report.text +=
      restart
          ? "Then       restart slurmctld and slurmd. \"scontrol reconfigure\" does not make them read PluginDir.\n"
          : "Then       run \"scontrol reconfigure\" after a change of placement.conf. srun reads plugstack.conf each time.\n";
  write_output("", report.text + now(line));
  return report.complete ? exit_ok : exit_bad_input;
}

int command_disable(int argc, char** argv) {
  const CommandLine line(disable_help, argc, argv);
  SiteFiles site = read_site_files(line);
  Report report;
  report.file(site.placement_conf, "on the controllers");
  report.compare(site.settings["Mode"], "Mode=off");
  report.text +=
      "Then       \"scontrol reconfigure\": every job runs as stock, also with a policy. Running jobs continue.\n"
      "To remove slurm-placement, after that:\n";
  report.file(site.plugstack, "on every host");
  for (const FoundLine& found : site.plugstack_lines) report.add("take out", found.text + " " + found.place);
  report.file(site.slurm_conf, "on every host");
  if (std::ranges::count(site.plugin_directories, site.plugins) > 0)
    report.add("take out", site.plugins + " of PluginDir " + site.settings["PluginDir"].place);
  report.file("daemons", "on every host");
  report.add("stop", "systemctl disable --now placement-monitor placement-agent");
  report.text += "Then       restart slurmctld and slurmd, and remove the packages.\n";
  report.text += "           Then remove the user " + site.config.monitor_user + " (userdel) and " +
                 site.config.state_directory + ", which has the history.\n";
  return write_output("", report.text + now(line));
}

}  // namespace placement::tools
