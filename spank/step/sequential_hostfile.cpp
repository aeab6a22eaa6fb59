// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/sequential_hostfile.hpp"

#include <algorithm>

#include "common/slurm/slurm_command.hpp"
#include "common/util/text.hpp"

namespace placement::spank {

namespace {

bool cores_are_told(const Allocation& allocation, const StepPlacement& placement, CoreNumbering numbering) {
  if (numbering == CoreNumbering::unknown || placement.cores_of_rank.empty() || !placement.whole_cores) return false;
  const auto is_unknown = [](const NodeView& node) { return node.cores_per_socket == 1 && node.sockets > 1; };
  return std::ranges::none_of(allocation.view.nodes, is_unknown);
}

// Returns mpirun's number for each core of the node. The numbers of cores that mpirun does not see are not used.
std::vector<std::int32_t> numbers_of(const NodeView& node, CoreNumbering numbering) {
  std::vector<std::int32_t> numbers(node.core_free.size());
  std::int32_t next = 0;
  for (std::size_t core = 0; core < numbers.size(); ++core) {
    numbers[core] = next;
    if (numbering == CoreNumbering::of_machine || node.core_free[core]) ++next;
  }
  return numbers;
}

}  // namespace

CoreNumbering core_numbering(std::string_view configuration) {
  const auto value_of = [configuration](std::string_view name) { return config_value(configuration, name); };
  const std::string_view task_plugin = value_of("TaskPlugin");
  const bool cgroup = task_plugin.find("cgroup") != task_plugin.npos;
  if (!cgroup && task_plugin.find("affinity") == task_plugin.npos) return CoreNumbering::unknown;
  if (value_of("SlurmdParameters").find("config_overrides") != std::string_view::npos) return CoreNumbering::unknown;
  return cgroup && value_of("ConstrainCores") == "yes" ? CoreNumbering::of_job : CoreNumbering::of_machine;
}

std::string sequential_hostfile(const Allocation& allocation, const StepPlacement& placement, CoreNumbering numbering) {
  const bool cores = cores_are_told(allocation, placement, numbering);
  std::size_t ranks = 0;
  for (const auto& of_node : placement.ranks_of_node) ranks += of_node.size();
  std::vector<std::string> line(ranks);
  for (std::size_t node = 0; node < placement.ranks_of_node.size(); ++node) {
    const auto numbers = cores ? numbers_of(allocation.view.nodes[node], numbering) : std::vector<std::int32_t>();
    for (const std::uint32_t rank : placement.ranks_of_node[node]) {
      std::string& text = line.at(rank);
      text = allocation.step.nodes[node];
      const auto number = [&](std::int32_t core) { return std::to_string(numbers[static_cast<std::size_t>(core)]); };
      if (cores) text += " " + joined(placement.cores_of_rank[rank], ",", number);
    }
  }
  std::string text;
  for (const std::string& each : line) text += each + "\n";
  return text;
}

}  // namespace placement::spank
