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

// Returns what the facts say about TREEMATCH, NLA and TOFA, and before them what is to be mended first.
std::vector<Advice> advice_of(const ReportFacts& facts);

}  // namespace placement::tools
