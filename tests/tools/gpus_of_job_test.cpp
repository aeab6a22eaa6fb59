// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/map/node_gpus.hpp"

#include "tests/check.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::tools;

namespace {

using Numbers = std::vector<std::int32_t>;

// Two nodes of four GPUs and four cores, with a rank on core 0 of n1 and one on core 1 of n2. The job has all of n1
// and, on n2, these GPUs and cores.
std::string refused(const Numbers& gpus, const std::vector<bool>& cores) {
  NodeTopology node;
  node.name = "node.xml";
  node.gpus.resize(4);
  node.cores.resize(4);
  ClusterView view;
  view.nodes.push_back({"n1", 0, 1, 4, 1, {true, true, true, true}});
  view.nodes.push_back({"n2", 4, 1, 4, 1, cores});
  view.nodes[0].gpus = {0, 1, 2, 3};
  view.nodes[1].gpus = gpus;
  return error_of([&] { check_gpus_of_job(node, view, {{0, {0}}, {1, {1}}}); });
}

}  // namespace

START_TEST(all_gpus_of_a_node_are_required) {
  ck_assert_text_eq(refused({0, 1, 2, 3}, {true, true, true, true}), "");
  ck_assert_text_eq(refused({}, {true, true, true, true}), "");  // Slurm does not report them
  ck_assert_words(refused({1, 3}, {true, true, true, true}),
                  "node n2 GPUs 0-3 node.xml job 1,3 --gpus-per-node=4 srun TREEMATCH");
  ck_assert(!refused({4, 5, 6, 7}, {true, true, true, true}).empty());
  ck_assert(!refused({0, 1}, {true, true, true, true}).empty());
}
END_TEST

START_TEST(the_cores_of_the_ranks_are_required) {
  ck_assert_text_eq(refused({0, 1, 2, 3}, {true, true, false, false}), "");
  ck_assert_text_eq(refused({0, 1, 2, 3}, {true, false}), "");  // not the cores of this description
  ck_assert_words(refused({0, 1, 2, 3}, {true, false, true, true}), "rank 1 core 1 node n2 --exclusive");
}
END_TEST

int main() {
  Suite* const suite = suite_create("gpus_of_job");
  TCase* const tests = tcase_create("gpus_of_job");
  tcase_add_test(tests, all_gpus_of_a_node_are_required);
  tcase_add_test(tests, the_cores_of_the_ranks_are_required);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
