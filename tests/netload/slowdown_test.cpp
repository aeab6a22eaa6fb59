// SPDX-License-Identifier: GPL-2.0-or-later
// The run time of a group of nodes, by which policy NLA chooses one for an unknown program.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "netload/profile_weights.hpp"
#include "netload/selection.hpp"
#include "tests/check.hpp"
#include "tests/netload/nla_cases.hpp"

using namespace placement;
using namespace placement::netload;

START_TEST(clock_and_crowding_slow_a_node_down) {
  NodeTable table;
  table.nodes = 4;
  table[NodeAttribute::frequency] = {4000, 2000, 4000, NAN};
  const std::vector<double> cores{8, 8, 8, 8}, load{4, 0, 12, 0};
  const std::vector<std::int32_t> processors{4, 4, 4, 4};
  const std::vector<double> slow = slowdown_of_nodes(table, cores, load, processors);
  ck_assert_double_eq_tol(slow[1] / slow[0], 2, 1e-9);  // half the clock
  ck_assert_double_eq_tol(slow[2] / slow[0], 2, 1e-9);  // 16 processes on 8 cores
  ck_assert_double_eq_tol(slow[3] / slow[1], 1, 1e-9);  // unknown counts as the worst known
}
END_TEST

START_TEST(nodes_without_data_are_equally_fast) {
  NodeTable table;
  table.nodes = 2;
  const std::vector<std::int32_t> processors{4, 4};
  const std::vector<double> cores{8, 8}, load{1, 3};
  for (const std::vector<double>& slow :
       {slowdown_of_nodes(table, {}, {}, processors), slowdown_of_nodes(table, cores, load, processors)})
    ck_assert(slow.size() == 2 && slow[0] == slow[1]);
}
END_TEST

START_TEST(weights_and_a_profile_narrow_the_shares) {
  for (const char* key : {"alpha", "beta"}) ck_assert(!share_range({{key, "0.5"}}, TypicalLink()));
  const ShareRange unknown = *share_range({{"latency", "0.5"}}, TypicalLink());
  ck_assert(unknown.least == 0.05 && unknown.most == 0.95);
  // Without a number of ranks the share is that of waiting.
  for (const double share : {0.02, 0.3, 0.97}) {
    const NetworkUse use{share, 0, 10, 1000, {}};
    const ShareRange known = *share_range({{"network-use", to_string(use)}}, TypicalLink());
    ck_assert_double_eq_tol(known.least, std::max(share - 0.1, 0.0), 1e-9);
    ck_assert_double_eq_tol(known.most, std::min(share + 0.1, 1.0), 1e-9);
  }
}
END_TEST

// The slowest node and the mean network load of a group.
struct GroupParts {
  double slowest = 0, network = 0;

  double time(double share, const GroupParts& best) const {
    return (1 - share) * slowest / best.slowest + (network > 0 ? share * network / best.network : 0);
  }
};

static GroupParts parts_of(const GroupInput& input, const std::vector<std::int32_t>& nodes) {
  GroupParts parts;
  for (const std::int32_t node : nodes) parts.slowest = std::max(parts.slowest, input.slowdown[node]);
  const auto size = static_cast<double>(nodes.size());
  if (size > 1) parts.network = measured_group(input, nodes).network_load / (size * (size - 1) / 2);
  return parts;
}

// In random clusters of 10 nodes, the regret is relative to the best of all groups. If a group takes at most 1.1 times
// as long as the groups of simple rules, the choice does, too, and has about the least regret of all that do.
START_TEST(the_regret_is_about_the_least) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  double worst = 1;
  int rounds_within = 0;
  for (int round = 0; round < 100; ++round) {
    constexpr int nodes = 10, size = 4;
    Case made = random_case(static_cast<std::uint64_t>(round), nodes, 1);
    std::vector<double> slow;
    for (int n = 0; n < nodes; ++n) slow.push_back(1 + 2 * unit(random) * unit(random));
    GroupInput input = made.input();
    input.slowdown = slow;
    if (round % 3 == 1) input.shares = {0.0, 0.2};
    if (round % 3 == 2) input.shares = {0.8, 1.0};
    std::vector<GroupParts> all;
    GroupParts best{1e9, 1e9};
    for (unsigned set = 0; set < 1U << nodes; ++set) {
      std::vector<std::int32_t> group;
      for (int n = 0; n < nodes; ++n)
        if (set >> n & 1) group.push_back(n);
      if (group.size() != size) continue;
      all.push_back(parts_of(input, group));
      best.slowest = std::min(best.slowest, all.back().slowest);
      best.network = std::min(best.network, all.back().network);
    }
    const auto regret = [&](const GroupParts& of) {
      double most = 1;
      for (const double share : {input.shares.least, input.shares.most}) {
        double least = 1e9;
        for (const GroupParts& each : all) least = std::min(least, each.time(share, best));
        most = std::max(most, of.time(share, best) / least);
      }
      return most;
    };
    const auto chosen_by = [&](SelectionRule rule) {
      return parts_of(input, select_group(input, processes(size), rule).best.nodes);
    };
    const std::array rules{chosen_by(SelectionRule::load_aware), chosen_by(SelectionRule::sequential),
                           chosen_by(SelectionRule::nla_paper)};
    const auto over_rules = [&](const GroupParts& of) {
      double most = 0;
      for (const double share : {input.shares.least, input.shares.most})
        for (const GroupParts& rule : rules) most = std::max(most, of.time(share, best) / rule.time(share, best));
      return most;
    };
    const GroupParts chosen = chosen_by(SelectionRule::nla);
    double least = 1e9, limit = 1.1;
    for (const GroupParts& each : all)
      if (over_rules(each) <= limit) least = std::min(least, regret(each));
    if (least < 1e9) worst = std::max(worst, regret(chosen) / least);
    rounds_within += least < 1e9;
    for (const GroupParts& rule : rules) {
      ck_assert_double_le(over_rules(chosen), std::max(limit, over_rules(rule)) + 1e-6);
      if (over_rules(rule) <= limit) ck_assert_double_le(regret(chosen), regret(rule) + 1e-6);
    }
  }
  ck_assert_double_le(worst, 1.1);
  ck_assert_int_gt(rounds_within, 50);
}
END_TEST

int main() {
  Suite* suite = suite_create("slowdown");
  TCase* all = tcase_create("all");
  tcase_set_timeout(all, 120);
  tcase_add_test(all, clock_and_crowding_slow_a_node_down);
  tcase_add_test(all, nodes_without_data_are_equally_fast);
  tcase_add_test(all, weights_and_a_profile_narrow_the_shares);
  tcase_add_test(all, the_regret_is_about_the_least);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
