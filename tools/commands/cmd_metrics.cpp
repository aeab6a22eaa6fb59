// SPDX-License-Identifier: GPL-2.0-or-later
// placectl metrics: how compactly the running jobs lie, and how large a job still fits together.
#include <algorithm>
#include <unordered_map>

#include "common/util/cpu_list.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/prometheus_text.hpp"
#include "common/policy/config.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "sim/occupancy.hpp"
#include "spank/step/scontrol.hpp"
#include "spank/step/slurm_view.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/command_line.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

constexpr Option options[] = {
    {'o', "output", "FILE", "write to FILE, whose old content is replaced at once [standard output]"},
};

constexpr CommandHelp help{
    "placectl metrics", "[OPTION]...",
    "Asks slurmctld for nodes, switches and running jobs, and prints for Prometheus how compactly the jobs lie and how large\n"
    "a job still fits below one switch. The numbers are those that \"placectl simulate\" computes for a replay. They are of\n"
    "the jobs that the caller may see.\n",
    options};

// Returns the cores of one job as leaves. A node that slurmctld no longer shows is left out.
std::vector<std::int32_t> leaves_of(const std::vector<spank::JobCpus>& cpus, const ClusterView& view,
                                    const std::unordered_map<std::string_view, const NodeView*>& node_named) {
  std::vector<std::int32_t> leaves;
  for (const auto& [nodes, ids] : cpus)
    for (const std::string& name : expand_hostlist(nodes)) {
      const auto found = node_named.find(name);
      if (found == node_named.end()) continue;
      const NodeView& node = *found->second;
      const auto threads = static_cast<std::size_t>(node.threads_per_core);
      std::vector<bool> cpu(static_cast<std::size_t>(node.cores()) * threads, false);
      if (!mark_cores(ids, cpu)) throw Error("slurmctld shows the CPUs '" + ids + "' of " + name + ", which has " + std::to_string(cpu.size()));
      for (std::size_t core = 0; core * threads < cpu.size(); ++core)
        if (std::any_of(cpu.begin() + static_cast<std::ptrdiff_t>(core * threads),
                        cpu.begin() + static_cast<std::ptrdiff_t>((core + 1) * threads), [](bool used) { return used; }))
          leaves.push_back(node.first_leaf + static_cast<std::int32_t>(core));
    }
  return leaves;
}

sim::Occupancy occupancy_now() {
  if (!may_exist(slurm_conf_path())) throw Error(slurm_conf_path() + ": there is no such file, so that slurmctld cannot be asked");
  const ClusterView view = spank::load_machine_view();
  std::unordered_map<std::string_view, const NodeView*> node_named;
  for (const NodeView& node : view.nodes) node_named.emplace(node.name, &node);
  std::vector<std::vector<std::int32_t>> jobs;
  for (const auto& cpus : spank::parse_running_jobs(spank::scontrol({"-d", "show", "job"})))
    jobs.push_back(leaves_of(cpus, view, node_named));
  return sim::occupancy_of(view, jobs);
}

std::string as_metrics(const sim::Occupancy& now) {
  PrometheusText out;
  const auto cores = [&out](const char* name, const char* help_line, std::int64_t value) {
    out.one(name, "gauge", help_line, static_cast<double>(value));
  };
  cores("cluster_usable_cores", "Cores of nodes that take jobs.", now.usable_cores);
  cores("cluster_free_cores", "Cores of nodes that take jobs and that no job has.", now.free_cores);
  cores("cluster_largest_in_switch_cores", "Most free cores below one leaf switch: the largest job that fits there.", now.largest_in_switch);
  cores("cluster_largest_in_subtree_cores", "Most free cores in one subtree just below the root.", now.largest_in_subtree);
  cores("running_jobs", "Jobs that hold cores.", now.jobs);
  cores("running_jobs_spread", "Jobs on more leaf switches than they need on an empty machine.", now.spread_jobs);
  out.one("running_job_switches", "gauge", "Mean number of leaf switches of the jobs that hold cores.", now.switches);
  out.one("running_job_extra_switches", "gauge", "Mean number of leaf switches of a job beyond those that it needs.", now.extra_switches);
  return out.take();
}

}  // namespace

int command_metrics(int argc, char** argv) {
  const CommandLine line(help, argc, argv);
  const std::string text = as_metrics(occupancy_now()), path = line.value_or("output", "-");
  if (path == "-")
    write_output("", text);
  else if (!replace_metrics_file(path, text))
    throw Error(path + ": cannot be written");
  return exit_ok;
}

}  // namespace placement::tools
