// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/table.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "pattern/pattern.hpp"
#include "policies/baselines.hpp"
#include "policies/nla.hpp"
#include "tofa/tofa.hpp"
#include "tofa/torus_baselines.hpp"
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
     .check = check_nla},
    {.name = "NLA-PAPER",
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::nla_paper,
     .keys = nla_keys,
     .place = place_nla_paper,
     .check = check_nla},
    {.name = "LOAD-AWARE",
     .needs_live = true,
     .uses_live = true,
     .selection_rule = netload::SelectionRule::load_aware,
     .keys = nla_keys,
     .place = place_load_aware,
     .check = check_nla},
    {.name = "TOFA",
     .for_users = true,
     .uses_live = true,
     .avoids_faults = true,
     .keys = tofa_keys,
     .place = tofa::place_tofa,
     .place_thoroughly = tofa::place_tofa_thoroughly,
     .check = tofa::check_tofa},
    {.name = "TOFA-PAPER",
     .needs_matrix = true,
     .needs_torus = true,
     .uses_live = true,
     .avoids_faults = true,
     .keys = tofa_paper_keys,
     .place = tofa::place_tofa_paper,
     .check = tofa::check_tofa_paper},
    {.name = "GREEDY", .needs_matrix = true, .keys = matrix_keys, .place = tofa::place_greedy},
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

}  // namespace placement::policies
