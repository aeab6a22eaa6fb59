// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/tofa.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/node_outage.hpp"
#include "policies/table.hpp"
#include "tests/check.hpp"
#include "tofa/assess.hpp"
#include "tofa/node_sets.hpp"
#include "tofa/outlook.hpp"
#include "tofa/route_faults.hpp"
#include "tofa/scotch_hook.hpp"
#include "tofa/torus_job.hpp"
#include "tofa/torus_map.hpp"
#include "treematch/random.hpp"

using namespace placement;

namespace {

std::vector<TorusDimension> rings(std::vector<std::int32_t> sizes) {
  std::vector<TorusDimension> dimensions;
  for (const std::int32_t size : sizes) dimensions.push_back({size, true});
  return dimensions;
}

std::vector<std::vector<TorusDimension>> shapes() {
  return {rings({1}), rings({2}), rings({7}), rings({4, 3}), rings({2, 2, 2}), rings({4, 5, 3}), rings({1, 6, 2}),
          {{4, false}, {3, true}, {2, false}}, rings({3, 2, 3, 2, 2})};
}

// One core per node, all positions nodes named by their numbers.
ClusterView view_of(std::vector<TorusDimension> dimensions, std::int32_t cores = 1) {
  ClusterView view;
  view.torus = std::make_shared<const TorusTopology>(TorusTopology::full(std::move(dimensions)));
  const std::int32_t arities[] = {view.torus->positions(), cores};
  view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(arities));
  for (std::int32_t node = 0; node < view.torus->nodes(); ++node)
    view.nodes.push_back({view.torus->name(node), node * cores, 1, cores, 1,
                          std::vector<bool>(static_cast<std::size_t>(cores), true), -1, node});
  return view;
}

void set_outages(ClusterView& view, const std::vector<std::int32_t>& nodes, double probability) {
  NodeOutages outages;
  for (const std::int32_t node : nodes) outages.set(std::to_string(node), probability);
  view.outages = std::make_shared<const NodeOutages>(std::move(outages));
}

Request request_of(CommMatrix matrix) {
  Request request;
  request.tasks = matrix.ranks();
  request.matrix = std::make_shared<const CommMatrix>(std::move(matrix));
  return request;
}

// A grid of ranks in a shuffled order.
CommMatrix shuffled_grid(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  const std::int32_t ranks = nx * ny * nz;
  std::vector<std::int32_t> name(static_cast<std::size_t>(ranks));
  for (std::int32_t k = 0; k < ranks; ++k) name[k] = k;
  Random random(5);
  for (std::int32_t k = ranks; k > 1; --k) std::swap(name[k - 1], name[random.below(k)]);
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) {
    if (r % nx + 1 < nx) edges.push_back({name[r], name[r + 1], 100});
    if (r / nx % ny + 1 < ny) edges.push_back({name[r], name[r + nx], 100});
    if (r / nx / ny + 1 < nz) edges.push_back({name[r], name[r + nx * ny], 100});
  }
  return CommMatrix::from_edges(ranks, std::move(edges));
}

CommMatrix random_matrix(std::int32_t ranks, std::int32_t pairs, std::uint64_t seed) {
  Random random(seed);
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < pairs; ++k)
    edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(100)});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

std::vector<std::int32_t> nodes_of(const Placement& placement) {
  std::vector<std::int32_t> nodes;
  for (const RankPlace& rank : placement.ranks) nodes.push_back(rank.node);
  return nodes;
}

// Positions with ranks or on a route, by walking each.
std::set<std::int32_t> touched(const TorusTopology& torus, const CommMatrix& matrix, const std::vector<std::int32_t>& position) {
  std::set<std::int32_t> all(position.begin(), position.end());
  for (const CommEdge& edge : matrix.edges())
    for (const auto& [a, b] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)})
      for (const std::int32_t at : torus.route(position[a], position[b])) all.insert(at);
  return all;
}

Placement place(const char* policy, const ClusterView& view, const Request& request) {
  return find_policy(policy)->place(view, request, Deadline::never());
}

std::vector<std::int32_t> fake_scotch(const ScotchTask& task) {  // ranks backwards on the first slots
  std::vector<std::int32_t> slot(static_cast<std::size_t>(task.matrix->ranks()));
  for (std::size_t rank = 0; rank < slot.size(); ++rank) slot[rank] = static_cast<std::int32_t>(slot.size() - 1 - rank);
  if (task.raised) std::swap(slot.front(), slot.back());
  return slot;
}

}  // namespace

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
        const std::vector<std::int32_t> route = torus.route(a, b);
        std::int32_t met = 0;
        std::int64_t weight = 0;  // eq. 1, link by link
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
  suspect[2] = true;  // 2 0 0
  const RouteFaults faults(torus, suspect);
  ck_assert_int_eq(faults.weight(0, 0), 0);
  ck_assert_int_eq(faults.weight(0, 1), 1);
  ck_assert_int_eq(faults.weight(0, 2), 1 + 101);
  ck_assert_int_eq(faults.weight(2, 0), 1 + 101);
  ck_assert_int_eq(faults.weight(1, 3), 101 + 101);         // through it
  ck_assert_int_eq(faults.weight(1, 1 + 5), 1);              // beside it
  ck_assert_int_eq(faults.weight(0, 3), 1 + 1);              // the other way round
  ck_assert_int_eq(faults.weight(5 + 2, 0), 1 + 1 + 1);      // x first, then y
  ck_assert_int_eq(faults.weight(0, 5 + 2), 1 + 101 + 101);  // and back through it
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
      hops += static_cast<Cost>(edge.weight) * static_cast<Cost>(torus.route(position[edge.a], position[edge.b]).size() - 1);
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
    // By hand: nodes that can be used in order of position; the first run of enough healthy ones.
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
    const Outlook outlook(view, 0);
    const RouteFaults faults = outlook.route_faults(*view.torus);
    OfferedNodes offered{view.torus.get(), {}, &faults};
    NodeCounts capacity;
    for (const NodeView& node : view.nodes) {
      offered.position.push_back(node.torus_node);
      capacity.push_back(node.core_free[0] ? 1 : 0);
    }
    if (std::count(capacity.begin(), capacity.end(), 1) < request.tasks) continue;
    const auto counts = window_counts(offered, NodeLimits(view, request, capacity));
    ck_assert_int_eq(counts.has_value(), !expected.empty());
    if (!counts) continue;
    for (std::int32_t node = 0; node < 24; ++node)
      ck_assert_int_eq((*counts)[node], std::count(expected.begin(), expected.end(), node));
  }
}
END_TEST

START_TEST(legal_and_never_worse_than_its_members) {
  for (const auto& dimensions : shapes()) {
    ClusterView view = view_of(dimensions);
    const std::int32_t nodes = view.torus->positions();
    for (const std::int32_t ranks : {1, (nodes + 1) / 2, nodes}) {
      set_outages(view, nodes > 4 ? std::vector<std::int32_t>{1, nodes - 1} : std::vector<std::int32_t>{}, 0.02);
      const Request request = request_of(random_matrix(ranks, 3 * ranks, 11));
      const Placement found = place_tofa_thoroughly(view, request, Deadline::never());
      const std::vector<std::int32_t> at = nodes_of(found);
      ck_assert_int_eq(static_cast<std::int32_t>(std::set<std::int32_t>(at.begin(), at.end()).size()), ranks);
      ck_assert(nodes_of(place_tofa_thoroughly(view, request, Deadline::never())) == at);

      const Outlook outlook(view, 0);
      const RouteFaults faults = outlook.route_faults(*view.torus);
      const std::vector<std::int32_t> in_order = nodes_of(place("SEQUENTIAL", view, request));
      const Judge judge(*view.torus, outlook, faults, *request.matrix, in_order, 0.5);
      const double badness = judge.badness(judge.assess(at));
      ck_assert_double_le(badness, judge.badness(judge.assess(in_order)));
      ck_assert(found.cost == judge.assess(at).hop_bytes);
    }
  }
}
END_TEST

double expected_time(const ClusterView& view, const Request& request, const Placement& placement) {
  TorusJob job(view, request);
  job.begin_in_order();
  std::vector<std::int32_t> leaves;
  for (const RankPlace& rank : placement.ranks) leaves.push_back(view.nodes[rank.node].first_leaf + rank.cores.at(0));
  return job.expected_time(leaves);
}

// The least expected time of all mappings, one rank per node.
double least_expected_time(const ClusterView& view, const Request& request) {
  TorusJob job(view, request);
  job.begin_in_order();
  std::vector<std::int32_t> nodes(view.nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = static_cast<std::int32_t>(n);
  double least = INFINITY;
  do
    least = std::min(least, job.expected_time({nodes.begin(), nodes.begin() + request.tasks}));
  while (std::next_permutation(nodes.begin(), nodes.end()));
  return least;
}

// Each node with some probability of its own, on small machines of all kinds.
START_TEST(expected_time_is_never_more_than_that_of_the_baselines) {
  provide_scotch(fake_scotch);
  Random random(20);
  for (int k = 0; k < 120; ++k) {
    std::vector<TorusDimension> dimensions;
    for (std::int32_t d = 1 + random.below(3); d > 0; --d) dimensions.push_back({1 + random.below(5), random.below(3) > 0});
    ClusterView view = view_of(dimensions, 1 + random.below(4) / 3);
    NodeOutages outages;
    const std::int32_t one_in = 1 + random.below(6);
    for (const NodeView& node : view.nodes)
      if (k % 3 > 0 && random.below(one_in) == 0) outages.set(node.name, random.below(5) == 0 ? 0.4 : 0.001 * random.below(40));
    view.outages = std::make_shared<const NodeOutages>(std::move(outages));
    const auto places = static_cast<std::int32_t>(view.nodes.size()) * view.nodes[0].cores();
    const std::int32_t ranks = 1 + random.below(places);
    const Request request = request_of(random_matrix(ranks, random.below(3 * ranks), static_cast<std::uint64_t>(k)));
    const double time = expected_time(view, request, place_tofa_thoroughly(view, request, Deadline::never()));
    for (const char* other : {"GREEDY", "SEQUENTIAL", "TOFA-PAPER"})
      ck_assert_msg(time <= expected_time(view, request, place(other, view, request)) * (1 + 1e-12), "case %d: %s is better", k, other);
  }
  provide_scotch(nullptr);
}
END_TEST

START_TEST(expected_time_is_the_least_of_all_mappings_on_tiny_machines) {
  Random random(3);
  double worst = 1;
  for (int k = 0; k < 24; ++k) {
    ClusterView view = view_of(k % 3 == 0 ? rings({6}) : k % 3 == 1 ? rings({2, 3}) : std::vector<TorusDimension>{{3, false}, {2, true}});
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

// A window of nodes that do not fail is looked for first, even where so many may fail that none is suspect.
START_TEST(paper_takes_nodes_that_do_not_fail) {
  provide_scotch(fake_scotch);
  ClusterView view = view_of(rings({12}));
  set_outages(view, {0, 1, 2, 3, 7, 8, 9, 10}, 0.02);
  const Request request = request_of(random_matrix(3, 3, 1));
  for (const std::int32_t node : nodes_of(place("TOFA-PAPER", view, request))) ck_assert(node >= 4 && node <= 6);
  // There is no such window of four: then no node is worse than others, and the first four serve.
  const Request larger = request_of(random_matrix(4, 6, 1));
  for (const std::int32_t node : nodes_of(place("TOFA-PAPER", view, larger))) ck_assert(node <= 3);
  provide_scotch(nullptr);
}
END_TEST

START_TEST(as_good_as_greedy_and_scotch) {
  provide_scotch(fake_scotch);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ClusterView view = view_of(rings({4, 4, 2}));
    set_outages(view, {3, 17}, 0.02);
    const Request request = request_of(random_matrix(14, 30, seed));
    const Outlook outlook(view, 0);
    const RouteFaults faults = outlook.route_faults(*view.torus);
    const Judge judge(*view.torus, outlook, faults, *request.matrix, nodes_of(place("SEQUENTIAL", view, request)), 0.5);
    const double badness = judge.badness(judge.assess(nodes_of(place_tofa_thoroughly(view, request, Deadline::never()))));
    for (const char* other : {"GREEDY", "SEQUENTIAL", "TOFA-PAPER"})
      ck_assert_msg(badness <= judge.badness(judge.assess(nodes_of(place(other, view, request)))), "%s is better", other);
  }
  provide_scotch(nullptr);
}
END_TEST

START_TEST(keeps_off_suspects_and_their_routes) {
  ClusterView view = view_of(rings({8, 8, 8}));
  std::vector<std::int32_t> suspects;
  for (std::int32_t k = 0; k < 16; ++k) suspects.push_back((k * 173 + 20) % 512);
  set_outages(view, suspects, 0.02);
  const Request request = request_of(shuffled_grid(4, 4, 4));
  for (const Placement& found : {place_tofa(view, request, Deadline::never()), place_tofa_thoroughly(view, request, Deadline::never())}) {
    const std::set<std::int32_t> used = touched(*view.torus, *request.matrix, nodes_of(found));
    for (const std::int32_t suspect : suspects) ck_assert(!used.contains(suspect));
  }
  // Without a matrix all pairs may talk.
  Request plain;
  plain.tasks = 12;
  const std::vector<std::int32_t> at = nodes_of(place_tofa(view, plain, Deadline::never()));
  for (const std::int32_t a : at)
    for (const std::int32_t b : at)
      for (const std::int32_t on_way : view.torus->route(a, b))
        ck_assert(std::count(suspects.begin(), suspects.end(), on_way) == 0);
}
END_TEST

START_TEST(finds_grids) {
  const ClusterView view = view_of(rings({6, 6, 6}));
  const Request request = request_of(shuffled_grid(6, 6, 6));
  const Cost cost = place_tofa_thoroughly(view, request, Deadline::never()).cost;
  const Cost least = request.matrix->total_weight();  // one hop for each pair
  ck_assert(cost >= least && 100 * cost <= 105 * least);
}
END_TEST

START_TEST(takes_suspects_when_it_must) {
  ClusterView view = view_of(rings({3, 3}));
  set_outages(view, {0, 4}, 0.5);
  const std::vector<std::int32_t> at = nodes_of(place_tofa_thoroughly(view, request_of(random_matrix(8, 20, 2)), Deadline::never()));
  ck_assert_int_eq(std::count(at.begin(), at.end(), 0) + std::count(at.begin(), at.end(), 4), 1);
  Request all = request_of(random_matrix(9, 20, 2));
  ck_assert_uint_eq(nodes_of(place_tofa(view, all, Deadline::never())).size(), 9);
  all.tasks = 10;
  all.matrix = nullptr;
  ck_assert_error(place_tofa(view, all, Deadline::never()), "only 9 of 10 tasks have room");
}
END_TEST

START_TEST(takes_sure_nodes_where_most_may_fail) {
  ClusterView view = view_of(rings({4, 4}));
  set_outages(view, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.02);
  const Request request = request_of(random_matrix(4, 12, 3));
  for (const Placement& found : {place_tofa(view, request, Deadline::never()), place_tofa_thoroughly(view, request, Deadline::never())})
    for (const std::int32_t node : touched(*view.torus, *request.matrix, nodes_of(found))) ck_assert_int_ge(node, 12);
  Request plain;
  plain.tasks = 3;
  for (const std::int32_t node : nodes_of(place_tofa(view, plain, Deadline::never()))) ck_assert_int_ge(node, 12);
  const Request more = request_of(random_matrix(5, 12, 3));  // for which the four do not suffice
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
  ck_assert_error(place_tofa(view, step, Deadline::never()), "6 tasks are laid out, and the request has 7");
}
END_TEST

START_TEST(the_paper) {
  ClusterView view = view_of(rings({4, 2}));
  set_outages(view, {1}, 0.02);
  const Request request = request_of(random_matrix(3, 6, 1));
  ck_assert(nodes_of(place("TOFA-PAPER", view, request)) == (std::vector<std::int32_t>{2, 3, 4}));  // without SCOTCH
  provide_scotch(fake_scotch);
  ck_assert(nodes_of(place("TOFA-PAPER", view, request)) == (std::vector<std::int32_t>{4, 3, 2}));
  set_outages(view, {1, 3, 5}, 0.02);  // no window: all nodes with raised weights
  ck_assert(nodes_of(place("TOFA-PAPER", view, request)) == (std::vector<std::int32_t>{0, 1, 2}));
  provide_scotch(nullptr);
  view.torus = nullptr;
  ck_assert_error(place("TOFA-PAPER", view, request), "needs a torus");
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
    state.outage_probability = 0.001;  // all are a little: none is suspect
    live->nodes.push_back(state);
    view.nodes[node].state = node;
  }
  view.live = live;
  ck_assert(!Outlook(view, 0).any_suspect());
  live->nodes[2].outage_probability = 0.2;
  live->nodes[4].liveness = Liveness::suspect;
  const Outlook outlook(view, 7200);
  ck_assert(outlook.suspect(2) && outlook.suspect(4) && !outlook.suspect(0));
  ck_assert_double_eq_tol(outlook.of_positions()[2], 1 - 0.8 * 0.8, 1e-12);
  Request request;
  request.tasks = 2;
  for (const std::int32_t node : nodes_of(place_tofa(view, request, Deadline::never()))) ck_assert(node != 2 && node != 4);
  // The site's own probabilities come first.
  set_outages(view, {0}, 0.5);
  ck_assert(Outlook(view, 0).suspect(0) && !Outlook(view, 0).suspect(2));
}
END_TEST

START_TEST(nodes_without_coordinates) {
  ClusterView view = view_of(rings({4}));
  view.nodes[1].torus_node = -1;
  Request request;
  request.tasks = 3;
  for (const std::int32_t node : nodes_of(place_tofa(view, request, Deadline::never()))) ck_assert_int_ne(node, 1);
  request.tasks = 4;
  ck_assert_error(place_tofa(view, request, Deadline::never()), "only 3 of 4 tasks have room");
  request.tasks = 2;
  request.required_nodes = {1};  // then the tree tells distances
  const std::vector<std::int32_t> at = nodes_of(place_tofa(view, request, Deadline::never()));
  ck_assert_int_eq(std::count(at.begin(), at.end(), 1), 1);
}
END_TEST

START_TEST(bad_parameters) {
  const ClusterView view = view_of(rings({4}));
  for (const auto& [key, value] : {std::pair("effort", "0"), std::pair("effort", "1001"), std::pair("comm-share", "101"),
                                   std::pair("job-seconds", "-1"), std::pair("seed", "x")})
    ck_assert_error(check_policy_spec({"TOFA", {{key, value}}}), key);
  ck_assert_error(check_policy_spec({"TOFA", {{"efort", "1"}}}), "unknown key efort for TOFA");
  Request request = request_of(random_matrix(3, 3, 1));
  request.tasks = 2;
  ck_assert_error(place_tofa(view, request, Deadline::never()), "the matrix has 3 ranks, and 2 tasks are asked for");
}
END_TEST

START_TEST(any_deadline) {
  ClusterView view = view_of(rings({8, 8, 8}));
  set_outages(view, {77, 200}, 0.02);
  const Request request = request_of(shuffled_grid(8, 8, 6));
  for (const int us : {0, 100, 1000, 5000, 20000}) {
    const std::vector<std::int32_t> at = nodes_of(place_tofa_thoroughly(view, request, Deadline::after(std::chrono::microseconds(us))));
    ck_assert_uint_eq(std::set<std::int32_t>(at.begin(), at.end()).size(), 384);
  }
}
END_TEST

int main() {
  TCase* const cases = tcase_create("tofa");
  for (const TTest* test :
       {faults_on_routes, equation_1_by_hand, assessed_by_brute_force, closed_form, windows,
        legal_and_never_worse_than_its_members, as_good_as_greedy_and_scotch,
        expected_time_is_never_more_than_that_of_the_baselines, expected_time_is_the_least_of_all_mappings_on_tiny_machines,
        paper_takes_nodes_that_do_not_fail, keeps_off_suspects_and_their_routes, finds_grids,
        takes_sure_nodes_where_most_may_fail,
        takes_suspects_when_it_must, keeps_to_limits, the_paper, trees, live_states, nodes_without_coordinates, bad_parameters,
        any_deadline})
    tcase_add_test(cases, test);
  Suite* const suite = suite_create("tofa");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
