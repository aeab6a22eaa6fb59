// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/job_decision.hpp"

#include <string>

#include "tests/check.hpp"
#include "tests/words.hpp"

namespace {

using placement::spank::decision_notice;
using placement::spank::ranks_are_promised;

// Returns whether the notice is about nodes of Slurm's choice, and ends with the reason.
bool has_reason(const std::string& notice, const std::string& reason) {
  return has_words(notice, "job 42 Slurm") && notice.ends_with(": " + reason);
}

START_TEST(a_job_with_the_policys_nodes_gets_no_notice) {
  ck_assert(decision_notice(true, 42, 0, "42 nodes").empty());
  ck_assert(decision_notice(true, 42, 0, "42 nodes+cores").empty());
  // slurmctld names a task of an array by the array's job ID until the task has its own record.
  ck_assert(decision_notice(true, 42, 40, "40 nodes").empty());
}
END_TEST

START_TEST(the_notice_has_the_reason) {
  ck_assert(has_reason(decision_notice(true, 42, 0, "42 stock: no free node"), "no free node"));
  ck_assert(has_reason(decision_notice(true, 42, 40, "40 stock: why: not"), "why: not"));
}
END_TEST

START_TEST(the_notice_names_missing_data) {
  ck_assert(decision_notice(true, 42, 0, "42 nodes+cores: TOFA lacks: all") == "job 42 is placed by TOFA lacks: all");
  ck_assert(decision_notice(true, 42, 40, "40 nodes: TOFA") == "job 42 is placed by TOFA");
  ck_assert(decision_notice(false, 42, 0, "42 nodes: TOFA").empty());
}
END_TEST

START_TEST(ranks_are_promised_on_the_policys_nodes_and_where_the_matrix_decides) {
  for (
      const char* value :
      {"42 nodes", "42 nodes+cores", "42 nodes: TOFA as if no node failed", "40 nodes",
       "42 stock: --contiguous is left to Slurm. ..., and its ranks follow the matrix: 7 hop-bytes, in natural order 8"})
    ck_assert(ranks_are_promised(42, 40, value));
  for (const char* value : {static_cast<const char*>(nullptr), "", "41 nodes", "42 stock: no node is free",
                            "42 stock: Mode=observe in placement.conf"})
    ck_assert(!ranks_are_promised(42, 40, value));
}
END_TEST

START_TEST(the_outcome_of_another_job_is_ignored) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "42", "41 nodes", "0 nodes", "x nodes", "-42 nodes",
                            "99999999999999999999 nodes", "42nodes"}) {
    const std::string notice = decision_notice(true, 42, 0, value);
    ck_assert_msg(has_words(notice, "job 42 Slurm Mode=off"), "%s: %s", value ? value : "none", notice.c_str());
  }
}
END_TEST

// A user who asked for nothing gets a message only if the administrator's policy could not be applied.
START_TEST(a_policy_of_the_partition) {
  const std::string notice = decision_notice(false, 42, 0, "42 stock: no node is free");
  ck_assert(has_reason(notice, "no node is free") && notice.find("partition") != std::string::npos);
  ck_assert(!decision_notice(false, 42, 40, "40 stock: why").empty());
  for (const char* value : {static_cast<const char*>(nullptr), "", "42 nodes", "42 nodes+cores", "41 stock: why",
                            "42 stock: Mode=observe in placement.conf"})
    ck_assert(decision_notice(false, 42, 0, value).empty());
}
END_TEST

START_TEST(components_have_slurms_names) {
  ck_assert(placement::spank::component_variable("A", 0) == "A_HET_GROUP_0");
  ck_assert(placement::spank::component_variable("A", 12) == "A_HET_GROUP_12");
}
END_TEST

}  // namespace

int main() {
  Suite* const suite = suite_create("job_decision");
  TCase* const tests = tcase_create("job_decision");
  tcase_add_test(tests, a_job_with_the_policys_nodes_gets_no_notice);
  tcase_add_test(tests, the_notice_has_the_reason);
  tcase_add_test(tests, the_notice_names_missing_data);
  tcase_add_test(tests, ranks_are_promised_on_the_policys_nodes_and_where_the_matrix_decides);
  tcase_add_test(tests, the_outcome_of_another_job_is_ignored);
  tcase_add_test(tests, a_policy_of_the_partition);
  tcase_add_test(tests, components_have_slurms_names);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
