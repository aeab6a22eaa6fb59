// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/slurmctld_differences.hpp"

#include <algorithm>
#include <map>

#include "common/topology/scontrol_topology.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/text.hpp"

namespace placement::tools {

namespace {

using Values = std::map<std::string, std::string>;

// Returns the host list in a form that does not depend on its order.
std::string sorted_hosts(std::vector<std::string> names) {
  std::ranges::sort(names, is_before_naturally);
  return compress_hostlist(names);
}

std::string sorted_hosts(std::string_view list) {
  return list.empty() || list == "(null)" ? "" : sorted_hosts(expand_hostlist(list));
}

// Adds a line for each value that differs, with the names that have it.
void compare(const std::string& what, const Values& files, const Values& slurmctld, std::vector<std::string>& lines) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> names;
  for (const auto& [name, value] : files)
    if (const auto other = slurmctld.find(name); other == slurmctld.end() || other->second != value)
      names[{value, other == slurmctld.end() ? "none" : other->second}].push_back(name);
  for (const auto& [name, value] : slurmctld)
    if (!files.contains(name)) names[{"none", value}].push_back(name);
  for (const auto& [values, with] : names)
    lines.push_back(what + " " + shown(sorted_hosts(with)) + ": the files have " + shown(values.first) +
                    ", slurmctld has " + shown(values.second));
}

std::string shape_text(std::string_view sockets, std::string_view cores, std::string_view threads) {
  return std::string(sockets) + " sockets x " + std::string(cores) + " cores x " + std::string(threads) + " threads";
}

Values values_of(std::span<const SwitchShape> switches, std::span<const NodeShape> nodes) {
  Values values;
  for (const SwitchShape& each : switches) {
    std::vector<std::string> names;
    for (const std::int32_t node : each.nodes) names.push_back(nodes[node].name);
    values[each.name] = (names.empty() ? "no nodes" : sorted_hosts(std::move(names))) +
                        (each.parent < 0 ? "" : " below " + switches[each.parent].name);
  }
  return values;
}

}  // namespace

std::vector<std::string> differences_from(const ShownMachine& shown, const SlurmMachine& machine,
                                          std::span<const SwitchShape> switches) {
  std::vector<std::string> lines;
  Values files, slurmctld;
  for (const NodeShape& node : machine.nodes)
    files[node.name] = shape_text(std::to_string(node.sockets), std::to_string(node.cores_per_socket),
                                  std::to_string(node.threads_per_core));
  for (const std::string_view line : split_at(shown.nodes, '\n')) {
    auto pairs = scontrol_pairs(line);
    const std::string name(pairs["NodeName"]);
    const bool is_dynamic = pairs["State"].find("DYNAMIC") != std::string_view::npos && !files.contains(name);
    if (!name.empty() && !is_dynamic)
      slurmctld[name] = shape_text(pairs["Sockets"], pairs["CoresPerSocket"], pairs["ThreadsPerCore"]);
  }
  if (slurmctld.empty()) return lines;
  compare("nodes", files, slurmctld, lines);
  files.clear();
  slurmctld.clear();
  for (const PartitionShape& partition : machine.partitions) files[partition.name] = sorted_hosts(partition.nodes);
  for (const std::string_view line : split_at(shown.partitions, '\n'))
    if (auto pairs = scontrol_pairs(line); pairs.contains("PartitionName"))
      slurmctld[std::string(pairs["PartitionName"])] = sorted_hosts(pairs["Nodes"]);
  compare("partition", files, slurmctld, lines);
  compare("switch", values_of(switches, machine.nodes),
          values_of(parse_scontrol_topology(shown.topology, machine.nodes), machine.nodes), lines);
  return lines;
}

}  // namespace placement::tools
