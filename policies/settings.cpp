// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/settings.hpp"

#include <algorithm>

#include "common/policy/config.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "netload/weights.hpp"
#include "pattern/pattern.hpp"
#include "policies/table.hpp"

namespace placement::policies {

namespace {

// Throws Error when `word` cannot be the policy of a partition. The policy cannot need a matrix or another file,
// because only the user of a job ships one.
void check_partition_policy(const std::string& word) {
  const PolicySpec spec = parse_policy_spec(word);
  const Policy& policy = check_policy_spec(spec);
  if (policy.needs_matrix || !policy.for_users)
    throw Error(spec.policy +
                " cannot be the policy of a partition: expected a policy that users can request without a matrix");
  for (const auto& [key, value] : spec.parameters)
    if (key == "matrix" || key == "profile" || pattern::is_key(key))
      throw Error((key == "matrix" ? shown(value) : key + "=") + " can only be requested by a job, not by a partition");
}

// Throws Error when `weights` has a key that is not a weight of NLA, or a value that NLA rejects. The other keys of NLA
// are for single jobs and partitions.
void check_weights(const std::string& weights) {
  const PolicySpec spec = parse_policy_spec("NLA=" + weights);
  std::vector<std::string_view> known{"alpha", "beta", "latency", "bandwidth"};
  for (const netload::AttributeInfo& attribute : netload::node_attributes()) known.push_back(attribute.name);
  for (const auto& [key, value] : spec.parameters) {
    const auto is_key = [&key = key](std::string_view name) { return lower_case(name) == key; };
    if (std::any_of(known.begin(), known.end(), is_key)) continue;
    throw Error(key + " is not a weight; known weights: " + joined(known, ", "));
  }
  check_policy_spec(spec);
}

}  // namespace

std::vector<std::string> policy_setting_mistakes(const Config& config) {
  std::vector<std::string> mistakes;
  const auto check = [&](std::string_view key, const std::string& value, auto check_value) {
    note_mistake(mistakes, [&] {
      try {
        check_value();
      } catch (const Error& error) {
        fail_at_key(config, key, value, error.what());
      }
    });
  };
  if (!config.nla_weights.empty()) check("NlaWeights", config.nla_weights, [&] { check_weights(config.nla_weights); });
  for (const auto& [partition, word] : config.partition_policies)
    check("PartitionPolicies", partition + ":" + word, [&word = word] { check_partition_policy(word); });
  return mistakes;
}

void check_policy_settings(const Config& config) {
  const std::vector<std::string> mistakes = policy_setting_mistakes(config);
  if (!mistakes.empty()) throw Error(mistakes.front());
}

}  // namespace placement::policies
