// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "monitor/protocol/messages.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;
using namespace placement::protocol;

namespace {

using Met = std::pair<std::int32_t, std::int32_t>;

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

// Checks that no node is in two probes at once.
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

std::map<Met, int> count(const std::vector<Told>& told, Measurement measurement) {
  std::map<Met, int> times;
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
    std::set<Met> met;
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
      const std::map<Met, int> times = count(told, measurement);
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

// Two trains at once over one uplink would each measure half of its bandwidth.
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
        if (leaf_of(a) != leaf_of(c) && leaf_of(a) != leaf_of(d) && leaf_of(b) != leaf_of(c) &&
            leaf_of(b) != leaf_of(d))
          continue;
        ck_assert_double_ge(std::abs(t.round.start_s[i] - t.round.start_s[k]), settings.bandwidth_probe_s);
        ++shared;
      }
    }
  }
  ck_assert_int_gt(shared, 0);
}
END_TEST

// Many pairs over few uplinks take longer than a lease may last. The round is continued, and no pair is left out.
START_TEST(no_round_is_longer_than_a_lease) {
  for (const std::int32_t nodes : {512, 1024}) {
    std::vector<std::int32_t> leaf(static_cast<std::size_t>(nodes));
    for (std::size_t i = leaf.size() / 2; i < leaf.size(); ++i) leaf[i] = 1;
    ScheduleSettings settings;
    settings.all_pairs_nodes = 1024;
    settings.latency_period_s = 1e6;  // few rounds for latency in between
    ProbeSchedule schedule(leaf, settings);
    ck_assert(schedule.all_pairs());
    const std::vector<bool> usable(leaf.size(), true);
    const std::int64_t wanted = std::int64_t{nodes} * (nodes - 1) / 2;
    std::vector<bool> met(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes));
    std::int64_t pairs = 0;
    std::int32_t rounds = 0;
    double longest_s = 0;
    for (double now = 0; pairs < wanted;) {
      ck_assert_double_lt(now, 1e7);
      const ProbeSchedule::Round round = schedule.next(now, usable);
      if (round.pairs.empty()) {
        now += 0.1;
        continue;
      }
      ck_assert_uint_le(static_cast<std::uint32_t>(round.lasts_s * 1000), max_lease_ms);
      longest_s = std::max(longest_s, round.lasts_s);
      std::vector<bool> busy(leaf.size());
      double uplink_free_s = 0;
      for (std::size_t k = 0; k < round.pairs.size(); ++k) {
        const auto a = static_cast<std::size_t>(round.pairs[k].a), b = static_cast<std::size_t>(round.pairs[k].b);
        if (busy[a] || busy[b]) ck_abort_msg("%zu-%zu: in two probes at once", a, b);
        busy[a] = busy[b] = true;
        if (round.start_s[k] >= round.lasts_s) ck_abort_msg("%zu-%zu: ends after its lease", a, b);
        if (round.measurement != Measurement::bandwidth) continue;
        if (leaf[a] != leaf[b]) {
          if (round.start_s[k] < uplink_free_s) ck_abort_msg("%zu-%zu: the uplink is not free", a, b);
          uplink_free_s = round.start_s[k] + settings.bandwidth_probe_s;
        }
        if (met[a * leaf.size() + b]) ck_abort_msg("%zu-%zu: twice", a, b);
        met[a * leaf.size() + b] = true;
        ++pairs;
      }
      rounds += round.measurement == Measurement::bandwidth;
      // No pair is probed before the round is over.
      ck_assert(schedule.next(now + round.lasts_s - 0.01, usable).pairs.empty());
      now += round.lasts_s;
    }
    ck_assert_int_eq(pairs, wanted);
    ck_assert_int_gt(rounds, tournament_rounds(nodes));
    ck_assert_double_gt(longest_s, 50);
  }
}
END_TEST

// The rest of a round is measured also where nodes are paired at random. Nodes that are away by then are left out.
START_TEST(a_continued_round_looks_who_is_there) {
  std::vector<std::int32_t> leaf(1200);
  for (std::size_t i = 600; i < leaf.size(); ++i) leaf[i] = 1;
  ScheduleSettings settings;
  settings.random_peers = 1;
  settings.longest_round_s = 10;
  ProbeSchedule schedule(leaf, settings);
  std::vector<bool> usable(leaf.size(), true);
  const std::vector<Told> told = run(schedule, 0, 500, usable);
  check_disjoint(told, 1200);
  std::vector<bool> seen(leaf.size());
  bool across = false;
  for (const Told& t : told) {
    ck_assert_double_le(t.round.lasts_s, 10);
    for (const ProbePair& pair : t.round.pairs)
      if (t.round.measurement == Measurement::bandwidth) {
        seen[static_cast<std::size_t>(pair.a)] = seen[static_cast<std::size_t>(pair.b)] = true;
        across = across || leaf[static_cast<std::size_t>(pair.a)] != leaf[static_cast<std::size_t>(pair.b)];
      }
  }
  ck_assert(across);
  for (const bool one : seen) ck_assert(one);
  std::fill(usable.begin() + 600, usable.end(), false);
  for (const Told& t : run(schedule, 600, 900, usable))
    for (const ProbePair& pair : t.round.pairs) ck_assert_int_lt(pair.b, 600);
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

// Pairs that wait for each other's uplinks make a period many times longer, and period_s() includes this.
START_TEST(shared_uplinks_stretch_periods) {
  std::vector<std::int32_t> leaf(64);
  for (std::size_t i = 32; i < leaf.size(); ++i) leaf[i] = 1;
  ScheduleSettings settings;
  settings.bandwidth_period_s = 60;
  ProbeSchedule schedule(leaf, settings);
  ck_assert(schedule.all_pairs());
  const double period = schedule.period_s(Measurement::bandwidth);
  // The 32 x 32 pairs between the switches need 256 s, one after another.
  ck_assert_double_gt(period, 256);
  const ProbeSchedule even(std::vector<std::int32_t>(64, 0), settings);
  ck_assert_double_gt(period, even.period_s(Measurement::bandwidth) + 128);
  ck_assert_double_eq(schedule.period_s(Measurement::latency), period);
  const std::vector<Told> told = run(schedule, 0, 2.2 * period, std::vector<bool>(64, true));
  ck_assert_uint_eq(count(told, Measurement::bandwidth).size(), 64 * 63 / 2);
  ProbeSchedule again(leaf, settings);
  ck_assert_uint_lt(count(run(again, 0, 0.5 * period, std::vector<bool>(64, true)), Measurement::bandwidth).size(),
                    64 * 63 / 2);
}
END_TEST

START_TEST(nodes_that_are_away) {
  ProbeSchedule schedule(std::vector<std::int32_t>(6, 0), {});
  ck_assert(schedule.next(0, std::vector<bool>(6, false)).pairs.empty());
  std::vector<bool> usable(6, true);
  usable[2] = usable[5] = false;
  const std::vector<Told> told = run(schedule, 1, 700, usable);
  const std::map<Met, int> times = count(told, Measurement::latency);
  ck_assert_uint_eq(times.size(), 6);
  for (const auto& [key, n] : times) ck_assert(key.first != 2 && key.second != 5 && key.first != 5 && key.second != 2);
  ProbeSchedule none(std::vector<std::int32_t>{}, {});
  ck_assert(none.next(1, {}).pairs.empty());
  ProbeSchedule one(std::vector<std::int32_t>{0}, {});
  ck_assert(one.next(1, {true}).pairs.empty());
}
END_TEST

START_TEST(a_large_machine_is_sampled) {
  // There are 1,000 nodes below 56 switches of 18. One switch has fewer.
  std::vector<std::int32_t> leaf(1000);
  for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = static_cast<std::int32_t>(i / 18);
  const std::int32_t leaves = leaf.back() + 1;
  ProbeSchedule schedule(leaf, {});
  ck_assert(!schedule.all_pairs());
  const double period = schedule.period_s(Measurement::latency);
  ck_assert_double_lt(period, 120);
  const std::vector<Told> told =
      run(schedule, 0, 1.5 * schedule.period_s(Measurement::bandwidth), std::vector<bool>(1000, true));
  check_disjoint(told, 1000);
  for (const Told& t : told) ck_assert_uint_le(t.round.pairs.size(), 256);
  for (const Measurement measurement : {Measurement::latency, Measurement::bandwidth}) {
    std::set<Met> leaf_pairs;
    std::vector<int> peers(1000, 0);
    for (const auto& [key, n] : count(told, measurement)) {
      const std::int32_t a = leaf[static_cast<std::size_t>(key.first)], b = leaf[static_cast<std::size_t>(key.second)];
      leaf_pairs.insert({std::min(a, b), std::max(a, b)});
      ++peers[static_cast<std::size_t>(key.first)];
      ++peers[static_cast<std::size_t>(key.second)];
    }
    // Each pair of switches was measured, and each switch within itself.
    ck_assert_uint_eq(leaf_pairs.size(), static_cast<std::size_t>(leaves * (leaves - 1) / 2 + leaves));
    for (const int n : peers) ck_assert_int_ge(n, 2);
  }
  ScheduleSettings other_seed;
  other_seed.seed = 2;
  // An equal seed gives an equal schedule, and another seed a different one.
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

// placement-monitor(8): with more than ProbeAllPairsNodes nodes the pairs stay the same for an hour.
START_TEST(a_large_machine_keeps_its_pairs_for_an_hour) {
  std::vector<std::int32_t> leaf(200);
  for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = static_cast<std::int32_t>(i / 20);
  ProbeSchedule schedule(leaf, {});
  std::vector<bool> usable(200, true);
  const auto pairs_until = [&](double from, double to) {
    std::set<Met> pairs;
    for (const auto& [pair, times] : count(run(schedule, from, to, usable), Measurement::latency)) pairs.insert(pair);
    return pairs;
  };
  const std::set<Met> first = pairs_until(0, 1700);
  // Without one node the others keep their pairs. Only another node may have to stand for its switch, and meets nine.
  usable[57] = false;
  int other = 0;
  for (const Met& pair : pairs_until(1900, 2700)) {
    ck_assert(pair.first != 57 && pair.second != 57);
    other += !first.contains(pair);
  }
  ck_assert_int_le(other, 9);
  pairs_until(2700, 2800);
  usable[57] = true;
  ck_assert(pairs_until(2800, 3500) == first);
  pairs_until(3500, 3800);
  ck_assert(pairs_until(3800, 5300) != first);
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
  tcase_add_test(tests, no_round_is_longer_than_a_lease);
  tcase_add_test(tests, a_continued_round_looks_who_is_there);
  tcase_add_test(tests, periods_are_stretched);
  tcase_add_test(tests, shared_uplinks_stretch_periods);
  tcase_add_test(tests, nodes_that_are_away);
  tcase_add_test(tests, a_large_machine_is_sampled);
  tcase_add_test(tests, a_large_machine_keeps_its_pairs_for_an_hour);
  tcase_add_test(tests, after_a_pause_nothing_is_made_up_for);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
