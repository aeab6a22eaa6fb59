// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/history_keeper.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "common/decision/decision_ring.hpp"
#include "monitor/monitor/database.hpp"
#include "monitor/monitor/stored_decisions.hpp"
#include "monitor/protocol/sockets.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

constexpr double hour_s = 3600;

// A monitor of one node that writes its history every ten minutes, on a clock of the test's own.
struct Scene {
  Scene() {
    config.state_directory = directory.path();
    config.decision_file = directory.path() + "/no-ring";
    config.history_days = 400;
    keeper.emplace(config, std::vector<uid_t>{}, silent);
    watch.emplace(std::vector<std::string>{"n0"}, keeper->history(), OutageEstimator::beta, silent, at());
  }
  Moment at() const { return {start_s + passed_s, 1.7e9 + set_s + passed_s}; }
  void run(double seconds) {
    for (const double end_s = passed_s + seconds; passed_s < end_s; passed_s += 600) {
      watch->tick(at());
      keeper->keep(*watch, at());
    }
  }
  // Writes an outage that ended `days` days ago.
  void outage_before(double days) {
    const double began_s = at().wall_s - days * 86400;
    keeper->history().keep(OutageRecord{"n0", began_s, began_s + 10, true, "silent", began_s + 5});
    keeper->history().commit();
  }
  std::size_t outages() { return keeper->history().outages().size(); }

  static void silent(const std::string&) {}

  TemporaryDirectory directory;
  Config config;
  std::optional<HistoryKeeper> keeper;
  std::optional<NodeWatch> watch;
  const double start_s = protocol::steady_s();  // the keeper's first tasks are counted from its construction
  double passed_s = 0;
  double set_s = 0;  // by how much the host's clock was set
};

// A monitor that reads a ring of decisions. The ring has to be in memory.
struct RingScene {
  RingScene() : directory((setenv("TMPDIR", "/dev/shm", 1), TemporaryDirectory())) {}

  const TemporaryDirectory directory;
  const Config config = [this] {
    Config config;
    config.state_directory = directory.path();
    config.decision_file = directory.path() + "/ring";
    return config;
  }();
  DecisionWriter ring{config.decision_file};
  std::vector<std::string> lines;  // of the log
  HistoryKeeper keeper{config, {geteuid()}, [this](const std::string& line) { lines.push_back(line); }};
  NodeWatch watch{{"n0"}, keeper.history(), OutageEstimator::beta, [](const std::string&) {}, {0, 1.7e9}};
  const double start_s = protocol::steady_s();
};

}  // namespace

// placement-monitor(8): what is older than HistoryDays is dropped only after the host's clock has not been set for six
// hours.
START_TEST(a_clock_has_to_be_good_for_hours_before_old_rows_go) {
  Scene scene;
  scene.outage_before(500);
  scene.outage_before(399);
  scene.run(6 * hour_s);
  ck_assert_uint_eq(scene.outages(), 2);
  scene.run(0.5 * hour_s);
  ck_assert_uint_eq(scene.outages(), 1);
  // The clock is set two days forward. By the new time, the other outage would be too old.
  scene.set_s = 2 * 86400;
  scene.run(6 * hour_s);
  ck_assert_uint_eq(scene.outages(), 1);
  scene.run(hour_s);
  ck_assert_uint_eq(scene.outages(), 0);
}
END_TEST

// A full disk: the file may not grow. Ten seconds of this take one line of the log, and so does the time after them.
START_TEST(a_full_disk_is_logged_once) {
  RingScene scene;
  double passed_s = 0;
  const auto pass = [&](int seconds) {
    for (const double end_s = passed_s + seconds; passed_s < end_s; passed_s += 0.5)
      scene.keeper.keep(scene.watch, {scene.start_s + passed_s, 1.7e9 + passed_s});
  };
  Decision decision;
  decision.job_id = 1;
  pass(10);
  scene.lines.clear();
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{1, before.rlim_max};
  scene.ring.put(decision);
  setrlimit(RLIMIT_FSIZE, &none);
  pass(10);
  setrlimit(RLIMIT_FSIZE, &before);
  ck_assert_uint_eq(scene.lines.size(), 1);
  pass(10);
  ck_assert_uint_eq(scene.lines.size(), 2);
  Database database(scene.config.state_directory + "/history.sqlite", Database::Access::read, 2000);
  ck_assert_int_eq(database.number("SELECT count(*) FROM decision"), 1);
  ck_assert(!scene.keeper.in_trouble());

  // The trouble also ends when the kept records are written between two readings of the ring, and no decision follows.
  setrlimit(RLIMIT_FSIZE, &none);
  scene.keeper.history().keep(OutageRecord{"n0", 1.7e9, 1.7e9 + 10, true, "silent", 1.7e9 + 5});
  pass(9);
  ck_assert(scene.keeper.in_trouble());
  setrlimit(RLIMIT_FSIZE, &before);
  pass(10);
  ck_assert_int_eq(database.number("SELECT count(*) FROM outage"), 1);
  ck_assert(!scene.keeper.in_trouble());
}
END_TEST

// A user who asks for many decisions must not push those of others out of the ring, which has room for 1,024.
START_TEST(a_full_ring_is_read_without_a_pause) {
  RingScene scene;
  scene.keeper.keep(scene.watch, {scene.start_s, 1.7e9});
  Decision decision;
  for (decision.job_id = 1; decision.job_id <= 1000; ++decision.job_id) scene.ring.put(decision);
  decision.predicted = true;  // predictions stay in the ring
  for (int k = 0; k < 10; ++k) scene.ring.put(decision);
  for (int tick = 0; tick < 4; ++tick) scene.keeper.keep(scene.watch, {scene.start_s + 2 + 0.1 * tick, 1.7e9 + 2});
  Database database(scene.config.state_directory + "/history.sqlite", Database::Access::read, 2000);
  ck_assert_int_eq(database.number("SELECT count(*) FROM decision"), 1000);
}
END_TEST

// placectl explain JOB must not read a history of 256 MiB from end to end: its one reader answers other hosts, too.
START_TEST(decisions_of_a_job_are_found_by_the_index) {
  Scene scene;
  Database database(scene.directory.path() + "/history.sqlite", Database::Access::read, 2000);
  for (const auto& [of_one_user, newest_first] : {std::pair(false, false), {true, false}, {false, true}}) {
    DecisionFilter filter;
    filter.job = 5;
    if (of_one_user) filter.only_of = 1000;
    Statement plan(database, ("EXPLAIN QUERY PLAN " + history_query(filter, newest_first)).c_str());
    plan.bind(std::int64_t{5}, 0.0, std::int64_t{0});
    ck_assert(plan.step());
    ck_assert_msg(plan.text(3).find("USING INDEX decision_job (job=?") != std::string::npos, "%s",
                  plan.text(3).c_str());
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("history keeper");
  TCase* tests = tcase_create("history keeper");
  tcase_add_test(tests, a_clock_has_to_be_good_for_hours_before_old_rows_go);
  tcase_add_test(tests, a_full_disk_is_logged_once);
  tcase_add_test(tests, a_full_ring_is_read_without_a_pause);
  tcase_add_test(tests, decisions_of_a_job_are_found_by_the_index);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
