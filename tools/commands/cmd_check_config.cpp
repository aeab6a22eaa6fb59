// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/policy/config.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/gres_conf.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/topology/slurm_partitions.hpp"
#include "common/topology/topology_read.hpp"
#include "common/topology/topology_yaml.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "policies/table.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/slurmctld_differences.hpp"

namespace placement::tools {

namespace {

constexpr Option check_config_options[] = {
    {0, "slurm-conf", "FILE", "the slurm.conf whose nodes the files must match\n[slurm.conf in the directory of FILE]"},
    {'q', "quiet", nullptr, "print nothing but errors"},
    json_option,
};

std::string help_with_keys() {
  return "Checks placement.conf and the files that it names, and prints its settings. Also checks slurm.conf, topology.yaml or\n"
         "topology.conf, and gres.conf next to it; --json prints their nodes, usable cores, GPUs, partitions and switches.\n"
         "FILE defaults to the placement.conf next to slurm.conf; without a file the defaults apply. Without FILE and\n"
         "--slurm-conf it also asks slurmctld. It then prints settings that are not in force, and differences between\n"
         "slurm.conf and slurmctld in nodes, partitions and switches. Lines with # are remarks. Exit code 1 if a file has a\n"
         "mistake, which is printed with file and line. Also 1 if slurmctld runs without the select plugin, has no valid\n"
         "configuration, refuses the live data or does not record decisions.\n\n"
         "Keys and defaults; placement.conf(5) explains them:\n" +
         format_settings(Config());
}

// The findings. `own` is set for this host's placement.conf; slurmctld may have another version of it.
struct Checked {
  std::string path;
  bool exists = false;
  bool own = false;
  std::string elsewhere;  // where slurmctld's placement.conf is, if not on this host
  Config config;
  std::string slurm_conf;
  std::optional<SlurmMachine> machine;  // of slurm.conf, if there is one that can be read
  std::vector<std::string> node_names;
  std::vector<SwitchShape> switches;          // of the topology.yaml or topology.conf next to slurm.conf
  std::vector<NodeGpus> gpus;                 // of each node, if there is a gres.conf
  std::vector<std::string> mistakes;          // in placement.conf and the files that it names, one for each line
  std::vector<std::string> mistakes_of_site;  // in slurm.conf and the file of the switches
  std::vector<std::string> mistakes_of_gpus;  // in gres.conf
  std::string remarks, remarks_of_site;       // lines that begin with #
  ControllerInput controller;
  std::vector<std::string> differences;  // between the files of the site and slurmctld

  // Returns whether this host has no placement.conf, and slurmctld reads one on another host.
  bool has_no_file() const { return own && !exists && !elsewhere.empty(); }
};

std::string with_warning(const std::string& text, const std::string& warning) {
  return text + (warning.empty() ? "" : "; " + warning);
}

// Returns the nodes of slurm.conf, with the caches of the configuration.
std::vector<NodeShape> nodes_of(const Checked& checked) {
  std::vector<NodeShape> nodes = checked.machine->nodes;
  for (NodeShape& node : nodes) node.cores_per_cache = static_cast<std::int32_t>(checked.config.cores_per_cache);
  return nodes;
}

std::string check_topology(const Checked& checked, const std::string& path) {
  const std::vector<std::int64_t>& distances = checked.config.level_distances;
  if (!checked.machine)
    return std::to_string(read_topology(path, "", distances).tree->leaves()) + " leaves; no " + checked.slurm_conf +
           " to compare it with";
  const ClusterView view = read_topology_of(path, nodes_of(checked), distances);
  return std::to_string(view.tree->leaves()) + " cores of " + std::to_string(view.nodes.size()) + " nodes of " +
         checked.slurm_conf;
}

std::string check_torus(const Checked& checked, const std::string& path) {
  const TorusDescription torus = read_torus(path);
  if (!torus.named) throw Error(path + ": it names no nodes");
  std::string warning;
  if (!checked.node_names.empty()) torus_of(torus, checked.node_names, path, warning);
  return with_warning(
      std::to_string(torus.torus.nodes()) + " nodes at " + std::to_string(torus.torus.positions()) + " positions",
      warning);
}

std::string check_outages(const Checked& checked, const std::string& path) {
  const NodeOutages outages = read_outages(path);
  return with_warning(std::to_string(outages.size()) + " nodes",
                      checked.node_names.empty() ? "" : unknown_outage_node(outages, checked.node_names, path));
}

// Checks the files that the configuration names. Without a slurm.conf they are not compared with nodes.
void check_files(Checked& checked) {
  const auto check = [&](const char* key, const std::string& path, auto check_file) {
    if (path.empty()) return;
    note_mistake(checked.mistakes, [&] {
      check_named_file(checked.config, key, path);
      checked.remarks += "# " + std::string(key) + ": " + check_file(checked, path) + "\n";
    });
  };
  check("TreematchTopologyFile", checked.config.treematch_topology_file, check_topology);
  if (const std::vector<std::int64_t>& distances = checked.config.level_distances;
      !distances.empty() && checked.config.treematch_topology_file.empty() && checked.machine)
    note_mistake(checked.mistakes, [&] {
      naming_file(checked.path + ": LevelDistances",
                  [&] { return view_of_switches(checked.switches, nodes_of(checked), distances); });
    });
  check("TorusFile", checked.config.torus_file, check_torus);
  check("OutageFile", checked.config.outage_file, check_outages);
}

// Names the partitions of PartitionPolicies and PartitionModes that slurm.conf does not have; slurmctld logs them, too.
void check_partitions(Checked& checked) {
  const Config& config = checked.config;
  if (config.partition_policies.empty() && config.partition_modes.empty()) return;
  if (!checked.machine && checked.mistakes_of_site.empty())
    checked.remarks += "# PartitionPolicies, PartitionModes: cannot check the partitions without " +
                       checked.slurm_conf + ": name another file with --slurm-conf\n";
  if (!checked.machine) return;
  const auto check = [&](const std::string& key, const auto& of_partitions) {
    for (const auto& [partition, value] : of_partitions)
      if (std::ranges::count(checked.machine->partitions, partition, &PartitionShape::name) == 0)
        checked.remarks += "# " + key + ": partition " + partition + " is missing from " + checked.slurm_conf + "\n";
  };
  check("PartitionPolicies", config.partition_policies);
  check("PartitionModes", config.partition_modes);
}

void read_gpus(Checked& checked) {
  const std::string path = std::filesystem::path(checked.slurm_conf).replace_filename("gres.conf").string();
  if (!may_exist(path)) return;
  checked.gpus = read_gpu_shapes(path, checked.node_names, &checked.mistakes_of_gpus);
  std::int64_t with_gpus = 0;
  std::string why_not;
  for (const NodeGpus& gpus : checked.gpus) {
    if (gpus.shapes && !gpus.shapes->empty()) ++with_gpus;
    if (why_not.empty()) why_not = gpus.why_not;
  }
  checked.remarks_of_site += "# " + path + ": " + std::to_string(with_gpus) + " nodes with GPUs in a known order" +
                             (why_not.empty() ? "" : "; unknown for other nodes: " + why_not) + "\n";
}

// Reads slurm.conf and the files next to it, once for all checks. The switches are those that the monitor takes.
void read_site(Checked& checked, bool must_exist) {
  if (!must_exist && !may_exist(checked.slurm_conf)) return;
  std::vector<std::string>& mistakes = checked.mistakes_of_site;
  note_mistake(mistakes, [&] {
    checked.machine = read_slurm_machine(checked.slurm_conf);
    for (const NodeShape& node : checked.machine->nodes) checked.node_names.push_back(node.name);
  });
  if (!checked.machine) {
    // Without nodes, only wrong lines of the file of the switches are certain mistakes.
    try {
      read_switches(checked.slurm_conf, {});
    } catch (const LineErrors& errors) {
      mistakes.insert(mistakes.end(), errors.all.begin(), errors.all.end());
    } catch (const Error&) {
    }
    return;
  }
  note_mistake(mistakes, [&] { read_gpus(checked); });
  note_mistake(mistakes, [&] {
    const std::string path = topology_file(checked.slurm_conf);
    if (path.empty()) return;
    std::string warning;
    checked.switches = read_switches(checked.slurm_conf, checked.machine->nodes, &warning);
    checked.remarks_of_site += with_warning("# " + path + ": " + std::to_string(checked.switches.size()) +
                                                " switches or blocks with nodes of slurm.conf",
                                            warning) +
                               "\n";
  });
}

void read_placement_conf(Checked& checked, MissingFile missing) {
  note_mistake(checked.mistakes, [&] {
    checked.config = read_config(checked.path, missing, checked.mistakes);
    for (std::string& mistake : policies::policy_setting_mistakes(checked.config))
      checked.mistakes.push_back(std::move(mistake));
    check_files(checked);
    check_partitions(checked);
    // The monitor logs this, too.
    if (const std::string warning = probe_budget_warning(checked.config); !warning.empty())
      checked.remarks += "# " + warning + "\n";
  });
}

void compare_site(Checked& checked) {
  if (!checked.controller.state || !checked.machine || !checked.mistakes_of_site.empty()) return;
  try {
    SlurmCommand nodes({"scontrol", "-a", "-F", "-o", "show", "nodes"});
    SlurmCommand partitions({"scontrol", "-a", "-o", "show", "partition"});
    SlurmCommand topology({"scontrol", "show", "topology"});
    checked.differences =
        differences_from({nodes.text(), partitions.text(), topology.text()}, *checked.machine, checked.switches);
  } catch (const Error& error) {  // such as PrivateData=nodes
    checked.remarks_of_site += "# not compared with slurmctld: " + std::string(error.what()) + "\n";
  }
}

// Returns the settings in force in slurmctld, which may not have read the file since it was changed.
std::string told_by(const Checked& checked) {
  const ControllerInput& controller = checked.controller;
  std::string text = "# in force in slurmctld: " + described(controller) + "\n";
  for (const std::string& difference : checked.differences)
    text += "# slurm.conf and its files differ from slurmctld: " + difference + "\n";
  if (const auto in_force = settings_in_force(controller)) {
    if (checked.has_no_file())
      text += format_settings(*in_force);
    else if (checked.mistakes.empty())
      text += settings_not_in_force(checked.config, *in_force, checked.elsewhere);
  }
  if (controller.state && !controller.state->mode.empty() && !controller.state->unbound.empty())
    text += "# Slurm does not bind ranks to cores, so policies only choose nodes: " + controller.state->unbound +
            " in slurm.conf; add task/affinity\n";
  return text;
}

std::string as_text(const Checked& checked) {
  std::string text = "# " + checked.path;
  if (!checked.mistakes.empty())
    text += ": wrong, see the message\n";
  else if (checked.has_no_file())
    text += ": not found, " + checked.elsewhere + "\n";
  else
    text += (checked.exists ? ": ok\n" : ": not found, the defaults are in force\n") + format_settings(checked.config) +
            checked.remarks;
  return text + checked.remarks_of_site + (checked.own ? told_by(checked) : "");
}

void write_settings(JsonWriter& json, const Config& config) {
  json.key("settings").begin_object();
  for (const ConfigKey& key : config_keys()) json.member(key.name, key.show(config));
  json.end_object();
}

void write_site(JsonWriter& json, const Checked& site) {
  const SlurmMachine machine = site.machine.value_or(SlurmMachine());
  json.objects("nodes", machine.nodes, [&](const NodeShape& node) {
    std::vector<std::int32_t> cores;
    for (std::int32_t core = 0; core < node.sockets * node.cores_per_socket; ++core)
      if (node.offered.empty() || node.offered[core]) cores.push_back(core);
    json.member("name", node.name, "sockets", node.sockets, "cores_per_socket", node.cores_per_socket);
    json.member("threads_per_core", node.threads_per_core, "cpus_per_core", node.cpus_per_core);
    json.member("usable_cores", format_cores(cores));
    const auto n = static_cast<std::size_t>(&node - machine.nodes.data());
    if (n < site.gpus.size() && site.gpus[n].shapes)
      json.objects("gpus", *site.gpus[n].shapes, [&](const GpuShape& gpu) {
        json.member("file", gpu.file, "cores", format_cores(gpu.cores)).list("links", gpu.links);
      });
  });
  json.objects("partitions", machine.partitions, [&](const PartitionShape& partition) {
    json.member("name", partition.name, "nodes", compress_hostlist(partition.nodes));
  });
  json.objects("switches", site.switches, [&](const SwitchShape& each) {
    std::vector<std::string> names;
    for (const std::int32_t node : each.nodes) names.push_back(machine.nodes[node].name);
    json.member("name", each.name, "parent", each.parent, "nodes", compress_hostlist(names));
  });
}

std::string as_json(const Checked& checked) {
  JsonWriter json(2);
  json.begin_object().member("file", checked.path, "exists", checked.exists);
  if (checked.mistakes.empty() && !checked.has_no_file()) write_settings(json, checked.config);
  if (checked.mistakes_of_site.empty()) write_site(json, checked);
  if (checked.own) {
    json.key("slurmctld").begin_object().member("in_force", described(checked.controller));
    if (const auto in_force = settings_in_force(checked.controller)) write_settings(json, *in_force);
    json.list("differences", checked.differences).end_object();
  }
  return json.end_object().take();
}

}  // namespace

int command_check_config(int argc, char** argv) {
  const std::string text = help_with_keys();
  const CommandHelp check_config_help{"placectl check-config [OPTION]... [FILE]", text.c_str(), check_config_options, 0,
                                      1};
  const CommandLine line(check_config_help, argc, argv);
  Checked checked;
  const bool given = !line.operands().empty();
  checked.own = !given && !line.has("slurm-conf");
  checked.path = given ? line.operands()[0] : placement_conf_path(line.value_or("slurm-conf", ""));
  checked.exists = given || may_exist(checked.path);
  checked.slurm_conf =
      line.value_or("slurm-conf", std::filesystem::path(checked.path).replace_filename("slurm.conf").string());
  read_site(checked, line.has("slurm-conf"));
  read_placement_conf(checked, given ? MissingFile::error : MissingFile::defaults);
  if (checked.own) {
    checked.controller = read_controller();
    compare_site(checked);
    checked.elsewhere = controllers_elsewhere(slurm_conf_path());
  }
  if (line.has("json"))
    write_output("", as_json(checked));
  else if (!line.has("quiet") && (checked.own || checked.mistakes.empty()))
    write_output("", as_text(checked));
  std::ranges::move(checked.mistakes_of_gpus, std::back_inserter(checked.mistakes));
  for (std::string& mistake : checked.mistakes_of_site)  // a key of placement.conf may name a file of the site
    if (std::ranges::count(checked.mistakes, mistake) == 0) checked.mistakes.push_back(std::move(mistake));
  if (!checked.mistakes.empty()) throw Error(joined(checked.mistakes, "\n"));
  if (const std::string trouble = checked.controller.state ? trouble_of(*checked.controller.state) : "";
      !trouble.empty())
    throw Error(trouble);
  return exit_ok;
}

}  // namespace placement::tools
