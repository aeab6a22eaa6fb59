// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/table.hpp"

#include <strings.h>

#include <string>

#include "core/error.hpp"
#include "policies/baselines.hpp"
#include "treematch/treematch.hpp"

namespace placement {

namespace {

constexpr PolicyKey treematch_keys[] = {
    {"matrix", "communication matrix: dense, edge list, MatrixMarket or Open MPI monitoring"},
    {"scope", "cores to choose from: subtree (default), whole, or allocation (only ranks are placed)"},
    {"levels-up", "widen the smallest subtree by so many levels (0)"},
    {"seed", "of the mapper's random choices (1)"},
};

constexpr PolicyKey random_keys[] = {{"seed", "of the random choice (1)"}};

constexpr Policy table[] = {
    {"TREEMATCH", "nodes, cores and ranks by the communication matrix", true, true, treematch_keys, place_treematch,
     check_treematch},
    {"SEQUENTIAL", "the first nodes offered, ranks in order", false, false, {}, place_sequential},
    {"RANDOM", "random nodes, ranks at random", false, false, random_keys, place_random},
};

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string listed(std::span<const PolicyKey> keys) {
  std::string names;
  for (const PolicyKey& key : keys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return names.empty() ? "none" : names;
}

std::string users_policies() {
  std::string names;
  for (const Policy& policy : table)
    if (policy.for_users) names += (names.empty() ? "" : ", ") + std::string(policy.name);
  return names;
}

}  // namespace

std::span<const Policy> policies() { return table; }

const Policy* find_policy(std::string_view name) {
  for (const Policy& policy : table)
    if (same(policy.name, name)) return &policy;
  return nullptr;
}

const Policy& check_policy_spec(const PolicySpec& spec) {
  const Policy* policy = find_policy(spec.policy);
  if (policy == nullptr)
    throw Error("unknown policy " + spec.policy + ": known are " + users_policies());
  for (const auto& [key, value] : spec.parameters) {
    bool known = false;
    for (const PolicyKey& candidate : policy->keys) known = known || candidate.name == key;
    if (!known)
      throw Error("unknown key " + key + " for " + spec.policy + ": known are " + listed(policy->keys));
  }
  if (policy->check) policy->check(spec.parameters);
  return *policy;
}

}  // namespace placement
