// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/util/text.hpp"
#include "config.h"
#include "tools/commands/command.hpp"
#include "tools/input/command_line.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/site_files.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr Option options[] = {
    {0, "slurm-conf", "FILE", "the slurm.conf [that of SLURM_CONF, or /etc/slurm/slurm.conf]"},
    {0, "plugins", "DIR", "where the plugins of slurm-placement are [" PLACEMENT_PLUGINS "]"},
};

constexpr CommandHelp enable_help{
    "placectl enable", "[OPTION]...",
    "Prints the lines that switch slurm-placement on, for each file of Slurm's configuration, and which of them are there\n"
    "already. Then it prints how they come into force. It changes no file. Exit code 1 when a line is missing or wrong.\n",
    options, 0, 0};

constexpr CommandHelp disable_help{
    "placectl disable", "[OPTION]...",
    "Prints the line that switches slurm-placement off, and the lines to take out of Slurm's configuration where it is to be\n"
    "removed, with file and line number. It changes no file. Exit code 0.\n",
    options, 0, 0};

std::string conf_path(const CommandLine& line) {
  return line.value_or("slurm-conf", std::filesystem::path(placement_conf_path()).replace_filename("slurm.conf").string());
}

// The lines that are printed, and whether any of them asks for a change.
struct Report {
  std::string text;
  bool complete = true;

  void file(const std::string& path, const std::string& hosts) { text += path + ", " + hosts + "\n"; }
  void in_place(const std::string& words) { text += "  in place   " + words + "\n"; }
  void wanted(const std::string& action, const std::string& words) {
    text += "  " + action + std::string(action.size() < 10 ? 10 - action.size() : 0, ' ') + " " + words + "\n";
    complete = false;
  }
};

std::string place_of(const FoundLine& found) { return "(" + found.file + ":" + std::to_string(found.number) + ")"; }

// Returns the version of the Slurm that is installed here, as in "22.05.8"; where scontrol cannot be run, the one that this
// program was built for.
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
    report.wanted("replace", "SelectType=" + site.select_type.text + " " + place_of(site.select_type) + " by SelectType=select/cons_tres");
  const std::string parameters = lower_case(site.select_parameters.text);
  if (!parameters.empty() && parameters.find("cr_core") == std::string::npos && parameters.find("cr_cpu") == std::string::npos)
    report.wanted("replace", "SelectTypeParameters=" + site.select_parameters.text + " " + place_of(site.select_parameters) +
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
  const auto names = [&](const FoundLine& line) { return split_words(line.text)[1] == path; };
  const auto found = std::ranges::find_if(site.plugstack_lines, names);
  if (found != site.plugstack_lines.end())
    report.in_place(found->text + " " + place_of(*found));
  else
    report.wanted("put in", "optional " + path);
}

void report_plugin(const std::string& plugins, const std::string& slurm, Report& report) {
  const std::string path = plugins + "/select_cons_tres.so";
  const std::string built_for = slurm_version_of_plugin(path);
  report.file(plugins, "on every host; select_cons_tres.so on the controllers");
  if (!std::filesystem::is_directory(plugins))
    report.wanted("missing", plugins + ": Slurm does not start with a PluginDir that does not exist");
  else if (!std::filesystem::exists(path))
    report.wanted("missing", path + ", unless this host is no controller");
  else if (built_for != slurm)
    report.wanted("replace", path + (built_for.empty() ? ", which is no plugin of this release" : ", built for Slurm " + built_for) +
                                 ": Slurm here is " + slurm + " and refuses it");
  else
    report.in_place("select_cons_tres.so, built for Slurm " + built_for);
}

// What is in force in slurmctld, which is asked only about its own slurm.conf.
std::string now(const CommandLine& line) {
  const ControllerInput controller =
      line.has("slurm-conf") ? ControllerInput{{}, "it was not asked (--slurm-conf)"} : read_controller();
  return "Now        slurmctld: " + described(controller) + "\n";
}

int run_enable(const CommandLine& line) {
  const SiteFiles site = read_site_files(conf_path(line));
  const std::string plugins = line.value_or("plugins", PLACEMENT_PLUGINS);
  Report report;
  const std::string slurm = installed_slurm();
  report_plugin(plugins, slurm, report);
  report.file(site.slurm_conf, "on every host");
  report_select_type(site, slurm, report);
  report_plugin_dir(site, plugins, report);
  if (equal_any_case(site.task_plugin.text, "task/none"))
    report.wanted("replace", "TaskPlugin=task/none " + place_of(site.task_plugin) + " by TaskPlugin=task/affinity, or ranks are not bound to cores");
  const bool restart = !report.complete;
  report.file(site.plugstack, "on every host");
  report_plugstack(site, plugins, report);
  report.file(site.placement_conf, "on the controllers");
  if (site.mode.file.empty())
    report.in_place("Mode=enforce, the default; begin with a line Mode=observe: slurmctld decides and logs, and changes nothing");
  else
    report.in_place(site.mode.text + " " + place_of(site.mode));
  report.text += restart ? "Then       restart slurmctld and slurmd. They read PluginDir only when they start, so \"scontrol reconfigure\" is not enough.\n"
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
  report.text += "Then       \"scontrol reconfigure\": every job runs as stock, those with a policy too. Running jobs go on.\n"
                 "To remove slurm-placement, after that:\n";
  report.file(site.plugstack, "on every host");
  for (const FoundLine& found : site.plugstack_lines) report.wanted("take out", found.text + " " + place_of(found));
  report.file(site.slurm_conf, "on every host");
  const std::vector<std::string> directories = site.plugin_directories();
  if (std::ranges::count(directories, plugins) > 0)
    report.wanted("take out", plugins + " of PluginDir " + place_of(site.plugin_dir));
  report.text += "Then       restart slurmctld and slurmd, and remove the packages.\n";
  report.text += now(line);
  write_output("", report.text);
  return exit_ok;
}

}  // namespace

int command_enable(int argc, char** argv) {
  const CommandLine line(enable_help, argc, argv);
  if (!line.wants_help()) return run_enable(line);
  write_output("", help_text(enable_help));
  return exit_ok;
}

int command_disable(int argc, char** argv) {
  const CommandLine line(disable_help, argc, argv);
  if (!line.wants_help()) return run_disable(line);
  write_output("", help_text(disable_help));
  return exit_ok;
}

}  // namespace placement::tools
