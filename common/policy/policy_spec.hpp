// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/policy/policy.hpp"

namespace placement {

// The value of -m or --placement: POLICY[=ITEM[,ITEM]...]. An ITEM is key=value, or FILE for matrix=FILE.
struct PolicySpec {
  std::string policy;  // in upper case, as in the table of policies
  Parameters parameters;
};

// The longest word that is parsed. It is limited because slurmctld parses the words of users under its locks.
inline constexpr std::size_t max_policy_word = 4096;  // bytes

// Splits the word into policy and parameters. Does not check whether the policy or the keys exist. Throws Error for a
// control character, an empty policy or item, or a repeated key. A key has only letters, digits, - and _. The word has
// at most 64 items and max_policy_word bytes.
PolicySpec parse_policy_spec(std::string_view word);

// Splits ITEM[,ITEM]... alone into parameters. Throws Error as parse_policy_spec() does.
Parameters parse_parameters(std::string_view items);

// Returns the word in its canonical form, POLICY=key=value,.. with sorted keys.
std::string to_string(const PolicySpec& spec);

}  // namespace placement
