// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/api/spank_api.hpp"

namespace placement::spank {

// Places the ranks of the step that this srun is about to launch, if its own options or its job ask for a policy. Tells
// the user before that if a job that was made for the step has not got the policy's nodes. Throws Error if the step is
// to run as stock.
void place_own_step(spank_t spank);

}  // namespace placement::spank
