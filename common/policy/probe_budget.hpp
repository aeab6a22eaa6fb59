// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "common/policy/config.hpp"

namespace placement {

// Bytes of a packet train, and the budget of an agent for probes. Half of the budget may be used at once.
inline constexpr std::int64_t probe_train_bytes = 160 * 1400;

// The share of a link's rate that an agent may use for probes, over a minute.
inline constexpr std::int64_t probe_link_percent = 1;

// Returns what is wrong with a budget for probes that is too small for a packet train, so that bandwidth would never be
// measured; empty if it is large enough, or if no probes are wanted. The rate of the link counts if it is set.
std::string probe_budget_warning(const Config& config);

}  // namespace placement
