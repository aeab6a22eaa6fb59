// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/sequential_hostfile.hpp"

#include <utility>

#include "tests/check.hpp"

namespace {

using placement::NodeView;
using placement::spank::Allocation;
using placement::spank::core_numbering;
using placement::spank::CoreNumbering;
using placement::spank::sequential_hostfile;
using placement::spank::StepPlacement;

NodeView node(std::string name, std::int32_t sockets, std::int32_t cores, std::vector<bool> of_job) {
  NodeView view;
  view.name = std::move(name);
  view.sockets = sockets;
  view.cores_per_socket = cores;
  view.core_free = std::move(of_job);
  return view;
}

// Two nodes with 2 sockets of 2 cores. The job has cores 1 and 3 of the first node, and all cores of the second.
Allocation two_nodes() {
  Allocation allocation;
  allocation.step.nodes = {"a", "b"};
  allocation.view.nodes = {node("a", 2, 2, {false, true, false, true}), node("b", 2, 2, {true, true, true, true})};
  return allocation;
}

// Rank 0 is on b, ranks 1 and 2 are on a, and rank 3 is on b with two cores.
StepPlacement four_ranks() {
  StepPlacement placement;
  placement.ranks_of_node = {{1, 2}, {0, 3}};
  placement.cores_of_rank = {{0}, {3}, {1}, {2, 3}};
  return placement;
}

}  // namespace

START_TEST(one_line_for_each_rank) {
  ck_assert_text_eq(sequential_hostfile(two_nodes(), four_ranks(), CoreNumbering::unknown), "b\na\na\nb\n");
  ck_assert_text_eq(sequential_hostfile(two_nodes(), StepPlacement{}, CoreNumbering::of_machine), "");
}
END_TEST

START_TEST(cores_by_both_numberings) {
  ck_assert_text_eq(sequential_hostfile(two_nodes(), four_ranks(), CoreNumbering::of_machine),
                    "b 0\na 3\na 1\nb 2,3\n");
  ck_assert_text_eq(sequential_hostfile(two_nodes(), four_ranks(), CoreNumbering::of_job), "b 0\na 1\na 0\nb 2,3\n");
}
END_TEST

START_TEST(no_cores_where_none_are_planned_or_known) {
  StepPlacement shared = four_ranks();
  shared.cores_of_rank.clear();
  ck_assert_text_eq(sequential_hostfile(two_nodes(), shared, CoreNumbering::of_machine), "b\na\na\nb\n");
  Allocation undeclared = two_nodes();  // CPUs=4 in slurm.conf and no more: four sockets of one core
  undeclared.view.nodes[1] = node("b", 4, 1, {true, true, true, true});
  ck_assert_text_eq(sequential_hostfile(undeclared, four_ranks(), CoreNumbering::of_machine), "b\na\na\nb\n");
}
END_TEST

START_TEST(numbering_by_the_cluster) {
  ck_assert(core_numbering("TaskPlugin = task/affinity\nConstrainCores = yes") == CoreNumbering::of_machine);
  ck_assert(core_numbering("TaskPlugin              = task/affinity,task/cgroup\nTaskPluginParam = (null type)\n\n"
                           "Cgroup Support Configuration:\nConstrainCores          = yes\n") == CoreNumbering::of_job);
  ck_assert(core_numbering("TaskPlugin = task/cgroup\nConstrainCores = no") == CoreNumbering::of_machine);
  ck_assert(core_numbering("TaskPlugin = task/none\nConstrainCores = yes") == CoreNumbering::unknown);
  ck_assert(core_numbering("") == CoreNumbering::unknown);
  ck_assert(core_numbering("SlurmdParameters = l3cache_as_socket,config_overrides\nTaskPlugin = task/affinity") ==
            CoreNumbering::unknown);
}
END_TEST

int main() {
  Suite* suite = suite_create("sequential_hostfile");
  TCase* all = tcase_create("all");
  tcase_add_test(all, one_line_for_each_rank);
  tcase_add_test(all, cores_by_both_numberings);
  tcase_add_test(all, no_cores_where_none_are_planned_or_known);
  tcase_add_test(all, numbering_by_the_cluster);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
