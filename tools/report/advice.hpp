// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "tools/report/facts.hpp"

namespace placement::tools {

enum class Verdict { yes, no, open };

// A conclusion about one thing that a site can switch on, with the reasons for it. `open`: the data do not decide.
struct Advice {
  std::string subject;
  Verdict verdict = Verdict::open;
  std::string conclusion;            // one sentence
  std::vector<std::string> reasons;  // with their numbers
};

// A gain counts when its whole 90 % interval is on one side of stock, and by at least this share.
inline constexpr double least_gain = 0.01;
// Fewer jobs decide nothing.
inline constexpr std::int64_t least_jobs = 30;

// The subject of the first advice: whether the policies decide where the jobs that ask for one start.
inline constexpr const char* decided_subject = "Do policies decide most starts?";

// Returns the advice about decided_subject, and then what the facts say about TREEMATCH, NLA and TOFA.
std::vector<Advice> advice_of(const ReportFacts& facts);

}  // namespace placement::tools
