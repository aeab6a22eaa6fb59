// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of decisions: by policy and outcome, by reason, by time, and that their number does not grow.
#include "monitor/monitor/decision_counts.hpp"

#include <algorithm>

#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

Decision decision_of(const char* policy, DecisionOutcome outcome, std::int64_t time_us = 0) {
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

StockReason reason_of(const char* text, const char* why_not_live = "") {
  Decision decision;
  decision.reason = text;
  decision.why_not_live = why_not_live;
  return stock_reason(decision);
}

#define ck_assert_has(text, line) ck_assert_msg(("\n" + (text)).find("\n" line "\n") != std::string::npos, "no line " line " in\n%s", (text).c_str())

}  // namespace

START_TEST(counts_by_policy_and_outcome) {
  DecisionCounts counts;
  counts.add(decision_of("TREEMATCH", DecisionOutcome::cores));
  counts.add(decision_of("treematch", DecisionOutcome::cores));
  counts.add(decision_of("NLA", DecisionOutcome::wait));
  counts.add(decision_of("SEQUENTIAL", DecisionOutcome::nodes));
  counts.add(decision_of("", DecisionOutcome::stock));
  Decision ahead = decision_of("TOFA", DecisionOutcome::nodes);
  ahead.for_start = false;
  counts.add(ahead);
  const std::string text = written(counts);
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"TREEMATCH\",outcome=\"nodes+cores\"} 2");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"NLA\",outcome=\"wait\"} 1");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"other\",outcome=\"nodes\"} 1");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"other\",outcome=\"stock\"} 1");
  ck_assert_has(text, "slurm_placement_decisions_total{policy=\"TOFA\",outcome=\"nodes\"} 0");
  ck_assert_has(text, "slurm_placement_decisions_ahead_total 1");
  ck_assert_has(text, "slurm_placement_stock_decisions_total{reason=\"other\"} 1");
}
END_TEST

START_TEST(times_in_buckets) {
  DecisionCounts counts;
  for (const std::int64_t us : {0, 1000, 1001, 60000, 3000000}) counts.add(decision_of("NLA", DecisionOutcome::nodes, us));
  Decision remembered = decision_of("NLA", DecisionOutcome::nodes, 5);
  remembered.remembered = true;
  counts.add(remembered);
  const std::string text = written(counts);
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"0.001\"} 1");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"0.01\"} 2");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"0.05\"} 2");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"0.2\"} 3");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"1\"} 3");
  ck_assert_has(text, "slurm_placement_decision_seconds_bucket{le=\"+Inf\"} 4");
  ck_assert_has(text, "slurm_placement_decision_seconds_sum 3.062001");
  ck_assert_has(text, "slurm_placement_decision_seconds_count 4");
}
END_TEST

// The reasons are those that plugins/select and the policies give.
START_TEST(reasons_have_classes) {
  ck_assert(reason_of("no time is left to decide") == StockReason::no_time);
  ck_assert(reason_of("the time for decisions is used up, the decision is put off to the next scheduling cycle") == StockReason::no_time);
  ck_assert(reason_of("no time is left to choose nodes by load and network") == StockReason::no_time);
  ck_assert(reason_of("Slurm could not allocate what the policy wanted") == StockReason::slurm);
  ck_assert(reason_of("the policy's nodes would start later") == StockReason::slurm);
  ck_assert(reason_of("--contiguous is left to Slurm") == StockReason::option);
  ck_assert(reason_of("an arbitrary distribution names the nodes itself") == StockReason::option);
  ck_assert(reason_of("there are no live data of the nodes") == StockReason::no_live_data);
  ck_assert(reason_of("/run/x is not there") == StockReason::no_live_data);
  ck_assert(reason_of("wrong owner: matrix", "wrong owner") == StockReason::no_live_data);
  ck_assert(reason_of("a required node is not free") == StockReason::no_room);
  ck_assert(reason_of("not enough cores are free for the policy to choose from") == StockReason::no_room);
  ck_assert(reason_of("no choice of nodes keeps to the limits on nodes and tasks per node") == StockReason::no_room);
  ck_assert(reason_of("the matrix has 8 ranks and the job 6 tasks") == StockReason::request);
  ck_assert(reason_of("the job was submitted by another version of the SPANK plugin") == StockReason::request);
  ck_assert(reason_of("unknown policy X: known are NLA") == StockReason::request);
  ck_assert(reason_of("Slurm's nodes have changed, it needs a reconfigure") == StockReason::machine);
  ck_assert(reason_of("SelectTypeParameters does not count cores") == StockReason::machine);
  ck_assert(reason_of("") == StockReason::other);
  ck_assert(reason_of("out of memory") == StockReason::other);
}
END_TEST

START_TEST(the_number_of_samples_is_constant) {
  DecisionCounts counts;
  const std::string before = written(counts);
  for (int i = 0; i < 1000; ++i) {
    Decision decision = decision_of(("P\"" + std::to_string(i)).c_str(), static_cast<DecisionOutcome>(i % 5), i);
    decision.reason = "reason \\ \" " + std::to_string(i);
    counts.add(decision);
  }
  const std::string after = written(counts);
  ck_assert_int_eq(std::count(before.begin(), before.end(), '\n'), std::count(after.begin(), after.end(), '\n'));
  ck_assert_int_le(std::count(before.begin(), before.end(), '\n'), 60);
}
END_TEST

int main() {
  Suite* const suite = suite_create("decision_counts");
  TCase* const tests = tcase_create("decision_counts");
  tcase_add_test(tests, counts_by_policy_and_outcome);
  tcase_add_test(tests, times_in_buckets);
  tcase_add_test(tests, reasons_have_classes);
  tcase_add_test(tests, the_number_of_samples_is_constant);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
