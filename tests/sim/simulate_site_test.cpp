// SPDX-License-Identifier: GPL-2.0-or-later
// Data of a machine in a replay other than its tree: torus, live state and outages.
#include "sim/machine.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/state/live_state.hpp"
#include "common/state/snapshot.hpp"
#include "common/topology/torus_topology.hpp"
#include "sim/job_placement.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/common/snapshot_samples.hpp"
#include "tests/words.hpp"
#include "tools/input/snapshot_json.hpp"

using namespace placement;
using namespace placement::sim;

namespace {

// Returns a ring of nodes, whose names are their numbers.
ClusterView ring(std::int32_t length, std::int32_t cores) {
  auto torus = std::make_shared<const TorusTopology>(TorusTopology::full({{length, true}}));
  std::vector<SwitchShape> row{{"row", -1, {}}};
  std::vector<NodeShape> nodes;
  for (std::int32_t n = 0; n < length; ++n) {
    row[0].nodes.push_back(n);
    nodes.push_back({torus->name(n), 1, cores, 1});
  }
  ClusterView view = view_of_switches(row, nodes);
  for (std::int32_t n = 0; n < length; ++n) view.nodes[n].torus_node = n;
  view.torus = std::move(torus);
  return view;
}

std::vector<std::int32_t> nodes_of(const Machine& machine, const std::vector<std::int32_t>& leaves) {
  std::vector<std::int32_t> nodes;
  for (const std::int32_t leaf : leaves)
    if (nodes.empty() || nodes.back() != machine.node_of(leaf)) nodes.push_back(machine.node_of(leaf));
  return nodes;
}

using Nodes = std::vector<std::int32_t>;

NodeOutages outages_of(std::initializer_list<std::pair<const char*, double>> list) {
  NodeOutages outages;
  for (const auto& [name, probability] : list) outages.set(name, probability);
  return outages;
}

// Returns a live state with one node for each entry of `load`. Each node is a group of its own in the table of pairs;
// `bandwidth` has the bandwidths row by row.
LiveState small_state(const std::vector<double>& load, std::vector<float> bandwidth) {
  LiveState state;
  struct Arrays {
    std::vector<std::int32_t> group;
    std::vector<float> bandwidth, unknown, age;
    std::vector<PairSource> source;
  };
  auto arrays = std::make_shared<Arrays>();
  for (std::size_t n = 0; n < load.size(); ++n) {
    state.nodes.push_back({});
    state.nodes.back().name = "n" + std::to_string(n);
    state.nodes.back().cpu_load = {load[n], load[n], load[n]};
    arrays->group.push_back(static_cast<std::int32_t>(n));
  }
  arrays->bandwidth = std::move(bandwidth);
  arrays->unknown.assign(arrays->bandwidth.size(), std::nanf(""));
  arrays->age.assign(arrays->bandwidth.size(), 0);
  for (const float value : arrays->bandwidth)
    arrays->source.push_back(value > 0 ? PairSource::measured : PairSource::none);
  state.pairs.groups = static_cast<std::int32_t>(load.size());
  state.pairs.group_of_node = arrays->group;
  state.pairs.latency_us = arrays->unknown;
  state.pairs.bandwidth_Bps = arrays->bandwidth;
  state.pairs.peak_bandwidth_Bps = arrays->unknown;
  state.pairs.source = arrays->source;
  state.pairs.age_s = arrays->age;
  state.pairs.owner = arrays;
  check_live_state(state);
  return state;
}

}  // namespace

START_TEST(communication_on_a_torus) {
  const Machine machine(ring(8, 2));
  const CommMatrix matrix = CommMatrix::from_edges(4, {{0, 1, 10}, {0, 2, 100}, {0, 3, 1000}});
  // Ranks 0 and 1 are on node 0, rank 2 is on node 3, and rank 3 is on node 7, which is next to node 0.
  const std::vector<std::int32_t> leaves{0, 1, 6, 15};
  ck_assert_double_eq(machine.communication(matrix, leaves), 100 * 3 + 1000 * 1);
  ClusterView lost = ring(4, 1);
  lost.nodes[2].torus_node = -1;
  ck_assert_error_words(Machine(std::move(lost)), "node 2 coordinates");
}
END_TEST

START_TEST(stock_on_a_torus_takes_runs_of_nodes) {
  Machine machine(ring(10, 2));
  machine.take(std::vector<std::int32_t>{6, 7, 14, 15});  // takes nodes 3 and 7; runs of 3, 3 and 2 nodes are left
  ck_assert((nodes_of(machine, stock_choice(machine, 4, StockRequest::nodes)) == Nodes{8, 9}));
  ck_assert((nodes_of(machine, stock_choice(machine, 6, StockRequest::nodes)) == Nodes{0, 1, 2}));
  ck_assert((nodes_of(machine, stock_choice(machine, 10, StockRequest::nodes)) == Nodes{0, 1, 2, 8, 9}));
  ck_assert_uint_eq(stock_choice(machine, 16, StockRequest::nodes).size(), 16);
  ck_assert_error(stock_choice(machine, 17, StockRequest::nodes), "17 tasks on 16 free cores");
  machine.take(std::vector<std::int32_t>{16});  // node 8 has one free core left
  ck_assert((nodes_of(machine, stock_choice(machine, 4, StockRequest::nodes)) == Nodes{0, 1}));
  ck_assert((nodes_of(machine, stock_choice(machine, 3, StockRequest::tasks)) == Nodes{8, 9}));
}
END_TEST

START_TEST(policies_see_torus_and_state) {
  const ClusterView view = ring(6, 2);
  for (const char* word : {"SLURM", "RANDOM", "SEQUENTIAL"}) {
    JobRequest job;
    job.tasks = 5;
    job.matrix = PatternSource(parse_pattern("grid=auto2")).matrix(5, 1);
    const Machine machine(view);
    const JobPlacement placed = place_job(machine, parse_strategy(word), job);
    ck_assert_double_eq(placed.cost, machine.communication(*job.matrix, placed.leaf_of_rank));
    ck_assert_str_eq(placed.refusal.c_str(), "");
  }
}
END_TEST

START_TEST(load_and_network_of_a_state) {
  const float none = std::nanf("");
  const float cells[] = {none, 100, 50, 100, none, none, 50, none, none};
  Machine plain = machine_of({3}, 1, 2);
  ClusterView view = plain.view();
  attach_state(view, small_state({0, 1.2, 4.2}, {cells, cells + 9}), "state");
  const Machine machine(view);
  const CommMatrix matrix = CommMatrix::from_edges(2, {{0, 1, 1000}});
  const auto seconds = [&](std::int32_t a, std::int32_t b) {
    return machine.communication(matrix, std::vector<std::int32_t>{a, b});
  };
  ck_assert_double_eq(seconds(0, 2), 10);  // nodes 0 and 1
  ck_assert_double_eq(seconds(4, 0), 20);  // nodes 2 and 0
  ck_assert_double_eq(seconds(2, 4), 20);  // an unknown bandwidth counts as the least that is known
  ck_assert_double_eq(seconds(0, 1), 1000 / 800.0);
  ck_assert_double_eq(machine.slowdown(std::vector<std::int32_t>{0, 1}), 1);
  ck_assert_double_eq_tol(machine.slowdown(std::vector<std::int32_t>{0, 2}), 1.5, 1e-12);
  ck_assert_double_eq_tol(machine.slowdown(std::vector<std::int32_t>{0, 2, 4}), 3, 1e-12);
  ck_assert_double_eq(plain.slowdown(std::vector<std::int32_t>{0, 2, 4}), 1);
}
END_TEST

// A job on nodes with other load computes more slowly than on the nodes of the stock choice, which the log stands for.
START_TEST(load_stretches_the_computing) {
  ClusterView view = machine_of({4}, 1, 1).view();
  LiveState state;
  for (int n = 0; n < 4; ++n) {
    state.nodes.push_back({});
    state.nodes.back().name = "n" + std::to_string(n);
    const double load = n == 0 ? 0 : 1.2;  // a load of 0.2 counts as noise
    state.nodes.back().cpu_load = {load, load, load};
  }
  attach_state(view, std::move(state), "state");
  const Machine machine(view);
  const std::vector<LogJob> jobs{job_of(0, 100, 500, 1)};
  ReplayOptions options;
  options.charge_policy_s = options.charge_policy_task_s = 0;
  const PatternSource patterns(parse_pattern("random"));
  ck_assert_int_eq(replay(machine, jobs, parse_strategy("SLURM"), patterns, options).outcomes[0].run_us, 100000000);
  std::set<std::int64_t> runs;
  for (options.seed = 1; options.seed < 9; ++options.seed)
    runs.insert(replay(machine, jobs, parse_strategy("RANDOM"), patterns, options).outcomes[0].run_us);
  ck_assert((runs == std::set<std::int64_t>{100000000, 200000000}));
}
END_TEST

START_TEST(states_from_files) {
  const TemporaryDirectory directory;
  const float none = std::nanf("");
  const LiveState state = small_state({0.5, 2}, {none, 1e8F, 1e8F, none});
  const std::string json = directory.file("json", tools::format_snapshot_json(state));
  ck_assert(same_state(tools::read_live_state(json), state));
  write_snapshot(directory.path() + "/binary", state);
  ck_assert(same_state(tools::read_live_state(directory.path() + "/binary"), state));
  ck_assert_error(tools::read_live_state(directory.path() + "/none"), "none");
  ck_assert_error(tools::read_live_state(directory.file("junk", "no snapshot\n")), "junk");
  ClusterView other = ring(3, 1);
  ck_assert_error_words(attach_state(other, state, json), "machine first 0");
}
END_TEST

START_TEST(outages_give_rates) {
  ClusterView view = machine_of({3}, 1, 1).view();
  ck_assert(failure_rates(view) == std::vector<double>(3, 0));
  attach_outages(view, outages_of({{"n1", 0.5}, {"n2", 1}}), 7200, "file");
  const std::vector<double> rates = failure_rates(view);
  ck_assert_double_eq(rates[0], 0);
  ck_assert_double_eq_tol(rates[1], std::log(2) / 2, 1e-12);
  ck_assert_double_gt(rates[2], 6);
  ck_assert(std::isfinite(rates[2]));
  ck_assert_double_eq(view.live->nodes[view.nodes[1].state].outage_probability, 0.5);
  ck_assert_double_eq(view.live->outage_horizon_s, 7200);
  ck_assert_error_words(attach_outages(view, outages_of({{"x", 0.5}}), 1, "file"), "file: node x machine");
  // A live state that the view already has keeps its load.
  ClusterView told = machine_of({3}, 1, 1).view();
  attach_state(told, small_state({2, 0, 1}, std::vector<float>(9, 1e8F)), "state");
  const double load = told.live->nodes[0].cpu_load.minutes_1;
  attach_outages(told, outages_of({{"n0", 0.25}}), 3600, "file");
  ck_assert_double_eq(told.live->nodes[0].cpu_load.minutes_1, load);
  ck_assert_double_eq(told.live->nodes[0].outage_probability, 0.25);
}
END_TEST

START_TEST(only_nodes_that_can_fail_do) {
  ClusterView view = machine_of({4}, 1, 2).view();
  attach_outages(view, outages_of({{"n0", 0.75}}), 600, "file");
  const Machine machine(view);
  ReplayOptions options;
  options.failures_per_hour_of_node = failure_rates(view);
  options.repair_hours = 0.05;
  // The first job takes all cores and fails with n0. The second takes n0 to n2 and does not fail with n3.
  const std::vector<LogJob> jobs{job_of(0, 1200, 2000, 8)};
  const PatternSource patterns(parse_pattern("random"));
  const Replay failing = replay(machine, jobs, parse_strategy("SLURM"), patterns, options);
  ck_assert_int_gt(failing.node_failures, 0);
  ck_assert_int_eq(failing.outcomes[0].restarts, failing.node_failures);
  ck_assert_double_gt(failing.lost_core_us, 0);
  ck_assert_double_le(failing.lost_core_us, 8.0 * static_cast<double>(failing.outcomes[0].start_us));
  ClusterView safe = machine_of({4}, 1, 2).view();
  attach_outages(safe, outages_of({{"n3", 0.9}}), 600, "file");
  options.failures_per_hour_of_node = failure_rates(safe);
  const std::vector<LogJob> small{job_of(0, 1200, 2000, 6)};  // nodes 0 to 2
  const Replay spared = replay(Machine(safe), small, parse_strategy("SLURM"), patterns, options);
  ck_assert_int_gt(spared.node_failures, 0);
  ck_assert_int_eq(spared.outcomes[0].restarts, 0);
  ck_assert_double_eq(spared.lost_core_us, 0);
}
END_TEST

int main() {
  Suite* suite = suite_create("simulate_site");
  TCase* all = tcase_create("all");
  tcase_add_test(all, communication_on_a_torus);
  tcase_add_test(all, stock_on_a_torus_takes_runs_of_nodes);
  tcase_add_test(all, policies_see_torus_and_state);
  tcase_add_test(all, load_and_network_of_a_state);
  tcase_add_test(all, load_stretches_the_computing);
  tcase_add_test(all, states_from_files);
  tcase_add_test(all, outages_give_rates);
  tcase_add_test(all, only_nodes_that_can_fail_do);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
