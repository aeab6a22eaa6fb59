// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/topology/step_view.hpp"
#include "spank/request/shipped_request.hpp"
#include "spank/step/step_ranks.hpp"

namespace placement::spank {

// Records where srun put the ranks of a step, for the user's placectl explain (common/decision/step_records.hpp).
// Throws Error if the record cannot be written.
void record_step(const PlacementRequest& placement_request, const StepShape& step, const StepPlacement& placement);

}  // namespace placement::spank
