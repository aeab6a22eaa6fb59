// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/gpu_order.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>

#include "tests/check.hpp"

namespace {

using placement::ClusterView;
using placement::CommEdge;
using placement::CommMatrix;
using placement::spank::GpuLists;
using placement::spank::GpuOrder;
using placement::spank::StepPlacement;
using Numbers = std::vector<std::int32_t>;
constexpr const char* path = "gpu_order_test.gres.conf";

// Four GPUs with links between 0 and 2, and between 1 and 3.
constexpr const char* linked =
    "NodeName=a[0-9999] Name=gpu File=/dev/g0 Links=-1,0,4,0\nNodeName=a[0-9999] Name=gpu File=/dev/g1 Links=0,-1,0,4\n"
    "NodeName=a[0-9999] Name=gpu File=/dev/g2 Links=4,0,-1,0\nNodeName=a[0-9999] Name=gpu File=/dev/g3 Links=0,4,0,-1\n"
    "NodeName=b[0-9] Name=gpu File=/dev/g[0-3]\n";

// A step whose nodes have these names and ranks; the job has the GPUs `gpus` on each, those from 0 on unless given.
struct Step {
  std::vector<std::string> names;
  std::vector<std::vector<std::uint32_t>> ranks;
  std::optional<Numbers> gpus = std::nullopt;

  GpuOrder order(const CommMatrix& matrix, const std::string& text, GpuLists lists = GpuLists::per_node,
                 const placement::Deadline& deadline = placement::Deadline::never()) const {
    std::ofstream(path) << text;
    placement::StepShape shape;
    StepPlacement placement;
    placement.ranks_of_node = ranks;
    ClusterView view;
    for (const std::string& name : names) {
      shape.nodes.push_back(name);
      view.nodes.push_back({name, 0, 1, 4, 1, {true, true, true, true}});
      Numbers all(ranks[view.nodes.size() - 1].size());
      std::iota(all.begin(), all.end(), 0);
      view.nodes.back().gpus = gpus.value_or(all);
    }
    const GpuOrder found = order_by_links(matrix, placement, shape, view, path, lists, deadline);
    std::remove(path);
    return found;
  }
};

// Pairs of ranks 0 and 1, 2 and 3, and so on.
CommMatrix pairs(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t rank = 0; rank < ranks; rank += 2) edges.push_back({rank, rank + 1, 100});
  return CommMatrix::from_edges(ranks, edges);
}

// The order stays, for a reason whose text has the part.
void ck_assert_kept(const GpuOrder& order, const std::string& part) {
  ck_assert(!order.changed);
  ck_assert_msg(order.kept.find(part) != std::string::npos, "%s", order.kept.c_str());
}

}  // namespace

START_TEST(pairs_have_linked_gpus) {
  const auto order = Step{{"a1"}, {{0, 1, 2, 3}}}.order(pairs(4), linked);
  ck_assert(order.changed && order.gpu_of_rank == (Numbers{0, 2, 1, 3}));
  ck_assert(order.linked == 1 && order.natural_linked == 0);
}
END_TEST

// All GPUs have links, and some are wider.
// Without time each node keeps Slurm's order, with a message.
START_TEST(no_time) {
  const Step step{{"a1"}, {{0, 1, 2, 3}}};
  const placement::Deadline past = placement::Deadline::after(std::chrono::seconds(0));
  ck_assert_kept(step.order(pairs(4), linked, GpuLists::per_node, past), "no time");
}
END_TEST

START_TEST(wider_links) {
  const auto order = Step{{"a1"}, {{0, 1, 2, 3}}}.order(
      pairs(4),
      "NodeName=a1 Name=gpu File=/dev/g0 Links=-1,1,4,1\nNodeName=a1 Name=gpu File=/dev/g1 Links=1,-1,1,4\n"
      "NodeName=a1 Name=gpu File=/dev/g2 Links=4,1,-1,1\nNodeName=a1 Name=gpu File=/dev/g3 Links=1,4,1,-1\n");
  ck_assert(order.changed && order.gpu_of_rank == (Numbers{0, 2, 1, 3}));
  ck_assert(order.linked == 1 && order.natural_linked == 1);
  ck_assert(order.cost_ratio > 0.25 && order.cost_ratio < 0.26);
}
END_TEST

START_TEST(each_node_has_an_order_of_its_own) {
  const auto order = Step{{"a1", "b1", "a2"}, {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}}.order(
      CommMatrix::from_edges(12, {{0, 1, 5}, {2, 3, 5}, {4, 5, 5}, {6, 7, 5}, {8, 10, 5}, {9, 11, 5}}), linked);
  ck_assert(order.changed && order.gpu_of_rank == (Numbers{0, 2, 1, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  ck_assert(order.linked == 1 && order.natural_linked == 0.5);
}
END_TEST

// Each node alone would have an order of its own; the second one has more traffic.
START_TEST(one_order_for_all_nodes) {
  const Step two{{"a1", "a2"}, {{0, 1, 2, 3}, {4, 5, 6, 7}}};
  const auto matrix = CommMatrix::from_edges(8, {{0, 1, 5}, {2, 3, 5}, {4, 7, 9}, {5, 6, 9}});
  const auto each = two.order(matrix, linked);
  ck_assert(each.changed && each.gpu_of_rank == (Numbers{0, 2, 1, 3, 0, 1, 3, 2}));
  const auto one = two.order(matrix, linked, GpuLists::one);
  ck_assert(one.changed && one.gpu_of_rank == (Numbers{0, 1, 3, 2, 0, 1, 3, 2}));
  ck_assert_kept((Step{{"a1", "b1"}, {{0, 1, 2, 3}, {4, 5, 6, 7}}}.order(matrix, linked, GpuLists::one)),
                 " no Links= ");
  ck_assert_kept((Step{{"a1", "a2"}, {{0, 1, 2, 3}, {4, 5, 6}}}.order(CommMatrix::from_edges(7, {{0, 1, 5}}), linked,
                                                                      GpuLists::one)),
                 " all GPUs of a2");
  const std::string others =
      std::string(linked) + "NodeName=d1 Name=gpu File=/dev/g0 Links=-1,4,0,0\nNodeName=d1 Name=gpu File=/dev/g[1-3]\n";
  ck_assert_kept((Step{{"a1", "d1"}, {{0, 1, 2, 3}, {4, 5, 6, 7}}}.order(matrix, others, GpuLists::one)),
                 "different links");
}
END_TEST

// The options by which each task has one GPU, with a type or without, and those with which Slurm's order stays.
START_TEST(one_gpu_for_each_task) {
  using Options = std::map<std::string, std::string>;
  const auto choice = [](const Options& options) {
    return placement::spank::gpu_choice([&](const std::string& name) {
      const auto given = options.find(name);
      return given == options.end() ? std::nullopt : std::optional<std::string>(given->second);
    });
  };
  for (const char* count : {"1", "a100:1", "gpu:a100:1"})
    ck_assert_msg(choice({{"gpus-per-task", count}}).lists == GpuLists::one, "%s", count);
  ck_assert(choice({{"gpus-per-task", "a100:1"}, {"tres-bind", "gres/gpu:per_task:1"}}).lists == GpuLists::one);
  ck_assert(choice({{"ntasks-per-gpu", "1"}}).lists == GpuLists::one);
  ck_assert(choice({}).lists == GpuLists::per_node);
  ck_assert(choice({{"gpus-per-task", "2"}, {"gpu-bind", "none"}}).lists == GpuLists::per_node);
  for (const char* count : {"2", "a100:2", "a100:1,h100:1"}) {
    ck_assert(!choice({{"gpus-per-task", count}}).lists);
    ck_assert(choice({{"gpus-per-task", count}}).kept.starts_with("--gpus-per-task=" + std::string(count) + " "));
  }
  ck_assert(choice({{"ntasks-per-gpu", "2"}}).kept.starts_with("--ntasks-per-gpu=2 "));
  ck_assert(choice({{"gpu-bind", "closest"}}).kept.starts_with("--gpu-bind=closest "));
}
END_TEST

// srun -v reports why ranks have the GPUs that Slurm gives them.
START_TEST(nothing_to_change) {
  const Step four{{"a1"}, {{0, 1, 2, 3}}};
  ck_assert_kept(four.order(CommMatrix::from_edges(4, {{0, 2, 5}, {1, 3, 5}}), linked), "costs less");
  ck_assert_kept(four.order(CommMatrix::from_edges(4, {}), linked), "costs less");
  ck_assert_kept((Step{{"b1"}, {{0, 1, 2, 3}}}.order(pairs(4), linked)), " no Links= ");
  ck_assert_kept((Step{{"c1"}, {{0, 1, 2, 3}}}.order(pairs(4), linked)), " 0 GPUs of c1,");
  ck_assert_kept((Step{{"a1"}, {{0, 1}}, Numbers{0, 1, 2, 3}}.order(pairs(2), linked)), "a1 has 4 GPUs");
  for (const char* text :
       {"AutoDetect=nvml\n", "NodeName=a1 Name=gpu File=/dev/g[0-3] Cores=x\n", "NodeName=a[1 Name=gpu\n"})
    ck_assert(!four.order(pairs(4), text).changed);
  ck_assert(!four.order(pairs(4), "NodeName=a1 Name=gpu File=/dev/g[0-3] Cores=77 Links=4,4,4,4\n").changed);
}
END_TEST

// Other jobs have the node's other GPUs: the links between the job's GPUs decide. One list for --gpu-bind would number
// GPUs in a way that depends on how devices are constrained.
START_TEST(a_part_of_the_gpus) {
  const Step three{{"a1"}, {{0, 1, 2}}, Numbers{0, 1, 3}};
  const auto matrix = CommMatrix::from_edges(3, {{0, 1, 5}, {1, 2, 1}});
  const auto order = three.order(matrix, linked);
  ck_assert(order.changed && order.gpu_of_rank.at(2) == 0);
  ck_assert(order.linked > 0.8 && order.natural_linked < 0.2);
  ck_assert(order.cost_ratio < 0.8);
  ck_assert_kept(three.order(matrix, linked, GpuLists::one), " all GPUs of a1");
}
END_TEST

// A job without GPUs has no message.
START_TEST(no_gpus) {
  const auto order = Step{{"a1"}, {{0, 1, 2, 3}}, Numbers{}}.order(pairs(4), linked);
  ck_assert(!order.changed && order.kept.empty());
}
END_TEST

// Heavy traffic, whose costs would not fit into 64 bits.
START_TEST(traffic_is_scaled) {
  const std::int64_t heavy = INT64_MAX / 4;
  const auto order =
      Step{{"a1"}, {{0, 1, 2, 3}}}.order(CommMatrix::from_edges(4, {{0, 1, heavy}, {2, 3, heavy}, {1, 2, 7}}), linked);
  ck_assert(order.changed && order.gpu_of_rank == (Numbers{0, 2, 1, 3}));
}
END_TEST

// Alike nodes are searched once.
START_TEST(a_large_step) {
  Step step;
  const std::int32_t nodes = 300;
  for (std::int32_t node = 0; node < nodes; ++node) {
    step.names.push_back("a" + std::to_string(node));
    const auto first = static_cast<std::uint32_t>(4 * node);
    step.ranks.push_back({first, first + 1, first + 2, first + 3});
  }
  const auto order = step.order(pairs(4 * nodes), linked);
  ck_assert(order.changed);
  ck_assert(std::vector<std::int32_t>(order.gpu_of_rank.begin(), order.gpu_of_rank.begin() + 4) ==
            (Numbers{0, 2, 1, 3}));
}
END_TEST

int main() {
  Suite* suite = suite_create("gpu_order");
  TCase* test = tcase_create("gpu_order");
  tcase_add_test(test, pairs_have_linked_gpus);
  tcase_add_test(test, wider_links);
  tcase_add_test(test, no_time);
  tcase_add_test(test, each_node_has_an_order_of_its_own);
  tcase_add_test(test, one_order_for_all_nodes);
  tcase_add_test(test, one_gpu_for_each_task);
  tcase_add_test(test, nothing_to_change);
  tcase_add_test(test, a_part_of_the_gpus);
  tcase_add_test(test, no_gpus);
  tcase_add_test(test, traffic_is_scaled);
  tcase_add_test(test, a_large_step);
  suite_add_tcase(suite, test);
  return run_suite(suite);
}
