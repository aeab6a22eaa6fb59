// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/decision_ring.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include "tests/check.hpp"
#include "tests/common/decision_samples.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;

START_TEST(a_text_is_read_as_written) {
  const std::string text = decision_text(sample(7));
  ck_assert(text.find("job\t7\n") != std::string::npos && text.find("outcome\tnodes+cores\n") != std::string::npos);
  const Decision again = as_read(sample(7));
  ck_assert_uint_eq(again.terms.size(), 2);  // an empty one has no line
  ck_assert_int_eq(again.reason_class, STOCK_NO_ROOM);
  ck_assert_text_eq(decision_text(again), text);
  ck_assert(std::isnan(as_read(Decision{}).live_age_s));
  ck_assert_text_eq(decision_text(as_read(Decision{})), decision_text(Decision{}));
  ck_assert_uint_eq(parse_decision_text("job\t5\nsomething-new\tx\n").job_id, 5);
  ck_assert_int_eq(parse_decision_text("job\t5\n").reason_class, STOCK_OTHER);
  ck_assert_int_eq(parse_decision_text("job\t5\nreason_class\tof a later version\n").reason_class, STOCK_OTHER);
}
END_TEST

START_TEST(long_texts_are_cut) {
  Decision d = sample(1);
  const std::string huge(100000, 'x');
  for (std::string Decision::*text :
       {&Decision::step, &Decision::array_task, &Decision::mode, &Decision::policy, &Decision::parameters,
        &Decision::candidate_nodes, &Decision::choice, &Decision::tasks_per_node, &Decision::given,
        &Decision::stock_choice, &Decision::cost, &Decision::natural_cost, &Decision::first_nodes_cost,
        &Decision::reason, &Decision::why_not_live})
    d.*text = huge;
  d.time_us = d.submitted_s = std::numeric_limits<std::int64_t>::max();
  d.terms = {"first", huge};
  d.terms.resize(1000, "last");
  const Decision cut = as_read(d);
  ck_assert(cut.reason.ends_with("xx..") && cut.reason.size() == 200);
  ck_assert_text_eq(cut.why_not_live.substr(0, 3), "xxx");  // the last field has room, too
  ck_assert_uint_gt(cut.terms.size(), 2);
  ck_assert_text_eq(cut.terms[0] + cut.terms[1], "firstlast");
  ck_assert_uint_le(decision_text(d).size(), most_decision_bytes);
  d = sample(1);
  d.reason = "a\nb\tc\x7f";
  ck_assert_text_eq(as_read(d).reason, "a?b?c?");
}
END_TEST

// Users choose a part of the texts that placectl prints on other users' terminals. So no byte that a terminal obeys
// is read, from the ring or from a history's text. 0x9b alone, or after 0xc2 in UTF-8, starts a command as ESC [ does.
START_TEST(raw_bytes_of_other_users_are_not_read) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  DecisionWriter writer(path);
  for (std::size_t at = 0; at < every.size(); at += 8) {  // the shortest field has room for 8 bytes
    const std::string raw = every.substr(at, 8), line = raw.find('\n') == std::string::npos ? raw : "-";
    Decision d = sample(1);
    for (std::string Decision::*text :
         {&Decision::array_task, &Decision::mode, &Decision::policy, &Decision::parameters, &Decision::candidate_nodes,
          &Decision::choice, &Decision::tasks_per_node, &Decision::given, &Decision::stock_choice, &Decision::cost,
          &Decision::natural_cost, &Decision::first_nodes_cost, &Decision::reason, &Decision::why_not_live})
      d.*text = raw;
    d.terms = {raw};
    writer.put(d);
    const std::string forms[] = {
        decision_text(as_read(d)),
        decision_text(parse_decision_text("job\t1\npolicy\t" + line + "\nreason\t" + line + "\nterm\t" + line + "\n"))};
    for (const std::string& form : forms)
      ck_assert(std::all_of(form.begin(), form.end(),
                            [](char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\n'; }));
  }
  DecisionReader reader(path);
  const auto all = reader.read();
  ck_assert_uint_eq(all.size(), every.size() / 8);
  ck_assert_text_eq(all[0x98 / 8].reason, "????????");
  ck_assert_text_eq(all[0x98 / 8].array_task, "????????");
  ck_assert_text_eq(all['A' / 8].policy, "@ABCDEFG");
  ck_assert_text_eq(all[0x78 / 8].terms.at(0), "xyz{|}~?");
}
END_TEST

START_TEST(refuses_damaged_records) {
  ck_assert_error(parse_decision_text("at_s\t1\n"), "no job");
  ck_assert_error(parse_decision_text("job"), "'job'");
  ck_assert_error(parse_decision_text("job\t-1\n"), "job is '-1'");
  ck_assert_error(parse_decision_text("job\t1\noutcome\tgreat\n"), "outcome is 'great'");
  ck_assert_error(parse_decision_text("job\t1\nlive_age_s\tnan\n"), "live_age_s is 'nan'");
}
END_TEST

START_TEST(each_is_read_once_and_in_order) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionReader reader(path);
  ck_assert_uint_eq(reader.read().size(), 0);
  DecisionWriter writer(path);
  ck_assert_uint_eq(reader.read().size(), 0);
  for (std::uint32_t job = 1; job <= 5; ++job) writer.put(sample(job));
  const auto first = reader.read(3);
  ck_assert_uint_eq(first.size(), 3);
  ck_assert_text_eq(decision_text(first[2]), decision_text(sample(3)));
  const auto rest = reader.read();
  ck_assert_uint_eq(rest.size(), 2);
  ck_assert_uint_eq(rest[1].job_id, 5);
  ck_assert_uint_eq(reader.read().size(), 0);
  ck_assert_uint_eq(reader.overrun() + reader.broken(), 0);
  // Another reader has a position of its own. A reader that begins with the cursor of an earlier one continues there.
  ck_assert_uint_eq(DecisionReader(path).read().size(), 5);
  writer.put(sample(6));
  DecisionReader later(path, reader.cursor());
  const auto more = later.read();
  ck_assert_uint_eq(more.size(), 1);
  ck_assert_uint_eq(more[0].job_id, 6);
}
END_TEST

START_TEST(overrun_is_counted) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionWriter writer(path);
  DecisionReader reader(path);
  constexpr std::uint32_t written = 3 * ring_places + 17;
  for (std::uint32_t job = 0; job < written; ++job) writer.put(sample(job));
  const auto all = reader.read(2 * ring_places);
  ck_assert_uint_eq(all.size(), ring_places);
  ck_assert_uint_eq(all.front().job_id, written - ring_places);
  ck_assert_uint_eq(all.back().job_id, written - 1);
  ck_assert_uint_eq(reader.overrun(), written - ring_places);
  ck_assert_uint_eq(reader.broken(), 0);
}
END_TEST

// A place that is damaged, or was half written when slurmctld ended, is skipped and counted.
START_TEST(torn_places_are_counted) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionWriter writer(path);
  for (std::uint32_t job = 0; job < 4; ++job) writer.put(sample(job));
  spoil(path, place_bytes + 1 * place_bytes + 100);  // in the decision
  spoil(path, place_bytes + 2 * place_bytes + 8);    // in the sequence number
  DecisionReader reader(path);
  const auto read = reader.read();
  ck_assert_uint_eq(read.size(), 2);
  ck_assert_uint_eq(read[1].job_id, 3);
  ck_assert_uint_eq(reader.broken(), 2);
}
END_TEST

START_TEST(goes_on_after_a_restart) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionReader reader(path);
  {
    DecisionWriter writer(path);
    writer.put(sample(1));
  }
  ck_assert_uint_eq(reader.read().size(), 1);
  {
    DecisionWriter writer(path);
    writer.put(sample(2));
  }
  const auto second = reader.read();
  ck_assert_uint_eq(second.size(), 1);
  ck_assert_uint_eq(second[0].job_id, 2);
  // A new ring at the path is read from its beginning.
  std::filesystem::remove(path);
  DecisionWriter writer(path);
  writer.put(sample(3));
  const auto third = reader.read();
  ck_assert_uint_eq(third.size(), 1);
  ck_assert_uint_eq(third[0].job_id, 3);
  struct stat status {};
  ck_assert_int_eq(stat(path.c_str(), &status), 0);
  ck_assert_uint_eq(status.st_mode & 0777, 0644);
}
END_TEST

// A process that may write the file may truncate it. This loses decisions, but ends neither writer nor reader.
START_TEST(a_ring_that_is_truncated) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  DecisionWriter writer(path);
  DecisionReader reader(path);
  writer.put(sample(1));
  ck_assert_uint_eq(reader.read().size(), 1);
  for (const std::uint32_t length : {0, 20, 4096 + 50}) {
    std::filesystem::resize_file(path, length);
    writer.put(sample(length + 7));
    const auto read = reader.read();
    ck_assert_uint_eq(read.size(), 1);
    ck_assert_uint_eq(read[0].job_id, length + 7);
  }
}
END_TEST

// Many writers start at once where there is no ring yet: one of them writes, and no other files are left.
START_TEST(one_of_many_that_start_together_writes) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  constexpr int processes = 8;
  int go[2], result[2];
  ck_assert(pipe(go) == 0 && pipe(result) == 0);
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(go[1]);
    char byte = 0;
    if (read(go[0], &byte, 1) != 0) _exit(1);
    std::string error;
    std::optional<DecisionWriter> writer;
    error = error_of([&] { writer.emplace(path); });
    if (writer) writer->put(sample(9));
    const char told = writer ? 'w' : error.find("process writes") != std::string::npos ? 'n' : 'e';
    if (write(result[1], &told, 1) != 1) _exit(1);
    pause();
  }
  close(go[0]);
  close(go[1]);
  std::string all;
  while (all.size() < processes) {
    char byte = 0;
    ck_assert_int_eq(read(result[0], &byte, 1), 1);
    all += byte;
  }
  std::sort(all.begin(), all.end());
  ck_assert_text_eq(all, "nnnnnnnw");
  ck_assert_uint_eq(DecisionReader(path).read().size(), 1);
  ck_assert_int_eq(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 2);
  ck_assert_error(DecisionWriter(path), "process writes");
  // The lock of a writer that was killed is free.
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  DecisionWriter(path).put(sample(10));
  ck_assert_uint_eq(DecisionReader(path).read().size(), 2);
}
END_TEST

START_TEST(one_writer_at_a_time) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  {
    const DecisionWriter writer(path);
    ck_assert_error(DecisionWriter(path), "process writes");
  }
  DecisionWriter(path).put(sample(1));
  ck_assert_uint_eq(DecisionReader(path).read().size(), 1);
}
END_TEST

START_TEST(only_in_memory) {
  const std::string here = std::filesystem::current_path().string() + "/ring-on-disk";
  const std::string error = error_of([&] { DecisionWriter writer(here); });
  const bool disk = !error.empty();
  if (disk) ck_assert_msg(error.find("tmpfs") != std::string::npos, "error is '%s'", error.c_str());
  ck_assert(std::filesystem::exists(here) != disk);  // a build directory on tmpfs is accepted
  ck_assert(std::filesystem::exists(here + ".lock") != disk);
  std::filesystem::remove(here);
  std::filesystem::remove(here + ".lock");
}
END_TEST

// A writer writes at full speed, and a reader in another process reads. It gets whole decisions in their order, and
// those that it gets and those that it counts as overwritten are all decisions.
START_TEST(reads_while_another_process_writes) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/ring";
  constexpr std::uint32_t count = 40000;
  DecisionWriter writer(path);
  const pid_t child = fork();
  if (child == 0) {
    for (std::uint32_t job = 0; job < count; ++job) writer.put(sample(job));
    _exit(0);
  }
  DecisionReader reader(path);
  std::uint64_t read = 0;
  std::int64_t last = -1;
  bool alive = true;
  for (bool more = true; more;) {
    const auto some = reader.read(100);
    for (const Decision& decision : some) {
      ck_assert_int_gt(decision.job_id, last);
      last = decision.job_id;
      ck_assert_text_eq(decision_text(decision), decision_text(sample(decision.job_id)));
    }
    read += some.size();
    more = alive || !some.empty();
    if (alive) alive = waitpid(child, nullptr, WNOHANG) == 0;
  }
  ck_assert_int_eq(last, count - 1);
  ck_assert_uint_eq(reader.broken(), 0);
  ck_assert_uint_eq(read + reader.overrun(), count);
}
END_TEST

int main() {
  setenv("TMPDIR", "/dev/shm", 1);
  Suite* suite = suite_create("decision_ring");
  TCase* cases = tcase_create("all");
  tcase_add_test(cases, a_text_is_read_as_written);
  tcase_add_test(cases, long_texts_are_cut);
  tcase_add_test(cases, raw_bytes_of_other_users_are_not_read);
  tcase_add_test(cases, refuses_damaged_records);
  tcase_add_test(cases, each_is_read_once_and_in_order);
  tcase_add_test(cases, overrun_is_counted);
  tcase_add_test(cases, torn_places_are_counted);
  tcase_add_test(cases, goes_on_after_a_restart);
  tcase_add_test(cases, a_ring_that_is_truncated);
  tcase_add_test(cases, one_of_many_that_start_together_writes);
  tcase_add_test(cases, one_writer_at_a_time);
  tcase_add_test(cases, only_in_memory);
  tcase_add_test(cases, reads_while_another_process_writes);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
