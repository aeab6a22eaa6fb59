// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of cores for the jobs of a replay: the stock choice, strategies, matrices and decisions.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>

#include "sim/job_placement.hpp"
#include "pattern/pattern.hpp"
#include "sim/pattern.hpp"
#include "tests/check.hpp"
#include "tests/sim/simulate_machines.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::sim;

namespace {

std::vector<std::int32_t> nodes_of(const Machine& machine, const std::vector<std::int32_t>& leaves) {
  std::vector<std::int32_t> nodes;
  for (const std::int32_t leaf : leaves)
    if (nodes.empty() || nodes.back() != machine.node_of(leaf)) nodes.push_back(machine.node_of(leaf));
  return nodes;
}

using Nodes = std::vector<std::int32_t>;

std::vector<std::int32_t> all_of(const Machine& machine, std::int32_t node) {
  std::vector<std::int32_t> leaves;
  for (std::int32_t c = 0; c < machine.view().nodes[node].cores(); ++c)
    leaves.push_back(machine.view().nodes[node].first_leaf + c);
  return leaves;
}

Nodes stock(const Machine& machine, std::int32_t tasks, StockRequest request = StockRequest::nodes) {
  return nodes_of(machine, stock_choice(machine, tasks, request));
}

}  // namespace

START_TEST(machine_counts_cores) {
  Machine machine = machine_of({2, 3}, 2, 2);
  ck_assert_int_eq(machine.cores(), 20);
  ck_assert_int_eq(machine.switches(), 2);
  ck_assert_int_eq(machine.least_nodes(4), 1);
  ck_assert_int_eq(machine.least_nodes(5), 2);
  ck_assert_int_eq(machine.least_switches(12), 1);
  ck_assert_int_eq(machine.least_switches(13), 2);
  ck_assert_int_eq(machine.switch_distance(0, 1), 2);
  machine.take(all_of(machine, 1));
  ck_assert_int_eq(machine.free_cores(), 16);
  ck_assert_int_eq(machine.free()[1], 0);
  ck_assert_error_words(machine.take(all_of(machine, 1)), "core 0 n1 use");
  machine.release(all_of(machine, 1));
  ck_assert_error_words(machine.release(all_of(machine, 1)), "core 0 n1 free");
  const std::vector<std::int32_t> ends{0, 19};
  ck_assert_int_eq(machine.switches_spanned(ends), 2);
  ck_assert_int_eq(machine.nodes_spanned(ends), 2);
}
END_TEST

START_TEST(one_node_is_a_machine) {
  const Machine machine = machine_of({1}, 1, 1);
  ck_assert_int_eq(machine.cores(), 1);
  ck_assert(stock(machine, 1) == Nodes{0});
  ck_assert_error(stock_choice(machine, 2, StockRequest::nodes), "2 tasks on 1 free cores");
  ck_assert_error(stock_choice(machine, 0, StockRequest::nodes), "0 tasks");
  ck_assert_error(
      Machine(ClusterView{std::make_shared<TreeTopology>(TreeTopology::balanced(std::vector<std::int32_t>{2})), {}}),
      "no nodes");
}
END_TEST

START_TEST(stock_takes_the_tightest_switch) {
  Machine machine = machine_of({4, 2, 3}, 1, 2);
  ck_assert((stock(machine, 4) == Nodes{4, 5}));
  ck_assert((stock(machine, 6) == Nodes{6, 7, 8}));
  ck_assert((stock(machine, 7) == Nodes{0, 1, 2, 3}));
  machine.take(all_of(machine, 5));
  ck_assert((stock(machine, 4) == Nodes{6, 7}));
  ck_assert((stock(machine, 2) == Nodes{4}));
}
END_TEST

START_TEST(stock_takes_the_fullest_switches_when_none_is_enough) {
  const Machine machine = machine_of({4, 2, 3}, 1, 2);
  ck_assert((stock(machine, 10) == Nodes{0, 1, 2, 3, 4}));  // four nodes of one switch, and one of the smallest switch
  ck_assert((stock(machine, 14) == Nodes{0, 1, 2, 3, 6, 7, 8}));
  ck_assert_uint_eq(stock_choice(machine, 18, StockRequest::nodes).size(), 18);
}
END_TEST

START_TEST(stock_leaves_out_nodes_that_are_too_full) {
  Machine machine = machine_of({2, 2}, 1, 4);
  machine.take(std::vector<std::int32_t>{0, 1, 2});  // n0 has one free core left
  ck_assert((stock(machine, 4) == Nodes{1}));
  ck_assert((stock(machine, 4, StockRequest::tasks) == Nodes{0, 1}));
  machine.take(std::vector<std::int32_t>{4, 8, 12});
  ck_assert((stock(machine, 4) == Nodes{0, 1}));  // no node has four free cores, so that every node is offered
}
END_TEST

START_TEST(stock_ranks_follow_node_numbers) {
  // n0 and n3 share a switch. The leaves of n3 come before those of n1, but its ranks come after those of n1.
  const std::vector<SwitchShape> switches{{"root", -1, {}}, {"a", 0, {0, 3}}, {"b", 0, {1, 2}}};
  const std::vector<NodeShape> shapes{{"n0", 1, 2, 1}, {"n1", 1, 2, 1}, {"n2", 1, 2, 1}, {"n3", 1, 2, 1}};
  const Machine machine(view_of_switches(switches, shapes));
  ck_assert((stock(machine, 8) == Nodes{0, 1, 2, 3}));
}
END_TEST

START_TEST(strategies_by_name) {
  ck_assert(parse_strategy("slurm").stock);
  ck_assert(parse_strategy("TM-A").allocated);
  ck_assert_text_eq(parse_strategy("TM-I").policy.parameters.at("scope"), "whole");
  ck_assert_text_eq(parse_strategy("TM-Isub+3").policy.parameters.at("levels-up"), "3");
  ck_assert_text_eq(parse_strategy("random=seed=4").policy.policy, "RANDOM");
  ck_assert_error(parse_strategy("TM-Isub+"), " 64 ");
  ck_assert_error(parse_strategy("TM-Isub+-1"), " 64 ");
  ck_assert_error(parse_strategy("TM-X"), " SLURM, TM-A,");
  ck_assert_error(parse_strategy("TREEMATCH=nonsense=1"), "unknown key nonsense");
  for (const char* word : {"TREEMATCH=matrix=/x", "TREEMATCH=ring", "TREEMATCH=grid=2x2"})
    ck_assert_error(parse_strategy(word), "--pattern");
}
END_TEST

START_TEST(patterns_have_their_shape) {
  const auto pairs = [](const char* word, std::int32_t ranks) {
    return PatternSource(parse_pattern(word)).matrix(ranks, 1)->pairs();
  };
  ck_assert_int_eq(pairs("grid=auto2", 12), 3 * 3 + 2 * 4);
  ck_assert_int_eq(pairs("grid=auto3", 27), 3 * 18);
  ck_assert_int_eq(pairs("grid=auto2", 7), 6);  // a prime number of ranks makes a line
  ck_assert_int_eq(pairs("alltoall", 20), 190);
  ck_assert_int_eq(pairs("dt", 85), 84);
  ck_assert_int_le(pairs("random=1000", 4), 6);
  ck_assert_int_ge(pairs("random=3", 1000), 1400);
  ck_assert_int_le(pairs("random=3", 1000), 1500);
  for (const char* word : {"random", "grid=auto2", "grid=auto3", "alltoall", "dt"}) {
    const PatternSource source(parse_pattern(word));
    ck_assert(source.matrix(1, 1) == nullptr);
    for (std::int32_t ranks = 2; ranks < 40; ++ranks) {
      const auto matrix = source.matrix(ranks, 7);
      ck_assert_int_eq(matrix->ranks(), ranks);
      ck_assert_int_gt(matrix->total_weight(), 0);
      ck_assert(*matrix == *source.matrix(ranks, 7));
    }
  }
  ck_assert(!(*PatternSource(parse_pattern("random")).matrix(30, 1) ==
              *PatternSource(parse_pattern("random")).matrix(30, 2)));
  for (const char* word : {"random=0", "random=-1", "random=x", "random=nan", "random=", "hexagon", "", "alltoall=x",
                           "dt=1", "ring=3", "grid=4x", "tp=0", "random,ring"})
    ck_assert_msg(!error_of([&] { parse_pattern(word); }).empty(), "'%s' is taken", word);
}
END_TEST

// The patterns that srun takes. A job has no matrix if the pattern does not fit its number of tasks.
START_TEST(patterns_that_stand_in_for_a_matrix) {
  for (const char* word : {"ring", "tree", "grid=auto", "grid=4x2:periodic", "tp=2,pp=2", "pattern=alltoall"}) {
    const PatternSource source(parse_pattern(word));
    source.check(8);
    ck_assert(source.matrix(1, 7) == nullptr);
    ck_assert(*source.matrix(8, 7) == placement::pattern::matrix_of(placement::pattern::parse_pattern(word), 8));
  }
  for (const char* word : {"grid=4x2", "tp=2,pp=2"}) {
    const PatternSource source(parse_pattern(word));
    source.check(7);
    ck_assert_msg(source.matrix(7, 1) == nullptr, "%s", word);
  }
  const PatternSource large(parse_pattern("pattern=alltoall"));
  ck_assert_error_words(large.check(100'000), "100000 tasks 4999950000 pairs 4194304");
  ck_assert_error_words(parse_pattern("rign"), "rign random random=DEGREE dt");
  ck_assert_error_words(parse_pattern("rign"), "rign ring tree alltoall grid=8x4x4");
}
END_TEST

START_TEST(patterns_from_a_folder) {
  const TemporaryDirectory directory;
  ck_assert_error(PatternSource(parse_pattern(directory.path() + "/none")), "No such file");
  ck_assert_error_words(PatternSource(parse_pattern(directory.path())), directory.path() + " files");
  directory.file("four", "4\n0 1 0 0\n1 0 2 0\n0 2 0 3\n0 0 3 0\n");
  const PatternSource source(parse_pattern(directory.path()));
  ck_assert_int_eq(source.matrix(4, 99)->weight(2, 3), 3);
  ck_assert(source.matrix(5, 99) == nullptr);
  directory.file("zbad", "this is no matrix\n");
  ck_assert_error(PatternSource(parse_pattern(directory.path())), "zbad");
}
END_TEST

START_TEST(decides_by_the_strategy) {
  Machine machine = machine_of({2, 2}, 1, 2);
  machine.take(std::vector<std::int32_t>{1, 3});
  JobRequest job;
  job.tasks = 4;
  // Pairs 0-3 and 1-2 have traffic. The stock order separates ranks 0 and 1 from their partners.
  job.matrix = std::make_shared<CommMatrix>(CommMatrix::from_edges(4, {{0, 3, 10}, {1, 2, 10}}));
  job.stock = StockRequest::tasks;
  for (const char* word : {"SLURM", "TM-A", "TM-I", "TM-Isub", "TM-Isub+1", "RANDOM", "SEQUENTIAL"}) {
    const JobPlacement placed = place_job(machine, parse_strategy(word), job);
    const std::set<std::int32_t> different(placed.leaf_of_rank.begin(), placed.leaf_of_rank.end());
    ck_assert_uint_eq(different.size(), 4);
    ck_assert(!different.contains(1) && !different.contains(3));
    ck_assert_double_eq(placed.cost,
                        static_cast<double>(machine.view().tree->hop_bytes(*job.matrix, placed.leaf_of_rank)));
    ck_assert(placed.taken == placed.leaf_of_rank);
    ck_assert_str_eq(placed.refusal.c_str(), "");
    ck_assert_int_eq(placed.asked, std::string(word) != "SLURM");
  }
  const JobPlacement best = place_job(machine, parse_strategy("TM-I"), job);
  ck_assert_double_eq(best.cost, 2 * 10 * 2);
  const JobPlacement mapped = place_job(machine, parse_strategy("TM-A"), job);
  std::vector<std::int32_t> leaves = mapped.leaf_of_rank;
  std::sort(leaves.begin(), leaves.end());
  ck_assert(leaves == stock_choice(machine, 4, StockRequest::tasks));
  ck_assert_double_le(mapped.cost, mapped.stock_cost);
}
END_TEST

START_TEST(jobs_without_a_matrix_take_the_stock_choice) {
  const Machine machine = machine_of({2, 3}, 1, 2);
  JobRequest job;
  job.tasks = 6;
  for (const char* word : {"TM-A", "TM-I", "TM-Isub"}) {
    const JobPlacement placed = place_job(machine, parse_strategy(word), job);
    ck_assert(placed.leaf_of_rank == stock_choice(machine, 6, StockRequest::nodes));
    ck_assert(!placed.asked);
  }
  ck_assert(place_job(machine, parse_strategy("RANDOM"), job).asked);
}
END_TEST

START_TEST(whole_nodes_are_taken) {
  const Machine machine = machine_of({2, 2}, 1, 4);
  JobRequest job;
  job.tasks = 5;
  job.whole_nodes = true;
  job.matrix = PatternSource(parse_pattern("grid=auto2")).matrix(5, 1);
  for (const char* word : {"SLURM", "TM-A", "TM-I", "TM-Isub"}) {
    const JobPlacement placed = place_job(machine, parse_strategy(word), job);
    ck_assert_uint_eq(placed.leaf_of_rank.size(), 5);
    ck_assert_uint_eq(placed.taken.size(), 8);
    for (const std::int32_t leaf : placed.leaf_of_rank)
      ck_assert(std::count(placed.taken.begin(), placed.taken.end(), leaf) == 1);
  }
}
END_TEST

// At the deadline the best placement so far or the stock choice is used. Both have one free core for each task.
START_TEST(decisions_end_when_told) {
  std::atomic<bool> told{false};
  const Deadline deadline = Deadline::when(told);
  ck_assert(!deadline.expired() && !deadline.earlier(std::chrono::hours(1)).expired());
  const Machine machine = machine_of({8, 8, 8}, 2, 8);
  JobRequest job;
  job.tasks = 300;
  job.matrix = PatternSource(parse_pattern("random=40")).matrix(300, 1);
  for (const char* word : {"SLURM", "TM-A", "TM-I", "TM-Isub", "RANDOM"}) {
    told = false;
    const JobPlacement whole = place_job(machine, parse_strategy(word), job, deadline);
    ck_assert(whole.leaf_of_rank == place_job(machine, parse_strategy(word), job).leaf_of_rank);
    told = true;
    ck_assert(deadline.expired() && deadline.earlier(std::chrono::hours(1)).expired());
    const JobPlacement ended = place_job(machine, parse_strategy(word), job, deadline);
    ck_assert_uint_eq(std::set<std::int32_t>(ended.leaf_of_rank.begin(), ended.leaf_of_rank.end()).size(), 300);
  }
}
END_TEST

START_TEST(dense_patterns_are_bounded) {
  const PatternSource dense(parse_pattern("random=1e6"));
  ck_assert_error_words(dense.matrix(65536, 1), "--pattern random=1e+06 65536 tasks 2147450880 pairs");
  ck_assert_error_words(dense.check(65536), "16777216 random=512");
  PatternSource(parse_pattern("random=512")).check(65536);
  ck_assert_error_words(PatternSource(parse_pattern("random=512.1")).check(65536), "random=512");
  // Few tasks have few pairs, even with a large degree.
  dense.check(1);
  dense.check(5000);
  ck_assert_int_eq(dense.matrix(16, 1)->ranks(), 16);
  for (const char* word : {"random", "dt"}) PatternSource(parse_pattern(word)).check(TreeTopology::max_leaves);
  // The error comes before the first job starts. A job without a matrix causes no error.
  const Machine machine = machine_of({4096}, 2, 8);
  const std::vector<LogJob> jobs{job_of(0, 10, 10, 1), job_of(10, 10, 10, 65536)};
  ReplayOptions options;
  ReplayControl control;
  ck_assert_error(replay(machine, jobs, parse_strategy("SLURM"), dense, options, &control), "a job of 65536 tasks");
  ck_assert_int_eq(control.ended_jobs, 0);
  options.share = 0;
  ck_assert_int_eq(replay(machine, jobs, parse_strategy("SLURM"), dense, options).ended, 2);
}
END_TEST

int main() {
  Suite* suite = suite_create("simulate_choice");
  TCase* all = tcase_create("all");
  tcase_add_test(all, machine_counts_cores);
  tcase_add_test(all, one_node_is_a_machine);
  tcase_add_test(all, stock_takes_the_tightest_switch);
  tcase_add_test(all, stock_takes_the_fullest_switches_when_none_is_enough);
  tcase_add_test(all, stock_leaves_out_nodes_that_are_too_full);
  tcase_add_test(all, stock_ranks_follow_node_numbers);
  tcase_add_test(all, strategies_by_name);
  tcase_add_test(all, patterns_have_their_shape);
  tcase_add_test(all, patterns_that_stand_in_for_a_matrix);
  tcase_add_test(all, patterns_from_a_folder);
  tcase_add_test(all, decides_by_the_strategy);
  tcase_add_test(all, jobs_without_a_matrix_take_the_stock_choice);
  tcase_add_test(all, whole_nodes_are_taken);
  tcase_add_test(all, decisions_end_when_told);
  tcase_add_test(all, dense_patterns_are_bounded);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
