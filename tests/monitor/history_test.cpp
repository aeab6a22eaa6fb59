// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/history.hpp"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "monitor/monitor/database.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

// Returns the number of outages that last.
std::ptrdiff_t lasting(History& history) {
  const std::vector<OutageRecord> all = history.outages();
  return std::count_if(all.begin(), all.end(), [](const OutageRecord& outage) { return outage.lasts(); });
}

OutageRecord outage(const std::string& node, double began, double ended, const std::string& cause = "silent",
                    bool counted = true) {
  return {node, began, ended, counted, cause, began + 20};
}

void put(History& history, const auto& record) {
  history.keep(record);
  history.commit();
}

struct StoredRow {
  std::int64_t job = 0;
  std::string record;
};

// The decisions in the history at `path`, the newest first.
std::vector<StoredRow> stored_decisions(const std::string& path) {
  Database database(path, Database::Access::read, 2000);
  Statement rows(database, "SELECT job, record FROM decision ORDER BY id DESC");
  std::vector<StoredRow> all;
  for (rows.bind(); rows.step();) all.push_back({rows.integer(0), rows.text(1)});
  return all;
}

}  // namespace

START_TEST(an_empty_history) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/history.db";
  {
    History history(path, {});
    ck_assert(history.outages().empty() && history.spans().empty());
    ck_assert_text_eq(history.moved_aside(), "");
  }
  struct stat status;
  ck_assert_int_eq(stat(path.c_str(), &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0640);
  // Somebody changed its mode.
  chmod(path.c_str(), 0644);
  ck_assert_text_eq(History(path, {}).moved_aside(), "");
  ck_assert_int_eq(stat(path.c_str(), &status), 0);
  ck_assert_int_eq(status.st_mode & 07777, 0640);
}
END_TEST

// Another user who holds a read lock of SQLite would keep the monitor from writing, so he must not be able to open the
// file.
START_TEST(another_user_cannot_open_it) {
  if (geteuid() != 0) return;
  TemporaryDirectory directory;
  chmod(directory.path().c_str(), 0755);
  const std::string path = directory.path() + "/history.db";
  History history(path, {});
  history.commit();
  for (const char* part : {"", "-wal", "-shm"}) {
    const pid_t child = fork();
    if (child == 0) {
      if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
      _exit(open((path + part).c_str(), O_RDONLY) >= 0);
    }
    int result = -1;
    waitpid(child, &result, 0);
    ck_assert_msg(result == 0, "%s%s can be opened by another user", path.c_str(), part);
  }
}
END_TEST

START_TEST(outages_are_kept) {
  TemporaryDirectory directory;
  History history(directory.path() + "/h.db", {});
  put(history, outage("n1", 1000, unknown_value));
  put(history, outage("n1", 1000, unknown_value));
  ck_assert_int_eq(lasting(history), 1);
  put(history, outage("n1", 1000, 1300));
  ck_assert_int_eq(lasting(history), 0);
  std::vector<OutageRecord> all = history.outages();
  ck_assert_uint_eq(all.size(), 1);
  ck_assert_double_eq(all[0].began_at_s, 1000);
  ck_assert_double_eq(all[0].ended_at_s, 1300);
  ck_assert_double_eq(all[0].noticed_at_s, 1020);
  ck_assert(all[0].counted);
  ck_assert_text_eq(all[0].cause, "silent");
  // A later judgement replaces the first one.
  put(history, outage("n1", 1000, 1300, "agent", false));
  ck_assert(!history.outages()[0].counted);
  // An outage of another node, and a later outage of this node, are separate outages.
  put(history, outage("n2", 1000, 1100));
  put(history, outage("n1", 1400, 1500));
  ck_assert_uint_eq(history.outages().size(), 3);
}
END_TEST

// placement-monitor(8): outages of one node are one when they overlap or begin within 60 seconds of each other. An
// outage of slurmd is one with the node's own outage if it begins within 60 seconds after its end.
START_TEST(which_outages_are_one) {
  const OutageRecord first = outage("n1", 1000, 1010);
  for (const auto& [began, cause, one] :
       {std::tuple(1009.0, "silent", true), std::tuple(1059.0, "silent", true), std::tuple(1061.0, "silent", false),
        std::tuple(1061.0, "slurmd", true), std::tuple(1069.0, "slurmd", true), std::tuple(1071.0, "slurmd", false)}) {
    const OutageRecord second = outage("n1", began, began + 5, cause);
    ck_assert_msg(one_outage(first, second) == one, "%s at %g", cause, began);
    ck_assert_msg(one_outage(second, first) == one, "%s at %g", cause, began);
  }
}
END_TEST

START_TEST(spans_grow) {
  TemporaryDirectory directory;
  History history(directory.path() + "/h.db", {});
  for (const double ended_s : {100, 90, 160, 220}) put(history, SpanRecord{"n1", 100, ended_s});
  put(history, SpanRecord{"n1", 400, 500});
  put(history, SpanRecord{"n2", 0, 1000});
  const std::vector<SpanRecord> all = history.spans();
  ck_assert_uint_eq(all.size(), 3);
  ck_assert_text_eq(all[1].node, "n1");
  ck_assert_double_eq(all[1].began_at_s, 100);
  ck_assert_double_eq(all[1].ended_at_s, 220);
}
END_TEST

START_TEST(decisions) {
  TemporaryDirectory directory;
  History history(directory.path() + "/h.db", {});
  for (int job = 1; job <= 5; ++job) put(history, DecisionRow{100.0 + job, job, 1000, std::string("a\0b", 3)});
  const std::vector<StoredRow> stored = stored_decisions(directory.path() + "/h.db");
  ck_assert_uint_eq(stored.size(), 5);
  ck_assert_int_eq(stored[0].job, 5);
  ck_assert_uint_eq(stored[0].record.size(), 3);
}
END_TEST

START_TEST(what_is_broken_is_moved_aside) {
  TemporaryDirectory directory;
  const std::string path =
      directory.file("h.db", "this is no database, and long enough to be read as a header of one, or not");
  {
    History history(path, {});
    ck_assert_text_eq(history.moved_aside(), path + ".broken-1");
    for (int i = 0; i < 2000; ++i) history.keep(SpanRecord{"n" + std::to_string(i), 0, 100});
    history.commit();
  }
  {
    // Damages the file in the middle.
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 * 3);
    file << std::string(4096 * 4, '\x5a');
  }
  unlink((path + "-wal").c_str());
  History history(path, {});
  ck_assert_text_eq(history.moved_aside(), path + ".broken-2");
  ck_assert(history.spans().empty());
  put(history, SpanRecord{"n1", 0, 1});
  ck_assert_text_eq(History(path, {}).moved_aside(), "");
}
END_TEST

// When damage is found during use, a new file is begun, which has the records from then on.
START_TEST(damage_while_it_is_used) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/h.sqlite";
  History history(path, {});
  put(history, OutageRecord{"n1", 100, 200, true, "silent", 120});
  ck_assert(!history.recover());  // the file is sound
  ck_assert_uint_eq(history.outages().size(), 1);
  for (const char* part : {"-wal", "-shm"}) std::filesystem::remove(path + part);
  std::ofstream(path, std::ios::binary) << std::string(20000, 'x');
  ck_assert_error(history.commit(), "h.sqlite: ");
  ck_assert(history.recover());
  ck_assert(history.moved_aside().ends_with(".broken-1"));
  ck_assert_uint_eq(history.outages().size(), 0);
  put(history, OutageRecord{"n1", 300, 400, true, "silent", 320});
  ck_assert_uint_eq(History(path, {}).outages().size(), 1);
  ck_assert(history.in_place());
  // A new file is also begun when the file was removed.
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part);
  ck_assert(!history.in_place());
  ck_assert(history.recover());
  ck_assert(history.in_place());
  ck_assert_text_eq(history.moved_aside(), "gone");
  put(history, OutageRecord{"n1", 500, 600, true, "silent", 520});
  ck_assert_uint_eq(history.outages().size(), 1);
}
END_TEST

START_TEST(a_newer_schema_is_refused) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/h.db";
  { History history(path, {}); }
  Database(path, Database::Access::write, 100).run("PRAGMA user_version = 99");
  ck_assert_error(History(path, {}), "version 99");
  ck_assert_error(History("/nowhere/h.db", {}), "/nowhere/h.db");
  ck_assert_error(History(directory.path(), {}), directory.path());
}
END_TEST

START_TEST(killed_at_any_time) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/h.db";
  { History history(path, {}); }
  int last = 0;
  for (int turn = 0; turn < 5; ++turn) {
    int pipe_ends[2];
    ck_assert_int_eq(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      History history(path, {});
      for (int i = last;; ++i) {
        history.keep(outage("n1", 1000.0 * i, 1000.0 * i + 1));
        history.keep(outage("n2", 1000.0 * i, 1000.0 * i + 1));
        history.commit();
        if (write(pipe_ends[1], &i, sizeof i) != sizeof i) _exit(1);
      }
    }
    close(pipe_ends[1]);
    for (int i = 0; i < 20 + turn * 7; ++i) ck_assert_int_eq(read(pipe_ends[0], &last, sizeof last), sizeof last);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(pipe_ends[0], &last, sizeof last) == sizeof last) continue;
    close(pipe_ends[0]);
    History history(path, {});
    ck_assert_text_eq(history.moved_aside(), "");
    const std::size_t rows = history.outages().size();
    ck_assert_uint_eq(rows % 2, 0);  // a transaction writes two rows, or none
    ck_assert_uint_ge(rows, 2 * static_cast<std::size_t>(last + 1));
    last = static_cast<int>(rows / 2);
  }
}
END_TEST

START_TEST(old_and_much_is_dropped) {
  TemporaryDirectory directory;
  HistoryLimits limits;
  limits.keep_s = 1000;
  History history(directory.path() + "/h.db", limits);
  put(history, outage("n1", 10, 20));
  put(history, outage("n2", 10, unknown_value));
  put(history, outage("n3", 5000, 5100));
  put(history, SpanRecord{"n1", 0, 30});
  put(history, SpanRecord{"n2", 0, 5500});
  put(history, DecisionRow{10, 1, 0, "x"});
  history.prune(5600);
  ck_assert_uint_eq(history.outages().size(), 2);
  ck_assert_text_eq(history.outages()[0].node, "n2");
  ck_assert_uint_eq(history.spans().size(), 1);
  ck_assert(stored_decisions(directory.path() + "/h.db").empty());

  limits.max_bytes = 1 << 20;
  History small(directory.path() + "/small.db", limits);
  for (int i = 0; i < 6000; ++i) small.keep(DecisionRow{5590, i, 0, std::string(1000, 'x')});
  small.keep(outage("n1", 5500, 5550));
  small.commit();
  ck_assert_int_gt(small.bytes(), 5 << 20);
  small.prune(5600);
  ck_assert_int_le(small.bytes(), 1 << 20);
  ck_assert_int_gt(small.bytes(), 1 << 18);
  ck_assert_int_eq(stored_decisions(directory.path() + "/small.db")[0].job, 5999);  // the latest decisions are kept
  ck_assert_uint_eq(small.outages().size(), 1);
}
END_TEST

// A node that is always up has one span, which grows. Its row is the first one, and its end is the latest.
START_TEST(what_ended_first_is_dropped_first) {
  TemporaryDirectory directory;
  HistoryLimits limits;
  limits.max_bytes = 256 << 10;
  History history(directory.path() + "/h.db", limits);
  put(history, SpanRecord{"steady", 1, 2});
  history.keep(outage("away", 1, unknown_value));
  for (int i = 0; i < 12000; ++i) history.keep(SpanRecord{"n1", 10.0 * i, 10.0 * i + 5});
  history.keep(SpanRecord{"steady", 1, 120000});
  history.commit();
  history.prune(60000);
  ck_assert_int_le(history.bytes(), limits.max_bytes);
  const std::vector<SpanRecord> spans = history.spans();
  ck_assert_uint_gt(spans.size(), 100);
  ck_assert_text_eq(spans.front().node, "steady");
  ck_assert_double_gt(spans[1].began_at_s, 1000);
  ck_assert_int_eq(lasting(history), 1);
  // The file is too large even without spans, so that the oldest outages go.
  for (int i = 0; i < 6000; ++i) history.keep(outage("n1", 1000.0 * i, 1000.0 * i + 5));
  history.commit();
  history.prune(60000);
  ck_assert(history.spans().empty());
  ck_assert_uint_gt(history.outages().size(), 100);
  ck_assert_int_eq(lasting(history), 1);
}
END_TEST

START_TEST(settings_are_remembered_and_forgotten) {
  TemporaryDirectory directory;
  History history(directory.path() + "/h.db", {});
  ck_assert_text_eq(history.setting("left n1"), "");
  history.keep_setting("left n1", "17");
  history.commit();
  ck_assert_text_eq(history.setting("left n1"), "17");
  history.keep_setting("left n1", "");
  history.commit();
  ck_assert_text_eq(history.setting("left n1"), "");
}
END_TEST

int main() {
  Suite* suite = suite_create("history");
  TCase* tests = tcase_create("history");
  tcase_add_test(tests, an_empty_history);
  tcase_add_test(tests, another_user_cannot_open_it);
  tcase_add_test(tests, outages_are_kept);
  tcase_add_test(tests, which_outages_are_one);
  tcase_add_test(tests, spans_grow);
  tcase_add_test(tests, decisions);
  tcase_add_test(tests, what_is_broken_is_moved_aside);
  tcase_add_test(tests, damage_while_it_is_used);
  tcase_add_test(tests, a_newer_schema_is_refused);
  tcase_add_test(tests, killed_at_any_time);
  tcase_add_test(tests, old_and_much_is_dropped);
  tcase_add_test(tests, what_ended_first_is_dropped_first);
  tcase_add_test(tests, settings_are_remembered_and_forgotten);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
