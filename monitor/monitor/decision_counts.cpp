// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/decision_counts.hpp"

#include <algorithm>
#include <string>

#include "common/util/text.hpp"

namespace placement::monitor {

namespace {

std::size_t policy_index(std::string_view name) {
  const auto found = std::find_if(counted_policies.begin(), counted_policies.end() - 1,
                                  [name](std::string_view counted) { return equal_any_case(name, counted); });
  return static_cast<std::size_t>(found - counted_policies.begin());
}

}  // namespace

void DecisionCounts::add(const Decision& decision) {
  if (!decision.remembered && decision.time_us > 0) {
    const double seconds = static_cast<double>(decision.time_us) / 1e6;
    for (std::size_t i = 0; i < limits_s.size(); ++i) at_most_[i] += seconds <= limits_s[i];
    ++timed_;
    time_s_ += seconds;
  }
  if (!decision.for_start) {
    ++ahead_;
    return;
  }
  ++starts_[policy_index(decision.policy)][decision.outcome];
  without_live_ += !decision.why_not_live.empty();
  if (decision.outcome == DECISION_STOCK) ++stock_[decision.reason_class];
}

void DecisionCounts::write(PrometheusText& out) const {
  out.family("decisions_total", "counter", "Decisions of slurmctld about a start, as taken into the history.");
  for (std::size_t p = 0; p < counted_policies.size(); ++p)
    for (std::size_t o = 0; o < decision_outcome_names.size(); ++o)
      out.value(static_cast<double>(starts_[p][o]), {{"policy", counted_policies[p]}, {"outcome", decision_outcome_names[o]}});
  out.one("decisions_ahead_total", "counter", "Decisions about where a job could run, which the backfill scheduler asked for.",
          static_cast<double>(ahead_));
  out.family("stock_decisions_total", "counter", "Decisions after which the job runs as stock, by reason.");
  for (std::size_t r = 0; r < stock_reason_names.size(); ++r)
    out.value(static_cast<double>(stock_[r]), {{"reason", stock_reason_names[r]}});
  out.one("decisions_without_live_data_total", "counter", "Decisions for which slurmctld had no live state that it takes.",
          static_cast<double>(without_live_));
  out.family("decision_seconds", "histogram", "Time that a decision took in slurmctld.");
  for (std::size_t i = 0; i < limits_s.size(); ++i) {
    const std::string limit = std::to_string(limits_s[i]);
    out.value(static_cast<double>(at_most_[i]), {{"le", limit.substr(0, limit.find_last_not_of("0.") + 1)}}, "_bucket");
  }
  out.value(static_cast<double>(timed_), {{"le", "+Inf"}}, "_bucket");
  out.value(time_s_, {}, "_sum");
  out.value(static_cast<double>(timed_), {}, "_count");
}

}  // namespace placement::monitor
