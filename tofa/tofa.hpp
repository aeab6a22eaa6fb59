// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement {

// The TOFA policy: nodes that lie close together, ranks with heavy traffic near each other, and both away
// from nodes that fail and off the routes through them [TOFA §3, §4]. Where the view has a torus, hops and
// routes are its; on a tree only nodes with ranks can fail a job, and TREEMATCH places them on healthy ones.
//
// Of several mappings (the natural order, greedy, the paper's where SCOTCH is at hand, and those of a search) the
// one with the least expected time is taken,
//     (1 - s + s (3/4 hop-bytes / natural hop-bytes + 1/4 link load / natural link load)) / (1 - q),
// the former hop-bytes with the weights of eq. 1, those of the natural order without, s being the share of communication and q the
// probability that a node with ranks or on a route fails: a job that aborts begins anew. placectl map prints that
// figure for every policy. So it is never worse than SEQUENTIAL and GREEDY, and, at effort 4 and more where the paper's can be computed, TOFA-PAPER. A node counts as suspect, to be avoided in the search, when its outage probability is
// more than 0 and more than three times the median. Parameters:
//   seed         of the search
//   effort       how long is searched when ranks are placed, 1 to 1000 (10)
//   comm-share   s in per cent (50)
//   job-seconds  length of the job; outage probabilities that hold for another time are converted to it
// Without a matrix a compact healthy set of nodes is taken, ranks in natural order.
Placement place_tofa(const ClusterView& view, const Request& request, const Deadline& deadline);

// The same for a whole mapping at once: nodes are chosen as thoroughly as ranks are placed.
Placement place_tofa_thoroughly(const ClusterView& view, const Request& request, const Deadline& deadline);

// Throws Error on a value of a parameter that place_tofa() would not take.
void check_tofa(const Parameters& parameters);

}  // namespace placement
