// SPDX-License-Identifier: GPL-2.0-or-later
// How many decisions a user gets if each takes 10 ms by the tests' clock. Also the effect of other programs that use
// the processor while slurmctld decides.
#include <chrono>
#include <thread>

#include "common/util/deadline.hpp"
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;
using namespace placement::planning;

namespace {

bool says(const CurrentDecision* plan, const char* part) { return std::strstr(plan->reason.c_str(), part) != nullptr; }

struct Counts {
  int with_matrix = 0, without_matrix = 0;
};

// Decisions for one job after the other, until there is no more time for them.
Counts use_up(std::uint32_t uid) {
  Environment environment = Environment::with_matrix(ring(4));
  const Offer offer(4, 8);
  Counts counts;
  for (;;) {
    placement_request request = request_for(environment, 4);
    request.uid = uid;
    const CurrentDecision* plan = decide(offer, request);
    if (plan->reason_class == STOCK_NO_TIME && says(plan, "user")) return counts;
    ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
    ++(says(plan, "the matrix,") ? counts.without_matrix : counts.with_matrix);
  }
}

void spend_a_second(std::uint32_t uid) {
  for (int k = 0; k < 1000; ++k) placement_decision_took(uid, 1'000'000);
}

// With DecisionTimeMs=2: other programs have the processor for longer than that when a decision begins, and leave it
// `used` of processor time.
const CurrentDecision* decide_beside_others(const Offer& offer, const placement_request& request,
                                            std::chrono::microseconds used = {}) {
  using Budget = planning::DecisionTimeBudget;
  static int calls;
  static Budget::Clock::duration before_the_end;
  calls = 0;
  before_the_end = used;
  Budget::thread_time = [] {
    if (++calls == 2) std::this_thread::sleep_for(std::chrono::milliseconds(2 * Deadline::wall_factor + 1));
    return calls > 2 ? before_the_end : Budget::Clock::duration{};
  };
  const CurrentDecision* plan = decide(offer, request);
  Budget::thread_time = DecisionClock::read;
  return plan;
}

constexpr const char* beside_others = "DecisionTimeMs=2\nDecisionWait=2";

}  // namespace

// placement.conf(5): all decisions have a second of processor time at once, one user three quarters of what others
// leave. After that they are made without the matrix, and none are made after three quarters of 100 ms more.
START_TEST(a_user_has_three_quarters) {
  TestMachine(4, 4).configure();
  DecisionClock::cost = std::chrono::milliseconds(10);
  const Counts counts = use_up(1);
  ck_assert_int_eq(counts.with_matrix, 75);               // 750 ms
  ck_assert_int_eq(counts.without_matrix, 8);             // 80 ms more: at 70 ms there was time for another
  DecisionClock::time += std::chrono::milliseconds(500);  // in which 100 ms have become available
  ck_assert_int_eq(use_up(1).with_matrix, 10);
}
END_TEST

// Another user's jobs are still decided, and with their matrix: three quarters of the 250 ms that the first one
// left.
START_TEST(another_user_finds_time) {
  TestMachine(4, 4).configure();
  DecisionClock::cost = std::chrono::milliseconds(10);
  ck_assert_int_eq(use_up(1).with_matrix, 75);
  ck_assert_int_eq(use_up(2).with_matrix, 19);
}
END_TEST

START_TEST(the_site_says_how_much) {
  TestMachine(4, 4).configure("DecisionShare=2");  // 100 ms at once
  DecisionClock::cost = std::chrono::milliseconds(10);
  ck_assert_int_eq(use_up(1).with_matrix, 8);
}
END_TEST

// doc/operations.md: decisions without the matrix have 100 ms of processor time in each second.
START_TEST(decisions_without_the_matrix_get_time_again) {
  TestMachine(4, 4).configure("DecisionShare=1");
  DecisionClock::cost = std::chrono::milliseconds(10);
  ck_assert_int_eq(use_up(1).without_matrix, 8);
  // 20 ms have become available for these, and 2 ms for decisions with the matrix.
  DecisionClock::time += std::chrono::milliseconds(200);
  const Counts counts = use_up(1);
  ck_assert_int_eq(counts.with_matrix, 0);
  ck_assert_int_eq(counts.without_matrix, 2);
}
END_TEST

// slurmctld walks through all jobs to make an offer. For a user whose time is used up it makes none, except for the
// first record of a job that is put off and for an answer that is kept.
START_TEST(without_time_no_offer_is_needed) {
  TestMachine(4, 4).configure("DecisionWait=2");
  Environment environment = Environment::with_matrix(ring(4));
  placement_request request = request_for(environment, 4), kept = request_for(environment, 4);
  request.uid = kept.uid = 1;
  const auto without_offer = [&] { return static_cast<CurrentDecision*>(placement_has_no_time(&request)); };
  ck_assert_ptr_null(without_offer());
  ck_assert(decide(Offer(4, 8), kept)->placed);
  spend_a_second(1);
  const CurrentDecision* decision = without_offer();
  ck_assert(decision && decision->asked && !decision->uses_live);
  ck_assert_stock(decision, "used up", STOCK_NO_TIME);
  ck_assert(!decision->wait);
  request.may_be_put_off = kept.may_be_put_off = true;
  ck_assert_ptr_null(without_offer());
  request.times_put_off = kept.times_put_off = 1;
  ck_assert_ptr_null(placement_has_no_time(&kept));
  decision = without_offer();
  ck_assert(decision && decision->wait && decision->put_off && decision->wait_told);
  ck_assert_stock(decision, "(2 of DecisionWait=2)", STOCK_NO_TIME);
  request.uid = 2;
  ck_assert_ptr_null(without_offer());
}
END_TEST

// Time that a user spends without having any left, on offers and on putting jobs off, takes nothing from others.
START_TEST(a_user_without_time_takes_none_from_others) {
  TestMachine(4, 4).configure();
  spend_a_second(1);
  DecisionClock::cost = std::chrono::milliseconds(10);
  const Counts counts = use_up(2);
  ck_assert_int_eq(counts.with_matrix, 19);
  ck_assert_int_eq(counts.without_matrix, 2);
}
END_TEST

// There is time for decisions, but slurmctld gets no processor before the deadline.
START_TEST(a_decision_without_the_processor_is_put_off) {
  TestMachine(4, 4).configure(beside_others);
  const Offer offer(4, 8);
  Environment environment = Environment::with_matrix(ring(4));
  placement_request request = request_for(environment, 4);
  request.may_be_put_off = true;
  for (; request.times_put_off < 2; ++request.times_put_off) {
    ck_assert(!placement_would_put_off(request.uid, request.times_put_off));
    const CurrentDecision* plan = decide_beside_others(offer, request);
    ck_assert(plan->wait && plan->put_off);
    ck_assert_uint_eq(plan->wait_left_s, 1);  // doc/operations.md: considered again after 1 s
    ck_assert_stock(plan, request.times_put_off == 0 ? "(1 of DecisionWait=2)" : "(2 of DecisionWait=2)",
                    STOCK_NO_TIME);
  }
  // Its deadline has passed because it took its time: the next one would take as long.
  request.times_put_off = 0;
  const CurrentDecision* plan = decide_beside_others(offer, request, std::chrono::milliseconds(1));
  ck_assert(!plan->wait && !plan->put_off);
  ck_assert_stock(plan, "no time", STOCK_NO_TIME);
}
END_TEST

// The clock is simulated: it advances whenever it is read. What was found before the time ended is used.
START_TEST(a_search_that_is_cut_short_is_on_record) {
  const auto wall = Deadline::wall_clock, processor = Deadline::processor_clock;
  static Deadline::Time now{};
  for (const char* const policy : {"TREEMATCH", "TREEMATCH=scope=whole", "TOFA"}) {
    TestMachine(16, 2).configure("DecisionTimeMs=2");
    Deadline::wall_clock = [] { return now += std::chrono::microseconds(300); };
    Deadline::processor_clock = [] { return now; };
    Environment environment = Environment::with_matrix(ring(24), policy);
    const CurrentDecision* plan = decide(Offer(16, 4), request_for(environment, 24));
    Deadline::wall_clock = wall;
    Deadline::processor_clock = processor;
    ck_assert_msg(plan->placed && says(plan, "DecisionTimeMs=2"), "%s: %s", policy, plan->reason.c_str());
    TestMachine(16, 2).configure();
    ck_assert(!says(decide(Offer(16, 4), request_for(environment, 24)), "DecisionTimeMs"));
  }
}
END_TEST

// A search ends at the limit of wall time. If other programs had the processor, an equal question later is answered
// anew. Else the plan is kept, because another search would end at the same point. The clocks are simulated.
START_TEST(a_plan_that_others_cut_short_is_not_kept) {
  const auto wall = Deadline::wall_clock, processor = Deadline::processor_clock;
  static Deadline::Time now{};
  for (const int used_ms : {0, 1}) {
    TestMachine(16, 2).configure(beside_others);
    Environment environment = Environment::with_matrix(ring(24));
    placement_request request = request_for(environment, 24);
    request.may_be_put_off = true;
    Deadline::wall_clock = [] { return now += std::chrono::microseconds(1200); };
    Deadline::processor_clock = [] { return Deadline::Time{}; };
    const CurrentDecision* plan = decide_beside_others(Offer(16, 4), request, std::chrono::milliseconds(used_ms));
    ck_assert_msg(plan->placed && says(plan, "DecisionTimeMs=2"), "%s", plan->reason.c_str());
    Deadline::wall_clock = [] { return now; };
    plan = decide(Offer(16, 4), request);
    Deadline::wall_clock = wall;
    Deadline::processor_clock = processor;
    ck_assert(plan->placed);
    ck_assert_int_eq(plan->record.remembered, used_ms > 0);
    ck_assert_int_eq(says(plan, "DecisionTimeMs=2"), used_ms > 0);
  }
}
END_TEST

// The cycles of DecisionWait are used up, or the job's user waits for the answer: the job runs as stock. If it cannot
// start on Slurm's nodes either, the next question is answered anew.
START_TEST(a_job_is_not_put_off_for_ever_without_the_processor) {
  TestMachine(4, 4).configure(beside_others);
  const Offer offer(4, 8);
  Environment environment = Environment::with_matrix(ring(4));
  for (const bool may_be_put_off : {true, false}) {
    placement_request request = request_for(environment, 4);
    request.may_be_put_off = may_be_put_off;
    request.times_put_off = 2;
    const CurrentDecision* plan = decide_beside_others(offer, request);
    ck_assert(!plan->wait && !plan->put_off && !plan->record.remembered);
    ck_assert_stock(plan, "no time", STOCK_NO_TIME);
    ck_assert(!decide_beside_others(offer, request)->record.remembered);
  }
}
END_TEST

// The ranks in the record of a job that Slurm itself placed.
const CurrentDecision* ranks_on_the_first_node(std::uint32_t uid) {
  Environment environment = Environment::with_matrix(ring(4));
  placement_request request = request_for(environment, 4);
  request.uid = uid;
  const Offer offer(4, 8);
  placement_offer c = offer.c();
  c.given = true;
  std::uint32_t node = 0, room = 4;
  std::vector<std::uint8_t> cores(32, 1);
  const placement_grant grant{1, &node, &room, cores.data()};
  const CurrentDecision* const decision = left_to_slurm(request, "--contiguous", STOCK_OPTION);
  placement_assess(&c, &request, &grant);
  return decision;
}

// To decode a matrix of many pairs takes slurmctld some milliseconds, under its locks. A user whose time is used up
// gets none of it for the record, however many of their jobs start.
START_TEST(without_time_no_matrix_is_decoded_for_the_record) {
  TestMachine(4, 4).configure();
  DecisionClock::cost = std::chrono::milliseconds(10);
  const CurrentDecision* ranks = ranks_on_the_first_node(1);
  ck_assert(ranks->ranks_by_matrix);
  ck_assert(!ranks->costs.cost.empty());
  use_up(1);
  ranks = ranks_on_the_first_node(1);
  ck_assert(!ranks->ranks_by_matrix);
  ck_assert(ranks->costs.cost.empty());
  ck_assert(ranks_on_the_first_node(2)->ranks_by_matrix);
}
END_TEST

// Returns what "scontrol show config" shows about the locks.
std::string locks_held() {
  std::string text;
  const auto take = [](void* to, const char* name, const char* value) {
    if (name == std::string("PlacementLocksHeld")) *static_cast<std::string*>(to) = value;
  };
  placement_facts(take, &text);
  return text;
}

// One of three decisions takes 11 s of processor time, more than the configuration allows. A reconfigure keeps the
// counts.
START_TEST(long_holds_are_reported) {
  TestMachine(4, 4).configure();
  ck_assert_text_eq(locks_held(), "0 us, 0 decisions over DecisionTimeMs");
  Environment environment = Environment::with_matrix(ring(4));
  const Offer offer(4, 8);
  ck_assert(decide(offer, request_for(environment, 4))->placed);
  const auto processor = Deadline::processor_clock;
  Deadline::processor_clock = [] {
    static Deadline::Time now{};
    return now += std::chrono::seconds(11);
  };
  ck_assert(decide(offer, request_for(environment, 4))->placed);
  Deadline::processor_clock = processor;
  ck_assert(decide(offer, request_for(environment, 4))->placed);
  for (const std::int64_t time_us : {7, 52134, 8}) placement_locks_held(time_us);
  ck_assert_text_eq(locks_held(), "52134 us, 1 decisions over DecisionTimeMs");
  TestMachine(4, 4).configure();
  ck_assert_text_eq(locks_held(), "52134 us, 1 decisions over DecisionTimeMs");
}
END_TEST

// Each comparison with Slurm's choice takes 22 ms, and the first comparison after DecisionTimeMs=50 has no time left.
START_TEST(parts_of_a_decision_share_its_time) {
  TestMachine(4, 1).configure("DecisionTimeMs=50");
  Environment environment = Environment::with_matrix(ring(4));
  const Offer offer(4, 2);
  const placement_offer nodes = offer.c();
  const placement_request request = request_for(environment, 4);
  ck_assert(decide(offer, request)->placed);
  const auto processor = Deadline::processor_clock;
  for (int k = 0; k < 4; ++k) {
    Deadline::processor_clock = [] {
      static Deadline::Time now{};
      return now += std::chrono::milliseconds(11);
    };
    placement_set_stock_choice(&nodes, &request, "n[0-3]");
    Deadline::processor_clock = processor;
    const bool over = locks_held().find("1 decisions") != std::string::npos;
    ck_assert_msg(over == (k >= 2), "comparison %d: %s", k, locks_held().c_str());
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("decision_time");
  TCase* cases = tcase_create("decision_time");
  tcase_add_test(cases, long_holds_are_reported);
  tcase_add_test(cases, parts_of_a_decision_share_its_time);
  tcase_add_test(cases, a_user_has_three_quarters);
  tcase_add_test(cases, another_user_finds_time);
  tcase_add_test(cases, without_time_no_offer_is_needed);
  tcase_add_test(cases, a_user_without_time_takes_none_from_others);
  tcase_add_test(cases, the_site_says_how_much);
  tcase_add_test(cases, decisions_without_the_matrix_get_time_again);
  tcase_add_test(cases, without_time_no_matrix_is_decoded_for_the_record);
  tcase_add_test(cases, a_search_that_is_cut_short_is_on_record);
  tcase_add_test(cases, a_plan_that_others_cut_short_is_not_kept);
  tcase_add_test(cases, a_decision_without_the_processor_is_put_off);
  tcase_add_test(cases, a_job_is_not_put_off_for_ever_without_the_processor);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
