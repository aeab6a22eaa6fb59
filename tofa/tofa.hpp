// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/policy.hpp"

namespace placement::tofa {

// The policy TOFA [TOFA §3, §4]: places ranks with heavy traffic near each other, and avoids nodes that fail and routes
// through them. doc/tofa.md has the expected time that it minimises. Throws Error when a parameter is wrong, the
// request contradicts itself, or no set of nodes meets its limits. Parameters:
//   seed         seed of the search; default: request.seed
//   effort       work of the search when ranks are placed, 1 to 1000 (default 10)
//   comm-share   share of communication in the run time in per cent, 0 to 100 (default 50)
//   job-seconds  run time of the job in seconds, for which outage probabilities are converted (default 0: unchanged)
Placement place_tofa(const ClusterView& view, const Request& request, const Deadline& deadline);

// As place_tofa(), but chooses nodes with the full effort, too.
Placement place_tofa_thoroughly(const ClusterView& view, const Request& request, const Deadline& deadline);

// Returns the measure of placements of a step: their expected time. It is empty if a node of the step has no
// coordinates on a torus. View and request must outlive it.
StepMeasure tofa_step_measure(const ClusterView& view, const Request& request);

// Throws Error when place_tofa() would reject the value of a parameter.
void check_tofa(const Parameters& parameters);

}  // namespace placement::tofa
