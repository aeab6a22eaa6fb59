// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the limits of what slurmctld sends to the steps of a job: PLACEMENT_STATE, which has what was known of the
// nodes when they were chosen, and PLACEMENT_RANKS.
#include <cstring>
#include <random>

#include "common/decision/job_state.hpp"
#include "common/decision/planned_ranks.hpp"
#include "common/topology/torus_topology.hpp"
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;
using namespace placement::planning;

namespace {

// Returns the outage probability of a node as text, with at least six significant digits. The digits of all nodes
// together are `more_digits` more.
std::string outage_of(std::uint32_t node, std::uint32_t nodes, std::uint32_t more_digits) {
  const std::string noise =
      std::to_string(10'000'000'000'000U + node * 2654435761ULL % 1'000'000'007U * 3'141'592'653U);
  const std::uint32_t more = more_digits / nodes + (node < more_digits % nodes ? 1 : 0);
  return "0.000" + std::to_string(100000 + (node * 2654435761U) % 900000) + noise.substr(4, more);
}

// Returns the state of a job of two tasks on a ring of nodes with the outage probabilities of outage_of().
std::string state_on_ring(std::uint32_t nodes, std::uint32_t more_digits = 0) {
  const std::string last = std::to_string(nodes - 1);
  const TemporaryDirectory directory;
  std::string outages;
  for (std::uint32_t n = 0; n < nodes; ++n)
    outages += "n" + std::to_string(n) + " " + outage_of(n, nodes, more_digits) + "\n";
  TestMachine(nodes, 1).configure(
      "TorusFile=" +
      directory.file("torus", "torus " + std::to_string(nodes) + "\nn[0-" + last + "] 0-" + last + "\n") +
      "\nOutageFile=" + directory.file("outages", outages));
  Environment environment = Environment::with_matrix(ring(2), "TOFA");
  const CurrentDecision* plan = decide(Offer(nodes, 2), request_for(environment, 2));
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  return plan->job_state;
}

// Returns the decision for a job with `ranks` ranks on each node. Each rank has traffic with some others at random if
// `scattered` is true, else with the next one.
const CurrentDecision* plan_of(std::uint32_t nodes, std::uint32_t ranks, bool scattered) {
  const auto tasks = static_cast<std::int32_t>(nodes * ranks);
  std::mt19937 random(7);
  std::vector<CommEdge> edges;
  for (std::int32_t rank = 0; rank < tasks; ++rank)
    for (int k = 0; scattered && k < 3; ++k)
      edges.push_back({rank, static_cast<std::int32_t>(random() % nodes * ranks + random() % ranks), 10});
  const CommMatrix matrix = scattered ? CommMatrix::from_edges(tasks, std::move(edges)) : ring(tasks);
  TestMachine(nodes, ranks).configure();
  Environment environment = Environment::with_matrix(matrix);
  placement_request request = request_for(environment, static_cast<std::uint32_t>(tasks));
  request.tasks_per_node = ranks;
  request.min_nodes = request.max_nodes = nodes;
  const CurrentDecision* plan = decide(Offer(nodes, 2 * ranks), request);
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  return plan;
}

}  // namespace

// With ranks in blocks, each node takes some 12 bytes of the text.
START_TEST(planned_ranks_of_1_to_5040_nodes) {
  for (const auto& [nodes, ranks] :
       {std::pair{1U, 64U}, {1U, 8192U}, {64U, 1U}, {97U, 3U}, {1024U, 64U}, {1200U, 54U}, {5040U, 13U}}) {
    const CurrentDecision* const plan = plan_of(nodes, ranks, false);
    ck_assert_uint_eq(plan->node_count, nodes);
    const std::string text = plan->planned_ranks;
    ck_assert_uint_le(text.size(), 16 << 10);
    ck_assert(text.empty() == (nodes > 1200));
    if (!text.empty()) ck_assert_uint_eq(unpack_planned_ranks(text).ranks.size(), nodes);
    ck_assert_uint_le(std::strlen(plan->job_state), 32 << 10);
  }
}
END_TEST

START_TEST(planned_ranks_have_at_most_16_kib) {
  const std::string text = plan_of(64, 48, true)->planned_ranks;  // 3,072 scattered ranks
  ck_assert_uint_le(text.size(), 16 << 10);
  ck_assert_uint_eq(unpack_planned_ranks(text).ranks.size(), 64);
  ck_assert_str_eq(plan_of(64, 64, true)->planned_ranks, "");
  ck_assert_str_ne(plan_of(16, 8, true)->costs.ranks.c_str(), "");  // for the record: at most 767 bytes
  ck_assert_str_eq(plan_of(16, 16, true)->costs.ranks.c_str(), "");
  ck_assert_uint_eq(unpack_planned_ranks(plan_of(64, 64, false)->planned_ranks).ranks.size(), 64);
}
END_TEST

// Returns the bytes of the text of ranks in blocks of `ranks` on each of `nodes` nodes.
std::size_t bytes_of_blocks(std::uint32_t nodes, std::uint32_t ranks) {
  RanksOfNodes blocks(nodes);
  for (std::uint32_t rank = 0; rank < nodes * ranks; ++rank)
    blocks[rank / ranks].push_back(static_cast<std::int32_t>(rank));
  return ranks_text(blocks, SIZE_MAX).size();
}

// Returns numbers of nodes, below 2,000, and of ranks on each whose blocks have this number of bytes.
std::pair<std::uint32_t, std::uint32_t> blocks_of_bytes(std::size_t bytes) {
  for (std::uint32_t ranks = 5; ranks < 200; ++ranks) {
    std::uint32_t nodes = 1;
    for (std::uint32_t step = 1024; step > 0; step /= 2)
      if (bytes_of_blocks(nodes + step, ranks) <= bytes) nodes += step;
    if (bytes_of_blocks(nodes, ranks) == bytes) return {nodes, ranks};
  }
  ck_abort_msg("no blocks have %zu bytes", bytes);
}

START_TEST(planned_ranks_of_exactly_16_kib) {
  next_job = 10'000;
  const std::size_t most = (16 << 10) - std::strlen("10000.");
  for (const std::size_t bytes : {most, most + 1}) {
    const auto [nodes, ranks] = blocks_of_bytes(bytes);
    const std::string text = plan_of(nodes, ranks, false)->planned_ranks;
    ck_assert_uint_eq(text.size(), bytes == most ? 16 << 10 : 0);
  }
}
END_TEST

START_TEST(ranks_of_exactly_767_bytes_are_on_record) {
  for (const std::size_t bytes : {std::size_t{767}, std::size_t{768}}) {
    const auto [nodes, ranks] = blocks_of_bytes(bytes);
    ck_assert_uint_eq(plan_of(nodes, ranks, false)->costs.ranks.size(), bytes == 767 ? bytes : 0);
  }
}
END_TEST

// With one more digit the state has no room for all digits.
START_TEST(the_state_of_32_kib_less_a_few_bytes_has_all_digits) {
  constexpr std::uint32_t nodes = 5000;
  std::uint32_t low = 0, high = 8 * nodes;
  std::size_t bytes = 0;
  while (high - low > 1) {
    const std::uint32_t more = (low + high) / 2;
    const std::string text = state_on_ring(nodes, more);
    ck_assert_uint_le(text.size(), 32 << 10);
    const JobState state = unpack_job_state(text);
    int exact = 0;  // of two nodes or more that the job does not have, whose names are their positions
    for (const std::uint32_t n : {2999, 3000, 3001})
      exact += state.outages->of("@" + std::to_string(n)) == std::stod(outage_of(n, nodes, more)) ? 1 : 0;
    (exact >= 2 ? low : high) = more;
    if (exact >= 2) bytes = text.size();
  }
  ck_assert_msg(bytes > (32 << 10) - 64, "%zu bytes with all digits", bytes);
}
END_TEST

START_TEST(the_state_has_all_digits_while_these_fit) {
  const std::string text = state_on_ring(500);
  const JobState state = unpack_job_state(text);
  ck_assert_int_eq(state.torus->nodes(), 500);
}
END_TEST

// With all digits of the probabilities it would have some 50 KiB.
START_TEST(the_state_has_at_most_32_kib) {
  const std::string text = state_on_ring(10000);
  ck_assert_uint_le(text.size(), 32 << 10);
  ck_assert_int_eq(unpack_job_state(text).torus->nodes(), 10000);
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("decide_state");
  TCase* core = tcase_create("core");
  tcase_add_test(core, planned_ranks_of_1_to_5040_nodes);
  tcase_add_test(core, planned_ranks_have_at_most_16_kib);
  tcase_add_test(core, planned_ranks_of_exactly_16_kib);
  tcase_add_test(core, ranks_of_exactly_767_bytes_are_on_record);
  tcase_add_test(core, the_state_of_32_kib_less_a_few_bytes_has_all_digits);
  tcase_add_test(core, the_state_has_all_digits_while_these_fit);
  tcase_add_test(core, the_state_has_at_most_32_kib);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
