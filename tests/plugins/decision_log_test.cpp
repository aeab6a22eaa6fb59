// SPDX-License-Identifier: GPL-2.0-or-later
// Tests what the ring of decisions has about plans that the job did not get.
#include "common/decision/decision_ring.hpp"
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;
using namespace placement::planning;

// A machine of four nodes with a ring of decisions, and the request of a job of four tasks.
struct Scene {
  explicit Scene(const std::string& settings = "") { configure(settings); }

  void configure(const std::string& settings = "") { machine.configure(settings + "DecisionFile=" + file + "\n"); }
  std::vector<Decision> told() const { return DecisionReader(file).read(); }

  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/decisions";
  TestMachine machine{4, 1};
  Environment environment = Environment::with_matrix(ring(4));
  const Offer offer{4, 2};
};

START_TEST(a_refused_plan_leaves_no_costs) {
  Scene scene;
  const Offer& offer = scene.offer;
  const placement_request request = request_for(scene.environment, 4);
  CurrentDecision* plan = decide(offer, request);
  ck_assert(plan->placed);
  placement_tell();
  const auto refuse = [&] {  // as the select plugin does
    placement_forget(request.job_id);
    plan = decide(offer, request);
    ck_assert(plan->placed);
    placement_give_up("Slurm allocated other nodes", false);
    ck_assert(!plan->placed);
    placement_tell();
  };
  refuse();
  const std::vector<Decision> told = scene.told();
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
  scene.machine.unbound = "task/none";
  scene.configure();
  refuse();
  placement_forget(request.job_id);
  plan = decide(offer, request);
  placement_tell();
  const std::vector<Decision> unbound = scene.told();
  ck_assert_uint_eq(unbound.size(), 4);
  for (const std::size_t stock : {1, 2})
    for (const std::string& term : unbound[stock].terms) ck_assert(term.find("bound") == term.npos);
  ck_assert(unbound[3].terms.back().ends_with(": TaskPlugin=task/none"));
  ck_assert_int_eq(told[1].reason_class, STOCK_SLURM);
}
END_TEST

START_TEST(a_decision_that_is_put_off_has_its_candidates) {
  Scene scene("DecisionWait=2\n");
  DecisionClock::cost = std::chrono::milliseconds(50);
  CurrentDecision* plan = nullptr;
  do {  // until the time of this second is used up
    placement_request request = request_for(scene.environment, 4);
    request.uid = 1;
    request.may_be_put_off = true;
    plan = decide(scene.offer, request);
    if (plan->put_off) plan->outcome = DECISION_WAIT;
    placement_tell();
  } while (!plan->put_off);
  DecisionClock::cost = {};
  const Decision told = scene.told().back();
  ck_assert(told.outcome == DECISION_WAIT);
  ck_assert_uint_eq(told.candidates, 4);
  ck_assert_text_eq(told.candidate_nodes + told.choice + told.cost, "n[0-3]");
}
END_TEST

// A user who asks very often when a job would start must not fill the history. The records of jobs are all kept.
START_TEST(predictions_are_limited) {
  Scene scene;
  const auto tell = [&](std::uint32_t job, uid_t uid, bool predicted) {
    placement_request request = request_for(scene.environment, 4);
    request.job_id = job;
    request.uid = uid;
    request.predicted = predicted;
    decide(scene.offer, request);
    placement_tell();
  };
  std::uint32_t job = 0;
  for (int k = 0; k < 200; ++k) tell(++job, 1, true);
  for (int k = 0; k < 100; ++k) tell(++job, 1, false);
  tell(++job, 2, true);
  std::map<std::pair<std::uint32_t, bool>, int> count;
  for (const Decision& told : scene.told()) ++count[{told.uid, told.predicted}];
  ck_assert_int_ge(count[std::pair(1, true)], 30);
  ck_assert_int_lt(count[std::pair(1, true)], 50);
  ck_assert_int_eq(count[std::pair(1, false)], 100);
  ck_assert_int_eq(count[std::pair(2, true)], 1);
}
END_TEST

// The texts for users. A comment has at most 511 bytes, of printable ASCII without quotes and backslashes.
START_TEST(texts_of_decisions) {
  CurrentDecision decision;
  decision.record.job_id = 7;
  decision.record.policy = "TREEMATCH";
  decision.reason = "a b~'c'\"d\\`;\n\033\x7f\xc3\xa4";
  ck_assert_text_eq(comment_text(decision, ""),
                    "placement: job=7 restarts=0 policy=TREEMATCH chose=nothing stock: a b~_c__d________;");
  ck_assert_text_eq(job_decision_text(decision), "7 stock: a b~'c'\"d\\`;_____");
  decision.reason = std::string(1000, 'x');
  ck_assert_uint_eq(comment_text(decision, "").size(), 511);
  ck_assert(comment_text(decision, "").ends_with("xx;"));
  decision.reason.clear();
  decision.record.array_task = "6_7";
  decision.record.mode = "advise";
  Plan plan;
  plan.task_count = 4;
  plan.lacks = "TOFA as if no node failed";
  decision.plan = std::make_shared<const Plan>(plan);
  decision.record.live_age_s = 2.25;
  decision.record.time_us = 30;
  decision.record.stock_choice = "n[1-2]";
  decision.mode = PLACEMENT_ADVISE;
  decision.asked = decision.placed = true;
  decision.node_count = 2;
  decision.costs = {"1", "2", "3", "link", ", stock link", "0;1"};
  decision.outcome = DECISION_ADVICE;
  constexpr const char* words = " tasks=4 nodes=2 cost=1 in-order=2 first-nodes=3 of=plan";
  ck_assert_text_eq(
      comment_text(decision, "task/none"),
      "placement: job=6_7 restarts=0 policy=TREEMATCH chose=nothing advice" + std::string(words) + " us=30;");
  ck_assert_text_eq(job_decision_text(decision), "7 stock: Mode=advise in placement.conf");
  decision.mode = PLACEMENT_ENFORCE;
  decision.uses_live = true;
  decision.outcome = DECISION_CORES;
  ck_assert_text_eq(comment_text(decision, "task/none"),
                    "placement: job=6_7 restarts=0 policy=TREEMATCH chose=nodes+cores" + std::string(words) +
                        " live-age=2s us=30 unbound=TaskPlugin=task/none stock=n[1-2];");
  ck_assert_text_eq(job_decision_text(decision), "7 nodes+cores: TOFA as if no node failed");
}
END_TEST

int main() {
  setenv("TMPDIR", "/dev/shm", 1);
  Suite* suite = suite_create("decision_log");
  TCase* cases = tcase_create("decision_log");
  tcase_add_test(cases, a_refused_plan_leaves_no_costs);
  tcase_add_test(cases, a_decision_that_is_put_off_has_its_candidates);
  tcase_add_test(cases, predictions_are_limited);
  tcase_add_test(cases, texts_of_decisions);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
