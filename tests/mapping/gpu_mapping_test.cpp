// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/gpu_mapping.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include "mapping/assignment.hpp"
#include "tests/check.hpp"
#include "tests/words.hpp"

namespace {

using placement::Closeness;
using placement::NodeTopology;
using placement::mapping::core_slots;
using placement::mapping::CoreSlot;
using placement::mapping::GpuMapping;
using placement::mapping::map_to_gpus;
using placement::mapping::slot_distance;
using Numbers = std::vector<std::int64_t>;

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

 private:
  std::mt19937 random_;
};

// A node with two cores per cache, two caches per NUMA node and two NUMA nodes per package.
NodeTopology node_with(int cores, int gpus) {
  NodeTopology node;
  node.name = "a node";
  for (int core = 0; core < cores; ++core) node.cores.push_back({core, {core}, core / 8, core / 4, core / 2});
  node.gpus.resize(static_cast<std::size_t>(gpus));
  node.closeness.assign(static_cast<std::size_t>(gpus * gpus), Closeness::numa);
  node.bandwidth.assign(static_cast<std::size_t>(gpus * gpus), 0);
  return node;
}

void link(NodeTopology& node, std::size_t a, std::size_t b, std::int64_t bandwidth) {
  node.bandwidth[a * node.gpus.size() + b] = node.bandwidth[b * node.gpus.size() + a] = bandwidth;
}

NodeTopology random_node(Dice& dice) {
  NodeTopology node = node_with(4 + dice.below(13), 1 + dice.below(5));
  node.nics = {"a", "b"};
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
    for (std::size_t core = 0; core < node.cores.size(); ++core)
      if (dice.below(3) == 0) node.gpus[gpu].cores.push_back(static_cast<std::int32_t>(core));
    node.gpus[gpu].nic = dice.below(3) - 1;
    for (std::size_t other = 0; other < gpu; ++other) {
      link(node, gpu, other, dice.below(3) * 50);
      const auto closeness = static_cast<Closeness>(dice.below(4));
      node.closeness[gpu * node.gpus.size() + other] = node.closeness[other * node.gpus.size() + gpu] = closeness;
    }
  }
  return node;
}

Numbers random_traffic(Dice& dice, std::size_t ranks) {
  Numbers traffic(ranks * ranks, 0);
  for (std::size_t a = 0; a < ranks; ++a)
    for (std::size_t b = 0; b < a; ++b) traffic[a * ranks + b] = traffic[b * ranks + a] = dice.below(4) * 10;
  return traffic;
}

using Value = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // far, cost, sharing of interfaces

// Returns the value of ranks with these GPUs and slots.
Value value_of(const NodeTopology& node, const Numbers& traffic, const std::vector<std::size_t>& gpu,
               const std::vector<CoreSlot>& slot) {
  const Numbers costs = placement::gpu_costs(node);
  std::int64_t far = 0, cost = 0, sharing = 0;
  Numbers ranks_at(node.nics.size(), 0);
  for (std::size_t rank = 0; rank < gpu.size(); ++rank) {
    far += slot_distance(node, slot[rank], gpu[rank]);
    for (std::size_t other = 0; other < rank && !traffic.empty(); ++other)
      cost += traffic[rank * gpu.size() + other] * costs[gpu[rank] * node.gpus.size() + gpu[other]];
    if (node.gpus[gpu[rank]].nic >= 0) ++ranks_at[static_cast<std::size_t>(node.gpus[gpu[rank]].nic)];
  }
  for (const std::int64_t ranks : ranks_at) sharing += ranks * ranks;
  return {far, cost, sharing};
}

// Tries all GPUs and slots of all ranks.
struct BruteForce {
  const NodeTopology& node;
  const Numbers& traffic;
  std::size_t ranks;
  std::vector<CoreSlot> slots;
  std::vector<std::size_t> gpu = {};
  std::vector<CoreSlot> slot = {};
  std::vector<bool> gpu_taken = std::vector<bool>(64, false), slot_taken = std::vector<bool>(64, false);
  Value best{INT64_MAX, 0, 0};

  void run() {
    if (gpu.size() == ranks) {
      best = std::min(best, value_of(node, traffic, gpu, slot));
      return;
    }
    for (std::size_t g = 0; g < node.gpus.size(); ++g)
      for (std::size_t s = 0; s < slots.size() && !gpu_taken[g]; ++s) {
        if (slot_taken[s]) continue;
        gpu_taken[g] = slot_taken[s] = true;
        gpu.push_back(g);
        slot.push_back(slots[s]);
        run();
        gpu.pop_back();
        slot.pop_back();
        gpu_taken[g] = slot_taken[s] = false;
      }
  }
};

// Returns the first order in lexical order that costs least.
std::vector<std::int32_t> first_best(const Numbers& traffic, const Numbers& distance, std::size_t count) {
  std::vector<std::int32_t> place(count), best;
  std::iota(place.begin(), place.end(), 0);
  std::int64_t least = INT64_MAX;
  do {
    const std::int64_t cost = placement::mapping::assignment_cost(traffic, distance, place);
    if (cost < least) {
      least = cost;
      best = place;
    }
  } while (std::next_permutation(place.begin(), place.end()));
  return best;
}

std::int64_t least_cost(const Numbers& traffic, const Numbers& distance, std::size_t count) {
  return placement::mapping::assignment_cost(traffic, distance, first_best(traffic, distance, count));
}

}  // namespace

START_TEST(no_mapping_of_a_small_node_is_better) {
  Dice dice(1);
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const NodeTopology node = random_node(dice);
    const auto ranks =
        static_cast<std::size_t>(1 + dice.below(static_cast<int>(std::min<std::size_t>(node.gpus.size(), 3))));
    const std::int32_t width = 1 + dice.below(3);
    const std::vector<CoreSlot> slots = core_slots(node, width);
    if (slots.size() < ranks) continue;
    const Numbers traffic = dice.below(4) == 0 ? Numbers{} : random_traffic(dice, ranks);
    BruteForce all{node, traffic, ranks, slots};
    all.run();
    const GpuMapping mapping = map_to_gpus(node, static_cast<std::int32_t>(ranks), width, traffic);
    std::vector<std::size_t> gpu;
    std::vector<CoreSlot> slot;
    for (const auto& place : mapping.of_rank) {
      gpu.push_back(static_cast<std::size_t>(place.gpu));
      slot.push_back({place.cores, 0});
    }
    ck_assert(value_of(node, traffic, gpu, slot) == all.best);
    ck_assert(mapping.exact && mapping.far == std::get<0>(all.best));
    ++compared;
  }
  ck_assert_int_gt(compared, 250);
}
END_TEST

START_TEST(up_to_eight_get_the_first_best_order) {
  Dice dice(2);
  for (int round = 0; round < 100; ++round) {
    const std::size_t count = round < 3 ? 8 : static_cast<std::size_t>(round % 7);
    const Numbers traffic = random_traffic(dice, count), distance = random_traffic(dice, count);
    ck_assert(placement::mapping::quadratic_assignment(traffic, distance, count) ==
              first_best(traffic, distance, count));
  }
}
END_TEST

// With more than eight ranks, the search ends in a local minimum, here nearly always the global one.
START_TEST(larger_orders_are_near_the_least_cost) {
  Dice dice(3);
  int least = 0;
  for (int round = 0; round < 5; ++round) {
    const Numbers traffic = random_traffic(dice, 9), distance = random_traffic(dice, 9);
    const auto place = placement::mapping::quadratic_assignment(traffic, distance, 9);
    const std::int64_t cost = placement::mapping::assignment_cost(traffic, distance, place),
                       best = least_cost(traffic, distance, 9);
    least += cost == best;
    ck_assert(cost >= best && 20 * cost <= 21 * best);
  }
  ck_assert_int_ge(least, 4);
}
END_TEST

// 16 GPUs in four groups of four with links, as ranks 0, 4, 8, 12 and so on talk.
START_TEST(sixteen_gpus_in_four_groups) {
  NodeTopology node = node_with(16, 16);
  Numbers traffic(256, 0);
  for (std::size_t a = 0; a < 16; ++a)
    for (std::size_t b = 0; b < 16; ++b) {
      if (a != b && a / 4 == b / 4) link(node, a, b, 50);
      if (a != b && a % 4 == b % 4) traffic[a * 16 + b] = 100;
    }
  const GpuMapping mapping = map_to_gpus(node, 16, 1, traffic);
  ck_assert(!mapping.exact);
  for (std::size_t a = 0; a < 16; ++a)
    for (std::size_t b = 0; b < 16; ++b)
      if (a != b && a % 4 == b % 4)
        ck_assert(node.linked(static_cast<std::size_t>(mapping.of_rank[a].gpu),
                              static_cast<std::size_t>(mapping.of_rank[b].gpu)));
  const GpuMapping four = map_to_gpus(node, 4, 1, Numbers(16, 1));
  for (const auto& place : four.of_rank) ck_assert_int_eq(place.gpu / 4, four.of_rank[0].gpu / 4);
}
END_TEST

START_TEST(slots_keep_to_caches_and_use_the_rest) {
  NodeTopology node = node_with(16, 1);
  const auto cores_of = [&](std::int32_t width) {
    std::vector<std::vector<std::int32_t>> cores;
    for (const CoreSlot& slot : core_slots(node, width)) cores.push_back(slot.cores);
    return cores;
  };
  using Cores = std::vector<std::vector<std::int32_t>>;
  ck_assert(cores_of(8) == (Cores{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}));
  ck_assert(cores_of(3) == (Cores{{0, 1, 2}, {3, 7, 11}, {4, 5, 6}, {8, 9, 10}, {12, 13, 14}}));
  ck_assert(cores_of(17).empty());
  node.cores.erase(node.cores.begin());  // the system has the first core
  ck_assert(cores_of(2) == (Cores{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}}));
}
END_TEST

// gres.conf with Cores=0,2,4,6 and Cores=1,3,5,7.
START_TEST(cores_of_two_gpus_alternate) {
  NodeTopology node = node_with(8, 2);
  for (placement::NodeCore& core : node.cores) {
    core.package = core.numa = core.cache = 0;
    node.gpus[static_cast<std::size_t>(core.number % 2)].cores.push_back(core.number);
  }
  const std::vector<CoreSlot> slots = core_slots(node, 4);
  ck_assert_uint_eq(slots.size(), 2);
  ck_assert(slots[0].cores == (std::vector<std::int32_t>{0, 2, 4, 6}));
  ck_assert(slots[1].cores == (std::vector<std::int32_t>{1, 3, 5, 7}));
  ck_assert_int_eq(map_to_gpus(node, 2, 4, Numbers{}).far, 0);
  ck_assert_int_eq(map_to_gpus(node, 2, 3, Numbers{}).far, 0);
  ck_assert_uint_eq(core_slots(node, 3).size(), 2);
  ck_assert_uint_eq(core_slots(node, 8).size(), 1);
}
END_TEST

START_TEST(costs_follow_links_hops_and_closeness) {
  NodeTopology node = node_with(4, 4);
  link(node, 0, 1, 200);
  link(node, 1, 2, 50);
  node.closeness[0 * 4 + 1] = node.closeness[1 * 4 + 0] = Closeness::pci_switch;
  node.closeness[0 * 4 + 3] = node.closeness[3 * 4 + 0] = Closeness::machine;
  Numbers cost = placement::gpu_costs(node);
  ck_assert_int_eq(cost[0 * 4 + 0], 0);
  ck_assert_int_eq(cost[0 * 4 + 1], 1000);
  ck_assert_int_eq(cost[1 * 4 + 2], 4010);
  ck_assert_int_eq(cost[0 * 4 + 2], 4000 + 2000);  // no link, one NUMA node
  ck_assert_int_eq(cost[3 * 4 + 0], 4000 + 4000);  // no link, two packages
  node.hops.assign(16, 1);
  node.hops[0 * 4 + 1] = 2;
  cost = placement::gpu_costs(node);
  ck_assert_int_eq(cost[0 * 4 + 1], 2000);
}
END_TEST

START_TEST(requests_that_do_not_fit) {
  const NodeTopology node = node_with(4, 2);
  ck_assert_error_words(map_to_gpus(node, 3, 1, {}), "2 GPUs 3 ranks");
  ck_assert_error_words(map_to_gpus(node, 2, 3, {}), "4 2 ranks 3 cores 6");
}
END_TEST

START_TEST(gres_conf_gives_cores_and_links) {
  NodeTopology node = node_with(16, 0);
  take_gres_conf(node, {{"/dev/a", {0, 1}, {-1, 4, 0}}, {"/dev/b", {0, 1}, {4, -1, 0}}, {"/dev/c", {}, {}}},
                 "gres.conf");
  ck_assert_uint_eq(node.gpus.size(), 3);
  ck_assert(node.gpus[0].cores == (std::vector<std::int32_t>{0, 1}) && node.gpus[2].name == "/dev/c");
  ck_assert(node.linked(0, 1) && node.linked(1, 0) && !node.linked(0, 2) && !node.linked(0, 0));
  ck_assert_int_eq(placement::near_cores_per_gpu(node), 1);
  ck_assert_error_words(take_gres_conf(node, {{"/dev/a", {}, {}}}, "gres.conf"), "gres.conf 1 GPUs 3");
  ck_assert_error_words(take_gres_conf(node, {}, "gres.conf"), "gres.conf Name=gpu");
  ck_assert_error_words(take_gres_conf(node, {{"", {16}, {}}, {"", {}, {}}, {"", {}, {}}}, "gres.conf"),
                        "Cores= GPU 0 16 15");
  ck_assert_error_words(take_gres_conf(node, std::vector<placement::GpuShape>(65), "gres.conf"), "65 GPUs 64");
}
END_TEST

int main() {
  Suite* suite = suite_create("gpu_mapping");
  TCase* test = tcase_create("gpu_mapping");
  tcase_add_test(test, no_mapping_of_a_small_node_is_better);
  tcase_add_test(test, up_to_eight_get_the_first_best_order);
  tcase_add_test(test, larger_orders_are_near_the_least_cost);
  tcase_add_test(test, sixteen_gpus_in_four_groups);
  tcase_add_test(test, slots_keep_to_caches_and_use_the_rest);
  tcase_add_test(test, cores_of_two_gpus_alternate);
  tcase_add_test(test, costs_follow_links_hops_and_closeness);
  tcase_add_test(test, requests_that_do_not_fit);
  tcase_add_test(test, gres_conf_gives_cores_and_links);
  suite_add_tcase(suite, test);
  return run_suite(suite);
}
