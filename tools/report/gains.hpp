// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/decision/decision.hpp"
#include "sim/statistics.hpp"

namespace placement::tools {

// What a policy gained by its own records: the cost of the placement over that of ranks in order on the first nodes
// offered, which stands for stock Slurm. Below 1 the policy is better. Means are geometric, intervals hold with 90 %.
struct PolicyGain {
  std::string policy;
  bool used = true;           // false: the placements were computed and not used (Mode=observe or advise)
  std::size_t users = 0;      // whose jobs these are
  sim::MeanInterval by_jobs;  // Student's t over the jobs
  std::optional<sim::MeanInterval> by_users;  // bootstrap over the users, if there are gain_users or more
};
inline constexpr std::size_t gain_users = 5;

// Returns the gains by policy. Of several decisions about one start of a job the last counts. Decisions without a cost,
// without a start and with a cost of 0 are left out. Equal seeds give equal intervals.
std::vector<PolicyGain> gains_of(std::span<const Decision> decisions, std::uint64_t seed);

// Returns the wider of the two intervals of a gain, which a conclusion should go by.
const sim::MeanInterval& cautious(const PolicyGain& gain);

}  // namespace placement::tools
