// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::tofa {

// The policy TOFA [TOFA §3, §4]: places ranks with heavy traffic near each other, and avoids nodes that fail and routes
// through them. doc/tofa.md has the expected time that it minimizes. Throws Error when a parameter is wrong, the
// request contradicts itself, or no choice of nodes keeps to the limits. Parameters of the request:
//   seed, effort  seed of the search; its work when ranks are placed, 1 to 1000 (default 10)
//   comm-share    share of communication in the run time in per cent, 0 to 100 (default 50)
//   job-seconds   run time of the job in seconds, to which outage probabilities are converted (default 0: unchanged)
Placement place_tofa(const ClusterView& view, const Request& request, const Deadline& deadline);

// Computes a TOFA mapping with the full effort for the choice of nodes too. Parameters and errors are those of
// place_tofa().
Placement place_tofa_thoroughly(const ClusterView& view, const Request& request, const Deadline& deadline);

// Throws Error when place_tofa() would refuse the value of a parameter.
void check_tofa(const Parameters& parameters);

}  // namespace placement::tofa
