// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/settings.hpp"

#include "core/error.hpp"
#include "policies/table.hpp"

namespace placement {

void check_policy_settings(const Config& config) {
  if (config.nla_weights.empty()) return;
  try {
    check_policy_spec(parse_policy_spec("NLA=" + config.nla_weights));
  } catch (const Error& error) {
    throw Error("NlaWeights=" + config.nla_weights + ": " + error.what());
  }
}

}  // namespace placement
