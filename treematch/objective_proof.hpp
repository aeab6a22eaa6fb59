// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/policy/policy.hpp"
#include "treematch/objective_search.hpp"

namespace placement::treematch {

// Goes through all placements of a small job. A placement that is better by the objective than `best` replaces it.
// This is done for a step, whose nodes are given, and for a job whose least hop-bytes are proved. A job that is too
// large for it seldom has that proof. The reasons of `best`, and whether it is optimal, say then what is proved: that
// no placement is better by the objective, or only that none has fewer hop-bytes.
//   least   the placement with the least hop-bytes
//   goal    what `best` reaches
//   lowest  no placement has a lower value of the objective
void search_for_proof(const ClusterView& view, const Request& request, const Placement& least, ObjectiveGoal goal,
                      std::int32_t lowest, const Deadline& deadline, Placement& best);

}  // namespace placement::treematch
