// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "mpi/settings.hpp"

namespace placement::profile {

// How this run decomposes collectives; constant from begin() on.
CollectiveModel collective_model();

}  // namespace placement::profile
