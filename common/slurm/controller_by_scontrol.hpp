// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string_view>
#include <vector>

#include "common/slurm/controller_query.hpp"

namespace placement {

// The nodes that slurmctld knows, in its order.
struct KnownNodes {
  std::vector<NodeShape> shapes;
  std::vector<bool> take_jobs;  // for each node: true if its state permits new jobs, even if it is full
};

// Returns the nodes in `text`, the output of "scontrol -o show nodes".
KnownNodes parse_known_nodes(std::string_view text);

// Asks slurmctld for the nodes, as ask_nodes() does.
KnownNodes ask_known_nodes();

}  // namespace placement
