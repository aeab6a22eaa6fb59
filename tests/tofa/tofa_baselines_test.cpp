// SPDX-License-Identifier: GPL-2.0-or-later
// TOFA compared with the mappings that it must not be worse than, and with the best mapping of all.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/check.hpp"
#include "tests/tofa/tofa_machines.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/tofa.hpp"
#include "tofa/torus_job.hpp"

using namespace placement;
using namespace placement::tofa;

namespace {

double expected_time(const ClusterView& view, const Request& request, const Placement& placement) {
  const TorusJob job = torus_job(view, request);
  const TorusContest contest(job, job.slots.leaves(job.in_order()));
  std::vector<std::int32_t> leaves;
  for (const RankPlace& rank : placement.ranks) leaves.push_back(view.nodes[rank.node].first_leaf + rank.cores.at(0));
  return contest.expected_time(leaves);
}

// Returns the least expected time of all mappings with one rank per node.
double least_expected_time(const ClusterView& view, const Request& request) {
  const TorusJob job = torus_job(view, request);
  const TorusContest contest(job, job.slots.leaves(job.in_order()));
  std::vector<std::int32_t> nodes(view.nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = static_cast<std::int32_t>(n);
  double least = INFINITY;
  do least = std::min(least, contest.expected_time({nodes.begin(), nodes.begin() + request.tasks}));
  while (std::next_permutation(nodes.begin(), nodes.end()));
  return least;
}

}  // namespace

START_TEST(legal_and_never_worse_than_its_members) {
  for (const auto& dimensions : shapes()) {
    ClusterView view = view_of(dimensions);
    const std::int32_t nodes = view.torus->positions();
    if (nodes > instances(500)) continue;  // one of 60 takes half a minute with sanitizers
    for (const std::int32_t ranks : {1, (nodes + 1) / 2, nodes}) {
      set_outages(view, nodes > 4 ? std::vector<std::int32_t>{1, nodes - 1} : std::vector<std::int32_t>{}, 0.02);
      const Request request = request_of(random_matrix(ranks, 3 * ranks, 11));
      const Placement found = place_tofa_thoroughly(view, request, Deadline::never());
      const std::vector<std::int32_t> at = nodes_of(found);
      ck_assert_int_eq(static_cast<std::int32_t>(std::set<std::int32_t>(at.begin(), at.end()).size()), ranks);
      ck_assert(nodes_of(place_tofa_thoroughly(view, request, Deadline::never())) == at);

      const FaultModel fault_model(view, 0);
      const RouteFaults faults = fault_model.route_faults(*view.torus);
      const std::vector<std::int32_t> in_order = nodes_of(place("SEQUENTIAL", view, request));
      const ExpectedTimeObjective objective(*view.torus, fault_model, faults, *request.matrix, in_order, 0.5);
      const double log_expected_time = objective.log_expected_time(objective.assess(at));
      ck_assert_double_le(log_expected_time, objective.log_expected_time(objective.assess(in_order)));
      ck_assert(found.cost == objective.assess(at).hop_bytes);
    }
  }
}
END_TEST

// Small machines of all kinds, on which some nodes have an outage probability of their own.
START_TEST(expected_time_is_never_more_than_that_of_the_baselines) {
  provide_scotch(fake_scotch);
  Random random(20);
  for (int k = 0; k < instances(120); ++k) {
    std::vector<TorusDimension> dimensions;
    for (std::int32_t d = 1 + random.below(3); d > 0; --d)
      dimensions.push_back({1 + random.below(5), random.below(3) > 0});
    ClusterView view = view_of(dimensions, 1 + random.below(4) / 3);
    NodeOutages outages;
    const std::int32_t one_in = 1 + random.below(6);
    for (const NodeView& node : view.nodes)
      if (k % 3 > 0 && random.below(one_in) == 0)
        outages.set(node.name, random.below(5) == 0 ? 0.4 : 0.001 * random.below(40));
    view.outages = std::make_shared<const NodeOutages>(std::move(outages));
    const auto places = static_cast<std::int32_t>(view.nodes.size()) * view.nodes[0].cores();
    const std::int32_t ranks = 1 + random.below(places);
    const Request request = request_of(random_matrix(ranks, random.below(3 * ranks), static_cast<std::uint64_t>(k)));
    const double time = expected_time(view, request, place_tofa_thoroughly(view, request, Deadline::never()));
    for (const char* other : {"GREEDY", "SEQUENTIAL", "TOFA-PAPER"})
      ck_assert_msg(time <= expected_time(view, request, place(other, view, request)) * (1 + 1e-12),
                    "case %d: %s is better", k, other);
  }
  provide_scotch(nullptr);
}
END_TEST

// A third of the nodes of a large torus is free. The ranks communicate in pairs.
START_TEST(expected_time_is_never_more_than_that_of_greedy_with_thousands_of_free_nodes) {
  const ClusterView whole = view_of(rings({24, 24, 24}));
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    ClusterView view = whole;
    std::int32_t free = 0;
    for (NodeView& node : view.nodes) free += node.core_free[0] = random.below(3) == 0;
    ck_assert_int_gt(free, 4096);
    std::vector<CommEdge> edges;
    for (std::int32_t rank = 0; rank < 32; rank += 2) edges.push_back({rank, rank + 1, 100 + random.below(100)});
    const Request request = request_of(CommMatrix::from_edges(32, std::move(edges)));
    ck_assert_double_le(expected_time(view, request, place_tofa(view, request, Deadline::never())),
                        expected_time(view, request, place("GREEDY", view, request)) * (1 + 1e-12));
  }
}
END_TEST

START_TEST(expected_time_is_the_least_of_all_mappings_on_tiny_machines) {
  Random random(3);
  double worst = 1;
  for (int k = 0; k < instances(24); ++k) {
    ClusterView view = view_of(k % 3 == 0   ? rings({6})
                               : k % 3 == 1 ? rings({2, 3})
                                            : std::vector<TorusDimension>{{3, false}, {2, true}});
    NodeOutages outages;
    for (const NodeView& node : view.nodes)
      if (k % 2 == 1 && random.below(3) == 0) outages.set(node.name, 0.01 * (1 + random.below(3)));
    view.outages = std::make_shared<const NodeOutages>(std::move(outages));
    const std::int32_t ranks = 2 + random.below(5);
    const Request request = request_of(random_matrix(ranks, 2 * ranks, static_cast<std::uint64_t>(k) + 50));
    const double time = expected_time(view, request, place_tofa_thoroughly(view, request, Deadline::never()));
    const double least = least_expected_time(view, request);
    ck_assert(time >= least * (1 - 1e-12));
    worst = std::max(worst, time / least);
  }
  ck_assert_double_le(worst, 1.1);
}
END_TEST

START_TEST(as_good_as_greedy_and_scotch) {
  provide_scotch(fake_scotch);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ClusterView view = view_of(rings({4, 4, 2}));
    set_outages(view, {3, 17}, 0.02);
    const Request request = request_of(random_matrix(14, 30, seed));
    const FaultModel fault_model(view, 0);
    const RouteFaults faults = fault_model.route_faults(*view.torus);
    const ExpectedTimeObjective objective(*view.torus, fault_model, faults, *request.matrix,
                                          nodes_of(place("SEQUENTIAL", view, request)), 0.5);
    const double log_expected_time = objective.log_expected_time(
        objective.assess(nodes_of(place_tofa_thoroughly(view, request, Deadline::never()))));
    for (const char* other : {"GREEDY", "SEQUENTIAL", "TOFA-PAPER"})
      ck_assert_msg(
          log_expected_time <= objective.log_expected_time(objective.assess(nodes_of(place(other, view, request)))),
          "%s is better", other);
  }
  provide_scotch(nullptr);
}
END_TEST

int main() {
  TCase* const cases = tcase_create("tofa_baselines");
  for (const TTest* test : {legal_and_never_worse_than_its_members, as_good_as_greedy_and_scotch,
                            expected_time_is_never_more_than_that_of_the_baselines,
                            expected_time_is_never_more_than_that_of_greedy_with_thousands_of_free_nodes,
                            expected_time_is_the_least_of_all_mappings_on_tiny_machines})
    tcase_add_test(cases, test);
  Suite* const suite = suite_create("tofa_baselines");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
