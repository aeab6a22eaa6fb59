// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "mpi/settings.hpp"

namespace placement::mpi::profile {

// Returns the model by which this run decomposes collectives into messages. It is constant after begin().
CollectiveModel collective_model();

}  // namespace placement::mpi::profile
