// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"

namespace placement {

// Throws Error that names the key of placement.conf whose value a policy would not take.
void check_policy_settings(const Config& config);

}  // namespace placement
