// SPDX-License-Identifier: GPL-2.0-or-later
// Tests what the ring of decisions has about plans that the job did not get.
#include "common/decision/decision_ring.hpp"
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;

START_TEST(a_refused_plan_leaves_no_costs) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/decisions";
  TestMachine(4, 1).configure("DecisionFile=" + file + "\n");
  Environment environment = Environment::with_matrix(ring(4));
  const Offer offer(4, 2);
  const placement_request request = request_for(environment, 4);
  placement_decision* plan = decide(offer, request);
  ck_assert(plan->placed);
  placement_tell(plan);
  const auto refuse = [&] {  // as the select plugin does
    plan = decide(offer, request);
    ck_assert(plan->placed);
    plan->end = DECISION_STOCK;
    plan->stock_reason = STOCK_SLURM;
    plan->reason = "Slurm allocated other nodes";
    plan->cost = plan->natural_cost = plan->stock_cost = nullptr;
  };
  refuse();
  placement_tell(plan);
  const std::vector<Decision> told = DecisionReader(file).read();
  ck_assert_uint_eq(told.size(), 2);
  ck_assert(!told[0].cost.empty() && !told[0].natural_cost.empty() && !told[0].first_nodes_cost.empty());
  ck_assert_text_eq(told[1].cost + told[1].natural_cost + told[1].first_nodes_cost, "");
  const auto has_term = [](const Decision& decision, std::string_view beginning) {
    return std::ranges::any_of(decision.terms, [&](const std::string& term) { return term.starts_with(beginning); });
  };
  ck_assert(has_term(told[0], "busiest link: 10 bytes above n0, stock 10 bytes above n0"));
  ck_assert(has_term(told[0], "ranks: "));
  ck_assert(!has_term(told[1], "busiest link: ") && !has_term(told[1], "ranks: "));
  ck_assert_text_eq(told[1].reason, "Slurm allocated other nodes");
  ck_assert_text_eq(told[1].choice, told[0].choice);
  ck_assert_int_eq(told[0].reason_class, STOCK_OTHER);
  // The note about missing binding is only for jobs with the policy's nodes.
  refuse();
  plan->unbound = "task/none";
  placement_tell(plan);
  plan = decide(offer, request);
  plan->unbound = "task/none";
  placement_tell(plan);
  const std::vector<Decision> unbound = DecisionReader(file).read();
  ck_assert_uint_eq(unbound.size(), 4);
  for (const std::size_t stock : {1, 2})
    for (const std::string& term : unbound[stock].terms) ck_assert(term.find("bound") == term.npos);
  ck_assert(unbound[3].terms.back().ends_with(": TaskPlugin=task/none"));
  ck_assert_int_eq(told[1].reason_class, STOCK_SLURM);
}
END_TEST

START_TEST(a_decision_that_is_put_off_has_its_candidates) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/decisions";
  TestMachine(4, 1).configure("DecisionWait=2\nDecisionFile=" + file + "\n");
  Environment environment = Environment::with_matrix(ring(4));
  const Offer offer(4, 2);
  DecisionClock::cost = std::chrono::milliseconds(50);
  placement_decision* plan = nullptr;
  do {  // until the time of this second is used up
    placement_request request = request_for(environment, 4);
    request.uid = 1;
    request.may_be_put_off = true;
    plan = decide(offer, request);
    if (plan->put_off) plan->end = DECISION_WAIT;
    placement_tell(plan);
  } while (!plan->put_off);
  DecisionClock::cost = {};
  const Decision told = DecisionReader(file).read().back();
  ck_assert(told.outcome == DECISION_WAIT);
  ck_assert_uint_eq(told.candidates, 4);
  ck_assert_text_eq(told.candidate_nodes + told.choice + told.cost, "n[0-3]");
}
END_TEST

int main() {
  setenv("TMPDIR", "/dev/shm", 1);
  Suite* suite = suite_create("decision_log");
  TCase* cases = tcase_create("decision_log");
  tcase_add_test(cases, a_refused_plan_leaves_no_costs);
  tcase_add_test(cases, a_decision_that_is_put_off_has_its_candidates);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
