// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string_view>

#include "common/policy/policy.hpp"
#include "common/policy/policy_spec.hpp"

namespace placement::policies {

// A key that a policy takes.
struct PolicyKey {
  std::string_view name;  // as documented; in PolicySpec::parameters the key is in lower case
  std::string_view help;  // one line for --help
};

// A policy. A new policy is one line in table.cpp.
struct Policy {
  std::string_view name;     // in upper case, such as TREEMATCH
  std::string_view summary;  // one line for --help
  bool needs_matrix;
  bool for_users;            // true: -m takes it; false: only tools and the simulator take it
  std::span<const PolicyKey> keys;
  PlaceFunction place;
  void (*check)(const Parameters&) = nullptr;  // throws Error when `place` would refuse a value; may be null
  bool uses_live = false;    // the placement depends on ClusterView::live
};

// Returns the table of all policies.
std::span<const Policy> policies();

// Returns the policy with this name, in upper or lower case, or null.
const Policy* find_policy(std::string_view name);

// Checks a policy and its parameters, and returns the policy. Throws Error when the policy or one of its keys is not
// known; the message lists those known. Throws Error when a value is wrong; the message says what would be right. The
// key `without` counts as unknown, because the caller does not support it; empty: none.
const Policy& check_policy_spec(const PolicySpec& spec, std::string_view without = {});

}  // namespace placement::policies
