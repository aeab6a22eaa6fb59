// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/monitor/pair_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/state/live_state.hpp"
#include "common/util/random.hpp"
#include "tests/check.hpp"

using namespace placement;
using namespace placement::monitor;

namespace {

constexpr auto lat = Measurement::latency;
constexpr auto bw = Measurement::bandwidth;

// Returns leaf switches with this number of nodes below one root: 2 hops within a leaf switch, 4 between two.
NodeSwitches places(std::int32_t leaves, std::int32_t per_leaf) {
  NodeSwitches p;
  p.leaves = leaves;
  for (std::int32_t i = 0; i < leaves * per_leaf; ++i) p.leaf_of_node.push_back(i / per_leaf);
  for (std::int32_t i = 0; i < leaves * leaves; ++i) p.hops.push_back(i / leaves == i % leaves ? 2 : 4);
  return p;
}

// Checks that the table passes the test that each reader of a snapshot makes.
void check_valid(const PairTable& table, std::int32_t nodes) {
  LiveState state;
  for (std::int32_t i = 0; i < nodes; ++i) {
    state.nodes.emplace_back();
    state.nodes.back().name = "n" + std::to_string(i);
  }
  state.pairs = table;
  ck_assert_text_eq(error_of([&] { check_live_state(state); }), "");
}

struct Cell {
  const PairTable& table;
  std::size_t at;
  Cell(const PairTable& t, std::int32_t g, std::int32_t h) : table(t), at(static_cast<std::size_t>(g * t.groups + h)) {}
  double latency() const { return static_cast<double>(table.latency_us[at]); }
  double bandwidth() const { return static_cast<double>(table.bandwidth_Bps[at]); }
  double peak() const { return static_cast<double>(table.peak_bandwidth_Bps[at]); }
  PairSource source() const { return table.source[at]; }
  double age() const { return static_cast<double>(table.age_s[at]); }
};

}  // namespace

START_TEST(nothing_measured) {
  PairModel model(places(2, 2), {});
  ck_assert_int_eq(model.table(0).groups, 0);
  for (const double none : {0.0, -1.0, unknown_value, 1e300, HUGE_VAL}) model.add(0, 1, lat, none, 0);
  model.add(1, 1, lat, 5, 0);
  ck_assert_uint_eq(model.size(), 0);
  ck_assert_int_eq(PairModel({}, {}).table(0).groups, 0);
}
END_TEST

START_TEST(each_pair_of_a_small_cluster) {
  PairModel model(places(2, 2), {});
  model.add(1, 0, lat, 10, 100);
  model.add(0, 1, bw, 1e9, 130);
  model.add(0, 2, lat, 40, 140);
  model.add(0, 2, bw, 1e8, 140);
  const PairTable table = model.table(200);
  check_valid(table, 4);
  ck_assert_int_eq(table.groups, 4);
  ck_assert(Cell(table, 0, 1).source() == PairSource::measured);
  ck_assert_double_eq(Cell(table, 1, 0).latency(), 10);
  ck_assert_double_eq(Cell(table, 1, 0).bandwidth(), 1e9);
  ck_assert_double_eq(Cell(table, 1, 0).age(), 100);  // the age of the older value
  // The pair 2-3 has the value of the class of 0-1.
  ck_assert(Cell(table, 2, 3).source() == PairSource::modelled);
  ck_assert_double_eq_tol(Cell(table, 2, 3).latency(), 10, 0.1);
  ck_assert_double_eq_tol(Cell(table, 1, 3).bandwidth(), 1e8, 1e3);
  ck_assert(std::isnan(Cell(table, 0, 0).latency()) && Cell(table, 0, 0).source() == PairSource::none);
  ck_assert_uint_eq(table.node_latency_us.size(), 0);
  // A measurement that is too old is not used.
  ck_assert_int_eq(model.table(100000).groups, 0);
  model.add(0, 1, lat, 12, 100000);
  const PairTable later = model.table(100000);
  ck_assert(Cell(later, 0, 1).source() == PairSource::modelled);  // there is no measurement of bandwidth
  ck_assert(std::isnan(Cell(later, 0, 1).bandwidth()));
  ck_assert(Cell(later, 0, 2).source() == PairSource::assumed);
  check_valid(later, 4);
  model.forget_old(100000);
  ck_assert_uint_eq(model.size(), 1);
}
END_TEST

// placement-monitor(8): a value counts as measured for two hours; then it is modelled.
START_TEST(a_value_counts_as_measured_for_two_hours) {
  PairModel model(places(2, 2), {});
  model.add(0, 1, lat, 10, 100);
  model.add(0, 1, bw, 1e9, 100);
  model.add(2, 3, lat, 12, 9000);
  model.add(2, 3, bw, 1e9, 9000);
  const PairTable before = model.table(100 + 7199), after = model.table(100 + 7201);
  ck_assert(Cell(before, 0, 1).source() == PairSource::measured);
  ck_assert(Cell(after, 0, 1).source() == PairSource::modelled);
}
END_TEST

// A measurement by MPI replaces the probes of its pair for 26 hours, although probes arrive meanwhile.
START_TEST(mpi_counts_instead_of_probes_until_it_is_old) {
  PairModel model(places(2, 2), {});
  const double day_s = 24 * 3600;
  model.add(0, 1, lat, 50, 100);
  model.add(0, 1, bw, 3e8, 100);
  model.add_mpi(1, 0, 2, 1.2e10, 110, 110);
  model.add_mpi(2, 3, 3, 1.0e10, 120, 120);  // no probe has measured it
  model.add_mpi(0, 1, 9, 1e9, 105, 120);     // is older than the last one
  ck_assert_uint_eq(model.size(), 2);
  PairTable table = model.table(200);
  check_valid(table, 4);
  ck_assert(Cell(table, 0, 1).source() == PairSource::mpi);
  ck_assert_double_eq(Cell(table, 0, 1).latency(), 2);
  ck_assert_double_eq_tol(Cell(table, 0, 1).bandwidth(), 1.2e10, 1e3);
  ck_assert_double_eq(Cell(table, 0, 1).age(), 90);
  ck_assert(Cell(table, 2, 3).source() == PairSource::mpi);
  ck_assert_double_eq(Cell(table, 2, 3).latency(), 3);
  ck_assert(Cell(table, 0, 2).source() == PairSource::assumed);
  model.add(0, 1, lat, 60, day_s);
  model.add(0, 1, bw, 2e8, day_s);
  table = model.table(day_s);
  ck_assert_double_eq(Cell(table, 0, 1).latency(), 2);
  ck_assert_double_eq(Cell(table, 0, 1).age(), day_s - 110);
  model.add(0, 1, lat, 60, 110 + 26 * 3600);
  model.add(0, 1, bw, 2e8, 110 + 26 * 3600);
  model.forget_old(111 + 26 * 3600);
  table = model.table(111 + 26 * 3600);
  ck_assert(Cell(table, 0, 1).source() == PairSource::measured);
  ck_assert_double_eq(Cell(table, 0, 1).latency(), 60);
  ck_assert_ptr_nonnull(model.find(2, 3));  // nine seconds are left
  model.forget_old(121 + 26 * 3600);
  ck_assert_ptr_null(model.find(2, 3));
}
END_TEST

// Probes over IP give a hundredth of what MPI reaches. A pair that MPI has not measured is no worse for that.
START_TEST(pairs_by_probes_are_scaled_to_those_by_mpi) {
  PairModel model(places(2, 2), {});
  for (int round = 0; round < 3; ++round)
    for (std::int32_t a = 0; a < 4; ++a)
      for (std::int32_t b = a + 1; b < 4; ++b) {
        const bool slow = a == 2 && b == 3;
        model.add(a, b, lat, slow ? 80 : 40 + round % 2, round);
        model.add(a, b, bw, slow ? 1e8 : 3e8, round);
      }
  for (std::int32_t b = 1; b < 4; ++b) model.add_mpi(0, b, 4, 3e10, 5, 5);
  const PairTable table = model.table(10);
  check_valid(table, 4);
  ck_assert(Cell(table, 0, 1).source() == PairSource::mpi && Cell(table, 1, 2).source() == PairSource::measured);
  ck_assert_double_eq_tol(Cell(table, 1, 2).bandwidth(), 3e10, 1e8);
  ck_assert_double_eq_tol(Cell(table, 1, 2).latency(), 4, 0.2);
  ck_assert_double_eq_tol(Cell(table, 2, 3).bandwidth(), 1e10, 1e8);
  ck_assert_double_eq_tol(Cell(table, 2, 3).latency(), 8, 0.4);
  // The error of a pair is as large a part of its value as by probes.
  const PairArrays::CellForecast mpi = pair_forecast(table, 0, 1), probed = pair_forecast(table, 1, 2);
  ck_assert(mpi.latency == Predictor::last && probed.latency != Predictor::none);
  ck_assert_double_gt(static_cast<double>(mpi.latency_error_us), 0);
  ck_assert_double_eq_tol(static_cast<double>(mpi.latency_error_us), static_cast<double>(probed.latency_error_us),
                          0.01);
}
END_TEST

// Where leaf switches are measured instead of nodes, the source is mpi if MPI has measured all pairs of the cell.
START_TEST(mpi_between_leaf_switches) {
  PairModelSettings settings;
  settings.all_pairs_nodes = 2;
  PairModel model(places(2, 2), settings);
  model.add_mpi(0, 2, 5, 1e10, 1, 1);
  model.add_mpi(0, 1, 4, 2e10, 1, 1);
  PairTable table = model.table(2);
  check_valid(table, 4);
  ck_assert_int_eq(table.groups, 2);
  ck_assert(Cell(table, 0, 1).source() == PairSource::mpi);
  ck_assert_double_eq_tol(Cell(table, 0, 1).peak(), 1e10, 1e3);
  ck_assert_double_eq_tol(static_cast<double>(table.node_bandwidth_Bps[0]), 2e10, 1e4);
  model.add(1, 3, lat, 5, 1);
  model.add(1, 3, bw, 1e10, 1);
  table = model.table(2);
  ck_assert(Cell(table, 0, 1).source() == PairSource::measured);
}
END_TEST

START_TEST(a_forecast_not_the_last_value) {
  PairModel model(places(1, 2), {});
  for (int i = 0; i < 20; ++i) model.add(0, 1, bw, i % 5 == 4 ? 1e7 : 1e9, i);
  ck_assert_double_eq(Cell(model.table(20), 0, 1).bandwidth(), 1e9);
  ck_assert_double_eq(Cell(model.table(20), 0, 1).peak(), 1e9);
  // A load that lasts changes the forecast; the peak keeps the old value.
  for (int i = 20; i < 40; ++i) model.add(0, 1, bw, 2e8, i);
  ck_assert_double_eq(Cell(model.table(40), 0, 1).bandwidth(), 2e8);
  ck_assert_double_eq(Cell(model.table(40), 0, 1).peak(), 1e9);
}
END_TEST

START_TEST(slow_links_of_a_large_machine) {
  // There are 20 leaf switches of 10 nodes. The uplink of leaf 3 and the link of node 57 are slow. Few pairs are
  // measured.
  const std::int32_t leaves = 20, per_leaf = 10, nodes = leaves * per_leaf;
  PairModel model(places(leaves, per_leaf), {});
  const auto latency = [&](std::int32_t a, std::int32_t b) {
    return (a / per_leaf == b / per_leaf ? 10.0 : 25.0) + (a == 57 || b == 57 ? 400 : 0);
  };
  const auto bandwidth = [&](std::int32_t a, std::int32_t b) {
    const bool outside = a / per_leaf != b / per_leaf;
    double rate = outside ? 1e9 : 1.2e9;
    if (outside && (a / per_leaf == 3 || b / per_leaf == 3)) rate = 3e8;
    return a == 57 || b == 57 ? std::min(rate, 1e8) : rate;
  };
  std::vector<std::int32_t> leaf_of_node(static_cast<std::size_t>(nodes));
  for (std::int32_t i = 0; i < nodes; ++i) leaf_of_node[static_cast<std::size_t>(i)] = i / per_leaf;
  ProbeSchedule schedule(leaf_of_node, {});
  for (double now = 0; now < 1000; now += 0.5)
    for (const ProbePair& pair : schedule.next(now, std::vector<bool>(static_cast<std::size_t>(nodes), true)).pairs) {
      model.add(pair.a, pair.b, lat, latency(pair.a, pair.b), now);
      model.add(pair.a, pair.b, bw, bandwidth(pair.a, pair.b), now);
    }
  ck_assert_uint_lt(model.size(), 1200);  // there are 19,900 pairs
  const PairTable table = model.table(1000);
  check_valid(table, nodes);
  ck_assert_int_eq(table.groups, leaves);
  const auto tell_latency = [&](std::int32_t a, std::int32_t b) {
    return Cell(table, a / per_leaf, b / per_leaf).latency() +
           static_cast<double>(table.node_latency_us[static_cast<std::size_t>(a)]) +
           static_cast<double>(table.node_latency_us[static_cast<std::size_t>(b)]);
  };
  const auto tell_bandwidth = [&](std::int32_t a, std::int32_t b) {
    return std::min({Cell(table, a / per_leaf, b / per_leaf).bandwidth(),
                     static_cast<double>(table.node_bandwidth_Bps[static_cast<std::size_t>(a)]),
                     static_cast<double>(table.node_bandwidth_Bps[static_cast<std::size_t>(b)])});
  };
  for (std::int32_t a = 0; a < nodes; ++a)
    for (std::int32_t b = a + 1; b < nodes; ++b) {
      const double want = bandwidth(a, b);
      ck_assert_msg(std::fabs(tell_bandwidth(a, b) / want - 1) < 0.25, "%d-%d: %g instead of %g", a, b,
                    tell_bandwidth(a, b), want);
      if (a != 57 && b != 57)
        ck_assert_double_eq_tol(tell_latency(a, b), latency(a, b), 5);
      else
        ck_assert_double_gt(tell_latency(a, b), 150);
    }
  std::int64_t measured = 0;
  for (const PairSource source : table.source) measured += source == PairSource::measured;
  ck_assert_int_gt(measured, leaves * (leaves - 1) * 9 / 10);
}
END_TEST

START_TEST(a_liar_harms_itself_alone) {
  // Node 0 reports wrong values for all its pairs. The values of the other pairs stay within a tenth.
  PairModel model(places(20, 10), {});
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::int32_t a = random.below(200), b = random.below(200);
    if (a == b) continue;
    const bool lie = a == 0 || b == 0;
    model.add(a, b, lat, lie ? 1e6 : 20, round);
    model.add(a, b, bw, lie ? 1 : 1e9, round);
  }
  const PairTable table = model.table(2000);
  check_valid(table, 200);
  for (std::int32_t a = 1; a < 200; ++a) {
    ck_assert_double_lt(static_cast<double>(table.node_latency_us[static_cast<std::size_t>(a)]), 2);
    ck_assert_double_gt(static_cast<double>(table.node_bandwidth_Bps[static_cast<std::size_t>(a)]), 9e8);
  }
  ck_assert_double_lt(static_cast<double>(table.node_bandwidth_Bps[0]), 10);
  for (std::int32_t g = 0; g < 20; ++g)
    for (std::int32_t h = 0; h < 20; ++h) {
      ck_assert_double_gt(Cell(table, g, h).bandwidth(), 9e8);
      ck_assert_double_lt(Cell(table, g, h).latency(), 22);
    }
}
END_TEST

// The snapshot accepts the table with any reported values. Otherwise one wrong node would leave all without a
// table.
START_TEST(no_number_spoils_the_table) {
  for (const std::int32_t most : {64, 2}) {  // with all pairs, and with one node of each switch
    PairModelSettings settings;
    settings.all_pairs_nodes = most;
    PairModel model(places(3, 3), settings);
    for (const double huge : {3e38, 1e300, std::numeric_limits<double>::infinity()}) {
      model.add(0, 1, lat, huge, 10);
      model.add(0, 1, bw, huge, 10);
    }
    ck_assert_ptr_null(model.find(0, 1));
    // These are the largest values that are accepted. With the model's corrections they would be larger.
    for (std::int32_t b = 1; b < 6; ++b) {
      model.add(0, b, lat, b < 3 ? 1 : 1e9, 10);
      model.add(0, b, bw, b < 3 ? 1 : 1e15, 10);
      model.add(8, b, lat, 1e9, 10);
      model.add(8, b, bw, 1e15, 10);
    }
    check_valid(model.table(11), 9);
  }
}
END_TEST

START_TEST(memory_is_bounded) {
  PairModelSettings settings;
  settings.most_pairs = 10;
  PairModel model(places(1, 50), settings);
  for (std::int32_t b = 1; b < 50; ++b) model.add(0, b, lat, 5, b);
  ck_assert_uint_eq(model.size(), 10);
  ck_assert_int_eq(model.dropped(), 39);
  model.add(0, 1, lat, 5, 50);  // a pair that is known needs no room
  ck_assert_int_eq(model.dropped(), 39);
  model.add(0, 49, lat, 5, 1e6);  // the old pairs are removed
  ck_assert_uint_eq(model.size(), 1);
}
END_TEST

int main() {
  Suite* suite = suite_create("pair_model");
  TCase* tests = tcase_create("pair_model");
  tcase_add_test(tests, nothing_measured);
  tcase_add_test(tests, each_pair_of_a_small_cluster);
  tcase_add_test(tests, a_value_counts_as_measured_for_two_hours);
  tcase_add_test(tests, mpi_counts_instead_of_probes_until_it_is_old);
  tcase_add_test(tests, pairs_by_probes_are_scaled_to_those_by_mpi);
  tcase_add_test(tests, mpi_between_leaf_switches);
  tcase_add_test(tests, a_forecast_not_the_last_value);
  tcase_add_test(tests, slow_links_of_a_large_machine);
  tcase_add_test(tests, a_liar_harms_itself_alone);
  tcase_add_test(tests, no_number_spoils_the_table);
  tcase_add_test(tests, memory_is_bounded);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
