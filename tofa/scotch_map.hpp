// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "tofa/scotch_hook.hpp"

namespace placement {

// A ScotchMapper with libscotch. One thread, and the same answer for the same seed.
std::vector<std::int32_t> scotch_map(const ScotchTask& task);

}  // namespace placement
