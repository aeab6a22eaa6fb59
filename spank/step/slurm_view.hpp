// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/controller_state.hpp"
#include "common/topology/cluster_view.hpp"

namespace placement::spank {

// Returns the view of the nodes `names`, in this order, within the topology tree of the whole machine. The tree has
// the switches or blocks that slurmctld knows (none without topology/tree or topology/block), and the sockets and
// cores of every node. They are those of the topology that the partition of the job `job` names, else of that of the
// cluster. Only the cores of the job are free, and each node has the job's GPUs. Asks slurmctld through libslurm and
// scontrol, as the calling user. Throws Error if slurmctld does not answer, or does not show one of the nodes or the
// job.
ClusterView load_cluster_view(std::span<const std::string> names, std::uint32_t job);

// Returns the view of all nodes that slurmctld knows, within the topology tree of the machine. The cores of a node are
// free if jobs could be started on it, so that those of a node that is down, drained or powered down are not. Asks
// slurmctld as load_cluster_view() does, with the same errors. For programs alone, because it makes libslurm read
// slurm.conf, which a plugin's host has done.
ClusterView load_machine_view();

// The CPUs of a job on some nodes.
struct JobCpus {
  std::string nodes;  // a hostlist
  std::string ids;    // the CPUs on each of these nodes, in the form that mark_cores() reads
};

// Returns the CPUs of the job `job` from `text`, the output of "scontrol -d show job". For a heterogeneous job the
// result has all components.
std::vector<JobCpus> parse_job_cpus(std::string_view text, std::uint32_t job);

// The GPUs of a job on some nodes.
struct JobGpus {
  std::string nodes;                  // a hostlist
  std::vector<std::int32_t> numbers;  // the GPUs on each of these nodes, ascending
};

// Returns the GPUs of the job `job` from `text`, the output of "scontrol -d show job"; of a heterogeneous job those of
// the component with this job ID. Nodes on which the job has none, and those whose GPUs have no numbers, are left out.
std::vector<JobGpus> parse_job_gpus(std::string_view text, std::uint32_t job);

// Returns the partition of the job `job` from `text`, the output of "scontrol show job"; empty if the job is not in it.
// The components of a heterogeneous job have job IDs of their own.
std::string parse_job_partition(std::string_view text, std::uint32_t job);

// Returns the CPUs of each running job from `text`, the output of "scontrol -d show job", in its order. The components
// of a heterogeneous job are jobs of their own. A job that is suspended or completing holds its CPUs and counts as
// running.
std::vector<std::vector<JobCpus>> parse_running_jobs(std::string_view text);

// Replaces the mode of the controller, unless it is off, by that of the job's partition, if PartitionModes has one.
// Asks slurmctld for the partition only if the key is set. Throws Error if slurmctld does not answer.
void use_mode_of_partition(ControllerState& controller, std::uint32_t job);

}  // namespace placement::spank
