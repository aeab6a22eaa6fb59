// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/slurm_partitions.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "common/topology/slurm_conf.hpp"
#include "common/topology/topology_yaml.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

// The functions of host lists, without the ending "with" that each may have. Slurm treats all four alike.
constexpr std::string_view place_functions[] = {"switch", "block", "ring", "torus"};

// The kinds of topology that topology.conf describes; TopologyPlugin=topology/KIND.
constexpr std::string_view kinds_with_file[] = {"tree", "block", "ring", "3d_torus"};

// Adds the nodes of the function to `names`. switch{S} has the nodes of place S; switchwith{N} has the nodes of all
// leaf switches, blocks or rings that contain node N. Slurm ignores unknown functions.
void add_nodes_of_function(std::string_view function, std::span<const SwitchRecord> places,
                           std::unordered_set<std::string>& names) {
  const std::size_t open = function.find('{'), close = function.find('}');
  std::string_view kind = function.substr(0, open);
  const bool of_node = kind.ends_with("with");
  if (of_node) kind.remove_suffix(4);
  if (std::ranges::count(place_functions, kind) == 0 || close < open || close == function.npos) return;
  const std::string argument(function.substr(open + 1, close - open - 1));
  std::unordered_set<std::string> found;
  if (of_node) found.insert(argument);
  const auto is_found = [&](const std::string& node) { return found.contains(node); };
  for (const SwitchRecord& place : places)
    if (of_node ? place.level == 0 && std::ranges::any_of(place.nodes, is_found) : place.name == argument)
      found.insert(place.nodes.begin(), place.nodes.end());
  names.merge(found);
}

// Returns whether slurmctld reads the topology.yaml or topology.conf. Without a TopologyPlugin, it has topology/flat.
bool uses_topology_file(const std::string& slurm_conf, const std::string& kind) {
  return topology_file(slurm_conf).ends_with(".yaml") || std::ranges::count(kinds_with_file, kind) > 0;
}

using FileLine = std::pair<std::string, ConfLine>;  // with the name of the file that has the line

// Replaces the name of each NodeSet in `names` by the nodes of its Nodes=, and by feature{F} for its Feature=F.
void replace_sets(std::unordered_set<std::string>& names, std::span<const FileLine> sets,
                  std::span<const NodeShape> nodes) {
  for (const auto& [file, set] : sets) {
    if (names.erase(set.pairs[0].second) == 0) continue;
    if (const std::string* feature = set.value("Feature")) names.insert("feature{" + *feature + "}");
    const std::string* const list = set.value("Nodes");
    if (list && equal_any_case(*list, "ALL"))  // from Slurm 23.11 on
      std::ranges::transform(nodes, std::inserter(names, names.end()), &NodeShape::name);
    else if (list)
      for (std::string& name : hosts_at(*list, file, set)) names.insert(std::move(name));
  }
}

}  // namespace

SlurmMachine read_slurm_machine(const std::string& slurm_conf_path) {
  ConfLine defaults;
  std::vector<FileLine> partitions, sets;
  std::string kind;
  const auto take = [&](const std::string& file, const ConfLine& line) {
    take_topology_kind(line, kind);
    if (equal_any_case(line.pairs[0].first, "NodeSet")) sets.emplace_back(file, line);
    if (!equal_any_case(line.pairs[0].first, "PartitionName")) return;
    if (const std::string* list = line.value("Nodes")) hosts_at(*list, file, line);  // throws Error for a wrong list
    ConfLine whole{line.number, defaults.pairs, {}};
    whole.pairs.insert(whole.pairs.end(), line.pairs.begin(), line.pairs.end());  // later values win
    if (equal_any_case(line.pairs[0].second, "DEFAULT"))
      defaults = std::move(whole);
    else
      partitions.emplace_back(file, std::move(whole));
  };
  SlurmMachine machine{read_slurm_nodes(slurm_conf_path, take, read_site_topology), {}};
  std::optional<std::vector<SwitchRecord>> places;
  for (const auto& [file, line] : partitions) {
    const std::string *list = line.value("Nodes"), *topology = line.value("Topology");
    machine.partitions.push_back({*line.value("PartitionName"), {}, topology ? *topology : ""});
    if (!list) continue;
    const std::vector<std::string> listed = hosts_at(*list, file, line);
    std::unordered_set<std::string> names(listed.begin(), listed.end());
    replace_sets(names, sets, machine.nodes);
    for (const std::string& name : std::vector(names.begin(), names.end())) {
      if (name.find('{') == name.npos || name.starts_with("feature{")) continue;
      if (!places)
        places = uses_topology_file(slurm_conf_path, kind) ? read_places(slurm_conf_path, machine.nodes)
                                                           : std::vector<SwitchRecord>();
      add_nodes_of_function(name, *places, names);
    }
    const auto is_meant = [&names](std::string_view feature) {
      return names.contains("feature{" + std::string(feature) + "}");
    };
    for (const NodeShape& node : machine.nodes)
      if (names.contains(node.name) || equal_any_case(*list, "ALL") ||
          std::ranges::any_of(split_at(node.features, ','), is_meant))
        machine.partitions.back().nodes.push_back(node.name);
  }
  return machine;
}

}  // namespace placement
