// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/step_records.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "common/util/error.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using placement::Decision;
using placement::StepRecords;

namespace {

Decision step_of(std::uint32_t job, const std::string& step) {
  Decision record;
  record.at_s = 1000;
  record.job_id = job;
  record.uid = 7;
  record.step = step;
  record.outcome = DECISION_NODES;
  record.tasks = 4;
  record.given = "n[1-2]";
  record.cost = "10";
  record.natural_cost = "20";
  record.terms = {"ranks: 0,2;1,3"};
  return record;
}

Decision plan_of(std::uint32_t job) {
  Decision plan = step_of(job, "");
  plan.at_s = 999;
  plan.cost = plan.natural_cost = "20";
  plan.first_nodes_cost = "30";
  plan.terms = {"by greedy", "busiest link: 5 bytes above n1", "ranks: 0-1;2-3"};
  return plan;
}

}  // namespace

START_TEST(a_record_is_read_as_written) {
  const TemporaryDirectory directory;
  const StepRecords records(directory.path() + "/a/b/steps");
  ck_assert(records.of_job(5).empty());
  records.put(step_of(5, "0"));
  records.put(step_of(5, "1"));
  records.put(step_of(6, "0"));  // takes the place of step 1 of job 5
  const auto steps = records.of_job(5);
  ck_assert_uint_eq(steps.size(), 1);
  ck_assert_str_eq(steps[0].step.c_str(), "0");
  ck_assert_str_eq(steps[0].given.c_str(), "n[1-2]");
  ck_assert_str_eq(steps[0].terms.at(0).c_str(), "ranks: 0,2;1,3");
  ck_assert_uint_eq(records.of_job(6).size(), 1);
}
END_TEST

START_TEST(the_file_does_not_grow_without_limit) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/steps";
  const StepRecords records(path);
  for (std::uint32_t job = 1; job < 2000; ++job) records.put(step_of(job, "0"));
  ck_assert_uint_eq(std::filesystem::file_size(path), 512 * 4096);
  ck_assert_uint_eq(records.of_job(1999).size(), 1);
  ck_assert(records.of_job(1).empty());
}
END_TEST

START_TEST(ranks_that_do_not_fit_are_left_out) {
  const TemporaryDirectory directory;
  const StepRecords records(directory.path() + "/steps");
  Decision step = step_of(1, "0");
  step.terms = {"ranks: " + std::string(5000, '1')};
  records.put(step);
  ck_assert(records.of_job(1).at(0).terms.empty());
}
END_TEST

// Returns ranks whose text has this number of bytes, as "0;0;10".
placement::RanksOfNodes ranks_of_bytes(std::size_t bytes) {
  placement::RanksOfNodes ranks((bytes + 1) / 2, {0});
  if (bytes % 2 == 0) ranks.back() = {10};
  return ranks;
}

START_TEST(a_remark_fits_into_each_record_and_ranks_have_at_most_3000_bytes) {
  const TemporaryDirectory directory;
  const StepRecords records(directory.path() + "/steps");
  for (const std::size_t bytes : {std::size_t{2999}, std::size_t{3000}, std::size_t{3001}})
    for (const std::size_t given : {std::size_t{10}, std::size_t{1000}}) {
      const auto ranks = ranks_of_bytes(bytes);
      ck_assert_uint_eq(placement::ranks_text(ranks, 5000).size(), bytes);
      Decision step = step_of(1, "0");
      step.terms.clear();
      step.given = std::string(given, 'n');
      StepRecords::add_terms(step, std::string(200, 'r'), ranks);
      records.put(step);
      const auto terms = records.of_job(1).at(0).terms;
      ck_assert_uint_eq(terms.size(), bytes <= 3000 && given == 10 ? 2 : 1);
      ck_assert(terms[0] == std::string(200, 'r'));
      if (terms.size() == 2) ck_assert_uint_eq(terms[1].size(), bytes + std::strlen("ranks: "));
    }
}
END_TEST

START_TEST(damaged_records_and_foreign_files_are_left_out) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/steps";
  const StepRecords records(path);
  records.put(step_of(1, "0"));
  records.put(step_of(1, "1"));
  std::fstream(path, std::ios::in | std::ios::out).seekp(4096) << "no record";
  ck_assert_uint_eq(records.of_job(1).size(), 1);
  std::filesystem::resize_file(path, 4096 + 100);
  ck_assert(records.of_job(1).empty());
  const std::string link = directory.path() + "/link";
  std::filesystem::create_symlink(path, link);
  ck_assert_error(StepRecords(link).of_job(1), "link");
  ck_assert_error(StepRecords(link).put(step_of(1, "0")), "link");
}
END_TEST

// Root may run srun with the HOME of another user, who can put links of his own there.
START_TEST(root_does_not_write_where_another_user_chooses) {
  if (geteuid() != 0) return;
  const TemporaryDirectory directory;
  const std::string home = directory.path() + "/home", root = directory.path() + "/root";
  for (const std::string& each : {home, root}) std::filesystem::create_directory(each);
  std::filesystem::create_symlink(root, home + "/.local");
  ck_assert_int_eq(lchown((home + "/.local").c_str(), 65534, 65534), 0);
  ck_assert_error(StepRecords(home + "/.local/state/steps").put(step_of(1, "0")), home + "/.local");
  ck_assert(std::filesystem::is_empty(root));
  std::filesystem::remove(home + "/.local");
  ck_assert_int_eq(chown(home.c_str(), 65534, 65534), 0);
  ck_assert_error(StepRecords(home + "/state/steps").put(step_of(1, "0")), "owns " + home);
  ck_assert(std::filesystem::is_empty(home));
  // A link of root to a directory of that user is no better.
  std::filesystem::create_symlink(home, root + "/link");
  ck_assert_error(StepRecords(root + "/link/steps").put(step_of(1, "0")), "owns " + root + "/link");
  StepRecords(root + "/state/steps").put(step_of(1, "0"));
  ck_assert_uint_eq(StepRecords(root + "/state/steps").of_job(1).size(), 1);
}
END_TEST

START_TEST(the_file_is_found_by_the_environment) {
  const TemporaryDirectory directory;
  std::map<std::string, std::string> variables;
  const auto get = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  ck_assert_error(StepRecords::of_user("here", get), "XDG_STATE_HOME");
  variables["HOME"] = directory.path();
  StepRecords::of_user("here", get).put(step_of(1, "0"));
  ck_assert(std::filesystem::exists(directory.path() + "/.local/state/slurm-placement/steps.here"));
  variables["XDG_STATE_HOME"] = "relative";  // the XDG base directory specification has it ignored
  ck_assert_uint_eq(StepRecords::of_user("here", get).of_job(1).size(), 1);
  variables["XDG_STATE_HOME"] = directory.path() + "/state";
  ck_assert(StepRecords::of_user("here", get).of_job(1).empty());
  for (const char* const name : {"", "../here"}) ck_assert_error(StepRecords::of_user(name, get), "cluster");
  variables.erase("XDG_STATE_HOME");
  ck_assert(StepRecords::of_user("there", get).of_job(1).empty());
}
END_TEST

START_TEST(a_plan_becomes_the_record_of_its_step) {
  Decision decision = plan_of(5);
  Decision later = step_of(5, "3"), part = step_of(5, "4");
  later.at_s = 1001;
  later.cost = "9";
  later.given = "n2,n1";  // srun's order of nodes
  part.at_s = 1002;
  part.tasks = 2;
  placement::describe_step(decision, {step_of(5, "0"), later, part});
  ck_assert_str_eq(decision.step.c_str(), "3");
  ck_assert_str_eq(decision.cost.c_str(), "9");
  ck_assert_str_eq(decision.given.c_str(), "n2,n1");
  ck_assert_str_eq(decision.first_nodes_cost.c_str(), "30");
  ck_assert_uint_eq(decision.terms.size(), 2);  // without the busiest link of the plan
  ck_assert_str_eq(decision.terms[1].c_str(), "ranks: 0,2;1,3");
}
END_TEST

START_TEST(a_step_of_equal_ranks_keeps_the_busiest_link) {
  Decision decision = plan_of(5);
  Decision step = step_of(5, "0");
  step.terms = {"ranks: 0-1;2-3"};
  placement::describe_step(decision, {step});
  ck_assert_uint_eq(decision.terms.size(), 3);
  ck_assert_str_eq(decision.step.c_str(), "0");
}
END_TEST

// The plan has no costs, because its request has no matrix. Its policy is that of the step.
START_TEST(a_step_with_a_request_of_its_own_does_not_count) {
  Decision decision = plan_of(5), step = step_of(5, "0");
  decision.cost = decision.natural_cost = "";
  step.reason = "its own pattern";
  placement::describe_step(decision, {step});
  ck_assert_str_eq(decision.step.c_str(), "");
  ck_assert_str_eq(decision.cost.c_str(), "");
}
END_TEST

START_TEST(a_step_with_other_cores_per_task_counts) {
  Decision decision = plan_of(5), step = step_of(5, "0");
  step.natural_cost = "25";
  placement::describe_step(decision, {step});
  ck_assert_str_eq(decision.step.c_str(), "0");
  ck_assert_str_eq((decision.cost + " " + decision.natural_cost).c_str(), "10 25");
  ck_assert_str_eq(decision.first_nodes_cost.c_str(), "");  // of other cores
}
END_TEST

// A step that srun could not place by the policy has neither cost nor ranks, and a reason.
START_TEST(a_step_in_slurms_order_takes_the_place_of_the_plan) {
  Decision stock = step_of(5, "0");
  stock.outcome = DECISION_STOCK;
  stock.reason = "PrivateData=nodes";
  stock.cost.clear();
  stock.natural_cost.clear();
  stock.terms.clear();
  Decision decision = plan_of(5);
  placement::describe_step(decision, {stock});
  ck_assert_str_eq(decision.step.c_str(), "0");
  ck_assert_str_eq(decision.cost.c_str(), "");
  ck_assert_str_eq(decision.given.c_str(), "n[1-2]");
  ck_assert_uint_eq(decision.terms.size(), 2);
  ck_assert_str_eq(decision.terms[1].c_str(), "Slurm's order of ranks: PrivateData=nodes");
  decision = plan_of(5);
  decision.outcome = DECISION_ADVICE;  // whose ranks are never those of a step
  placement::describe_step(decision, {stock});
  ck_assert_str_eq(decision.step.c_str(), "");
  decision = plan_of(5);
  decision.given.clear();  // it did not start
  placement::describe_step(decision, {stock});
  ck_assert_str_eq(decision.step.c_str(), "");
  decision = plan_of(5);
  stock.given = "n1";
  placement::describe_step(decision, {stock});
  ck_assert_str_eq(decision.step.c_str(), "");
}
END_TEST

START_TEST(steps_of_other_starts_do_not_count) {
  Decision other_restart = step_of(5, "0"), other_user = step_of(5, "0"), earlier = step_of(5, "0"),
           other_task = step_of(5, "0"), other_nodes = step_of(5, "0"), other_request = step_of(5, "0"),
           other_policy = step_of(5, "0");
  other_restart.restarts = 1;
  other_user.uid = 8;
  earlier.at_s = 900;
  other_task.array_task = "5_1";
  other_nodes.given = "n[1-3]";
  other_request.reason = "its own matrix";
  other_policy.policy = "NLA";
  for (const Decision& step :
       {other_restart, other_user, earlier, other_task, other_nodes, other_request, other_policy, step_of(6, "0")}) {
    Decision decision = plan_of(5);
    placement::describe_step(decision, {step});
    ck_assert_str_eq(decision.step.c_str(), "");
    ck_assert_str_eq(decision.cost.c_str(), "20");
  }
}
END_TEST

static Suite* suite() {
  Suite* const suite = suite_create("step records");
  TCase* const core = tcase_create("core");
  tcase_add_test(core, a_record_is_read_as_written);
  tcase_add_test(core, the_file_does_not_grow_without_limit);
  tcase_add_test(core, ranks_that_do_not_fit_are_left_out);
  tcase_add_test(core, a_remark_fits_into_each_record_and_ranks_have_at_most_3000_bytes);
  tcase_add_test(core, damaged_records_and_foreign_files_are_left_out);
  tcase_add_test(core, root_does_not_write_where_another_user_chooses);
  tcase_add_test(core, the_file_is_found_by_the_environment);
  tcase_add_test(core, a_plan_becomes_the_record_of_its_step);
  tcase_add_test(core, a_step_of_equal_ranks_keeps_the_busiest_link);
  tcase_add_test(core, a_step_with_a_request_of_its_own_does_not_count);
  tcase_add_test(core, a_step_with_other_cores_per_task_counts);
  tcase_add_test(core, a_step_in_slurms_order_takes_the_place_of_the_plan);
  tcase_add_test(core, steps_of_other_starts_do_not_count);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
