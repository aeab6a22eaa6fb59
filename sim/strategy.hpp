// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/policy/policy_spec.hpp"
#include "policies/table.hpp"

namespace placement::sim {

// The strategy by which jobs of a replay get their cores. A job without a matrix takes the stock choice if the policy
// needs a matrix.
struct Strategy {
  std::string name;        // for tables and file names
  bool stock = false;      // all jobs take the stock choice
  bool allocated = false;  // the policy is offered the nodes and cores of the stock choice only
  PolicySpec policy;       // not used if `stock` is true
};

// Parses a strategy: SLURM, TM-A, TM-I, TM-Isub, TM-Isub+K [TM §6], or a word as users give it to --placement, such as
// "RANDOM" or "TREEMATCH=scope=whole". Throws Error on any other word, and when a policy or a key is wrong.
Strategy parse_strategy(std::string_view word);

}  // namespace placement::sim
