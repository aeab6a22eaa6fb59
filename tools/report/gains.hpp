// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "sim/statistics.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

// The gain of a policy by its own records. It is the cost of the placement divided by that of ranks in order on the
// first nodes offered, as in stock Slurm. Below 1 the policy is better. Means are geometric, intervals are of 90 %.
struct PolicyGain {
  std::string policy;
  bool used = true;           // false: the placements were computed and not used (Mode=observe or advise)
  std::size_t users = 0;      // whose jobs these are
  sim::MeanInterval by_jobs;  // Student's t over the jobs
  std::optional<sim::MeanInterval> by_users;  // bootstrap over the users, if there are gain_users or more
};
inline constexpr std::size_t gain_users = 5;

// Returns the gains by policy. If there are several decisions about one start of a job, the last one counts. Decisions
// without a start, without a cost or with a cost of 0 are left out. Equal seeds give equal intervals.
std::vector<PolicyGain> gains_of(std::span<const Decision> decisions, std::uint64_t seed);

// Returns the wider of the two intervals of a gain, for conclusions.
const sim::MeanInterval& cautious(const PolicyGain& gain);

enum class Verdict { yes, no, open };

// A conclusion, with the numbers behind it. `open`: the records allow no conclusion.
struct Advice {
  std::string subject;
  Verdict verdict = Verdict::open;
  std::string conclusion;
  std::vector<std::string> reasons;
};

inline constexpr const char* starts_subject = "Do policies decide most starts?";

// Returns the advice about starts_subject, TREEMATCH, NLA and TOFA, by three rules:
//   1. If more than a fifth of 30 or more starts ended as stock, the reasons come first.
//   2. "no" for a policy whose recorded costs are above those of stock: 30 jobs of 5 users, whole 90 % interval, 1 %.
//   3. "yes" for a policy whose costs are below those of stock by this measure. Otherwise it is observed for longer.
std::vector<Advice> advice_of(const ReportFacts& facts);

}  // namespace placement::tools
