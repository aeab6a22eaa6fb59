// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/policy/policy.hpp"

namespace placement {

// The word that a user gives to -m or --placement: POLICY[=ITEM[,ITEM]...], an ITEM being
// key=value, or a lone FILE that means matrix=FILE.
struct PolicySpec {
  std::string policy;  // upper case, as in the table of policies
  Parameters parameters;
};

// Splits the word; knows nothing of which policies or keys exist. Throws Error on a control character, an empty
// policy or item, a key given twice or with other characters than letters, digits, - and _, or more than 64 items.
PolicySpec parse_policy_spec(std::string_view word);

// The word again, in one canonical form.
std::string to_string(const PolicySpec& spec);

}  // namespace placement
