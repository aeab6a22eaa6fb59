// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/decision_sums.hpp"

#include <algorithm>
#include <map>

#include "tools/output/decision_text.hpp"

namespace placement::tools {

std::vector<DecisionSum> sums_of(std::span<const Decision> decisions) {
  struct Times {
    std::int64_t count = 0;
    std::vector<std::int64_t> us;
  };
  std::map<std::pair<std::string, std::string>, Times> sums;
  for (const Decision& d : decisions) {
    Times& sum =
        sums[{d.policy.empty() ? "-" : d.policy, std::string(outcome_name(d)) + (d.for_start ? "" : " (ahead)")}];
    ++sum.count;
    if (!d.remembered && d.time_us > 0) sum.us.push_back(d.time_us);
  }
  std::vector<DecisionSum> result;
  for (auto& [key, sum] : sums) {
    result.push_back({key.first, key.second, sum.count});
    if (sum.us.empty()) continue;
    std::sort(sum.us.begin(), sum.us.end());
    result.back().median_us = static_cast<double>(sum.us[sum.us.size() / 2]);
    result.back().most_us = static_cast<double>(sum.us.back());
  }
  return result;
}

StartSum starts_of(std::span<const Decision> decisions) {
  StartSum sum;
  for (const Decision& decision : decisions) {
    sum.starts += decision.for_start;
    sum.stock += decision.for_start && decision.outcome == DECISION_STOCK;
  }
  return sum;
}

std::vector<std::pair<std::string, std::int64_t>> stock_reasons(std::span<const Decision> decisions, std::size_t most) {
  std::map<std::string, std::int64_t> count;
  for (const Decision& d : decisions)
    if (d.for_start && d.outcome == DECISION_STOCK) ++count[d.reason.empty() ? "?" : d.reason];
  std::vector<std::pair<std::string, std::int64_t>> reasons(count.begin(), count.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  reasons.resize(std::min(reasons.size(), most));
  return reasons;
}

}  // namespace placement::tools
