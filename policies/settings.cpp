// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/settings.hpp"

#include "core/error.hpp"
#include "policies/table.hpp"

namespace placement {

namespace {

// What no user has shipped cannot be a matrix or a file.
void check_partition_policy(const std::string& word) {
  const PolicySpec spec = parse_policy_spec(word);
  const Policy& policy = check_policy_spec(spec);
  if (policy.needs_matrix || !policy.for_users)
    throw Error(spec.policy + " cannot be the policy of a partition: want one that users can ask for without a matrix");
  for (const char* key : {"matrix", "profile"})
    if (spec.parameters.contains(key)) throw Error(std::string(key) + "= is for jobs that ask for it themselves");
}

}  // namespace

void check_policy_settings(const Config& config) {
  try {
    if (!config.nla_weights.empty()) check_policy_spec(parse_policy_spec("NLA=" + config.nla_weights));
  } catch (const Error& error) {
    throw Error("NlaWeights=" + config.nla_weights + ": " + error.what());
  }
  for (const auto& [partition, word] : config.partition_policies) try {
      check_partition_policy(word);
    } catch (const Error& error) {
      throw Error("PartitionPolicies: " + partition + ":" + word + ": " + error.what());
    }
}

}  // namespace placement
