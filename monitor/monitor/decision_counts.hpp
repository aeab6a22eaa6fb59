// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "common/decision/decision.hpp"
#include "common/util/prometheus_text.hpp"

namespace placement::monitor {

// The policies with samples of their own. All others are counted together, as "other".
inline constexpr std::array<std::string_view, 4> counted_policies = {"TREEMATCH", "TOFA", "NLA", "other"};

// The outcomes of a start that are counted: the job gets the policy's nodes or cores, waits, or runs as stock.
inline constexpr std::array<std::string_view, 3> counted_outcomes = {"placed", "wait", "stock"};

// The reasons for stock with samples of their own. All others are counted with the first one.
inline constexpr std::array<stock_reason, 6> counted_reasons = {STOCK_OTHER,   STOCK_NO_TIME, STOCK_NO_LIVE_DATA,
                                                                STOCK_NO_ROOM, STOCK_SLURM,   STOCK_OPTION};

// Counts decisions for the metrics. The number of samples does not depend on the decisions.
class DecisionCounts {
 public:
  // Counts a decision, its outcome at a start, and its time.
  void add(const Decision& decision);
  // Writes all samples in the text format of Prometheus.
  void write(PrometheusText& out) const;

 private:
  static constexpr std::array<double, 3> limits_s = {0.01, 0.05, 0.2};  // upper limits of the buckets of decision times
  std::array<std::array<std::int64_t, counted_outcomes.size()>, counted_policies.size()> starts_{};
  std::array<std::int64_t, counted_reasons.size()> stock_{};
  std::array<std::int64_t, limits_s.size()> at_most_{};  // decisions that took at most limits_s[i]
  std::int64_t timed_ = 0, advised_ = 0;
  double time_s_ = 0;
};

}  // namespace placement::monitor
