// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/simulate/simulate_report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::tools;
using namespace placement::sim;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Case {
  Machine machine = machine_of({2, 2}, 1, 4);
  std::vector<LogJob> jobs{job_of(0, 100, 100, 16), job_of(5, 50, 50, 9), job_of(7200, 10, 10, 1)};
  LogNotes notes;
  std::vector<Replay> replays;
  Report report;

  explicit Case(std::initializer_list<const char*> strategies) {
    notes.skipped("no processors", 17);
    for (const char* word : strategies)
      replays.push_back(replay(machine, jobs, parse_strategy(word), PatternSource({}), report.options));
    report.log = "x.swf";
    report.machine = &machine;
    report.jobs = jobs;
    report.notes = &notes;
    report.too_large = 2;
    report.replays = replays;
    for (const Replay& each : replays) report.summaries.push_back(summarise(machine, jobs, each));
  }
};

// Returns the fields of a line by RFC 4180: a name with commas or quotes stands in quotes.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool doubled = quoted && line[at] == '"' && at + 1 < line.size() && line[at + 1] == '"';
    if (doubled)
      fields.back() += line[at++];
    else if (line[at] == '"')
      quoted = !quoted;
    else if (line[at] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[at];
  }
  ck_assert(!quoted);
  return fields;
}

}  // namespace

START_TEST(tables_say_what_was_left_out) {
  const Case c({"SLURM", "TM-A", "TM-Isub"});
  const std::string text = report_text(c.report);
  ck_assert(text.find("skipped 1: no processors (first in line 17)") != std::string::npos);
  ck_assert(text.find("skipped 2: larger") != std::string::npos);
  ck_assert_uint_eq(count(text, "all             flow"), 3);
  ck_assert_uint_eq(count(text, "with matrix     flow"), 2);
}
END_TEST

START_TEST(json_has_every_strategy_and_pair) {
  const Case c({"SLURM", "TM-A"});
  const std::string json = report_json(c.report);
  ck_assert_uint_eq(count(json, "\"makespan_s\""), 2);
  ck_assert_uint_eq(count(json, "\"first\": \"SLURM\"") + count(json, "\"first\":\"SLURM\""), 12);
  ck_assert_uint_eq(count(json, "{"), count(json, "}"));
  ck_assert_uint_eq(count(json, "nan") + count(json, "inf"), 0);
}
END_TEST

START_TEST(one_job_has_no_interval) {
  const Case c({"SLURM", "TM-A"});  // one job of the three has one task and so no matrix
  const std::string text = report_text(c.report), json = report_json(c.report);
  ck_assert(text.find(", 2 of 3 jobs with a matrix\n") != std::string::npos);
  ck_assert(text.find("without matrix  flow     SLURM      - TM-A             0.00  - open  1.000\n") !=
            std::string::npos);
  // Two of each measure of that job, and the ratios of waits. All waits but one are 0.
  ck_assert_uint_eq(count(json, "\"low90\": null, \"high90\": null"), 2 * 4 + 2);
}
END_TEST

START_TEST(writes_all_files) {
  const Case c({"SLURM", "TM-A"});
  const TemporaryDirectory directory;
  const std::string folder = directory.path() + "/deep/er";
  write_report(c.report, folder);
  ck_assert_uint_eq(count(content(folder + "/summary.csv"), "\n"), 3);
  ck_assert_uint_eq(count(content(folder + "/jobs-TM-A.csv"), "\n"), 4);
  ck_assert_uint_eq(count(content(folder + "/machine-SLURM.csv"), "\n"), 1 + 3);
  const std::string header = content(folder + "/summary.csv");
  const auto columns = [&](std::size_t line) {
    std::istringstream lines(header);
    std::string text;
    for (std::size_t k = 0; k <= line; ++k) std::getline(lines, text);
    return std::count(text.begin(), text.end(), ',');
  };
  ck_assert_int_eq(columns(0), columns(1));
  ck_assert_error(write_report(c.report, "/proc/none/such"), "/proc/none/such");
}
END_TEST

START_TEST(names_with_commas_are_one_field) {
  Case c({"SLURM", "TREEMATCH=scope=whole,effort=3"});
  c.replays[0].strategy = c.report.summaries[0].strategy = "a \"b\",c";
  const TemporaryDirectory directory;
  write_report(c.report, directory.path());
  std::istringstream lines(content(directory.path() + "/summary.csv"));
  std::string text;
  std::getline(lines, text);
  const std::size_t columns = csv_fields(text).size();
  std::set<std::string> names;
  while (std::getline(lines, text)) {
    const auto fields = csv_fields(text);
    ck_assert_uint_eq(fields.size(), columns);
    names.insert(fields.begin(), fields.end());
  }
  ck_assert(names.contains("a \"b\",c"));
  ck_assert(names.contains("TREEMATCH=scope=whole,effort=3"));
}
END_TEST

START_TEST(nothing_ended_is_no_trouble) {
  Case c({"SLURM"});
  c.replays[0].ended = 0;
  for (JobOutcome& outcome : c.replays[0].outcomes) outcome = JobOutcome{};
  c.report.summaries = {summarise(c.machine, c.jobs, c.replays[0])};
  const TemporaryDirectory directory;
  write_report(c.report, directory.path());
  ck_assert(report_text(c.report).find("nan") == std::string::npos);
  ck_assert_uint_eq(count(report_json(c.report), "nan"), 0);
}
END_TEST

int main() {
  Suite* suite = suite_create("simulate_report");
  TCase* all = tcase_create("all");
  tcase_add_test(all, tables_say_what_was_left_out);
  tcase_add_test(all, json_has_every_strategy_and_pair);
  tcase_add_test(all, one_job_has_no_interval);
  tcase_add_test(all, writes_all_files);
  tcase_add_test(all, names_with_commas_are_one_field);
  tcase_add_test(all, nothing_ended_is_no_trouble);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
