// SPDX-License-Identifier: GPL-2.0-or-later
// Decisions that are remembered, put off, or made again.
#include "plugins/planning/decide.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "plugins/planning/planner.hpp"
#include "tests/plugins/decide_fixture.hpp"
#include "treematch/map_memory.hpp"

using namespace placement;
using namespace placement::planning;

// Returns a decision that was made when user 1 had no time for decisions left.
const CurrentDecision* decide_without_time(const Offer& offer, placement_request request) {
  request.uid = 1;
  DecisionClock::cost = std::chrono::milliseconds(50);
  // The time is used up by many questions about one job. With many jobs, the entries of the first ones would be
  // dropped.
  Environment environment = Environment::with_matrix(ring(16));
  placement_request other = request_for(environment, 16);
  other.uid = 1;
  for (; !placement_would_put_off(1, 0); ++other.time_limit_s) ck_assert(decide(offer, other)->placed);
  const CurrentDecision* plan = decide(offer, request);
  DecisionClock::cost = {};
  return plan;
}

START_TEST(no_time_at_all) {
  Environment environment = Environment::with_matrix(ring(4));
  const JobRequest job_request = read_job_request({environment.c(), environment.size()}, Config{});
  ck_assert_str_eq(job_request.error.c_str(), "");
  const TestMachine described(4, 2);
  const placement_machine given = described.c();
  const Machine machine(given, Config{});
  const Offer offer(4, 4);
  const placement_offer c = offer.c();
  const placement_request request = request_for(environment, 4);
  const Deadline past = Deadline::after(std::chrono::microseconds(0));
  PolicyViews views;
  ck_assert_error(make_plan({machine, {}, c, request, job_request, Config{}}, views, past), "no time");
  ck_assert_uint_eq(make_plan({machine, {}, c, request, job_request, Config{}}, views, Deadline::never()).nodes.size(),
                    1);
}
END_TEST

START_TEST(answers_are_remembered_per_job_and_question) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(4));
  const placement_request request = request_for(environment, 4);
  Offer offer(4, 4);
  const std::string first = planned(offer, decide(offer, request));
  const CurrentDecision* again = decide(offer, request);
  ck_assert(again->record.remembered);
  ck_assert_planned(offer, again, first.c_str());
  offer.take(0, {0});
  ck_assert(!decide(offer, request)->record.remembered);
  placement_give_up("it could not be had", true);
  again = decide(offer, request);
  ck_assert(again->record.remembered);
  ck_assert_stock(again, "could not be had", STOCK_SLURM);
  Environment other = Environment::with_matrix(ring(4), "TREEMATCH=scope=whole");
  placement_request changed = request;
  changed.environment = other.c();
  ck_assert(!decide(offer, changed)->record.remembered);
  placement_request of_job{};
  of_job.job_id = 4711;
  left_to_slurm(of_job, "nobody knows this job", STOCK_OTHER);
  placement_give_up("nobody knows this job", true);
}
END_TEST

START_TEST(a_decision_without_time_is_put_off) {
  TestMachine(16, 2).configure("DecisionWait=2");
  const Offer offer(16, 4);
  Environment environment = Environment::with_matrix(ring(8));
  placement_request request = request_for(environment, 8);
  request.may_be_put_off = true;
  ck_assert(!placement_would_put_off(1, 0));
  const CurrentDecision* plan = decide_without_time(offer, request);
  ck_assert(!placement_would_put_off(1, 2));
  ck_assert(plan->wait && plan->put_off && !plan->wait_told);
  ck_assert_stock(plan, "(1 of DecisionWait=2)", STOCK_NO_TIME);
  request.times_put_off = 1;
  plan = decide_without_time(offer, request);
  ck_assert(plan->put_off && plan->wait_told);
  ck_assert_stock(plan, "(2 of DecisionWait=2)", STOCK_NO_TIME);
}
END_TEST

START_TEST(a_decision_is_put_off_so_often_and_no_more) {
  TestMachine(16, 2).configure("DecisionWait=2");
  const Offer offer(16, 4);
  Environment environment = Environment::with_matrix(ring(8));
  placement_request request = request_for(environment, 8);
  const CurrentDecision* plan = decide_without_time(offer, request);
  ck_assert(!plan->wait && !plan->put_off);
  ck_assert_msg(std::strstr(plan->reason.c_str(), "used up") != nullptr, "%s", plan->reason.c_str());
  ck_assert_str_ne(plan->costs.natural_cost.c_str(), "");
  ck_assert_str_ne(plan->costs.stock_cost.c_str(), "");
  request.may_be_put_off = true;
  request.times_put_off = 2;
  plan = decide_without_time(offer, request);
  ck_assert(!plan->wait && !plan->put_off);
  ck_assert_msg(std::strstr(plan->reason.c_str(), "used up") != nullptr, "%s", plan->reason.c_str());
}
END_TEST

START_TEST(what_is_forgotten_is_decided_anew) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(4));
  const placement_request request = request_for(environment, 4);
  const Offer offer(4, 4);
  const std::string first = planned(offer, decide(offer, request));
  placement_forget(request.job_id + 1);
  ck_assert(decide(offer, request)->record.remembered);
  placement_forget(request.job_id);
  const CurrentDecision* plan = decide(offer, request);
  ck_assert(!plan->record.remembered);
  ck_assert_planned(offer, plan, first.c_str());
}
END_TEST

// A question that was answered before takes no time.
START_TEST(a_remembered_answer_is_not_put_off) {
  TestMachine(16, 2).configure();
  const Offer offer(16, 4);
  Environment environment = Environment::with_matrix(ring(8));
  placement_request request = request_for(environment, 8);
  request.uid = 1;
  request.may_be_put_off = true;
  const std::string first = planned(offer, decide(offer, request));
  const CurrentDecision* plan = decide_without_time(offer, request);
  ck_assert(plan->record.remembered && !plan->put_off);
  ck_assert_planned(offer, plan, first.c_str());
}
END_TEST

// The view that is kept for the next decision changes no answer, even if nodes and cores come and go in between.
START_TEST(a_decision_does_not_depend_on_those_before) {
  constexpr std::uint32_t steps = instances(60) == 60 ? 60 : 15;
  const TestMachine machine(12, 4, 2);
  const auto cores_taken = [](std::uint32_t step, std::uint32_t core) {
    return (core * 2654435761u + step * 40503u) % 11 < 4;
  };
  const auto ask = [&](std::uint32_t step) {
    Offer offer(12, 8, step % 5 == 4 ? 2 : 1);
    for (std::uint32_t core = 0; core < 96; ++core) offer.free_[core] = !cores_taken(step, core / (step % 3 + 1));
    Environment environment = Environment::with_matrix(ring(8), step % 4 == 3 ? "TREEMATCH=scope=whole" : "TREEMATCH");
    placement_request request = request_for(environment, 8);
    if (step % 7 == 6) request.tasks_per_socket = 1;
    if (step % 6 == 5) request.required = &step, request.required_count = step < 12;
    return planned(offer, decide(offer, request));
  };
  std::vector<std::string> alone;
  for (std::uint32_t step = 0; step < steps; ++step) {
    machine.configure();
    alone.push_back(ask(step));
  }
  machine.configure();
  for (std::uint32_t step = 0; step < steps; ++step) ck_assert_text_eq(ask(step), alone[step]);
  ck_assert(std::ranges::any_of(alone, [](const std::string& text) { return !text.starts_with("stock"); }));
}
END_TEST

// SECURITY.md: slurmctld frees remembered mappings and decoded requests ten minutes after the last question about their
// matrix, and when the configuration is dropped.
START_TEST(mappings_are_remembered_for_ten_minutes) {
  TestMachine(4, 4).configure();
  Environment environment = Environment::with_matrix(ring(12));
  const Offer offer(4, 8);
  const placement_request request = request_for(environment, 12);
  const auto before = DecisionClock::time, now = std::chrono::steady_clock::now();
  ck_assert(decide(offer, request)->placed);
  DecisionClock::time = now + std::chrono::seconds(599);
  placement_tidy();
  ck_assert_uint_gt(treematch::matrix_memories().bytes(), 0);
  ck_assert(decide(offer, request)->record.remembered);
  DecisionClock::time = std::chrono::steady_clock::now() + std::chrono::seconds(601);
  placement_tidy();
  ck_assert_uint_eq(treematch::matrix_memories().bytes(), 0);
  ck_assert(!decide(offer, request)->record.remembered);
  ck_assert_uint_gt(treematch::matrix_memories().bytes(), 0);
  placement_unconfigure();
  DecisionClock::time = before;
  ck_assert_uint_eq(treematch::matrix_memories().bytes(), 0);
}
END_TEST

// There are far more jobs than kept entries, and more than one scheduling cycle can decide. All of them are placed with
// their matrix.
START_TEST(many_jobs) {
  TestMachine(32, 4).configure("DecisionWait=1000");
  const Offer offer(32, 8);
  int cycles = 1;
  for (int i = 0; i < instances(300); ++i) {
    DecisionClock::cost = std::chrono::milliseconds(2);
    Environment environment = Environment::with_matrix(ring(64));
    placement_request request = request_for(environment, 64);
    request.uid = 1;
    request.may_be_put_off = true;
    const CurrentDecision* plan = i == 0 ? decide_without_time(offer, request) : decide(offer, request);
    for (; plan->put_off; plan = decide(offer, request)) {
      ck_assert(plan->wait && !plan->placed);
      ++request.times_put_off;
      ++cycles;
      DecisionClock::time += std::chrono::milliseconds(500);
    }
    ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
    ck_assert_str_ne(plan->costs.cost.c_str(), "");
    ck_assert_msg(std::strstr(plan->reason.c_str(), "matrix") == nullptr, "%s", plan->reason.c_str());
  }
  ck_assert_int_gt(cycles, 1);
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("decide_again");
  TCase* core = tcase_create("core");
  tcase_add_test(core, no_time_at_all);
  tcase_add_test(core, answers_are_remembered_per_job_and_question);
  tcase_add_test(core, a_decision_without_time_is_put_off);
  tcase_add_test(core, a_decision_is_put_off_so_often_and_no_more);
  tcase_add_test(core, what_is_forgotten_is_decided_anew);
  tcase_add_test(core, a_remembered_answer_is_not_put_off);
  tcase_add_test(core, a_decision_does_not_depend_on_those_before);
  tcase_add_test(core, mappings_are_remembered_for_ten_minutes);
  tcase_add_test(core, many_jobs);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
