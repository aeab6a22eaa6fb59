// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string_view>

#include "common/slurm/controller_query.hpp"

namespace placement {

// Returns the nodes in `text`, the output of "scontrol -o show nodes".
KnownNodes parse_known_nodes(std::string_view text);

}  // namespace placement
