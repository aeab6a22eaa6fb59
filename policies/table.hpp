// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string_view>

#include "common/policy/policy.hpp"
#include "common/policy/policy_spec.hpp"

namespace placement {

struct PolicyKey {
  std::string_view name;  // as documented; a PolicySpec has it in lower case
  std::string_view help;
};

// A policy as users name it. A new one is one line in table.cpp.
struct Policy {
  std::string_view name;     // upper case: TREEMATCH
  std::string_view summary;  // one line for --help
  bool needs_matrix;
  bool for_users;            // offered by -m; the others are baselines for tools and the simulator
  std::span<const PolicyKey> keys;
  PlaceFunction place;
  void (*check)(const Parameters&) = nullptr;  // throws Error on a value that `place` would not take
  bool uses_live = false;    // goes by ClusterView::live: another state may give another answer
};

std::span<const Policy> policies();

// The policy of that name in any case, or null.
const Policy* find_policy(std::string_view name);

// Throws Error that lists what is known when the policy or one of its keys is not, or that tells
// what would be right when a value is not. `without` is a key that the caller has no use for: it counts as unknown.
const Policy& check_policy_spec(const PolicySpec& spec, std::string_view without = {});

}  // namespace placement
