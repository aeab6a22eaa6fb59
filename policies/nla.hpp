// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement {

// Nodes by live load and by the network between them [NLA §2-§6]. Each throws Error when the view has no live data,
// or none of too many of the nodes offered; in a step, where nodes are given, only ranks are placed. With a matrix,
// ranks that talk much go to the same node or to nodes that are measured to be near.
Placement place_nla(const ClusterView& view, const Request& request, const Deadline& deadline);

// The same by Algorithms 1 and 2 alone, without the local search.
Placement place_nla_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

// The least loaded nodes, whatever is between them: a baseline [NLA §9].
Placement place_load_aware(const ClusterView& view, const Request& request, const Deadline& deadline);

// Parameters of these: the age in seconds from which a node's data count as missing, and how long a job may wait while
// the cluster is overloaded. Throw Error on what is no such number.
double max_age_s(const Parameters& parameters);
double wait_s(const Parameters& parameters);

// Throws Error on a value of a parameter that these would not take.
void check_nla(const Parameters& parameters);

}  // namespace placement
