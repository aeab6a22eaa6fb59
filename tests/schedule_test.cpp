// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/check.hpp"

using namespace placement;

namespace {

using Key = std::pair<std::int32_t, std::int32_t>;

struct Told {
  double at_s;
  ProbeSchedule::Round round;
};

std::vector<Told> run(ProbeSchedule& schedule, double from, double to, const std::vector<bool>& usable) {
  std::vector<Told> told;
  for (double now = from; now < to; now += 0.1)
    if (ProbeSchedule::Round round = schedule.next(now, usable); !round.pairs.empty())
      told.push_back({now, std::move(round)});
  return told;
}

// No node is in two probes at once.
void check_disjoint(const std::vector<Told>& told, std::int32_t nodes) {
  std::vector<double> busy_until(static_cast<std::size_t>(nodes), -1);
  for (const Told& t : told)
    for (const ProbePair& pair : t.round.pairs) {
      ck_assert_int_lt(pair.a, pair.b);
      for (const std::int32_t node : {pair.a, pair.b}) {
        ck_assert_double_le(busy_until[static_cast<std::size_t>(node)], t.at_s);
        busy_until[static_cast<std::size_t>(node)] = t.at_s + t.round.lasts_s;
      }
    }
}

std::map<Key, int> count(const std::vector<Told>& told, Measurement measurement) {
  std::map<Key, int> times;
  for (const Told& t : told)
    if (t.round.measurement == measurement)
      for (const ProbePair& pair : t.round.pairs) ++times[{pair.a, pair.b}];
  return times;
}

}  // namespace

START_TEST(tournaments) {
  for (std::int32_t n = 0; n <= 41; ++n) {
    const std::int32_t rounds = tournament_rounds(n);
    ck_assert_int_eq(rounds, n < 2 ? 0 : n % 2 ? n : n - 1);
    std::set<Key> met;
    for (std::int32_t r = 0; r < rounds; ++r) {
      std::set<std::int32_t> playing;
      const std::vector<ProbePair> pairs = tournament_round(n, r);
      ck_assert_uint_eq(pairs.size(), static_cast<std::size_t>(n / 2));
      for (const ProbePair& pair : pairs) {
        ck_assert(pair.a >= 0 && pair.a < pair.b && pair.b < n);
        ck_assert(playing.insert(pair.a).second && playing.insert(pair.b).second);
        ck_assert(met.insert({pair.a, pair.b}).second);
      }
    }
    ck_assert_uint_eq(met.size(), static_cast<std::size_t>(n * (n - 1) / 2));
  }
}
END_TEST

START_TEST(all_pairs_in_time) {
  for (const std::int32_t nodes : {2, 3, 8, 31, 60}) {
    ProbeSchedule schedule(std::vector<std::int32_t>(static_cast<std::size_t>(nodes), 0), {});
    const std::vector<Told> told = run(schedule, 100, 1900, std::vector<bool>(static_cast<std::size_t>(nodes), true));
    check_disjoint(told, nodes);
    const auto pairs = static_cast<std::size_t>(nodes * (nodes - 1) / 2);
    for (const Measurement measurement : {Measurement::latency, Measurement::bandwidth}) {
      const std::map<Key, int> times = count(told, measurement);
      ck_assert_uint_eq(times.size(), pairs);
      for (const auto& [key, n] : times) {
        const int wanted = measurement == Measurement::latency ? 30 : 6;
        if (nodes <= 31) ck_assert_msg(n >= wanted - 1 && n <= wanted + 1, "%d nodes: %d times", nodes, n);
        ck_assert_int_ge(n, measurement == Measurement::latency ? 15 : 4);
      }
    }
  }
}
END_TEST

// Two trains at once over one uplink would each find it half as wide.
START_TEST(probes_over_one_uplink_come_one_after_another) {
  const std::vector<std::int32_t> leaf = {0, 0, 1, 1, 2, 2, 3, 3, 3};
  const ScheduleSettings settings;
  ProbeSchedule schedule(leaf, settings);
  const std::vector<Told> told = run(schedule, 0, 600, std::vector<bool>(leaf.size(), true));
  check_disjoint(told, 9);
  ck_assert_uint_eq(count(told, Measurement::bandwidth).size(), 36);
  int shared = 0;
  for (const Told& t : told) {
    ck_assert_uint_eq(t.round.start_s.size(), t.round.pairs.size());
    const auto leaf_of = [&](std::int32_t node) { return leaf[static_cast<std::size_t>(node)]; };
    for (std::size_t i = 0; i < t.round.pairs.size(); ++i) {
      const auto [a, b] = t.round.pairs[i];
      const bool bandwidth = t.round.measurement == Measurement::bandwidth;
      if (!bandwidth || leaf_of(a) == leaf_of(b)) ck_assert_double_eq(t.round.start_s[i], 0);
      if (bandwidth) ck_assert_double_ge(t.round.lasts_s, t.round.start_s[i] + settings.bandwidth_round_s);
      for (std::size_t k = 0; bandwidth && k < i; ++k) {
        const auto [c, d] = t.round.pairs[k];
        if (leaf_of(a) == leaf_of(b) || leaf_of(c) == leaf_of(d)) continue;
        if (leaf_of(a) != leaf_of(c) && leaf_of(a) != leaf_of(d) && leaf_of(b) != leaf_of(c) && leaf_of(b) != leaf_of(d)) continue;
        ck_assert_double_ge(std::abs(t.round.start_s[i] - t.round.start_s[k]), settings.bandwidth_probe_s);
        ++shared;
      }
    }
  }
  ck_assert_int_gt(shared, 0);
}
END_TEST

// A stream has its uplinks for itself, and its nodes meet nobody before it is over.
START_TEST(bulk_streams_make_a_round_longer) {
  const std::vector<std::int32_t> leaf = {0, 0, 1, 1, 2, 2, 3, 3, 3};
  const ScheduleSettings settings;
  ProbeSchedule schedule(leaf, settings);
  const std::vector<bool> usable(leaf.size(), true);
  int asked = 0, streams = 0, behind = 0;
  const auto ask = [&asked](const ProbePair& pair) {
    ++asked;
    return (pair.a + pair.b) % 2 ? BulkStream{500, 1.5} : BulkStream{};
  };
  double free_s = -1;
  int pairs_of_bandwidth = 0;
  for (double now = 0; now < 600; now += 0.1) {
    const ProbeSchedule::Round round = schedule.next(now, usable, ask);
    if (round.pairs.empty()) continue;
    ck_assert_double_ge(now, free_s);
    free_s = now + round.lasts_s;
    ck_assert_uint_eq(round.bulk.size(), round.pairs.size());
    const bool bandwidth = round.measurement == Measurement::bandwidth;
    pairs_of_bandwidth += bandwidth ? static_cast<int>(round.pairs.size()) : 0;
    const auto across = [&](const ProbePair& pair) { return leaf[static_cast<std::size_t>(pair.a)] != leaf[static_cast<std::size_t>(pair.b)]; };
    const auto meets = [&](const ProbePair& x, const ProbePair& y) {
      for (const std::int32_t p : {x.a, x.b})
        for (const std::int32_t q : {y.a, y.b})
          if (leaf[static_cast<std::size_t>(p)] == leaf[static_cast<std::size_t>(q)]) return across(x) && across(y);
      return false;
    };
    for (std::size_t i = 0; i < round.pairs.size(); ++i) {
      if (!bandwidth) {
        ck_assert_uint_eq(round.bulk[i].packets, 0);
        ck_assert_double_eq(round.lasts_s, settings.latency_round_s);
        continue;
      }
      streams += round.bulk[i].packets > 0;
      ck_assert_double_ge(round.lasts_s, round.start_s[i] + round.bulk[i].lasts_s + settings.bandwidth_round_s);
      for (std::size_t k = 0; k < i; ++k) {
        if (!meets(round.pairs[i], round.pairs[k])) continue;
        ck_assert_double_ge(round.start_s[i], round.start_s[k] + settings.bandwidth_probe_s + round.bulk[k].lasts_s);
        behind += round.bulk[k].packets > 0;
      }
    }
  }
  ck_assert_int_eq(asked, pairs_of_bandwidth);
  ck_assert_int_gt(streams, 0);
  ck_assert_int_gt(behind, 0);
}
END_TEST

START_TEST(periods_are_stretched) {
  ProbeSchedule few(std::vector<std::int32_t>(8, 0), {});
  ck_assert_double_eq(few.period_s(Measurement::latency), 60);
  ck_assert_double_eq(few.period_s(Measurement::bandwidth), 300);
  ScheduleSettings settings;
  settings.all_pairs_nodes = 150;
  ProbeSchedule many(std::vector<std::int32_t>(150, 0), settings);
  ck_assert(many.all_pairs());
  const double stretched = many.period_s(Measurement::bandwidth);
  ck_assert_double_gt(stretched, 600);
  const std::vector<Told> told = run(many, 0, 2.2 * stretched, std::vector<bool>(150, true));
  check_disjoint(told, 150);
  ck_assert_uint_eq(count(told, Measurement::bandwidth).size(), 150 * 149 / 2);
  ck_assert_uint_eq(count(told, Measurement::latency).size(), 150 * 149 / 2);
}
END_TEST

START_TEST(nodes_that_are_away) {
  ProbeSchedule schedule(std::vector<std::int32_t>(6, 0), {});
  ck_assert(schedule.next(0, std::vector<bool>(6, false)).pairs.empty());
  std::vector<bool> usable(6, true);
  usable[2] = usable[5] = false;
  const std::vector<Told> told = run(schedule, 1, 700, usable);
  const std::map<Key, int> times = count(told, Measurement::latency);
  ck_assert_uint_eq(times.size(), 6);
  for (const auto& [key, n] : times) ck_assert(key.first != 2 && key.second != 5 && key.first != 5 && key.second != 2);
  ProbeSchedule none(std::vector<std::int32_t>{}, {});
  ck_assert(none.next(1, {}).pairs.empty());
  ProbeSchedule one(std::vector<std::int32_t>{0}, {});
  ck_assert(one.next(1, {true}).pairs.empty());
}
END_TEST

START_TEST(a_large_machine_is_sampled) {
  // 1,000 nodes below 56 switches of 18, one of them with fewer
  std::vector<std::int32_t> leaf(1000);
  for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = static_cast<std::int32_t>(i / 18);
  const std::int32_t leaves = leaf.back() + 1;
  ProbeSchedule schedule(leaf, {});
  ck_assert(!schedule.all_pairs());
  const double period = schedule.period_s(Measurement::latency);
  ck_assert_double_lt(period, 120);
  const std::vector<Told> told = run(schedule, 0, 1.5 * schedule.period_s(Measurement::bandwidth), std::vector<bool>(1000, true));
  check_disjoint(told, 1000);
  for (const Told& t : told) ck_assert_uint_le(t.round.pairs.size(), 256);
  for (const Measurement measurement : {Measurement::latency, Measurement::bandwidth}) {
    std::set<Key> leaf_pairs;
    std::vector<int> peers(1000, 0);
    for (const auto& [key, n] : count(told, measurement)) {
      const std::int32_t a = leaf[static_cast<std::size_t>(key.first)], b = leaf[static_cast<std::size_t>(key.second)];
      leaf_pairs.insert({std::min(a, b), std::max(a, b)});
      ++peers[static_cast<std::size_t>(key.first)];
      ++peers[static_cast<std::size_t>(key.second)];
    }
    // each pair of switches, each switch within itself
    ck_assert_uint_eq(leaf_pairs.size(), static_cast<std::size_t>(leaves * (leaves - 1) / 2 + leaves));
    for (const int n : peers) ck_assert_int_ge(n, 2);
  }
  ScheduleSettings other_seed;
  other_seed.seed = 2;
  // the same seed tells the same, another seed something else
  ProbeSchedule again(leaf, {}), other(leaf, other_seed);
  const std::vector<Told> same = run(again, 0, 100, std::vector<bool>(1000, true));
  const std::vector<Told> different = run(other, 0, 100, std::vector<bool>(1000, true));
  bool differs = false;
  for (std::size_t i = 0; i < same.size(); ++i) {
    ck_assert(same[i].round.pairs == told[i].round.pairs);
    differs = differs || i >= different.size() || !(different[i].round.pairs == told[i].round.pairs);
  }
  ck_assert(differs);
}
END_TEST

START_TEST(after_a_pause_nothing_is_made_up_for) {
  ProbeSchedule schedule(std::vector<std::int32_t>(8, 0), {});
  run(schedule, 0, 100, std::vector<bool>(8, true));
  const std::vector<Told> told = run(schedule, 10000, 10060, std::vector<bool>(8, true));
  check_disjoint(told, 8);
  ck_assert_uint_le(told.size(), 7 + 7 + 4);
}
END_TEST

int main() {
  Suite* suite = suite_create("schedule");
  TCase* tests = tcase_create("schedule");
  tcase_add_test(tests, tournaments);
  tcase_add_test(tests, all_pairs_in_time);
  tcase_add_test(tests, probes_over_one_uplink_come_one_after_another);
  tcase_add_test(tests, bulk_streams_make_a_round_longer);
  tcase_add_test(tests, periods_are_stretched);
  tcase_add_test(tests, nodes_that_are_away);
  tcase_add_test(tests, a_large_machine_is_sampled);
  tcase_add_test(tests, after_a_pause_nothing_is_made_up_for);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
