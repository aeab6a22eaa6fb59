// SPDX-License-Identifier: GPL-2.0-or-later
// The largest jobs that fit below leaf switches and into subtrees, while cores are taken and released.
#include <algorithm>

#include "common/util/random.hpp"
#include "sim/metrics.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"

using namespace placement;
using namespace placement::sim;

namespace {

// Returns a machine with three subtrees of two, one and three leaf switches.
Machine machine_of_subtrees() {
  std::vector<SwitchShape> switches{{"root", -1, {}}, {"a", 0, {}}, {"b", 0, {}}, {"c", 0, {}}};
  std::vector<NodeShape> nodes;
  for (const int above : {1, 1, 2, 3, 3, 3}) {
    switches.push_back({"s" + std::to_string(switches.size()), above, {}});
    for (int k = 0; k < 3; ++k) {
      switches.back().nodes.push_back(static_cast<std::int32_t>(nodes.size()));
      nodes.push_back({"n" + std::to_string(nodes.size()), 1, 4, 1});
    }
  }
  return Machine(view_of_switches(switches, nodes));
}

// Returns the most free cores below one leaf switch and in one subtree, by counting all cores.
std::pair<std::int64_t, std::int64_t> counted(const Machine& machine) {
  constexpr int subtree[] = {0, 0, 1, 2, 2, 2};
  std::vector<std::int64_t> in_switch(6, 0), in_subtree(3, 0);
  for (std::int32_t n = 0; n < machine.nodes(); ++n) {
    in_switch.at(machine.switch_of(n)) += machine.free()[n];
    in_subtree[subtree[machine.switch_of(n)]] += machine.free()[n];
  }
  return {*std::max_element(in_switch.begin(), in_switch.end()),
          *std::max_element(in_subtree.begin(), in_subtree.end())};
}

Replay run(const Machine& machine, const std::vector<LogJob>& jobs, const ReplayOptions& options) {
  return replay(machine, jobs, parse_strategy("SLURM"), PatternSource({}), options);
}

}  // namespace

START_TEST(follows_what_is_free) {
  Machine machine = machine_of_subtrees();
  Random random(5);
  std::vector<std::vector<std::int32_t>> jobs;
  for (int step = 0; step < 3000; ++step) {
    const auto [in_switch, in_subtree] = counted(machine);
    const LargestRoom room = largest_room(machine, machine.free());
    ck_assert_int_eq(room.in_switch, in_switch);
    ck_assert_int_eq(room.in_subtree, in_subtree);
    const int wanted = 1 + random.below(step % 100 < 20 ? 72 : 12);
    if (machine.free_cores() < wanted || (!jobs.empty() && random.below(3) == 0)) {
      const auto gone = jobs.begin() + random.below(static_cast<std::int32_t>(jobs.size()));
      machine.release(*gone);
      jobs.erase(gone);
      continue;
    }
    // The job takes random cores in random order.
    std::vector<std::int32_t> leaves;
    for (const NodeView& node : machine.view().nodes)
      for (std::int32_t c = 0; c < node.cores(); ++c)
        if (node.core_free[static_cast<std::size_t>(c)]) leaves.push_back(node.first_leaf + c);
    for (std::size_t k = leaves.size(); k > 1; --k)
      std::swap(leaves[k - 1], leaves[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(k)))]);
    leaves.resize(static_cast<std::size_t>(wanted));
    machine.take(leaves);
    jobs.push_back(std::move(leaves));
  }
}
END_TEST

// Jobs of one minute take the whole machine at each full hour. Samples are taken at these times and would give another
// mean.
START_TEST(is_a_mean_over_time) {
  const Machine machine = machine_of({4, 4}, 1, 2);
  std::vector<LogJob> jobs;
  for (int k = 0; k < 4; ++k) jobs.push_back(job_of(3600 * k, 60, 60, 16));
  ReplayOptions options;
  const Summary hourly = summarise(machine, jobs, run(machine, jobs, options));
  ck_assert_double_eq_tol(hourly.largest_in_switch, 8 * 3 * 3540.0 / 10860, 1e-9);
  ck_assert_double_eq_tol(hourly.largest_in_subtree, 8 * 3 * 3540.0 / 10860, 1e-9);
  // For 50 s, six to eight cores are free below one switch. Then no core is free for half an hour: one node is down,
  // and all others are busy.
  options.planned_failures = {{0, 7, 3'600'000'000}};
  jobs = {job_of(0, 50, 50, 6), job_of(50, 1800, 1800, 14)};
  const Summary failing = summarise(machine, jobs, run(machine, jobs, options));
  ck_assert_double_ge(failing.largest_in_switch, 6 * 50.0 / 1850);
  ck_assert_double_le(failing.largest_in_switch, 8 * 50.0 / 1850 + 1e-9);
  Replay nothing;  // a replay that was stopped at once
  nothing.outcomes.resize(2);
  ck_assert_double_eq(summarise(machine, jobs, nothing).largest_in_switch, 0);
}
END_TEST

int main() {
  Suite* suite = suite_create("simulate_room");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_test(all, follows_what_is_free);
  tcase_add_test(all, is_a_mean_over_time);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
