// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/bulk.hpp"

#include <cmath>

#include "monitor/agent/probe.hpp"
#include "monitor/protocol/probe_limits.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;
using namespace placement::protocol;

namespace {

constexpr double plenty_Bpm = 1e9;
constexpr double gigabit_Bps = 125e6;

}  // namespace

// placement-monitor(8): a longer stream measures in one of six turns of a pair at most; a turn comes every
// ProbeBandwidthS, 300 s by default.
START_TEST(one_of_six_turns_is_a_stream) {
  BulkTurns turns({});
  int streams = 0;
  for (int turn = 0; turn < 12; ++turn) {
    turns.begin_round();
    const bool stream = turns.take({0, 1}, gigabit_Bps, plenty_Bpm, 300.0 * turn).packets > 0;
    ck_assert(stream == (turn % 6 == 0));
    streams += stream;
  }
  ck_assert_int_eq(streams, 2);
}
END_TEST

START_TEST(length_by_rate_and_budget) {
  // The stream takes 0.2 s at the pair's rate.
  BulkTurns turns({});
  BulkStream stream = turns.take({0, 1}, 25e6, plenty_Bpm, 0);
  ck_assert_uint_eq(stream.packets, 25e6 * 0.2 / max_datagram);
  // It gets more time than the stream needs, so that a link that has become slower is measured too.
  ck_assert_double_gt(stream.lasts_s, 2 * 0.2);
  ck_assert_double_lt(stream.lasts_s, 1);
  // The stream is at most a quarter of the budget, and at most the number of packets in a lease.
  ck_assert_uint_eq(turns.take({2, 3}, gigabit_Bps, 8e6, 0).packets, std::floor(2e6 / max_datagram));
  ck_assert_uint_eq(turns.take({4, 5}, 1e12, 1e12, 0).packets, max_probe_packets);
  // These streams would be no better than a train.
  ck_assert_uint_eq(turns.take({6, 7}, 1e6, plenty_Bpm, 0).packets, 0);
  ck_assert_uint_eq(turns.take({6, 7}, gigabit_Bps, 750e3, 0).packets, 0);
  // Nothing is known of the pair, or its nodes may send nothing.
  for (const double rate_Bps : {unknown_value, 0.0, -1.0})
    ck_assert_uint_eq(turns.take({6, 7}, rate_Bps, plenty_Bpm, 0).packets, 0);
  for (const double budget_Bpm : {unknown_value, 0.0})
    ck_assert_uint_eq(turns.take({6, 7}, gigabit_Bps, budget_Bpm, 0).packets, 0);
  // A refused stream does not count as the pair's turn.
  ck_assert_uint_gt(turns.take({6, 7}, gigabit_Bps, plenty_Bpm, 0).packets, 0);
}
END_TEST

START_TEST(seldom) {
  BulkTurns turns({.every_s = 600, .node_pause_s = 60});
  const auto goes = [&](std::int32_t a, std::int32_t b, double now_s) {
    turns.begin_round();
    return turns.take({a, b}, gigabit_Bps, plenty_Bpm, now_s).packets > 0;
  };
  ck_assert(goes(0, 1, 1000));
  ck_assert(!goes(0, 1, 1059));
  ck_assert(!goes(0, 2, 1059));  // node 0 has to pause
  ck_assert(!goes(2, 1, 1059));
  ck_assert(goes(2, 3, 1059));
  ck_assert(goes(0, 2, 1119));
  ck_assert(!goes(0, 1, 1599));
  ck_assert(goes(0, 1, 1600));

  BulkTurns many({.at_once = 2});
  many.begin_round();
  int streams = 0;
  for (std::int32_t node = 0; node < 20; node += 2)
    streams += many.take({node, node + 1}, gigabit_Bps, plenty_Bpm, 0).packets > 0;
  ck_assert_int_eq(streams, 2);
  many.begin_round();
  ck_assert_uint_gt(many.take({10, 11}, gigabit_Bps, plenty_Bpm, 0).packets, 0);
}
END_TEST

// A node sends no more for bulk streams than a quarter of its budget.
START_TEST(within_the_budget_of_the_agent) {
  Config config;
  config.probe_link_percent = 1;
  const double budget_Bpm = probe_budget_Bpm(config, gigabit_Bps);
  ck_assert_double_eq(budget_Bpm, static_cast<double>(config.probe_bytes_per_minute));
  ck_assert_double_eq(probe_budget_Bpm(config, 12.5e6), 12.5e6 * 60 / 100);
  ck_assert_double_eq(probe_budget_Bpm(config, unknown_value), budget_Bpm);
  BulkTurns turns({});
  double sent = 0;
  for (double now_s = 0; now_s < 600; now_s += 2) {
    turns.begin_round();
    for (std::int32_t peer = 1; peer < 100; ++peer)
      sent += turns.take({0, peer}, gigabit_Bps, budget_Bpm, now_s).packets * static_cast<double>(max_datagram);
  }
  ck_assert_double_gt(sent, 0);
  ck_assert_double_le(sent, 10 * budget_Bpm / 4);
}
END_TEST

START_TEST(who_is_little_loaded) {
  ck_assert(little_loaded(0.1, 1e6, gigabit_Bps));
  ck_assert(little_loaded(0.1, 1e6, unknown_value));
  ck_assert(!little_loaded(0.3, 1e6, gigabit_Bps));
  ck_assert(!little_loaded(0.1, 10e6, gigabit_Bps));
  ck_assert(!little_loaded(unknown_value, 1e6, gigabit_Bps));
  ck_assert(!little_loaded(0.1, unknown_value, gigabit_Bps));
}
END_TEST

int main() {
  Suite* suite = suite_create("bulk");
  TCase* tests = tcase_create("bulk");
  tcase_add_test(tests, one_of_six_turns_is_a_stream);
  tcase_add_test(tests, length_by_rate_and_budget);
  tcase_add_test(tests, seldom);
  tcase_add_test(tests, within_the_budget_of_the_agent);
  tcase_add_test(tests, who_is_little_loaded);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
