// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of what TOFA computes for a mapping: suspect nodes on routes, link loads and probabilities. Tests of the
// paper's window of nodes.

#include <algorithm>
#include <cmath>
#include <set>

#include "common/state/outage_file.hpp"
#include "tests/check.hpp"
#include "tests/tofa/tofa_machines.hpp"
#include "tofa/node_sets.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/route_faults.hpp"

using namespace placement;
using namespace placement::tofa;

START_TEST(faults_on_routes) {
  for (const auto& dimensions : shapes()) {
    const TorusTopology torus = TorusTopology::full(dimensions);
    Random random(3);
    std::vector<bool> suspect(static_cast<std::size_t>(torus.positions()));
    for (std::size_t k = 0; k < suspect.size(); ++k) suspect[k] = random.below(4) == 0;
    RouteFaults faults(torus, suspect);
    RouteFaults tabulated(torus, suspect);
    tabulated.tabulate();
    for (std::int32_t a = 0; a < torus.positions(); ++a)
      for (std::int32_t b = 0; b < torus.positions(); ++b) {
        const std::vector<std::int32_t> route = route_on(torus, a, b);
        std::int32_t met = 0;
        std::int64_t weight = 0;  // [TOFA §3, eq. 1], summed link by link
        for (std::size_t k = 0; k < route.size(); ++k) {
          met += suspect[route[k]];
          if (k > 0) weight += 1 + 100 * (suspect[route[k]] || suspect[route[k - 1]] ? 1 : 0);
        }
        ck_assert_int_eq(faults.on_route(a, b), met);
        ck_assert_int_eq(faults.weight(a, b), weight);
        ck_assert_int_eq(tabulated.between(a, b), faults.on_route(a, b) + faults.on_route(b, a));
      }
  }
}
END_TEST

START_TEST(equation_1_by_hand) {
  const TorusTopology torus = TorusTopology::full(rings({5, 5, 5}));
  std::vector<bool> suspect(125, false);
  suspect[2] = true;  // the position (2, 0, 0)
  const RouteFaults faults(torus, suspect);
  ck_assert_int_eq(faults.weight(0, 0), 0);
  ck_assert_int_eq(faults.weight(0, 1), 1);
  ck_assert_int_eq(faults.weight(0, 2), 1 + 101);
  ck_assert_int_eq(faults.weight(2, 0), 1 + 101);
  ck_assert_int_eq(faults.weight(1, 3), 101 + 101);          // the route passes the suspect node
  ck_assert_int_eq(faults.weight(1, 1 + 5), 1);              // the route does not pass it
  ck_assert_int_eq(faults.weight(0, 3), 1 + 1);              // the other way round the ring is shorter
  ck_assert_int_eq(faults.weight(5 + 2, 0), 1 + 1 + 1);      // x before y: the route avoids it
  ck_assert_int_eq(faults.weight(0, 5 + 2), 1 + 101 + 101);  // the way back passes it
}
END_TEST

START_TEST(assessed_by_brute_force) {
  for (const auto& dimensions : shapes()) {
    const TorusTopology torus = TorusTopology::full(dimensions);
    const std::int32_t ranks = std::max(1, torus.positions() / 2);
    const CommMatrix matrix = random_matrix(ranks, 2 * ranks, 9);
    std::vector<std::int32_t> position;
    for (std::int32_t r = 0; r < ranks; ++r) position.push_back((r * 7 + 3) % torus.positions());
    std::vector<double> outage(static_cast<std::size_t>(torus.positions()), 0);
    Random random(4);
    for (double& p : outage) p = random.below(3) == 0 ? 0.01 * random.below(30) : 0;
    const Assessment found = assess(torus, matrix, position, outage);

    std::vector<std::int64_t> load(static_cast<std::size_t>(torus.links()), 0);
    Cost hops = 0;
    for (const CommEdge& edge : matrix.edges()) {
      hops += static_cast<Cost>(edge.weight) *
              static_cast<Cost>(route_on(torus, position[edge.a], position[edge.b]).size() - 1);
      const auto count = [&](std::int32_t link, std::int32_t) { load[link] += edge.weight; };
      torus.walk(position[edge.a], position[edge.b], count);
      torus.walk(position[edge.b], position[edge.a], count);
    }
    double alive = 1;
    std::int64_t suspects = 0;
    const std::set<std::int32_t> all = touched(torus, matrix, position);
    for (const std::int32_t at : all) {
      alive *= 1 - outage[at];
      suspects += outage[at] > 0;
    }
    ck_assert(found.hop_bytes == hops);
    ck_assert(found.weighted_twice == 2 * hops);
    ck_assert(found.link_load_twice == *std::max_element(load.begin(), load.end()));
    ck_assert_int_eq(found.nodes_touched, static_cast<std::int64_t>(all.size()));
    ck_assert_int_eq(found.suspects_touched, suspects);
    ck_assert_double_eq_tol(found.abort_probability, 1 - alive, 1e-12);
  }
}
END_TEST

START_TEST(closed_form) {
  AnyFailure failure;
  for (int k = 0; k < 3; ++k) failure.add(0.02);
  ck_assert_double_eq_tol(failure.probability(), 1 - 0.98 * 0.98 * 0.98, 1e-15);
  failure.add(0);
  failure.add(1);
  ck_assert_double_eq(failure.probability(), 1);
  ck_assert(std::isfinite(failure.hazard()));
  AnyFailure odd;
  odd.add(-1);
  odd.add(1e-300);
  ck_assert_double_ge(odd.probability(), 0);
  ck_assert_double_eq(expected_seconds(100, 0.5), 200);
  ck_assert_double_eq(expected_seconds(100, 0), 100);
  ck_assert(std::isinf(expected_seconds(100, 1)));
  ck_assert_double_eq_tol(outage_for(0.19, 3600, 7200), 1 - 0.81 * 0.81, 1e-12);
  ck_assert_double_eq(outage_for(0.19, NAN, 7200), 0.19);
  ck_assert_double_eq(outage_for(NAN, 3600, 7200), 0);
  ck_assert_double_eq(outage_for(1, 3600, 1), 1);
}
END_TEST

// doc/tofa.md: a link at a suspect node weighs 101, and less when the node fails with less than 2 %. A node is
// suspect when it fails more than three times as often as the median.
START_TEST(the_weight_of_a_suspect) {
  const auto weight_beside = [](double outage) {  // the weight of a link to a node with this outage probability
    ClusterView view = view_of(rings({9}));
    NodeOutages outages;
    for (std::int32_t node = 0; node < 9; ++node) outages.set(std::to_string(node), node == 4 ? outage : 0.001);
    view.outages = std::make_shared<const NodeOutages>(std::move(outages));
    const RouteFaults faults = FaultModel(view, 0).route_faults(*view.torus);
    ck_assert_int_eq(faults.weight(0, 1), 1);
    ck_assert_int_eq(faults.weight(3, 4), faults.weight(4, 5));
    return faults.weight(3, 4);
  };
  ck_assert_int_eq(weight_beside(0.001), 1);
  ck_assert_int_eq(weight_beside(0.0029), 1);
  ck_assert_int_gt(weight_beside(0.0032), 1);
  ck_assert_int_eq(weight_beside(0.01), 51);
  ck_assert_int_lt(weight_beside(0.0198), 101);
  for (const double often : {0.02, 0.021, 0.5, 1.0}) ck_assert_int_eq(weight_beside(often), 101);
}
END_TEST

// doc/tofa.md: (1 - s + s (3/4 H + 1/4 L)) / (1 - q).
START_TEST(expected_time_by_hand) {
  ClusterView view = view_of(rings({8}));
  set_outages(view, {6}, 0.1);
  const FaultModel fault_model(view, 0);
  const RouteFaults faults = fault_model.route_faults(*view.torus);
  const CommMatrix matrix = CommMatrix::from_edges(3, {{0, 1, 100}, {1, 2, 40}});
  // The natural order has 140 hop-bytes. Its busiest link has half of the 100 in each direction.
  const std::vector<std::int32_t> in_order = {0, 1, 2};
  for (const double s : {0.0, 0.3, 0.5, 1.0}) {
    const ExpectedTimeObjective objective(*view.torus, fault_model, faults, matrix, in_order, s);
    ck_assert_double_eq_tol(objective.log_expected_time(objective.assess(in_order)), 0, 1e-9);
    // First twice as many hop-bytes with the busiest link unchanged; then twice the link load with hop-bytes unchanged.
    ck_assert_double_eq_tol(std::exp(objective.log_expected_time(280, 50, 0)), 1 - s + s * (1.5 + 0.25), 1e-9);
    ck_assert_double_eq_tol(std::exp(objective.log_expected_time(140, 100, 0)), 1 - s + s * (0.75 + 0.5), 1e-9);
    // Ranks 0 and 1 are two hops apart, rank 2 is next to rank 1: 240 hop-bytes, and the busiest link still has 50.
    const std::vector<std::int32_t> spread = {0, 2, 3};
    ck_assert_double_eq_tol(std::exp(objective.log_expected_time(objective.assess(spread))),
                            1 - s + s * (0.75 * 240 / 140 + 0.25), 1e-9);
    // The route from 5 to 7 passes the failing node, so both of its links weigh 101.
    const std::vector<std::int32_t> through = {5, 7, 0};
    const Assessment found = objective.assess(through);
    ck_assert_double_eq_tol(found.abort_probability, 0.1, 1e-9);
    const double weighted = (200.0 * 101 + 40) / 140, busiest = static_cast<double>(found.link_load_twice) / 2 / 50;
    ck_assert_double_eq_tol(std::exp(objective.log_expected_time(found)),
                            (1 - s + s * (0.75 * weighted + 0.25 * busiest)) / 0.9, 1e-6);
  }
}
END_TEST

START_TEST(windows) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    ClusterView view = view_of(rings({4, 3, 2}));
    std::vector<std::int32_t> suspects;
    for (std::int32_t node = 0; node < 24; ++node) {
      if (random.below(5) == 0) suspects.push_back(node);
      if (random.below(6) == 0) view.nodes[node].core_free[0] = false;
    }
    set_outages(view, suspects, 0.1);
    Request request;
    request.tasks = 1 + random.below(9);
    // The expected window: the first sequence of enough healthy nodes among the usable nodes, in order of position.
    std::vector<std::int32_t> expected;
    std::vector<std::int32_t> run;
    for (std::int32_t node = 0; node < 24 && expected.empty(); ++node) {
      if (!view.nodes[node].core_free[0]) continue;
      if (std::count(suspects.begin(), suspects.end(), node) > 0)
        run.clear();
      else
        run.push_back(node);
      if (static_cast<std::int32_t>(run.size()) == request.tasks) expected = run;
    }
    const FaultModel fault_model(view, 0);
    const RouteFaults faults = fault_model.route_faults(*view.torus);
    OfferedNodes offered{view.torus.get(), {}, &faults};
    mapping::NodeCounts capacity;
    for (const NodeView& node : view.nodes) {
      offered.position.push_back(node.torus_node);
      capacity.push_back(node.core_free[0] ? 1 : 0);
    }
    if (std::count(capacity.begin(), capacity.end(), 1) < request.tasks) continue;
    const auto counts = window_counts(offered, mapping::NodeLimits(view, request, capacity));
    ck_assert_int_eq(counts.has_value(), !expected.empty());
    if (!counts) continue;
    for (std::int32_t node = 0; node < 24; ++node)
      ck_assert_int_eq((*counts)[node], std::count(expected.begin(), expected.end(), node));
  }
}
END_TEST

int main() {
  TCase* const cases = tcase_create("tofa_assess");
  for (const TTest* test : {faults_on_routes, equation_1_by_hand, assessed_by_brute_force, closed_form,
                            the_weight_of_a_suspect, expected_time_by_hand, windows})
    tcase_add_test(cases, test);
  Suite* const suite = suite_create("tofa_assess");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
