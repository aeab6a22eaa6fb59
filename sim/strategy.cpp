// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/strategy.hpp"

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::sim {

Strategy parse_strategy(std::string_view word) {
  Strategy strategy;
  strategy.name = word;
  const auto treematch = [&](Parameters parameters) { strategy.policy = {"TREEMATCH", std::move(parameters)}; };
  constexpr std::string_view levels_up = "TM-Isub+";
  if (equal_any_case(word, "SLURM")) {
    strategy.stock = true;
  } else if (equal_any_case(word, "TM-A")) {
    strategy.allocated = true;
    treematch({{"scope", "allocation"}});
  } else if (equal_any_case(word, "TM-I")) {
    treematch({{"scope", "whole"}});
  } else if (equal_any_case(word, "TM-Isub")) {
    treematch({{"scope", "subtree"}});
  } else if (equal_any_case(word.substr(0, levels_up.size()), levels_up)) {
    const std::string_view k = word.substr(levels_up.size());
    if (const auto number = parse_integer(k); !number || *number < 0 || *number > 64)
      throw Error("strategy " + shown(word) + ": a number of levels from 0 to 64 follows the +");
    treematch({{"scope", "subtree"}, {"levels-up", std::string(k)}});
  } else {
    try {
      strategy.policy = parse_policy_spec(word);
      policies::check_policy_spec(strategy.policy);
    } catch (const Error& error) {
      throw Error("strategy " + shown(word) + ": " + error.what() +
                  "; strategies are SLURM, TM-A, TM-I, TM-Isub, TM-Isub+K and each policy");
    }
    if (strategy.policy.parameters.contains("matrix"))
      throw Error("strategy " + shown(word) + ": matrices come from --pattern, not from a policy's matrix=");
  }
  return strategy;
}

}  // namespace placement::sim
