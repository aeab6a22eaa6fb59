// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of decisions: by policy and outcome, by reason, by time, and that their number does not grow.
#include "monitor/monitor/decision_counts.hpp"

#include <algorithm>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

Decision decision_of(const char* policy, decision_outcome outcome, std::int64_t time_us = 0) {
  Decision decision;
  decision.policy = policy;
  decision.outcome = outcome;
  decision.time_us = time_us;
  return decision;
}

std::string written(const DecisionCounts& counts) {
  PrometheusText out;
  counts.write(out);
  return out.take();
}

std::ptrdiff_t samples(const std::string& text) {
  const auto comments = [&text] {
    std::ptrdiff_t found = text.starts_with('#');
    for (std::size_t at = 0; (at = text.find("\n#", at)) != std::string::npos; ++at) ++found;
    return found;
  };
  return std::count(text.begin(), text.end(), '\n') - comments();
}

#define ck_assert_has(text, line) \
  ck_assert_msg(("\n" + (text)).find("\n" line "\n") != std::string::npos, "no line " line " in\n%s", (text).c_str())

}  // namespace

START_TEST(counts_by_policy_and_outcome) {
  DecisionCounts counts;
  counts.add(decision_of("TREEMATCH", DECISION_CORES));
  counts.add(decision_of("treematch", DECISION_CORES));
  counts.add(decision_of("NLA", DECISION_WAIT));
  counts.add(decision_of("SEQUENTIAL", DECISION_NODES));
  counts.add(decision_of("", DECISION_STOCK));
  Decision ahead = decision_of("TOFA", DECISION_NODES);
  ahead.for_start = false;
  counts.add(ahead);
  counts.add(decision_of("TOFA", DECISION_ADVICE));
  const std::string text = written(counts);
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"TREEMATCH\",outcome=\"placed\"} 2");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"NLA\",outcome=\"wait\"} 1");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"other\",outcome=\"placed\"} 1");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"other\",outcome=\"stock\"} 1");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"TOFA\",outcome=\"placed\"} 0");
  ck_assert_has(text, "slurm_placement_decisions_advised_total 1");
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"other\"} 1");
}
END_TEST

START_TEST(times_in_buckets) {
  DecisionCounts counts;
  for (const std::int64_t us : {0, 1000, 1001, 60000, 3000000}) counts.add(decision_of("NLA", DECISION_NODES, us));
  Decision remembered = decision_of("NLA", DECISION_NODES, 5);
  remembered.remembered = true;
  counts.add(remembered);
  const std::string text = written(counts);
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"0.01\"} 2");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"0.05\"} 2");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"0.2\"} 3");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"+Inf\"} 4");
  ck_assert_has(text, "slurm_placement_decision_seconds_sum 3.062001");
  ck_assert_has(text, "slurm_placement_decision_seconds_count 4");
}
END_TEST

START_TEST(reasons_are_counted_by_class) {
  DecisionCounts counts;
  for (int reason = STOCK_OTHER; reason < STOCK_REASONS; ++reason)
    for (int i = 0; i <= reason; ++i) {
      Decision decision = decision_of("NLA", DECISION_STOCK);
      decision.reason_class = static_cast<stock_reason>(reason);
      counts.add(decision);
    }
  const std::string text = written(counts);
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"other\"} 16");
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"no_time\"} 2");
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"no_live_data\"} 3");
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"no_room\"} 4");
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"slurm\"} 5");
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"option\"} 6");
}
END_TEST

START_TEST(the_number_of_samples_is_constant) {
  DecisionCounts counts;
  const std::string before = written(counts);
  for (int i = 0; i < 1000; ++i) {
    Decision decision = decision_of(("P\"" + std::to_string(i)).c_str(), static_cast<decision_outcome>(i % 5), i);
    decision.reason = "reason \\ \" " + std::to_string(i);
    counts.add(decision);
  }
  const std::string after = written(counts);
  ck_assert_int_eq(std::count(before.begin(), before.end(), '\n'), std::count(after.begin(), after.end(), '\n'));
  ck_assert_int_eq(samples(before), 25);
}
END_TEST

int main() {
  Suite* const suite = suite_create("decision_counts");
  TCase* const tests = tcase_create("decision_counts");
  tcase_add_test(tests, counts_by_policy_and_outcome);
  tcase_add_test(tests, times_in_buckets);
  tcase_add_test(tests, reasons_are_counted_by_class);
  tcase_add_test(tests, the_number_of_samples_is_constant);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
