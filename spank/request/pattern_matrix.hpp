// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "spank/request/options.hpp"

namespace placement::spank {

// Sets the matrix of a request that names a pattern to that of a job or step of `tasks` tasks, at least 1. Does nothing
// if the request names none. If all pairs have equal traffic and are too many for a job to carry, the request gets no
// matrix; only close nodes help it. Returns a message for a user who asks for details, for example the sides of a grid;
// mostly empty. Throws Error if the pattern does not fit the number of tasks.
std::string take_pattern(PlacementRequest& placement_request, std::int32_t tasks);

// Returns the number of tasks of the pattern of a request: `tasks` if that is known, else the number that the pattern
// fixes. Returns nothing if neither is known or if the request names no pattern.
std::optional<std::int32_t> tasks_of_pattern(const PlacementRequest& placement_request,
                                             std::optional<std::int32_t> tasks);

}  // namespace placement::spank
