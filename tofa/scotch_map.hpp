// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "tofa/scotch_hook.hpp"

namespace placement::tofa {

// The ScotchMapper that uses libscotch. It sets SCOTCH_PTHREAD_NUMBER to 1 in the environment, so that SCOTCH uses one
// thread and gives equal results for equal seeds.
std::vector<std::int32_t> scotch_map(const ScotchTask& task);

}  // namespace placement::tofa
