// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "spank/api/spank_api.hpp"

namespace placement::spank {

// Reads the matrix of the component whose options were just parsed, and ships its request with the job. Throws Error.
void finish_component(spank_t spank);

}  // namespace placement::spank
