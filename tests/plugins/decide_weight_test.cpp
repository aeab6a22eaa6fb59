// SPDX-License-Identifier: GPL-2.0-or-later
// Tests Weight= of nodes: policies choose among the lightest nodes that suffice.
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;

namespace {

// Places tasks that exchange traffic on 4 nodes with 2 sockets of 1 core each, below two leaf switches.
std::string planned_with(std::vector<std::uint64_t> weight, std::uint32_t tasks, const std::string& config = "",
                         std::vector<std::uint32_t> required = {}) {
  TestMachine(4, 1).configure(config);
  Environment environment = Environment::with_matrix(ring(static_cast<std::int32_t>(tasks)));
  Offer offer(4, 2);
  offer.weight_ = std::move(weight);
  placement_request request = request_for(environment, tasks);
  request.required = required.data();
  request.required_count = static_cast<std::uint32_t>(required.size());
  return planned(offer, decide(offer, request));
}

#define ck_assert_text(got, wanted)         \
  do {                                      \
    const std::string got_ = got;           \
    ck_assert_str_eq(got_.c_str(), wanted); \
  } while (0)

}  // namespace

START_TEST(light_nodes_come_first) {
  ck_assert_text(planned_with({}, 2), "0:0,1");
  ck_assert_text(planned_with({10, 10, 1, 1}, 2), "2:0,1");
  ck_assert_text(planned_with({10, 5, 7, 1}, 2), "3:0,1");
  // the light nodes are far apart and are still used before the heavy ones
  ck_assert_text(planned_with({10, 1, 1, 10}, 4), "1:0,1 2:0,1");
}
END_TEST

START_TEST(heavier_ones_where_light_ones_do_not_suffice) {
  // the policy chooses among the nodes of the last weight that is needed
  ck_assert_text(planned_with({9, 9, 9, 1}, 4), "0:0,1 1:0,1");
  ck_assert_text(planned_with({3, 2, 9, 1}, 6), "0:0,1 1:0,1 3:0,1");
  ck_assert_text(planned_with({4, 3, 2, 1}, 8), "0:0,1 1:0,1 2:0,1 3:0,1");
  ck_assert_text(planned_with({0, 0, 0, 0xffffffffffffffff}, 6), "0:0,1 1:0,1 2:0,1");
}
END_TEST

START_TEST(required_nodes_count_whatever_they_weigh) {
  ck_assert_text(planned_with({9, 1, 1, 1}, 2, "", {0}), "0:0,1");
  ck_assert_text(planned_with({9, 5, 1, 1}, 4, "", {0}), "0:0,1 2:0,1");
}
END_TEST

START_TEST(weights_can_be_ignored) {
  ck_assert_text(planned_with({10, 1, 1, 10}, 4, "NodeWeights=ignore\n"), "0:0,1 1:0,1");
}
END_TEST

START_TEST(another_weight_is_another_question) {
  TestMachine(4, 1).configure();
  Environment environment = Environment::with_matrix(ring(2));
  Offer offer(4, 2);
  offer.weight_ = {1, 1, 1, 1};
  const placement_request request = request_for(environment, 2);
  ck_assert_planned(offer, decide(offer, request), "0:0,1");
  offer.weight_ = {2, 2, 2, 1};
  ck_assert_planned(offer, decide(offer, request), "3:0,1");
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("decide_weight");
  TCase* core = tcase_create("core");
  tcase_add_test(core, light_nodes_come_first);
  tcase_add_test(core, heavier_ones_where_light_ones_do_not_suffice);
  tcase_add_test(core, required_nodes_count_whatever_they_weigh);
  tcase_add_test(core, weights_can_be_ignored);
  tcase_add_test(core, another_weight_is_another_question);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
