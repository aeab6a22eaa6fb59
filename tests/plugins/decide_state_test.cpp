// SPDX-License-Identifier: GPL-2.0-or-later
// Tests PLACEMENT_STATE, which carries to the steps of a job what was known of the nodes when they were chosen.
#include <cstdio>

#include "common/decision/job_state.hpp"
#include "common/topology/torus_topology.hpp"
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;

namespace {

// Returns the state of a job of two tasks on a ring of nodes of which each has an outage probability of its own.
std::string state_on_ring(std::uint32_t nodes) {
  const std::string last = std::to_string(nodes - 1);
  const TemporaryDirectory directory;
  std::string outages;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    char line[64];
    std::snprintf(line, sizeof line, "n%u 0.%09u\n", n, 100000 + (n * 2654435761U) % 900000);
    outages += line;
  }
  TestMachine(nodes, 1).configure(
      "TorusFile=" +
      directory.file("torus", "torus " + std::to_string(nodes) + "\nn[0-" + last + "] 0-" + last + "\n") +
      "\nOutageFile=" + directory.file("outages", outages));
  Environment environment = Environment::with_matrix(ring(2), "TOFA");
  const placement_plan* plan = decide(Offer(nodes, 2), request_for(environment, 2));
  ck_assert_msg(plan->placed, "%s", plan->reason);
  return plan->job_state;
}

}  // namespace

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
  tcase_add_test(core, the_state_has_all_digits_while_these_fit);
  tcase_add_test(core, the_state_has_at_most_32_kib);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
