// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/simulate/simulate_machine.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "common/topology/slurm_conf.hpp"
#include "common/topology/topology_read.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "policies/fabric_choice.hpp"
#include "sim/site_data.hpp"
#include "tools/input/snapshot_json_read.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/simulate/simulate_options.hpp"

namespace placement::tools {

namespace {

constexpr int default_outage_hours = 24;

NodeShape node_shape(const CommandLine& line) {
  const auto given = line.value("node");
  if (!given)
    throw UsageError("--topology " + shown(*line.value("topology")) + ": it has no nodes: use --node or --slurm-conf");
  const std::string& text = *given;
  const auto parts = split_at(text, 'x');
  const auto sockets = parse_integer(parts[0]);
  const auto cores = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!sockets || !cores || *sockets < 1 || *cores < 1 || *sockets > 1024 || *cores > 4096)
    throw UsageError("--node " + shown(text) + ": expected SOCKETSxCORES, as in 2x8");
  return {"", static_cast<std::int32_t>(*sockets), static_cast<std::int32_t>(*cores), 1};
}

// Returns the nodes of a tree. The leaves are cores if the tree is one of a file, and its lowest levels form nodes of
// this shape; else they are nodes.
std::vector<NodeShape> nodes_of_tree(const TreeTopology& tree, const NodeShape& shape, bool of_file) {
  const std::int32_t cores = shape.sockets * shape.cores_per_socket;
  std::int32_t vertex = tree.leaf_vertex(0);
  while (vertex != 0 && tree.leaf_count(vertex) < cores) vertex = tree.parent(vertex);
  const std::int32_t count = of_file && tree.leaf_count(vertex) == cores ? tree.leaves() / cores : tree.leaves();
  std::vector<NodeShape> nodes(static_cast<std::size_t>(count), shape);
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n].name = "n" + std::to_string(n);
  return nodes;
}

ClusterView read_shape(const CommandLine& line) {
  if (!line.has("topology")) throw UsageError("the machine is missing: use --topology");
  if (line.has("node") && line.has("slurm-conf"))
    throw UsageError("use only one of --node and --slurm-conf: both describe the nodes");
  const MachineFile file = read_machine_file(*line.value("topology"));
  const bool torus = is_torus_text(file.text);
  MapFaults of_map_alone;
  ClusterView view = read_machine(file, line.value_or("slurm-conf", ""), of_map_alone, {},
                                  torus && !line.has("slurm-conf") ? std::optional(node_shape(line)) : std::nullopt);
  std::vector<std::string> outside;  // another topology of a topology.yaml may have these nodes
  std::erase_if(view.nodes, [&](const NodeView& node) {
    const bool is_outside = torus ? node.torus_node < 0 : node.fabric == no_fabric;
    if (is_outside && !torus) outside.push_back(node.name);
    return is_outside;
  });
  if (!outside.empty())
    std::fprintf(stderr, "placectl: %s is on no switch of %s, and runs no job\n",
                 shown(compress_hostlist(outside)).c_str(), line.value("topology")->c_str());
  if (torus) return view;
  if (view.nodes.empty())
    return parse_topology_of(file,
                             nodes_of_tree(*view.tree, node_shape(line), file.path == "-" || may_exist(file.path)));
  if (line.has("node")) throw UsageError("use --node without a topology.conf, because slurm.conf describes its nodes");
  return view;
}

// Returns the path of the slurm.conf with the nodes of the machine; empty if there is none.
std::string slurm_conf_of(const CommandLine& line) {
  if (line.has("slurm-conf") || line.has("node") || !line.has("topology")) return line.value_or("slurm-conf", "");
  return std::filesystem::path(*line.value("topology")).replace_filename("slurm.conf").string();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_options(const CommandLine& line) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const char* option : {"topology", "slurm-conf", "node", "state", "outages", "outage-hours"})
    if (const auto value = line.value(option)) given.emplace_back(option, *value);
  if (line.has("outages") && !line.has("outage-hours"))
    given.emplace_back("outage-hours", std::to_string(default_outage_hours));
  for (auto& [option, value] : given) std::replace(option.begin(), option.end(), '-', '_');
  return given;
}

sim::ProcessorsPerCore processors_per_core_of(const std::string& conf, const sim::Machine& machine) {
  std::unordered_map<std::string, std::int32_t> cpus;
  for (const NodeShape& shape : read_node_shapes(conf)) cpus.emplace(shape.name, shape.cpus_per_core);
  std::set<std::int32_t> found;
  for (const NodeView& node : machine.view().nodes)
    if (const auto known = cpus.find(node.name); known != cpus.end()) found.insert(known->second);
  return {found.size() == 1 ? *found.begin() : found.empty() ? 1 : 0, 1};
}

sim::ProcessorsPerCore read_processors_per_core(const CommandLine& line, const sim::Machine& machine) {
  if (const auto given = line.integer("threads-per-core", 1, 64))
    return {static_cast<std::int32_t>(*given), static_cast<std::int32_t>(*given)};
  const std::string conf = slurm_conf_of(line);
  return conf.empty() ? sim::ProcessorsPerCore{} : processors_per_core_of(conf, machine);
}

ClusterView read_machine_view(const CommandLine& line) {
  ClusterView view = read_shape(line);
  if (!policies::is_one_fabric(view))
    throw Error("--topology " + shown(*line.value("topology")) +
                ": no switch connects all nodes, so no job can use all of them; "
                "replay each connected part with its own topology.conf");
  return view;
}

sim::Machine read_machine(const CommandLine& line, sim::ReplayOptions& replay_options) {
  ClusterView view = read_machine_view(line);
  if (const auto state = line.value("state")) sim::attach_state(view, read_live_state(*state), *state);
  if (const auto outages = line.value("outages")) {
    sim::attach_outages(view, read_outages(*outages),
                        number_option(line, "outage-hours", default_outage_hours, 1e-3, 1e5) * 3600, *outages);
    if (line.has("node-failures"))
      throw UsageError("use only one of --node-failures and --outages: both set how often nodes fail");
    replay_options.failures_per_hour_of_node = sim::failure_rates(view);
  } else if (line.has("outage-hours")) {
    throw UsageError("--outage-hours requires --outages");
  }
  return sim::Machine(std::move(view));
}

}  // namespace placement::tools
