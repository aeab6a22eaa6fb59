// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::policies {

// The three policies of this file choose nodes by live data. With a matrix, ranks with much traffic go to one node or
// to nodes that are near by measurement. A step (request.node_tasks is given) only maps its ranks, and needs no live
// data. A choice of nodes throws Error without live data, or with live data of less than 75 % of the offered nodes. If
// the network counts (beta > 0), it also throws Error when less than 50 % of the pairs of nodes are measured. It throws
// MustWait when the cluster is overloaded and the job may wait longer.

// The policy NLA: chooses nodes by live load and by the network between them [NLA §2-§6], with a local search.
Placement place_nla(const ClusterView& view, const Request& request, const Deadline& deadline);

// Returns the measure of placements of a step: traffic times the measured network load between nodes. It is empty if
// the network is not measured, or the request has no matrix. View and request must outlive it.
StepMeasure nla_step_measure(const ClusterView& view, const Request& request);

// The policy NLA-PAPER: chooses nodes by Algorithms 1 and 2 of the paper [NLA §5, §6], without a local search.
Placement place_nla_paper(const ClusterView& view, const Request& request, const Deadline& deadline);

// The policy LOAD-AWARE: chooses the least loaded nodes and ignores the network; a baseline [NLA §9].
Placement place_load_aware(const ClusterView& view, const Request& request, const Deadline& deadline);

// Returns the parameter `max-age`: the age in seconds, 0 to 86400, above which the data of a node count as missing;
// default 120. Throws Error when the value is not a number in this range.
double max_age_s(const Parameters& parameters);

// Returns the parameter `wait`: the time in seconds, 0 to 86400, for which a job waits while the cluster is overloaded;
// default 0. Throws Error when the value is not a number in this range.
double wait_s(const Parameters& parameters);

// Checks the parameters of NLA, NLA-PAPER and LOAD-AWARE. Throws Error for a value that they would reject.
void check_nla(const Parameters& parameters);

}  // namespace placement::policies
