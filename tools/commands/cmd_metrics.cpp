// SPDX-License-Identifier: GPL-2.0-or-later
// placectl metrics: how compactly the running jobs lie, and how large a job still fits together.
#include "common/util/prometheus_text.hpp"
#include "sim/occupancy.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"

namespace placement::tools {

constexpr Option metrics_options[] = {
    {'o', "output", "FILE", "write to FILE, replacing it atomically [standard output]"},
};

constexpr CommandHelp metrics_help{
    "placectl metrics [OPTION]...",
    "Asks slurmctld for nodes, switches and running jobs. Prints for Prometheus how compactly jobs are placed, and the\n"
    "largest job that fits below one switch.\n",
    metrics_options};

static std::string as_metrics(const sim::Occupancy& now) {
  PrometheusText out;
  const auto cores = [&out](const char* name, const char* help_line, std::int64_t value) {
    out.one(name, "gauge", help_line, static_cast<double>(value));
  };
  cores("cluster_usable_cores", "Cores of nodes that take jobs.", now.usable_cores);
  cores("cluster_free_cores", "Cores of nodes that take jobs and that no job has.", now.free_cores);
  cores("cluster_largest_in_switch_cores", "Most free cores below one leaf switch: the largest job that fits there.",
        now.largest_in_switch);
  cores("cluster_largest_in_subtree_cores", "Most free cores in one subtree just below the root.",
        now.largest_in_subtree);
  cores("running_jobs", "Jobs that hold cores.", now.jobs);
  cores("running_jobs_spread", "Jobs on more leaf switches than they need on an empty machine.", now.spread_jobs);
  out.one("running_job_switches", "gauge", "Mean number of leaf switches of the jobs that hold cores.", now.switches);
  out.one("running_job_extra_switches", "gauge", "Mean number of leaf switches of a job beyond those that it needs.",
          now.extra_switches);
  return out.take();
}

int command_metrics(int argc, char** argv) {
  const CommandLine line(metrics_help, argc, argv);
  const ClusterView view = machine_of_slurmctld();
  const std::string text = as_metrics(sim::occupancy_of(view, leaves_of_running_jobs(view)));
  const std::string path = line.value_or("output", "-");
  if (path == "-") return write_output(path, text);
  replace_metrics_file(path, text);
  return exit_ok;
}

}  // namespace placement::tools
