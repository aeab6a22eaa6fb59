// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "common/policy/config.hpp"

namespace placement {

// Bytes of one packet train. An agent may use half of its budget for probes (bytes per minute) at once.
inline constexpr std::int64_t probe_train_bytes = 160 * 1400;

// The share of a link's rate that an agent may use for probes, over a minute.
inline constexpr std::int64_t probe_link_percent = 1;

// Returns a warning if the budget for probes is too small for a packet train, so that bandwidth would never be
// measured; empty if it suffices or is 0 (no probes). ProbeLinkMbps limits the budget if it is set.
std::string probe_budget_warning(const Config& config);

}  // namespace placement
