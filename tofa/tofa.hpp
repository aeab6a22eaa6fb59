// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::tofa {

// The policy TOFA. It chooses nodes that lie close together, places ranks with heavy traffic near each other. It
// avoids nodes that fail and the routes through them [TOFA §3, §4]. When the view has a torus, hops and routes are
// those of the torus. On a tree only nodes with ranks can abort a job; TREEMATCH then places the ranks on healthy
// nodes.
//
// The policy compares several mappings: the natural order, greedy, the paper's where SCOTCH is available, and those of
// a search. It takes the mapping with the least expected time
//     (1 - s + s (3/4 hop-bytes / natural hop-bytes + 1/4 link load / natural link load)) / (1 - q).
// The hop-bytes in the numerator have the weights of eq. 1, those of the natural order have not. s is the share of
// communication. q is the probability that a node with ranks or on a route fails; an aborted job starts again.
// placectl map prints this figure for every policy. By this figure a whole mapping (place_tofa_thoroughly()) is never
// worse than SEQUENTIAL and GREEDY. At effort 4 and more it is not worse than TOFA-PAPER where that can be computed.
//
// A node is suspect, and avoided in the search, when its outage probability is more than 0 and more than three times
// the median. Parameters of the request:
//   seed         seed of the search
//   effort       work of the search when ranks are placed, 1 to 1000 (default 10)
//   comm-share   s in per cent, 0 to 100 (default 50)
//   job-seconds  run time of the job in seconds, to which outage probabilities are converted (default 0: unchanged)
//
// Without a matrix the policy takes a compact healthy set of nodes, with ranks in natural order.
//
// place_tofa() chooses nodes within the time that slurmctld can wait: a large job is not searched. When the request
// gives the tasks of each node, ranks are placed with the full effort. Throws Error when a parameter is wrong,
// the request contradicts itself, or no choice of nodes keeps to the limits.
Placement place_tofa(const ClusterView& view, const Request& request, const Deadline& deadline);

// Computes a TOFA mapping with the full effort for the choice of nodes too. Parameters and errors are those of
// place_tofa().
Placement place_tofa_thoroughly(const ClusterView& view, const Request& request, const Deadline& deadline);

// Throws Error when place_tofa() would refuse the value of a parameter.
void check_tofa(const Parameters& parameters);

}  // namespace placement::tofa
