// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/policy/config_mistakes.hpp"
#include "common/policy/probe_budget.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/gres_conf.hpp"
#include "common/topology/slurm_conf.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/topology/topology_read.hpp"
#include "common/topology/topology_yaml.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "policies/settings.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/command_line.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/settings_in_force.hpp"
#include "tools/output/json.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr Option options[] = {
    {0, "slurm-conf", "FILE",
     "the slurm.conf whose nodes the files that it names must\nfit [slurm.conf beside the file]"},
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
      "and OutageFile name, and prints its settings. Reads slurm.conf and the topology.yaml or\n"
      "topology.conf, and gres.conf next to it too; --json has their nodes, usable cores, GPUs, partitions\n"
      "and switches. Exit code 1 and all mistakes, with file and line, when\n"
      "something is wrong. FILE is the placement.conf beside slurm.conf when left out; there, no\n"
      "file means the defaults. Without FILE and --slurm-conf slurmctld is asked too which settings are\n"
      "in force there, and each setting of the file that is not in force is named. On a host that is\n"
      "no controller and has no placement.conf the settings in force are printed. Exit code 1 also\n"
      "when slurmctld runs without the select plugin, could not read its configuration or refuses the\n"
      "live data. A line with # is a remark, such as that no rank is bound to its core, and no error.\n\nKeys:\n";
  const Config defaults;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.show(defaults);
    text += "  " + std::string(key.name) + "=" + (value.empty() ? "" : value) + "\n";
    text += wrapped(std::string(key.help) + " It takes " + std::string(key.values) + ".", 90, "      ");
  }
  return text;
}

// Checks the file against the nodes of slurm.conf if there is one, else by itself. Returns what was checked.
std::string check_topology(const Config& config, const std::string& slurm_conf,
                           const std::optional<std::vector<NodeShape>>& shapes) {
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
  std::string warning;
  const TorusDescription description = read_torus(path);
  if (!description.named) throw Error(path + ": it names no nodes");
  const std::string text = std::to_string(description.torus.nodes()) + " nodes at " +
                           std::to_string(description.torus.positions()) + " positions";
  if (!nodes.empty()) torus_of(description, nodes, path, warning);
  return text + (warning.empty() ? "" : "; " + warning);
}

std::string check_outages(const std::string& path, std::span<const std::string> nodes) {
  const NodeOutages outages = read_outages(path);
  const std::string warning = nodes.empty() ? "" : unknown_outage_node(outages, nodes, path);
  return std::to_string(outages.size()) + " nodes" + (warning.empty() ? "" : "; " + warning);
}

// Checks the files that the configuration names, and returns what was checked of each. Without a slurm.conf they are
// not compared with nodes, unless the user has given one. Appends what is wrong to `mistakes`.
std::string check_files(const Config& config, const std::string& slurm_conf, bool slurm_conf_given,
                        std::vector<std::string>& mistakes) {
  const std::string &topology = config.treematch_topology_file, &torus = config.torus_file,
                    &outages = config.outage_file;
  if (topology.empty() && torus.empty() && outages.empty()) return {};
  std::optional<std::vector<NodeShape>> shapes;
  if (slurm_conf_given || may_exist(slurm_conf)) shapes = read_node_shapes(slurm_conf);
  std::vector<std::string> names;
  if (shapes)
    for (const NodeShape& node : *shapes) names.push_back(node.name);
  std::string checked;
  const auto check = [&](const char* key, const std::string& path, auto check_file) {
    if (path.empty()) return;
    note_mistake(mistakes, [&] {
      check_named_file(config, key, path);
      checked += "# " + std::string(key) + ": " + check_file() + "\n";
    });
  };
  check("TreematchTopologyFile", topology, [&] { return check_topology(config, slurm_conf, shapes); });
  check("TorusFile", torus, [&] { return check_torus(torus, names); });
  check("OutageFile", outages, [&] { return check_outages(outages, names); });
  return checked;
}

// What slurm.conf and the topology.yaml or topology.conf next to it say about the cluster.
struct SiteFiles {
  SlurmMachine machine;
  std::vector<SwitchShape> switches;
  std::vector<NodeGpus> gpus;  // of each node, if there is a gres.conf
};

// Reads the gres.conf next to slurm.conf. Returns what was checked, with the first reason why the GPUs of a node are
// not known; empty without a gres.conf.
std::string check_gpus(const std::string& slurm_conf, SiteFiles& site) {
  const std::string path = std::filesystem::path(slurm_conf).replace_filename("gres.conf").string();
  if (!may_exist(path)) return {};
  std::vector<std::string> names;
  for (const NodeShape& node : site.machine.nodes) names.push_back(node.name);
  site.gpus = read_gpu_shapes(path, names);
  std::int64_t with_gpus = 0;
  std::string why_not;
  for (const NodeGpus& gpus : site.gpus) {
    if (gpus.shapes && !gpus.shapes->empty()) ++with_gpus;
    if (why_not.empty()) why_not = gpus.why_not;
  }
  return "# " + path + ": " + std::to_string(with_gpus) + " nodes with GPUs in a known order" +
         (why_not.empty() ? "" : "; of others it is not known: " + why_not) + "\n";
}

// Checks the topology.yaml or topology.conf beside slurm.conf, from which the monitor takes the switches. Returns what
// was checked, with the nodes that slurm.conf does not have; empty if there is no such file.
std::string check_site(const std::string& slurm_conf, SiteFiles& site) {
  if (!may_exist(slurm_conf)) return {};
  site.machine = read_slurm_machine(slurm_conf);
  const std::string gpus = check_gpus(slurm_conf, site), path = topology_file(slurm_conf);
  if (path.empty()) return gpus;
  std::string warning;
  site.switches = read_switches(slurm_conf, site.machine.nodes, &warning);
  return gpus + "# " + path + ": " + std::to_string(site.switches.size()) +
         " switches or blocks with nodes of slurm.conf" + (warning.empty() ? "" : "; " + warning) + "\n";
}

// Returns a line for each partition of PartitionPolicies and PartitionModes that slurm.conf does not have. Without a
// slurm.conf, one line tells that they were not compared.
std::string check_partitions(const Config& config, const std::string& slurm_conf, bool slurm_conf_given) {
  if (config.partition_policies.empty() && config.partition_modes.empty()) return {};
  if (!slurm_conf_given && !may_exist(slurm_conf))
    return "# PartitionPolicies, PartitionModes: the partitions are not checked, there is no " + slurm_conf +
           " (--slurm-conf names another)\n";
  const std::vector<PartitionShape> known = read_slurm_machine(slurm_conf).partitions;
  std::string text;
  const auto check = [&](const char* key, const auto& of_partitions) {
    for (const auto& [partition, value] : of_partitions)
      if (std::ranges::find(known, partition, &PartitionShape::name) == known.end())
        text += std::string("# ") + key + ": there is no partition " + partition + " in " + slurm_conf + "\n";
  };
  check("PartitionPolicies", config.partition_policies);
  check("PartitionModes", config.partition_modes);
  return text;
}

// Returns a line when the probes have too little for what they are to measure; the monitor logs it too.
std::string check_probes(const Config& config) {
  const std::string warning = probe_budget_warning(config);
  return warning.empty() ? "" : "# " + warning + "\n";
}

// What was found out. `own` is set for this host's placement.conf, of which slurmctld may have another version.
struct Checked {
  std::string path;
  bool exists = false;
  bool own = false;
  std::string elsewhere;  // where slurmctld's placement.conf is, if not on this host
  Config config;
  std::string trouble;  // why the file cannot be used, a mistake in each line; empty: it can be
  SiteFiles site;
  std::string switches;         // what was checked of topology.yaml or topology.conf
  std::string trouble_of_site;  // why these or slurm.conf cannot be read; empty: they can be
  std::string files;            // what was checked of the files that it names
  ControllerInput controller;

  // Returns whether this host has no file that says anything: slurmctld reads one on another host.
  bool has_no_file() const { return own && !exists && !elsewhere.empty(); }
};

// Reads the configuration, all files that it names, and the switches of the cluster.
void check(Checked& checked, const CommandLine& line) {
  const std::string slurm_conf =
      line.value_or("slurm-conf", std::filesystem::path(checked.path).replace_filename("slurm.conf").string());
  std::vector<std::string> mistakes;
  note_mistake(mistakes, [&] {
    checked.config =
        read_config(checked.path, line.operands().empty() ? MissingFile::defaults : MissingFile::error, mistakes);
    for (std::string& mistake : policies::policy_setting_mistakes(checked.config))
      mistakes.push_back(std::move(mistake));
    checked.files = check_files(checked.config, slurm_conf, line.has("slurm-conf"), mistakes);
    checked.files +=
        check_partitions(checked.config, slurm_conf, line.has("slurm-conf")) + check_probes(checked.config);
  });
  for (const std::string& mistake : mistakes) checked.trouble += (checked.trouble.empty() ? "" : "\n") + mistake;
  try {
    checked.switches = check_site(slurm_conf, checked.site);
  } catch (const Error& error) {
    checked.trouble_of_site = error.what();
    checked.switches = "# " + topology_file(slurm_conf) + ": wrong, see the message\n";
  }
}

// Returns the settings in force in slurmctld, which may not have read the file since it was changed.
std::string told_by(const Checked& checked) {
  const ControllerInput& controller = checked.controller;
  std::string text = "# in force in slurmctld: " + described(controller) + "\n";
  if (const auto in_force = settings_in_force(controller)) {
    if (checked.has_no_file())
      text += format_settings(*in_force);
    else if (checked.trouble.empty())
      text += settings_not_in_force(checked.config, *in_force, checked.elsewhere);
  }
  if (controller.state && !controller.state->mode.empty() && !controller.state->unbound.empty())
    text += "# no rank is bound to its core, only nodes are a policy's: " + controller.state->unbound +
            " of slurm.conf, want task/affinity, task/cgroup beside it or not\n";
  return text;
}

std::string as_text(const Checked& checked) {
  std::string text = "# " + checked.path;
  if (!checked.trouble.empty())
    text += ": wrong, see the message\n";
  else if (checked.has_no_file())
    text += ": no such file, " + checked.elsewhere + "\n";
  else
    text += (checked.exists ? ": ok\n" : ": no such file, the defaults are in force\n") +
            format_settings(checked.config) + checked.files;
  return text + checked.switches + (checked.own ? told_by(checked) : "");
}

void write_settings(JsonWriter& json, const Config& config) {
  json.key("settings").begin_object();
  for (const ConfigKey& key : config_keys()) json.member(key.name, key.show(config));
  json.end_object();
}

void write_gpus(JsonWriter& json, const std::vector<GpuShape>& gpus) {
  json.key("gpus").begin_array();
  for (const GpuShape& gpu : gpus) {
    json.begin_object().member("file", gpu.file).member("cores", format_cores(gpu.cores)).key("links").begin_array();
    for (const std::int32_t links : gpu.links) json.value(links);
    json.end_array().end_object();
  }
  json.end_array();
}

// Writes what was read of slurm.conf, gres.conf and the switches.
void write_site(JsonWriter& json, const SiteFiles& site) {
  const std::vector<NodeShape>& nodes = site.machine.nodes;
  json.key("nodes").begin_array();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const NodeShape& node = nodes[n];
    std::vector<std::int32_t> cores;
    for (std::int32_t core = 0; core < node.sockets * node.cores_per_socket; ++core)
      if (node.offered.empty() || node.offered[static_cast<std::size_t>(core)]) cores.push_back(core);
    json.begin_object().member("name", node.name).member("sockets", node.sockets);
    json.member("cores_per_socket", node.cores_per_socket).member("threads_per_core", node.threads_per_core);
    json.member("cpus_per_core", node.cpus_per_core).member("usable_cores", format_cores(cores));
    if (n < site.gpus.size() && site.gpus[n].shapes) write_gpus(json, *site.gpus[n].shapes);
    json.end_object();
  }
  json.end_array().key("partitions").begin_array();
  for (const PartitionShape& partition : site.machine.partitions)
    json.begin_object().member("name", partition.name).member("nodes", compress_hostlist(partition.nodes)).end_object();
  json.end_array().key("switches").begin_array();
  for (const SwitchShape& each : site.switches) {
    std::vector<std::string> names;
    for (const std::int32_t node : each.nodes) names.push_back(nodes[static_cast<std::size_t>(node)].name);
    json.begin_object().member("name", each.name).member("parent", each.parent);
    json.member("nodes", compress_hostlist(names)).end_object();
  }
  json.end_array();
}

std::string as_json(const Checked& checked) {
  JsonWriter json(2);
  json.begin_object().member("file", checked.path).member("exists", checked.exists);
  if (checked.trouble.empty() && !checked.has_no_file()) write_settings(json, checked.config);
  if (checked.trouble_of_site.empty()) write_site(json, checked.site);
  if (checked.own) {
    json.key("slurmctld").begin_object().member("in_force", described(checked.controller));
    if (const auto in_force = settings_in_force(checked.controller)) write_settings(json, *in_force);
    json.end_object();
  }
  return json.end_object().take();
}

}  // namespace

int command_check_config(int argc, char** argv) {
  const std::string text = help_with_keys();
  const CommandHelp help{"placectl check-config", "[OPTION]... [FILE]", text.c_str(), options, 0, 1};
  const CommandLine line(help, argc, argv);
  Checked checked;
  const bool given = !line.operands().empty();
  checked.own = !given && !line.has("slurm-conf");
  checked.path = given ? line.operands()[0] : placement_conf_path(line.value_or("slurm-conf", ""));
  checked.exists = given || may_exist(checked.path);
  check(checked, line);
  if (checked.own) {
    checked.controller = read_controller();
    checked.elsewhere = controllers_elsewhere(slurm_conf_path());
  }
  if (line.has("json"))
    write_output("", as_json(checked));
  else if (!line.has("quiet") && (checked.own || checked.trouble.empty()))
    write_output("", as_text(checked));
  for (const std::string& trouble : {checked.trouble, checked.trouble_of_site})
    if (!trouble.empty()) throw Error(trouble);
  if (const std::string trouble = checked.controller.state ? trouble_of(*checked.controller.state) : "";
      !trouble.empty())
    throw Error(trouble);
  return exit_ok;
}

}  // namespace placement::tools
