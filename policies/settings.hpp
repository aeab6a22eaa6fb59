// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "common/policy/config.hpp"

namespace placement::policies {

// Checks the keys NlaWeights and PartitionPolicies of placement.conf. Throws Error when a policy would reject the value
// of one of them; the message names the key.
void check_policy_settings(const Config& config);

// Returns all mistakes that check_policy_settings() could report.
std::vector<std::string> policy_setting_mistakes(const Config& config);

}  // namespace placement::policies
