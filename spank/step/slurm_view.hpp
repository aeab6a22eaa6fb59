// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/slurm/slurm_command.hpp"
#include "common/state/controller_state.hpp"
#include "common/topology/cluster_view.hpp"

namespace placement::spank {

// A job as "scontrol -d show job" prints it.
struct ShownJob {
  std::uint32_t id = 0;          // the job ID
  std::uint32_t array_job = 0;   // the job ID of its array; without one, its own
  std::string array_task;        // such as 42_7, of array 42; 42_ for tasks that wait together; empty without an array
  std::uint32_t leader = 0;      // the ID of the heterogeneous job; 0: the job is no component of one
  std::uint32_t offset = 0;      // the number of the component in it
  std::uint32_t restarts = 0;    // number of restarts, including the one that it waits for
  bool pending = false;          // it waits for its next start, or its first one
  bool holds_cpus = false;       // the job runs, is suspended or is completing
  std::int64_t submitted_s = 0;  // seconds since 1970, if SLURM_TIME_FORMAT is %s; 0: not known
  std::string partition;
  std::string system_comment;

  struct Part {
    std::string nodes;               // a hostlist
    std::string cpus;                // the CPUs on each node, for mark_cores(); empty if Slurm cut the list
    std::vector<std::int32_t> gpus;  // the GPUs on each node, ascending; empty if Slurm prints no numbers
  };
  std::vector<Part> parts;
};

// Returns the jobs in `text`, the output of "scontrol -d show job". Each component of a heterogeneous job is a job.
std::vector<ShownJob> parse_shown_jobs(std::string_view text);

// A query to slurmctld about a job. It runs while the caller does other work, until view() waits for the answer.
class JobQuery {
 public:
  // Sends the questions about the job with the ID `job`; with `configuration`, also the one for configuration(). Throws
  // Error if scontrol cannot be started.
  explicit JobQuery(std::uint32_t job, bool configuration = false);
  std::uint32_t job() const { return job_; }

  // Returns the job; its ID is 0 if slurmctld does not show it. Throws Error if slurmctld does not answer.
  ShownJob shown_job();

  // Returns the nodes that the job has now; none if slurmctld does not show them.
  std::set<std::string> nodes();

  // Returns the output of "scontrol show config", for config_value(). Throws Error if slurmctld does not answer.
  const std::string& configuration();

  // Returns the view of the nodes `names`, in this order, within the topology of the job's partition or of the cluster.
  // The tree has the switches or blocks that slurmctld knows, and the sockets and cores of every node. LevelDistances,
  // CoresPerCache and TreematchTopologyFile of `controller` apply; if this host cannot read the file, the view has a
  // warning. Only the cores and GPUs of the job are free. On a cluster without the plugins, own_topology() replaces a
  // topology without switches. Asks slurmctld as the calling user. Throws Error if slurmctld does not answer, or does
  // not show one of the nodes or the job. Call it once.
  ClusterView view(std::span<const std::string> names, const ControllerState& controller);

  // Returns the state of slurmctld. If PartitionModes has a mode for the job's partition, that mode replaces Mode,
  // except for Mode=off. Throws Error if slurmctld does not answer.
  ControllerState controller();

 private:
  const std::vector<ShownJob>& shown_jobs();

  std::uint32_t job_;
  SlurmCommand command_;  // answers with the configuration if asked, the topology, and the jobs
  std::string topology_, configuration_;
  std::optional<std::vector<ShownJob>> shown_jobs_;
};

}  // namespace placement::spank
