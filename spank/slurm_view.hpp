// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/topology/cluster_view.hpp"

namespace placement {

// The nodes named, in that order, within the whole machine's tree as slurmctld knows it: its
// switches or blocks (none without topology/tree or topology/block) and the sockets and cores of every node. All cores are
// free; with a job, those that it has. Asks slurmctld by libslurm and scontrol, as the calling
// user. Throws Error when slurmctld does not answer, or does not show such a node or job.
ClusterView load_cluster_view(std::span<const std::string> names, std::uint32_t job = 0);

// Nodes on which a job has these CPUs: a host list, and a list as mark_cores() reads it.
struct JobCpus {
  std::string nodes;
  std::string ids;
};

// What "scontrol -d show job" says of the job; of a heterogeneous job, all its components.
std::vector<JobCpus> parse_job_cpus(std::string_view text, std::uint32_t job);

// Marks the cores of a list as Slurm writes it ("0-2,5"); false when it is not one, or names a
// core that is not there.
bool mark_cores(const std::string& list, std::vector<bool>& core);

}  // namespace placement
