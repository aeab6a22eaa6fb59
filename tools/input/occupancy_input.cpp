// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/occupancy_input.hpp"

#include <algorithm>
#include <unordered_map>

#include "common/slurm/controller_by_scontrol.hpp"
#include "common/slurm/slurm_command.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/topology/topology_read.hpp"
#include "common/util/cpu_list.hpp"
#include "common/util/environment.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "spank/mpirun/sequential_hostfile.hpp"
#include "spank/step/slurm_view.hpp"
#include "tools/input/controller_input.hpp"

namespace placement::tools {

namespace {

// Returns the cores of one job as leaves. A node that slurmctld no longer shows is left out.
std::vector<std::int32_t> leaves_of(const spank::ShownJob& job, const ClusterView& view,
                                    const std::unordered_map<std::string_view, const NodeView*>& node_named) {
  std::vector<std::int32_t> leaves;
  for (const spank::ShownJob::Part& part : job.parts)
    for (const std::string& name : expand_hostlist(part.nodes)) {
      const auto found = node_named.find(name);
      if (found == node_named.end()) continue;
      const NodeView& node = *found->second;
      const auto threads = static_cast<std::size_t>(node.threads_per_core);
      std::vector<bool> cpu(static_cast<std::size_t>(node.cores()) * threads, false);
      if (!mark_cores(part.cpus, cpu))
        throw Error("slurmctld shows the CPUs '" + part.cpus + "' of " + name + ", which has " +
                    std::to_string(cpu.size()));
      for (std::size_t core = 0; core * threads < cpu.size(); ++core)
        if (std::any_of(cpu.begin() + static_cast<std::ptrdiff_t>(core * threads),
                        cpu.begin() + static_cast<std::ptrdiff_t>((core + 1) * threads),
                        [](bool used) { return used; }))
          leaves.push_back(node.first_leaf + static_cast<std::int32_t>(core));
    }
  return leaves;
}

}  // namespace

std::string name_of_cluster() {
  const std::string name = environment_value("SLURM_CLUSTER_NAME");
  if (!name.empty()) return name;
  return std::string(spank::config_value(SlurmCommand({"scontrol", "show", "config"}).text(), "ClusterName"));
}

ClusterView machine_of_slurmctld(const std::string& cluster) {
  if (!knows_slurm_conf()) throw Error(slurm_conf_path() + ": not found, so slurmctld cannot be asked");
  const KnownNodes nodes = ask_known_nodes();
  ClusterView view = view_of_shown(SlurmCommand({"scontrol", "show", "topology"}).text(), nodes.shapes, cluster);
  for (std::size_t i = 0; i < view.nodes.size(); ++i)
    if (!nodes.take_jobs[i]) view.nodes[i].core_free.assign(view.nodes[i].core_free.size(), false);
  return view;
}

sim::Occupancy occupancy_now(const ClusterView& view) {
  std::unordered_map<std::string_view, const NodeView*> node_named;
  for (const NodeView& node : view.nodes) node_named.emplace(node.name, &node);
  std::vector<std::vector<std::int32_t>> jobs;
  for (const spank::ShownJob& job : spank::parse_shown_jobs(SlurmCommand({"scontrol", "-d", "show", "job"}).text()))
    if (job.holds_cpus) jobs.push_back(leaves_of(job, view, node_named));
  return sim::occupancy_of(view, jobs);
}

}  // namespace placement::tools
