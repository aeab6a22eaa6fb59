// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/topology/topology_read.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "policies/settings.hpp"
#include "tools/command.hpp"
#include "tools/command_line.hpp"
#include "tools/controller_input.hpp"
#include "tools/json.hpp"
#include "tools/output.hpp"

namespace placement {

namespace {

constexpr Option options[] = {
    {0, "slurm-conf", "FILE", "the slurm.conf whose nodes the files that it names must\nfit [slurm.conf beside the file]"},
    {'q', "quiet", nullptr, "print nothing but errors"},
    {'j', "json", nullptr, "in JSON"},
};

// Breaks the text into lines of at most `width` columns.
std::string wrapped(std::string_view text, std::size_t width, const std::string& indent) {
  std::string out;
  std::size_t column = width + 1;
  for (const std::string_view word : split_words(text)) {
    if (column + 1 + word.size() > width) {
      out += (out.empty() ? "" : "\n") + indent;
      column = indent.size();
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

// Returns the help. Its keys come from the table that the parser uses.
std::string help_with_keys() {
  std::string text =
      "Reads placement.conf as slurmctld will, and the files that TreematchTopologyFile, TorusFile\n"
      "and OutageFile name, and prints the settings in force. Exit code 1 and a message with file\n"
      "and line when something is wrong. FILE is the placement.conf beside slurm.conf when left out; there, no file means\n"
      "the defaults. Without FILE and --slurm-conf slurmctld is asked too what is in force there; exit code 1 also\n"
      "when it runs without the select plugin, could not read its configuration or refuses the live data.\n\nKeys:\n";
  const Config defaults;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.show(defaults);
    text += "  " + std::string(key.name) + "=" + (value.empty() ? "" : value) + "\n";
    text += wrapped(std::string(key.help) + " It takes " + std::string(key.values) + ".", 90, "      ");
  }
  return text;
}

// Checks the file against the nodes of slurm.conf if there is one, else by itself. Returns what was checked.
std::string check_topology(const Config& config, const std::string& slurm_conf, const std::optional<std::vector<NodeShape>>& shapes) {
  const std::string& path = config.treematch_topology_file;
  if (!shapes) {
    const ClusterView view = read_topology(path, "", config.level_distances);
    return std::to_string(view.tree->leaves()) + " leaves; no " + slurm_conf + " to hold it against";
  }
  const ClusterView view = read_topology_of(path, *shapes, config.level_distances);
  return std::to_string(view.tree->leaves()) + " cores of " + std::to_string(view.nodes.size()) + " nodes of " +
         slurm_conf;
}

// Checks the file. Returns what was checked, and what slurmctld will warn about.
std::string check_torus(const std::string& path, std::span<const std::string> nodes) {
  const TorusDescription description = read_torus(path);
  if (!description.named) throw Error(path + ": it names no nodes");
  if (!nodes.empty()) check_torus_nodes(description, nodes, path);
  const std::string text = std::to_string(description.torus.nodes()) + " nodes at " +
                           std::to_string(description.torus.positions()) + " positions";
  const std::string warning = missing_coordinates(description.torus, nodes, path);
  return text + (warning.empty() ? "" : "; " + warning);
}

std::string check_outages(const std::string& path, std::span<const std::string> nodes) {
  const NodeOutages outages = read_outages(path);
  const std::string warning = nodes.empty() ? "" : unknown_outage_node(outages, nodes, path);
  return std::to_string(outages.size()) + " nodes" + (warning.empty() ? "" : "; " + warning);
}

// Checks the files that the configuration names, and returns what was checked of each. Without a slurm.conf they are
// not compared with nodes, unless the user has given one.
std::string check_files(const Config& config, const std::string& slurm_conf, bool slurm_conf_given) {
  const std::string &topology = config.treematch_topology_file, &torus = config.torus_file, &outages = config.outage_file;
  for (const auto& [key, file] : {std::pair{"TreematchTopologyFile", &topology}, {"TorusFile", &torus}, {"OutageFile", &outages}})
    if (!file->empty()) check_named_file(config, key, *file);
  if (topology.empty() && torus.empty() && outages.empty()) return {};
  std::optional<std::vector<NodeShape>> shapes;
  if (slurm_conf_given || std::filesystem::exists(slurm_conf)) shapes = read_node_shapes(slurm_conf);
  std::vector<std::string> names;
  if (shapes)
    for (const NodeShape& node : *shapes) names.push_back(node.name);
  std::string checked;
  if (!topology.empty()) checked += "# TreematchTopologyFile: " + check_topology(config, slurm_conf, shapes) + "\n";
  if (!torus.empty()) checked += "# TorusFile: " + check_torus(torus, names) + "\n";
  if (!outages.empty()) checked += "# OutageFile: " + check_outages(outages, names) + "\n";
  return checked;
}

std::string format_config(const Config& config) {
  std::string text;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.show(config);
    text += (value.empty() ? "# " : "") + std::string(key.name) + "=" + value + "\n";
  }
  return text;
}

// Returns the settings in force in slurmctld, which may not have read the file since it was changed.
std::string told_by(const ControllerInput& controller, const Config& config) {
  std::string text = "# in force in slurmctld: " + described(controller) + "\n";
  if (!controller.state || controller.state->mode.empty()) return text;
  if (controller.state->mode != to_string(config.mode))
    text += "# Mode=" + to_string(config.mode) + " of this file is not in force: scontrol reconfigure\n";
  if (!controller.state->unbound.empty())
    text += "# no rank is bound to its core, only nodes are a policy's: " + controller.state->unbound +
            " of slurm.conf, want task/affinity or task/cgroup\n";
  return text;
}

std::string format_json(const std::string& path, bool exists, const Config& config) {
  JsonWriter json;
  json.begin_object().member("file", path).member("exists", exists).key("settings").begin_object();
  for (const ConfigKey& key : config_keys()) json.member(key.name, key.show(config));
  return json.end_object().end_object().take();
}

}  // namespace

int command_check_config(int argc, char** argv) {
  const std::string text = help_with_keys();
  const CommandHelp help{"placectl check-config", "[OPTION]... [FILE]", text.c_str(), options, 0, 1};
  const CommandLine line(help, argc, argv);
  if (line.wants_help()) {
    write_output("", help_text(help));
    return exit_ok;
  }
  const bool given = !line.operands().empty();
  const std::string path = given ? line.operands()[0] : placement_conf_path(line.value_or("slurm-conf", ""));
  const Config config = read_config(path, given ? MissingFile::error : MissingFile::defaults);
  check_policy_settings(config);
  const bool exists = given || std::filesystem::exists(path);
  const std::string slurm_conf =
      line.value_or("slurm-conf", std::filesystem::path(path).replace_filename("slurm.conf").string());
  const std::string checked = check_files(config, slurm_conf, line.has("slurm-conf"));
  const bool own = !given && !line.has("slurm-conf");
  const ControllerInput controller = own ? read_controller() : ControllerInput{};
  const std::string trouble = controller.state ? trouble_of(*controller.state) : "";
  if (line.has("json"))
    write_output("", format_json(path, exists, config));
  else if (!line.has("quiet"))
    write_output("", "# " + path + (exists ? ": ok\n" : ": no such file, the defaults are in force\n") + format_config(config) +
                         checked + (own ? told_by(controller, config) : ""));
  if (!trouble.empty()) throw Error(trouble);
  return exit_ok;
}

}  // namespace placement
