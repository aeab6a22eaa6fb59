// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/policy/policy_spec.hpp"
#include "policies/table.hpp"

namespace placement::sim {

// How jobs that have a matrix get their cores; all others take the stock choice.
struct Strategy {
  std::string name;        // for tables and file names
  bool stock = false;      // the stock choice for all
  bool allocated = false;  // the policy sees the stock choice and nothing else
  PolicySpec policy;
};

// SLURM, TM-A, TM-I, TM-Isub, TM-Isub+K, or a word as users give it to --placement
// ("RANDOM", "TREEMATCH=scope=whole"). Throws Error.
Strategy parse_strategy(std::string_view word);

}  // namespace placement::sim
