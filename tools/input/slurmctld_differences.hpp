// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <vector>

#include "common/topology/slurm_partitions.hpp"

namespace placement::tools {

// What "scontrol -a -F -o show nodes", "scontrol -a -o show partition" and "scontrol show topology" print.
struct ShownMachine {
  std::string nodes, partitions, topology;
};

// Compares the machine of slurm.conf and `switches`, those of the file next to it, with what slurmctld uses. Returns a
// line for each difference in nodes, their sockets, cores and threads, partitions, or switches. Dynamic nodes, which
// slurm.conf does not have, are not differences. Returns nothing if slurmctld shows this user no nodes (PrivateData).
std::vector<std::string> differences_from(const ShownMachine& shown, const SlurmMachine& machine,
                                          std::span<const SwitchShape> switches);

}  // namespace placement::tools
