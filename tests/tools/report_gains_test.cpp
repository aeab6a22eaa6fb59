// SPDX-License-Identifier: GPL-2.0-or-later
// Gains and conclusions of placectl report, on records that are made here.
#include <cmath>

#include "common/util/random.hpp"
#include "tests/check.hpp"
#include "tools/report/sections.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

Decision record(std::uint32_t job, std::uint32_t uid, const char* cost, const char* stock,
                decision_outcome outcome = DECISION_CORES) {
  Decision d;
  d.job_id = job;
  d.uid = uid;
  d.policy = "TREEMATCH";
  d.outcome = outcome;
  d.cost = cost;
  d.first_nodes_cost = stock;
  return d;
}

// Jobs of `users` users with 10 jobs each, whose ratios of costs are near `ratio`.
std::vector<Decision> jobs_near(double ratio, std::uint32_t users) {
  std::vector<Decision> jobs;
  for (std::uint32_t k = 0; k < 10 * users; ++k) {
    const double cost = 1000 * ratio * (0.9 + 0.05 * (k % 5));
    jobs.push_back(record(k + 1, 1000 + k / 10, std::to_string(cost).c_str(), "1000"));
  }
  return jobs;
}

const Advice& about(const std::vector<Advice>& all, const std::string& subject) {
  for (const Advice& one : all)
    if (one.subject == subject) return one;
  ck_abort_msg("no advice about %s", subject.c_str());
}

}  // namespace

START_TEST(gains_of_a_few_records) {
  std::vector<Decision> all = {record(1, 7, "50", "100"), record(2, 7, "200", "100"),
                               record(3, 8, "25", "100"), record(4, 8, "", "100"),
                               record(5, 8, "5", "0"),    record(6, 8, "1", "100", DECISION_STOCK),
                               record(1, 7, "100", "100")};
  all.push_back(record(7, 8, "1", "100"));
  all.back().for_start = false;
  std::vector<PolicyGain> gains = gains_of(all, 1);
  ck_assert_uint_eq(gains.size(), 1);
  ck_assert_int_eq(gains[0].by_jobs.count, 3);  // of job 1 the last decision
  ck_assert_uint_eq(gains[0].users, 2);
  ck_assert(!gains[0].by_users);
  ck_assert_double_eq_tol(gains[0].by_jobs.mean, std::cbrt(1.0 * 2.0 * 0.25), 1e-12);
  all.push_back(record(9, 8, "10", "100", DECISION_ADVICE));
  gains = gains_of(all, 1);
  ck_assert_uint_eq(gains.size(), 2);
  ck_assert(!gains[0].used && gains[1].used);
  ck_assert(gains_of({}, 1).empty());
  // A start that ended as stock has no placement that could have gained, even if others were tried before.
  ck_assert(gains_of(std::vector{record(1, 7, "50", "100"), record(1, 7, "", "", DECISION_STOCK)}, 1).empty());
}
END_TEST

START_TEST(intervals_by_users) {
  // Within a user all jobs are equal: the interval by jobs is too narrow, and the one by users is near that of the
  // users' means.
  std::vector<Decision> all;
  std::vector<double> means;
  for (std::uint32_t user = 0; user < 20; ++user) {
    means.push_back(std::log(0.5 + 0.05 * user));
    for (std::uint32_t job = 0; job < 50; ++job)
      all.push_back(record(1 + user * 50 + job, user, std::to_string(1000 * std::exp(means.back())).c_str(), "1000"));
  }
  const PolicyGain gain = gains_of(all, 3)[0];
  const sim::MeanInterval by_hand = sim::mean_interval(means);
  ck_assert(gain.by_users.has_value());
  ck_assert_double_eq_tol(gain.by_users->mean, std::exp(by_hand.mean), 1e-6);
  ck_assert_double_eq_tol(gain.by_users->low, std::exp(by_hand.low), 0.02);
  ck_assert_double_eq_tol(gain.by_users->high, std::exp(by_hand.high), 0.02);
  ck_assert_double_lt(gain.by_jobs.high - gain.by_jobs.low, 0.5 * (gain.by_users->high - gain.by_users->low));
  ck_assert(&cautious(gain) == &*gain.by_users);
  ck_assert_double_eq(gains_of(all, 3)[0].by_users->low, gain.by_users->low);  // equal seeds
}
END_TEST

START_TEST(the_bootstrap_covers_as_often_as_it_says) {
  Random random(5);
  int covered = 0;
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> values;
    std::vector<std::uint32_t> groups;
    for (std::uint32_t group = 0; group < 30; ++group) {
      double of_group = -6;
      for (int k = 0; k < 12; ++k) of_group += static_cast<double>(random.next() >> 11) * 0x1p-53;
      for (int k = 0; k < 4; ++k) {
        values.push_back(of_group);
        groups.push_back(group);
      }
    }
    const sim::MeanInterval interval = sim::bootstrap_interval(values, groups, static_cast<std::uint64_t>(round));
    covered += interval.low <= 0 && interval.high >= 0;
  }
  ck_assert_int_ge(covered, 164);  // 82 %
  ck_assert_int_le(covered, 194);  // 97 %
  const sim::MeanInterval one = sim::bootstrap_interval(std::vector<double>{1, 3}, std::vector<std::uint32_t>{4, 4}, 1);
  ck_assert(one.low == 2 && one.high == 2 && one.count == 2);
}
END_TEST

START_TEST(conclusions_follow_the_records) {
  ReportFacts facts;
  const auto verdict = [&](const char* subject) { return about(advice_of(facts), subject).verdict; };
  for (const char* subject : {starts_subject, "TREEMATCH", "NLA", "TOFA"}) ck_assert(verdict(subject) == Verdict::open);
  facts.decisions.decisions = jobs_near(0.6, 6);
  ck_assert(verdict("TREEMATCH") == Verdict::yes && verdict(starts_subject) == Verdict::yes);
  ck_assert(verdict("NLA") == Verdict::open);
  std::vector<Decision> computed = jobs_near(0.6, 6);  // placements that were only computed count, too
  for (Decision& d : computed) d.outcome = DECISION_ADVICE;
  facts.decisions.decisions = computed;
  ck_assert(verdict("TREEMATCH") == Verdict::yes);
  // Placements that were used count before those.
  for (const Decision& d : jobs_near(1.5, 6)) {
    facts.decisions.decisions.push_back(d);
    facts.decisions.decisions.back().job_id += 1000;
  }
  ck_assert(verdict("TREEMATCH") == Verdict::no);
  facts.decisions.decisions = jobs_near(1.0, 6);
  ck_assert(verdict("TREEMATCH") == Verdict::open);
  facts.decisions.decisions = jobs_near(0.6, 2);  // too few
  ck_assert(verdict("TREEMATCH") == Verdict::open);
  facts.decisions.decisions = jobs_near(0.6, 6);  // enough jobs, of four users
  for (Decision& d : facts.decisions.decisions) d.uid = d.job_id % 4;
  ck_assert(verdict("TREEMATCH") == Verdict::open);
  facts.decisions.decisions = jobs_near(0.6, 6);
  for (std::uint32_t k = 0; k < 40; ++k) {
    facts.decisions.decisions.push_back(record(1000 + k, 1, "", "", DECISION_STOCK));
    facts.decisions.decisions.back().reason = "no room";
  }
  const Advice first = about(advice_of(facts), starts_subject);
  ck_assert(first.verdict == Verdict::no && first.reasons.back() == "40 times: no room");
}
END_TEST

int main() {
  Suite* suite = suite_create("report");
  TCase* all = tcase_create("gains");
  tcase_add_test(all, gains_of_a_few_records);
  tcase_add_test(all, intervals_by_users);
  tcase_add_test(all, the_bootstrap_covers_as_often_as_it_says);
  tcase_add_test(all, conclusions_follow_the_records);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
