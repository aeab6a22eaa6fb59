// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/tofa.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "tests/check.hpp"
#include "tests/tofa/tofa_machines.hpp"
#include "tests/words.hpp"
#include "tofa/fault_model.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_job.hpp"

using namespace placement;
using namespace placement::tofa;

// A window of nodes that do not fail is taken first, even if most nodes may fail and none is suspect.
START_TEST(paper_takes_nodes_that_do_not_fail) {
  provide_scotch(fake_scotch);
  ClusterView view = view_of(rings({12}));
  set_outages(view, {0, 1, 2, 3, 7, 8, 9, 10}, 0.02);
  const Request request = request_of(random_matrix(3, 3, 1));
  for (const std::int32_t node : nodes_of(place("TOFA-PAPER", view, request))) ck_assert(node >= 4 && node <= 6);
  // There is no window of four nodes that do not fail. No node is suspect, so the first four nodes are taken.
  const Request larger = request_of(random_matrix(4, 6, 1));
  for (const std::int32_t node : nodes_of(place("TOFA-PAPER", view, larger))) ck_assert(node <= 3);
  provide_scotch(nullptr);
}
END_TEST

START_TEST(avoids_suspects_and_routes_through_them) {
  ClusterView view = view_of(rings({8, 8, 8}));
  std::vector<std::int32_t> suspects;
  for (std::int32_t k = 0; k < 16; ++k) suspects.push_back((k * 173 + 20) % 512);
  set_outages(view, suspects, 0.02);
  const Request request = request_of(shuffled_grid(4, 4, 4));
  for (const Placement& found :
       {place_tofa(view, request, Deadline::never()), place_tofa_thoroughly(view, request, Deadline::never())}) {
    const std::set<std::int32_t> used = touched(*view.torus, *request.matrix, nodes_of(found));
    for (const std::int32_t suspect : suspects) ck_assert(!used.contains(suspect));
  }
  // Without a matrix each pair may have traffic.
  Request plain;
  plain.tasks = 12;
  const std::vector<std::int32_t> at = nodes_of(place_tofa(view, plain, Deadline::never()));
  for (const std::int32_t a : at)
    for (const std::int32_t b : at)
      for (const std::int32_t on_way : route_on(*view.torus, a, b))
        ck_assert(std::count(suspects.begin(), suspects.end(), on_way) == 0);
}
END_TEST

START_TEST(finds_grids) {
  const ClusterView view = view_of(rings({6, 6, 6}));
  const Request request = request_of(shuffled_grid(6, 6, 6));
  const Cost cost = place_tofa_thoroughly(view, request, Deadline::never()).cost;
  const Cost least = request.matrix->total_weight();  // each pair has one hop
  ck_assert(cost >= least && 100 * cost <= 105 * least);
}
END_TEST

// The nodes of a step come in an order that has nothing to do with the torus, as their names may have.
START_TEST(ranks_without_a_matrix_go_along_the_torus) {
  const ClusterView view = view_of(rings({4, 4}));
  ClusterView mixed = view;
  for (std::size_t n = 0; n < 16; ++n) mixed.nodes[n] = view.nodes[n * 7 % 16];
  Request step;
  step.tasks = 16;
  step.node_tasks.assign(16, 1);
  const Placement placement = place_tofa(mixed, step, Deadline::never());
  int hops = 0, hops_in_order = 0;
  for (std::size_t rank = 0; rank + 1 < 16; ++rank) {
    const auto at = [&](std::size_t node) { return view.torus->position(mixed.nodes[node].torus_node); };
    hops += view.torus->distance(at(static_cast<std::size_t>(placement.ranks[rank].node)),
                                 at(static_cast<std::size_t>(placement.ranks[rank + 1].node)));
    hops_in_order += view.torus->distance(at(rank), at(rank + 1));
  }
  ck_assert_int_eq(hops, 15);
  ck_assert_int_gt(hops_in_order, 24);
  ck_assert(placement.cost == 0 && placement.natural_cost == 0);
  ck_assert_words(placement.reasons.front(), "16 ranks torus");
}
END_TEST

// The plan has each pair on neighbouring nodes, which the least effort does not find by itself.
START_TEST(a_step_starts_from_its_plan) {
  const ClusterView view = view_of(rings({5, 6, 7}));
  const std::int32_t ranks = view.torus->positions();
  std::vector<std::int32_t> rank_at(static_cast<std::size_t>(ranks));
  std::iota(rank_at.begin(), rank_at.end(), 0);
  std::ranges::shuffle(rank_at, std::mt19937_64(4));
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = 0; b < a; ++b)
      if (view.torus->distance(a, b) == 1) edges.push_back({rank_at[a], rank_at[b], 1 + (a + b) % 5});
  Request step = request_of(CommMatrix::from_edges(ranks, edges));
  step.node_tasks.assign(static_cast<std::size_t>(ranks), 1);
  step.parameters["effort"] = std::string("1");
  const Cost least = step.matrix->total_weight();
  ck_assert(place_tofa(view, step, Deadline::never()).cost > least);
  for (const std::int32_t rank : rank_at) step.planned_ranks.push_back({rank});
  ck_assert(place_tofa(view, step, Deadline::never()).cost == least);
}
END_TEST

START_TEST(takes_suspects_when_it_must) {
  ClusterView view = view_of(rings({3, 3}));
  set_outages(view, {0, 4}, 0.5);
  const std::vector<std::int32_t> at =
      nodes_of(place_tofa_thoroughly(view, request_of(random_matrix(8, 20, 2)), Deadline::never()));
  ck_assert_int_eq(std::count(at.begin(), at.end(), 0) + std::count(at.begin(), at.end(), 4), 1);
  Request all = request_of(random_matrix(9, 20, 2));
  ck_assert_uint_eq(nodes_of(place_tofa(view, all, Deadline::never())).size(), 9);
  all.tasks = 10;
  all.matrix = nullptr;
  ck_assert_error_words(place_tofa(view, all, Deadline::never()), "9 10 tasks room");
}
END_TEST

START_TEST(takes_sure_nodes_if_most_may_fail) {
  ClusterView view = view_of(rings({4, 4}));
  set_outages(view, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.02);
  const Request request = request_of(random_matrix(4, 12, 3));
  for (const Placement& found :
       {place_tofa(view, request, Deadline::never()), place_tofa_thoroughly(view, request, Deadline::never())})
    for (const std::int32_t node : touched(*view.torus, *request.matrix, nodes_of(found))) ck_assert_int_ge(node, 12);
  Request plain;
  plain.tasks = 3;
  for (const std::int32_t node : nodes_of(place_tofa(view, plain, Deadline::never()))) ck_assert_int_ge(node, 12);
  const Request more = request_of(random_matrix(5, 12, 3));  // the four nodes do not suffice
  ck_assert_uint_eq(nodes_of(place_tofa(view, more, Deadline::never())).size(), 5);
}
END_TEST

START_TEST(keeps_to_limits) {
  ClusterView view = view_of(rings({4, 4}), 4);
  set_outages(view, {5}, 0.1);
  Request request = request_of(random_matrix(12, 40, 7));
  request.min_nodes = request.max_nodes = 6;
  request.max_tasks_per_node = 2;
  request.equal_tasks_per_node = true;
  request.required_nodes = {5, 10};
  const std::vector<std::int32_t> at = nodes_of(place_tofa(view, request, Deadline::never()));
  std::vector<std::int32_t> count(16, 0);
  for (const std::int32_t node : at) ++count[node];
  ck_assert_int_eq(std::count(count.begin(), count.end(), 2), 6);
  ck_assert(count[5] == 2 && count[10] == 2);

  Request step = request_of(random_matrix(7, 20, 8));
  step.node_tasks.assign(16, 0);
  step.node_tasks[2] = 4;
  step.node_tasks[3] = 3;
  const std::vector<std::int32_t> there = nodes_of(place_tofa(view, step, Deadline::never()));
  ck_assert_int_eq(std::count(there.begin(), there.end(), 2), 4);
  ck_assert_int_eq(std::count(there.begin(), there.end(), 3), 3);
  step.node_tasks[3] = 2;
  ck_assert_error_words(place_tofa(view, step, Deadline::never()), "6 tasks 7");
}
END_TEST

START_TEST(the_paper) {
  ClusterView view = view_of(rings({4, 2}));
  set_outages(view, {1}, 0.02);
  const Request request = request_of(random_matrix(3, 6, 1));
  ck_assert_error(place("TOFA-PAPER", view, request), "SCOTCH");
  ck_assert_error(policies::check_policy_spec({"TOFA-PAPER", {}}), "SCOTCH");
  provide_scotch(fake_scotch);
  ck_assert(nodes_of(place("TOFA-PAPER", view, request)) == (std::vector<std::int32_t>{4, 3, 2}));
  set_outages(view, {1, 3, 5}, 0.02);  // no window: whole machine, raised weights
  ck_assert(nodes_of(place("TOFA-PAPER", view, request)) == (std::vector<std::int32_t>{0, 1, 2}));
  view.torus = nullptr;
  ck_assert_error(place("TOFA-PAPER", view, request), "torus");
  provide_scotch(nullptr);
}
END_TEST

START_TEST(trees) {
  ClusterView view = view_of(rings({8}));
  const std::int32_t arities[] = {2, 4};
  view.torus = nullptr;
  view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(arities));
  set_outages(view, {1}, 0.3);
  const Request request = request_of(random_matrix(3, 6, 1));
  for (const Placement& found : {place("TOFA", view, request), place_tofa_thoroughly(view, request, Deadline::never())})
    for (const std::int32_t node : nodes_of(found)) ck_assert_int_ne(node, 1);
  ck_assert_uint_eq(nodes_of(place("TOFA", view, request_of(random_matrix(8, 20, 1)))).size(), 8);
  ck_assert_uint_eq(nodes_of(place("GREEDY", view, request)).size(), 3);
}
END_TEST

START_TEST(live_states) {
  ClusterView view = view_of(rings({6}));
  const auto live = std::make_shared<LiveState>();
  live->outage_horizon_s = 3600;
  for (std::int32_t node = 0; node < 6; ++node) {
    NodeState state;
    state.name = std::to_string(node);
    state.outage_probability = 0.001;  // equal for all nodes, so none is suspect
    live->nodes.push_back(state);
    view.nodes[node].state = node;
  }
  view.live = live;
  ck_assert(!FaultModel(view, 0).any_suspect());
  live->nodes[2].outage_probability = 0.2;
  live->nodes[4].liveness = Liveness::suspect;
  const FaultModel fault_model(view, 7200);
  ck_assert(fault_model.suspect(2) && fault_model.suspect(4) && !fault_model.suspect(0));
  ck_assert_double_eq_tol(fault_model.of_positions()[2], 1 - 0.8 * 0.8, 1e-12);
  Request request;
  request.tasks = 2;
  for (const std::int32_t node : nodes_of(place_tofa(view, request, Deadline::never())))
    ck_assert(node != 2 && node != 4);
  // Probabilities that the site gives replace those of the live state.
  set_outages(view, {0}, 0.5);
  ck_assert(FaultModel(view, 0).suspect(0) && !FaultModel(view, 0).suspect(2));
}
END_TEST

START_TEST(nodes_without_coordinates) {
  ClusterView view = view_of(rings({4}));
  view.nodes[1].torus_node = -1;
  Request request;
  request.tasks = 3;
  for (const std::int32_t node : nodes_of(place_tofa(view, request, Deadline::never()))) ck_assert_int_ne(node, 1);
  request.tasks = 4;
  ck_assert_error_words(place_tofa(view, request, Deadline::never()), "3 4 tasks room");
  request.tasks = 2;
  request.required_nodes = {1};  // node 1 has no coordinates, so distances are those of the tree
  const std::vector<std::int32_t> at = nodes_of(place_tofa(view, request, Deadline::never()));
  ck_assert_int_eq(std::count(at.begin(), at.end(), 1), 1);
}
END_TEST

START_TEST(bad_parameters) {
  const ClusterView view = view_of(rings({4}));
  for (const auto& wrong : {std::pair("effort", "0"), std::pair("effort", "1001"), std::pair("comm-share", "101"),
                            std::pair("job-seconds", "-1"), std::pair("seed", "x")})
    ck_assert_error(policies::check_policy_spec({"TOFA", {{wrong.first, wrong.second}}}), wrong.first);
  ck_assert_error_words(policies::check_policy_spec({"TOFA", {{"efort", "1"}}}), "key efort TOFA");
  Request request = request_of(random_matrix(3, 3, 1));
  request.tasks = 2;
  ck_assert_error_words(place_tofa(view, request, Deadline::never()), "matrix 3 ranks 2 tasks");
}
END_TEST

// slurm-placement(7): effort=N (10); comm-share=PERCENT (50); job-seconds=N, without which the probabilities stay as
// they are.
START_TEST(keys_have_the_defaults_of_the_man_page) {
  const TofaSettings settings = tofa_settings(Request());
  ck_assert_int_eq(settings.effort, 10);
  ck_assert_double_eq(settings.communication_share, 0.5);
  ck_assert_double_eq(settings.job_seconds, 0);
}
END_TEST

// A sample of a matrix with very many pairs decides while slurmctld waits. The printed costs are those of all
// pairs.
START_TEST(many_pairs_are_compared_by_a_sample) {
  const ClusterView view = view_of(rings({9, 9, 9}));
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < 600; ++a)
    for (std::int32_t b = a + 1; b < 600; ++b) edges.push_back({a, b, 1 + a % 3});
  const Request request = request_of(CommMatrix::from_edges(600, std::move(edges)));
  const Placement found = place_tofa(view, request, Deadline::never());
  Cost cost = 0, natural_cost = 0;
  const std::vector<std::int32_t> at = nodes_of(found);
  for (const CommEdge& edge : request.matrix->edges()) {
    cost += Cost{edge.weight} *
            view.torus->distance(at[static_cast<std::size_t>(edge.a)], at[static_cast<std::size_t>(edge.b)]);
    natural_cost += Cost{edge.weight} * view.torus->distance(edge.a, edge.b);
  }
  ck_assert(found.cost == cost && found.natural_cost == natural_cost && cost <= natural_cost);
  ck_assert(found.reasons.size() > 1 && found.reasons[1].ends_with(" of 179700 pairs"));
  // This also applies to the ranks of a step, with the least effort only.
  Request step = request;
  step.node_tasks.assign(729, 0);
  std::fill(step.node_tasks.begin(), step.node_tasks.begin() + 600, 1);
  const auto sampled = [&](const char* effort) {
    step.parameters["effort"] = effort;
    const auto reasons = place_tofa(view, step, Deadline::after(std::chrono::milliseconds(1))).reasons;
    return std::ranges::any_of(reasons, [](const std::string& reason) { return reason.starts_with("compared by"); });
  };
  ck_assert(sampled("1") && !sampled("10"));
  for (const std::string& reason :
       place_tofa_thoroughly(view, request_of(random_matrix(30, 200, 1)), Deadline::never()).reasons)
    ck_assert(reason.find("compared by") == std::string::npos);
}
END_TEST

START_TEST(any_deadline) {
  ClusterView view = view_of(rings({8, 8, 8}));
  set_outages(view, {77, 200}, 0.02);
  const Request request = request_of(shuffled_grid(8, 8, 6));
  for (const int us : {0, 100, 1000, 5000, 20000}) {
    const std::vector<std::int32_t> at =
        nodes_of(place_tofa_thoroughly(view, request, Deadline::after(std::chrono::microseconds(us))));
    ck_assert_uint_eq(std::set<std::int32_t>(at.begin(), at.end()).size(), 384);
  }
}
END_TEST

// The baselines give the natural order when the time has ended before they begin.
START_TEST(baselines_after_the_deadline) {
  const Request request = request_of(shuffled_grid(4, 4, 2));
  const Deadline past = Deadline::after(std::chrono::microseconds(-1));
  ClusterView view = view_of(rings({8, 8}));
  provide_scotch(fake_scotch);
  for (const bool torus : {true, false}) {
    if (!torus) view.torus = nullptr;
    const std::vector<std::int32_t> natural = nodes_of(place("SEQUENTIAL", view, request));
    ck_assert(nodes_of(place("GREEDY", view, request)) != natural);
    ck_assert(nodes_of(policies::find_policy("GREEDY")->place(view, request, past)) == natural);
    if (!torus) continue;
    ck_assert(nodes_of(place("TOFA-PAPER", view, request)) != natural);
    ck_assert(nodes_of(policies::find_policy("TOFA-PAPER")->place(view, request, past)) == natural);
    Request step = request;
    step.node_tasks.assign(64, 0);
    std::fill(step.node_tasks.begin(), step.node_tasks.begin() + 32, 1);
    ck_assert(nodes_of(policies::find_policy("TOFA-PAPER")->place(view, step, past)) == natural);
  }
  provide_scotch(nullptr);
}
END_TEST

int main() {
  TCase* const cases = tcase_create("tofa");
  for (const TTest* test :
       {paper_takes_nodes_that_do_not_fail, avoids_suspects_and_routes_through_them, finds_grids,
        takes_sure_nodes_if_most_may_fail, takes_suspects_when_it_must, ranks_without_a_matrix_go_along_the_torus,
        a_step_starts_from_its_plan, keeps_to_limits, the_paper, trees, live_states, nodes_without_coordinates,
        bad_parameters, keys_have_the_defaults_of_the_man_page, many_pairs_are_compared_by_a_sample, any_deadline,
        baselines_after_the_deadline})
    tcase_add_test(cases, test);
  Suite* const suite = suite_create("tofa");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
