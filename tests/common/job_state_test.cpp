// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of the state of the cluster that travels with a job.
#include "common/decision/job_state.hpp"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "common/state/outage_file.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/base64url.hpp"
#include "common/util/zstd_frame.hpp"
#include "tests/check.hpp"

using namespace placement;

namespace {

constexpr std::size_t roomy = 64 << 10;

// Returns a view of the nodes n0, n1, .. at the positions 0, 1, .. of a ring. Each node is a group of its own. Node n1
// fails sometimes, and the last node often.
ClusterView view_of(std::int32_t nodes) {
  std::vector<TorusTopology::Node> points;
  LiveState live;
  live.published_at_s = 1700000000;
  live.outage_horizon_s = 86400;
  std::vector<std::int32_t> group;
  ClusterView view;
  for (std::int32_t n = 0; n < nodes; ++n) {
    const std::string name = "n" + std::to_string(n);
    points.push_back({name, {n}});
    NodeState state;
    state.name = name;
    state.liveness = Liveness::up;
    state.age_s = 2;
    state.outage_probability = n == 1 ? 0.02 : n == nodes - 1 ? 0.25 : 0.001;
    live.nodes.push_back(state);
    group.push_back(n);
    NodeView node;
    node.name = name;
    node.core_free = {true};
    node.state = n;
    node.torus_node = n;
    view.nodes.push_back(node);
  }
  if (nodes > 1000) group.assign(group.size(), 0);  // all nodes are in one group
  PairArrays pairs(nodes > 1000 ? 1 : nodes, group);
  for (std::int32_t a = 0; nodes <= 1000 && a < nodes; ++a)
    for (std::int32_t b = a + 1; b < nodes; ++b)
      pairs.set(a, b, {50.12345F + static_cast<float>(a), 1.23456e8F, 1.25e8F, PairSource::measured, 7.7777F});
  live.pairs = pair_table(std::move(pairs));
  view.live = std::make_shared<const LiveState>(std::move(live));
  view.torus = std::make_shared<const TorusTopology>(std::vector<TorusDimension>{{nodes, true}, {2, false}}, points);
  return view;
}

std::string pack(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes, std::size_t max_bytes,
                 double job_seconds = 0, const Deadline& deadline = Deadline::never()) {
  return pack_job_state(job, view, nodes, job_seconds, max_bytes, deadline);
}

// Returns the outage probability of the node at each position; -1 where there is none.
std::vector<double> by_position(const JobState& state) {
  std::vector<double> all;
  for (std::int32_t position = 0; position < state.torus->positions(); ++position) {
    const std::int32_t node = state.torus->node_at(position);
    all.push_back(node < 0 ? -1 : state.outages->of(state.torus->name(node)));
  }
  return all;
}

ClusterView nodes_named(const std::vector<std::string>& names) {
  ClusterView view;
  for (const std::string& name : names) view.nodes.emplace_back().name = name;
  return view;
}

}  // namespace

START_TEST(the_job_s_nodes_and_those_that_may_fail) {
  const ClusterView view = view_of(8);
  const std::vector<std::int32_t> nodes = {4, 2};
  const std::string text = pack(17, view, nodes, roomy);
  ck_assert_uint_eq(job_of_state(text), 17);
  const JobState state = unpack_job_state(text);
  ck_assert_int_eq(state.live->published_at_s, 1700000000);
  ck_assert_int_eq(state.live->nodes.size(), 2);
  for (std::size_t n = 0; const char* name : {"n4", "n2"}) ck_assert_str_eq(state.live->nodes[n++].name.c_str(), name);
  for (std::int32_t n = 0; const char* name : {"n4", "n2", "@0", "@1", "@3", "@5", "@6", "@7"})
    ck_assert_str_eq(state.torus->name(n++).c_str(), name);
  ck_assert_double_eq(state.outages->of("n4"), 0.001);
  const std::vector<double> wanted = {0.001, 0.02, 0.001, 0.001, 0.001, 0.001, 0.001, 0.25,
                                      -1,    -1,   -1,    -1,    -1,    -1,    -1,    -1};
  ck_assert(by_position(state) == wanted);
  ck_assert_int_eq(state.torus->positions(), 16);
  ck_assert(state.torus->dimensions()[0].wraps && !state.torus->dimensions()[1].wraps);

  ClusterView step = nodes_named({"n2", "elsewhere", "n4"});
  attach_job_state(step, state);
  ck_assert_int_eq(step.nodes[0].state, 1);
  ck_assert_int_eq(step.nodes[1].state, -1);
  ck_assert_int_eq(step.nodes[1].torus_node, -1);
  ck_assert_int_eq(step.torus->position(step.nodes[2].torus_node), 4);
  const PairTable& pairs = step.live->pairs;
  const auto group = [&](std::size_t node) {
    return pairs.group_of_node[static_cast<std::size_t>(step.nodes[node].state)];
  };
  const PairArrays::Cell cell = pair_cell(pairs, group(0), group(2));
  const auto shortened = [](float value, float from) { return value <= from && value > from * 0.996F; };
  ck_assert(shortened(cell.latency_us, 52.12345F));
  ck_assert(shortened(cell.bandwidth_Bps, 1.23456e8F));
  ck_assert(shortened(cell.peak_bandwidth_Bps, 1.25e8F));
  ck_assert(cell.source == PairSource::measured);
}
END_TEST

START_TEST(parts_that_are_missing) {
  ClusterView view = view_of(4);
  const std::vector<std::int32_t> nodes = {0, 3};
  ck_assert(pack(1, view, {}, roomy).empty());
  view.torus = nullptr;
  JobState state = unpack_job_state(pack(1, view, nodes, roomy));
  ck_assert(!state.torus && state.live);
  ck_assert_int_eq(state.live->nodes.size(), 2);  // without a torus there are no routes across other nodes
  view = view_of(4);
  view.live = nullptr;
  for (NodeView& node : view.nodes) node.state = -1;
  state = unpack_job_state(pack(1, view, nodes, roomy));
  ck_assert(state.torus && !state.live && !state.outages);
  NodeOutages own;  // the site's own outages replace those of the live data
  own.set("n2", 0.5);
  view = view_of(4);
  view.outages = std::make_shared<const NodeOutages>(own);
  state = unpack_job_state(pack(1, view, nodes, roomy));
  ck_assert_uint_eq(state.outages->size(), 1);
  ck_assert_double_eq(state.outages->of("@2"), 0.5);
  view = view_of(4);  // live data without estimates say nothing about outages; a suspect node does
  LiveState live = *view.live;
  for (NodeState& node : live.nodes) {
    node.outage_probability = unknown_value;
    node.liveness = Liveness::up;
  }
  view.live = std::make_shared<const LiveState>(live);
  state = unpack_job_state(pack(1, view, nodes, roomy));
  ck_assert(state.torus && state.live && !state.outages);
  live.nodes[3].liveness = Liveness::suspect;
  view.live = std::make_shared<const LiveState>(live);
  state = unpack_job_state(pack(1, view, nodes, roomy));
  ck_assert(state.outages && state.outages->of("n3") == 0.5);
  view = view_of(4);
  view.torus = nullptr;
  view.live = nullptr;
  ck_assert(pack(1, view, nodes, roomy).empty());
  view = view_of(4);  // a node without live data and coordinates
  view.nodes[0].state = -1;
  view.nodes[0].name = "new";
  state = unpack_job_state(pack(1, view, nodes, roomy));
  ck_assert_str_eq(state.live->nodes[0].name.c_str(), "new");
  ck_assert(state.live->nodes[0].liveness == Liveness::unknown);
  ck_assert(!state.outages->lists("new"));
  ck_assert_int_eq(state.torus->find("new"), -1);
  view = view_of(2);  // no node of the job has coordinates
  for (NodeView& node : view.nodes) node.name += "x", node.state = -1;
  view.live = nullptr;
  state = unpack_job_state(pack(1, view, {std::vector<std::int32_t>{0}}, roomy));
  ck_assert(!state.torus && !state.live);
  view = view_of(2);  // no coordinates, but live data
  for (NodeView& node : view.nodes) node.name += "x";
  state = unpack_job_state(pack(1, view, {std::vector<std::int32_t>{0}}, roomy));
  ck_assert(!state.torus && state.live);
}
END_TEST

// slurm-placement(7): beyond 128 groups of nodes that were measured together the network is left out.
START_TEST(the_network_of_up_to_128_groups_travels) {
  for (const std::int32_t count : {128, 129}) {
    std::vector<std::int32_t> nodes(static_cast<std::size_t>(count));
    for (std::int32_t n = 0; n < count; ++n) nodes[static_cast<std::size_t>(n)] = n;
    const JobState state = unpack_job_state(pack(1, view_of(count), nodes, 1 << 20));
    ck_assert_int_eq(state.live->pairs.groups, count == 128 ? 128 : 0);
  }
}
END_TEST

START_TEST(the_least_probabilities) {
  ClusterView view = view_of(4);
  NodeOutages own;
  own.set("n2", 5e-324);
  own.set("n3", 1e-310);
  view.outages = std::make_shared<const NodeOutages>(own);
  for (std::size_t bytes = 100; bytes < 2000; bytes += 10) {
    const std::string text = pack(1, view, {std::vector<std::int32_t>{0, 3}}, bytes);
    if (!text.empty()) unpack_job_state(text);
  }
}
END_TEST

// Nodes are chosen by the probabilities for the job's length, and ranks are placed by equal probabilities.
START_TEST(probabilities_are_those_of_the_selection) {
  ClusterView view = view_of(40);
  LiveState live = *view.live;
  for (std::size_t n = 0; n < 40; ++n)
    live.nodes[n].outage_probability = n % 4 == 0 ? 0 : 0.01 + static_cast<double>(n) / 777;  // most are risky
  live.nodes[5].liveness = Liveness::suspect;
  live.nodes[6].liveness = Liveness::down;
  live.nodes[7].outage_probability = unknown_value;
  view.live = std::make_shared<const LiveState>(live);
  for (const double job_seconds : {0.0, 3600.0, 864000.0}) {
    const std::vector<std::int32_t> nodes = {3, 9, 5};
    const std::vector<double> told = by_position(unpack_job_state(pack(1, view, nodes, roomy, job_seconds)));
    for (std::size_t n = 0; n < 40; ++n) ck_assert_double_eq(told[n], outage_of(live.nodes[n], 86400, job_seconds));
  }
  NodeOutages own;  // the site's own outages are not converted to the job's length
  for (int n = 10; n < 30; ++n) own.set("n" + std::to_string(n), 1.0 / n);
  view.outages = std::make_shared<const NodeOutages>(own);
  const std::vector<double> told =
      by_position(unpack_job_state(pack(1, view, std::vector<std::int32_t>{12, 3}, roomy, 60)));
  for (std::size_t n = 0; n < 40; ++n) ck_assert_double_eq(told[n], own.of("n" + std::to_string(n)));
}
END_TEST

START_TEST(a_large_machine) {
  constexpr std::int32_t count = 10000;
  ClusterView view = view_of(count);
  LiveState live = *view.live;
  for (std::int32_t n = 0; n < count; ++n)
    live.nodes[static_cast<std::size_t>(n)].outage_probability =
        0.001 / (1 + n * 0.618 - std::floor(n * 0.618));  // all probabilities differ
  view.live = std::make_shared<const LiveState>(live);
  std::vector<std::int32_t> nodes;
  for (std::int32_t n = 0; n < 512; ++n) nodes.push_back(n * 7);
  const std::size_t bytes = 32 << 10;
  const std::string text = pack(1, view, nodes, bytes);
  ck_assert(!text.empty());
  const std::vector<double> told = by_position(unpack_job_state(text));
  for (std::int32_t n = 0; n < count; ++n) {
    const double wanted = live.nodes[static_cast<std::size_t>(n)].outage_probability;
    ck_assert_double_eq_tol(told[static_cast<std::size_t>(n)] / wanted, 1, n % 7 == 0 && n < 3584 ? 1e-12 : 0.5);
  }
  // After the deadline only the most important parts are written.
  const JobState late = unpack_job_state(pack(1, view, nodes, bytes, 0, Deadline::after(std::chrono::microseconds(0))));
  ck_assert_int_eq(late.torus->nodes(), 512);
  ck_assert_int_eq(late.torus->coordinates(late.torus->position(late.torus->find("n3577")))[0], 3577);
  nodes.clear();
  for (std::int32_t n = 0; n < count; ++n) nodes.push_back(n);
  const JobState whole = unpack_job_state(pack(1, view, nodes, 64 << 10));
  ck_assert_int_eq(whole.torus->nodes(), count);
}
END_TEST

START_TEST(details_that_do_not_fit_are_omitted) {
  const ClusterView view = view_of(100);
  std::vector<std::int32_t> nodes;
  for (std::int32_t n = 0; n < 100; n += 2) nodes.push_back(n);
  // Each step asks for a text that is shorter than the last one, until there is none.
  std::string text = pack(1, view, nodes, roomy);
  ck_assert_int_eq(unpack_job_state(text).live->pairs.groups, 50);
  ck_assert_int_eq(unpack_job_state(text).torus->nodes(), 100);
  int pairs = 0, others = 0, live = 0, steps = 0;
  for (; !text.empty(); ++steps) {
    const JobState state = unpack_job_state(text);
    pairs += state.live && state.live->pairs.groups == 50;
    others += state.torus->nodes() == 100;
    live += state.live != nullptr;
    ck_assert(state.torus->nodes() == 100 || state.torus->nodes() == 50);
    ck_assert_double_eq(state.outages->of("n4"), 0.001);
    const std::string shorter = pack(1, view, nodes, text.size() - 1);
    ck_assert_uint_lt(shorter.size(), text.size());
    text = shorter;
  }
  ck_assert_int_ge(pairs, 1);
  ck_assert_int_gt(others, pairs);
  ck_assert_int_gt(live, others);
  ck_assert_int_gt(steps, live);
  const ClusterView many = view_of(200);  // more than the largest number of groups whose network is sent
  nodes.clear();
  for (std::int32_t n = 0; n < 200; ++n) nodes.push_back(n);
  ck_assert_int_eq(unpack_job_state(pack(1, many, nodes, roomy)).live->pairs.groups, 0);
}
END_TEST

START_TEST(hostile_texts) {
  const std::string good = pack(1, view_of(4), std::vector<std::int32_t>{0, 1}, roomy);
  ck_assert_error(job_of_state(""), "number");
  ck_assert_error(job_of_state("17"), "number");
  ck_assert_error(job_of_state("-1.x"), "number");
  ck_assert_error(job_of_state("99999999999.x"), "number");
  ck_assert_error(unpack_job_state("1."), "");
  for (std::size_t cut = 2; cut < good.size(); cut += 7) ck_assert_error(unpack_job_state(good.substr(0, cut)), "");
  const auto encoded = [](const std::string& text) {
    return "1." + to_base64url(pack_frame(std::as_bytes(std::span(text)), 3));
  };
  ck_assert_error(unpack_job_state(encoded("")), "incomplete");
  ck_assert_error(unpack_job_state(encoded("torus 2\nn0 0\n---\n")), "incomplete");
  ck_assert_error(unpack_job_state(encoded("torus 2\nn0 5\n---\n---\n---\n")), "the job's torus:2");
  ck_assert_error(unpack_job_state(encoded("---\n---\n---\nnonsense")), "snapshot");
  ck_assert_error(unpack_job_state(encoded("---\nn1 2\n---\n---\n")), "the job's outages:1");
  ck_assert_error(unpack_job_state(encoded("---\n---\n---\n---\n")), "snapshot");
  const auto positions = [&](const std::string& text) {
    return unpack_job_state(encoded("torus 4\nn0 0\n---\n# outages\n---\n" + text + "---\n"));
  };
  ck_assert_int_eq(positions("0.5 2\n- 1\n0 1\n").torus->nodes(), 3);
  for (const char* wrong :
       {"0.5 5\n", "0.5 -1\n", "0.5 0\n", "0.5\n", "2 4\n", "nan 4\n", "0.5 4\n0 1\n", "0.5 9999999999999\n", "x 4\n"})
    ck_assert_error(positions(wrong), " positions:");
  ck_assert_error(positions("0.5 3\n"), " 3 of ");
  ck_assert_error(unpack_job_state(encoded("---\n---\n0 1\n---\n")), "positions");
  ck_assert_error(unpack_job_state(encoded(std::string(std::size_t{8} << 20, 'x'))), "limit");
  const JobState empty = unpack_job_state(encoded("---\n---\n---\n"));
  ck_assert(!empty.torus && !empty.outages && !empty.live);
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("job_state");
  TCase* core = tcase_create("core");
  tcase_add_test(core, the_job_s_nodes_and_those_that_may_fail);
  tcase_add_test(core, parts_that_are_missing);
  tcase_add_test(core, the_network_of_up_to_128_groups_travels);
  tcase_add_test(core, the_least_probabilities);
  tcase_add_test(core, probabilities_are_those_of_the_selection);
  tcase_add_test(core, a_large_machine);
  tcase_add_test(core, details_that_do_not_fit_are_omitted);
  tcase_add_test(core, hostile_texts);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
