// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/table.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/policy/config.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "netload/weights.hpp"
#include "pattern/pattern.hpp"
#include "policies/baselines.hpp"
#include "policies/nla.hpp"
#include "tofa/tofa.hpp"
#include "treematch/treematch.hpp"

namespace placement::policies {

namespace {

constexpr std::string_view treematch_keys[] = {"matrix", "weight", "scope",     "levels-up",
                                               "seed",   "effort", "objective", "comm-share"};
constexpr std::string_view tofa_keys[] = {"matrix", "weight", "seed", "effort", "comm-share", "job-seconds"};
constexpr std::string_view tofa_paper_keys[] = {"matrix", "weight", "seed"};
constexpr std::string_view matrix_keys[] = {"matrix", "weight"};
constexpr std::string_view random_keys[] = {"seed"};
// The client sends network-use in place of profile: waiting:ranks:messages/s:bytes/s[:nodes].
constexpr std::string_view nla_keys[] = {
    "matrix",  "weight",        "profile",    "network-use",          "alpha",         "beta",
    "latency", "bandwidth",     "cpu_load",   "cpu_utilisation",      "flow_rate_Bps", "memory_used_MiB",
    "cores",   "frequency_MHz", "memory_MiB", "memory_available_MiB", "users",         "processors",
    "max-age", "wait",          "seed"};

constexpr Policy table[] = {
    {.name = "TREEMATCH",
     .for_users = true,
     .replays_matrices = true,
     .needs_tree = true,
     .keys = treematch_keys,
     .place = treematch::place_treematch,
     .check = treematch::check_treematch},
    {.name = "NLA",
     .for_users = true,
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::nla,
     .keys = nla_keys,
     .place = place_nla,
     .step_measure = nla_step_measure,
     .check = check_nla},
    {.name = "NLA-PAPER",
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::nla_paper,
     .keys = nla_keys,
     .place = place_nla_paper,
     .step_measure = nla_step_measure,
     .check = check_nla},
    {.name = "LOAD-AWARE",
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::load_aware,
     .keys = nla_keys,
     .place = place_load_aware,
     .step_measure = nla_step_measure,
     .check = check_nla},
    {.name = "TOFA",
     .for_users = true,
     .uses_live = true,
     .avoids_faults = true,
     .keys = tofa_keys,
     .place = tofa::place_tofa,
     .place_thoroughly = tofa::place_tofa_thoroughly,
     .step_measure = tofa::tofa_step_measure,
     .check = tofa::check_tofa},
    {.name = "TOFA-PAPER",
     .needs_matrix = true,
     .needs_torus = true,
     .uses_live = true,
     .avoids_faults = true,
     .keys = tofa_paper_keys,
     .place = place_tofa_paper,
     .check = check_tofa_paper},
    {.name = "GREEDY", .needs_matrix = true, .keys = matrix_keys, .place = place_greedy},
    {.name = "MATCHING", .needs_matrix = true, .keys = matrix_keys, .place = place_matching},
    {.name = "MATCHING-PAPER", .needs_matrix = true, .keys = matrix_keys, .place = place_matching_paper},
    {.name = "SEQUENTIAL", .selection_rule = netload::SelectionRule::sequential, .place = place_sequential},
    {.name = "RANDOM", .selection_rule = netload::SelectionRule::random, .keys = random_keys, .place = place_random},
};

bool takes_pattern(const Policy& policy, std::string_view without) {
  return policy.takes("matrix") && without != "matrix";
}

// Returns the keys that the policy takes. A key that is close to `unknown` comes first.
std::string listed(const Policy& policy, std::string_view without, std::string_view unknown) {
  std::vector<std::string_view> known;
  for (const std::string_view key : policy.keys)
    if (key != without) known.push_back(key);
  if (takes_pattern(policy, without))
    for (const pattern::Key& key : pattern::keys()) known.push_back(key.name);
  const auto near = std::find(known.begin(), known.end(), near_miss(unknown, known));
  if (near != known.end()) std::rotate(known.begin(), near, near + 1);
  return known.empty() ? "none" : joined(known, ", ");
}

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

std::span<const Policy> policies() { return table; }

std::string policy_names(bool (*is_meant)(const Policy&)) {
  std::vector<std::string_view> names;
  for (const Policy& policy : table)
    if (is_meant(policy)) names.push_back(policy.name);
  return joined(names, ", ");
}

TrafficWeight weight_of(const Parameters& parameters) {
  const auto weight = parameters.find("weight");
  return weight == parameters.end() ? TrafficWeight::bytes : traffic_weight(weight->second);
}

bool Policy::takes(std::string_view key) const { return std::ranges::find(keys, key) != keys.end(); }

const Policy* find_policy(std::string_view name) {
  for (const Policy& policy : table)
    if (equal_any_case(policy.name, name)) return &policy;
  return nullptr;
}

const Policy& check_policy_spec(const PolicySpec& spec, std::string_view without) {
  const Policy* policy = find_policy(spec.policy);
  if (policy == nullptr)
    throw Error("unknown policy " + spec.policy +
                "; known policies: " + policy_names([](const Policy& known) { return known.for_users; }));
  for (const auto& [key, value] : spec.parameters) {
    bool known = takes_pattern(*policy, without) && pattern::is_key(key);
    for (const std::string_view candidate : policy->keys)
      known = known || (lower_case(candidate) == key && key != without);
    if (!known)
      throw Error("unknown key " + key + " for " + spec.policy + "; known keys: " + listed(*policy, without, key));
  }
  pattern::pattern_of(spec.parameters);
  weight_of(spec.parameters);
  if (policy->check) policy->check(spec.parameters);
  return *policy;
}

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
