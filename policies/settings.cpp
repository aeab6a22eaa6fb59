// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/settings.hpp"

#include <algorithm>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "netload/weights.hpp"
#include "pattern/pattern.hpp"
#include "policies/table.hpp"

namespace placement::policies {

namespace {

// Throws Error when `word` is not suitable as the policy of a partition. Such a policy cannot need a matrix or another
// file, because only the user of a job ships one.
void check_partition_policy(const std::string& word) {
  const PolicySpec spec = parse_policy_spec(word);
  const Policy& policy = check_policy_spec(spec);
  if (policy.needs_matrix || !policy.for_users)
    throw Error(spec.policy + " cannot be the policy of a partition: want one that users can ask for without a matrix");
  for (const auto& [key, value] : spec.parameters)
    if (key == "matrix" || key == "profile" || pattern::is_key(key))
      throw Error((key == "matrix" ? shown(value) : key + "=") + " is for jobs that ask for it themselves");
}

// Throws Error when `weights` has another key than a weight of NLA, or a value that NLA refuses. The other keys of NLA
// are for single jobs and partitions.
void check_weights(const std::string& weights) {
  const PolicySpec spec = parse_policy_spec("NLA=" + weights);
  std::vector<std::string_view> known{"alpha", "beta", "latency", "bandwidth"};
  for (const netload::AttributeInfo& attribute : netload::node_attributes()) known.push_back(attribute.name);
  for (const auto& [key, value] : spec.parameters) {
    const auto is_key = [&key = key](std::string_view name) { return lower_case(name) == key; };
    if (std::any_of(known.begin(), known.end(), is_key)) continue;
    std::string names;
    for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    throw Error(key + " is no weight: known are " + names);
  }
  check_policy_spec(spec);
}

}  // namespace

void check_policy_settings(const Config& config) {
  try {
    if (!config.nla_weights.empty()) check_weights(config.nla_weights);
  } catch (const Error& error) {
    fail_at_key(config, "NlaWeights", config.nla_weights, error.what());
  }
  for (const auto& [partition, word] : config.partition_policies) try {
      check_partition_policy(word);
    } catch (const Error& error) {
      fail_at_key(config, "PartitionPolicies", partition + ":" + word, error.what());
    }
}

}  // namespace placement::policies
