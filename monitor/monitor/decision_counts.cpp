// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/decision_counts.hpp"

#include <algorithm>
#include <string>

#include "common/util/text.hpp"

namespace placement::monitor {

static std::size_t policy_index(std::string_view name) {
  const auto found = std::find_if(counted_policies.begin(), counted_policies.end() - 1,
                                  [name](std::string_view counted) { return equal_any_case(name, counted); });
  return static_cast<std::size_t>(found - counted_policies.begin());
}

static std::size_t reason_index(stock_reason reason) {
  const auto found = std::ranges::find(counted_reasons, reason);
  return found == counted_reasons.end() ? 0 : static_cast<std::size_t>(found - counted_reasons.begin());
}

void DecisionCounts::add(const Decision& decision) {
  if (!decision.remembered && decision.time_us > 0) {
    const double seconds = static_cast<double>(decision.time_us) / 1e6;
    for (std::size_t i = 0; i < limits_s.size(); ++i) at_most_[i] += seconds <= limits_s[i];
    ++timed_;
    time_s_ += seconds;
  }
  if (!decision.for_start) return;
  if (decision.outcome == DECISION_ADVICE) {
    ++advised_;
    return;
  }
  const std::size_t outcome = decision.outcome == DECISION_STOCK ? 2 : decision.outcome == DECISION_WAIT ? 1 : 0;
  ++starts_[policy_index(decision.policy)][outcome];
  if (decision.outcome == DECISION_STOCK) ++stock_[reason_index(decision.reason_class)];
}

void DecisionCounts::write(PrometheusText& out) const {
  out.family("decisions_total", "counter",
             "Decisions of slurmctld about the start of a job, counted when the monitor stores them.");
  for (std::size_t p = 0; p < counted_policies.size(); ++p)
    for (std::size_t o = 0; o < counted_outcomes.size(); ++o)
      out.value(starts_[p][o], {{"policy", counted_policies[p]}, {"outcome", counted_outcomes[o]}});
  out.one("decisions_advised_total", "counter",
          "Decisions about the start of a job that slurmctld only recorded, with Mode=observe or advise.", advised_);
  out.family("stock_decisions_total", "counter", "Decisions to run a job as under stock Slurm, by reason.");
  for (std::size_t r = 0; r < counted_reasons.size(); ++r)
    out.value(stock_[r], {{"reason", stock_reason_names[counted_reasons[r]]}});
  out.family("decision_seconds", "histogram", "Time that a decision took in slurmctld, in seconds.");
  for (std::size_t i = 0; i < limits_s.size(); ++i) {
    const std::string limit = std::to_string(limits_s[i]);
    out.value(at_most_[i], {{"le", limit.substr(0, limit.find_last_not_of("0.") + 1)}}, "_bucket");
  }
  out.value(timed_, {{"le", "+Inf"}}, "_bucket");
  out.value(time_s_, {}, "_sum");
  out.value(timed_, {}, "_count");
}

}  // namespace placement::monitor
