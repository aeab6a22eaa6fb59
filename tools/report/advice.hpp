// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "tools/report/sections.hpp"

namespace placement::tools {

enum class Verdict { yes, no, open };

// A conclusion, with the numbers behind it. `open`: the records do not decide.
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
