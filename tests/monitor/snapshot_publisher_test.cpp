// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/snapshot_publisher.hpp"

#include <filesystem>
#include <string>

#include "monitor/protocol/sockets.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::monitor;

// Another monitor that shares the file writes none while the leader does, and this is no trouble.
START_TEST(a_file_that_two_monitors_share) {
  TemporaryDirectory directory;
  const std::string place = directory.path() + "/place", path = place + "/snapshot";
  std::string said;
  const Log log = [&said](const std::string& text) { said += text + "\n"; };
  const Moment now{protocol::steady_s(), static_cast<double>(protocol::wall_clock_ns()) / 1e9};
  History history(directory.path() + "/h.sqlite", HistoryLimits{});
  const NodeWatch watch({"n0"}, history, OutageEstimator::beta, log, now);
  const PairModel pairs{NodeSwitches{}, PairModelSettings{}};
  SnapshotPublisher leader(path, 3600, log), other(path, 3600, log);
  leader.publish(watch, pairs, true, {}, now);
  other.publish(watch, pairs, false, {}, now);
  ck_assert(leader.in_trouble() && other.in_trouble());
  ck_assert(said.find(": " + place) != std::string::npos);
  std::filesystem::create_directory(place);
  leader.publish(watch, pairs, true, {}, now);
  other.publish(watch, pairs, false, {}, now);
  ck_assert(!leader.in_trouble() && !other.in_trouble());
  ck_assert_int_eq(leader.written(), 1);
  ck_assert_int_eq(other.written(), 0);
}
END_TEST

int main() {
  Suite* suite = suite_create("snapshot publisher");
  TCase* tests = tcase_create("snapshot publisher");
  tcase_add_test(tests, a_file_that_two_monitors_share);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
