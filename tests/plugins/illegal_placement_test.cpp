// SPDX-License-Identifier: GPL-2.0-or-later
// A wrong placement could harm other users' jobs. A placement that does not keep to the offer and the request is
// refused, and the job runs as stock. An offer of nodes that the machine does not have is refused too.
#include <functional>

#include "common/decision/decision_ring.hpp"
#include "plugins/planning/job_request.hpp"
#include "plugins/planning/machine.hpp"
#include "plugins/planning/planner.hpp"
#include "tests/plugins/decide_fixture.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::planning;

namespace {

Placement answer;  // of the policy below

Placement as_told(const ClusterView&, const Request&, const Deadline&) { return answer; }

// A question for three tasks on four nodes of two cores. The second node has one free core, the last one has none.
struct Question {
  Question() {
    offer.take(1, {1}).take(3, {0, 1});
    policy.name = "TOLD";
    policy.place = as_told;
    job_request.spec.policy = "TOLD";
    job_request.policy = &policy;
    request = request_for(environment, 3);
    answer = {};
    answer.ranks = {{0, {0}}, {0, {1}}, {1, {0}}};
  }

  std::string refusal() {
    const placement_machine described = machine.c();
    const placement_offer offered = offer.c();
    return error_of([&] {
      PolicyViews views;
      planned = make_plan({Machine(described, Config{}), {}, offered, request, job_request, Config{}}, views,
                          Deadline::never());
    });
  }

  Environment environment;
  TestMachine machine{4, 1};
  Offer offer{4, 2};
  policies::Policy policy{};
  JobRequest job_request;
  placement_request request{};
  Plan planned;
};

void refused(const char* what, const std::function<void(Question&)>& change) {
  Question question;
  change(question);
  const std::string refusal = question.refusal();
  ck_assert_msg(refusal.starts_with("TOLD "), "%s: '%s'", what, refusal.c_str());
}

}  // namespace

START_TEST(a_legal_placement_is_taken) {
  Question question;
  ck_assert_text_eq(question.refusal(), "");
  ck_assert(question.planned.nodes == (std::vector<std::uint32_t>{0, 1}));
  ck_assert(question.planned.tasks == (std::vector<std::uint32_t>{2, 1}));
  ck_assert(question.planned.core_wanted == (std::vector<std::uint8_t>{1, 1, 1, 0, 0, 0, 0, 0}));
}
END_TEST

START_TEST(ranks_and_cores_that_cannot_be) {
  refused("a rank too few", [](Question&) { answer.ranks.pop_back(); });
  refused("a rank too many", [](Question&) { answer.ranks.push_back({2, {0}}); });
  refused("no rank", [](Question&) { answer.ranks.clear(); });
  refused("a node below the first", [](Question&) { answer.ranks[0].node = -1; });
  refused("a node behind the last", [](Question&) { answer.ranks[0].node = 4; });
  refused("no core", [](Question&) { answer.ranks[0].cores.clear(); });
  refused("a core too many", [](Question&) { answer.ranks[2] = {2, {0, 1}}; });
  refused("a core below the first", [](Question&) { answer.ranks[0].cores = {-1}; });
  refused("a core behind the last", [](Question&) { answer.ranks[0].cores = {2}; });
  refused("a core of another job", [](Question&) { answer.ranks[2].cores = {1}; });
  refused("one core for two ranks", [](Question&) { answer.ranks[1].cores = {0}; });
}
END_TEST

START_TEST(limits_of_the_request) {
  std::uint32_t required[] = {2};
  refused("a required node is not used", [&](Question& question) {
    question.request.required = required;
    question.request.required_count = 1;
  });
  refused("too many tasks on a node", [](Question& question) {
    question.request.tasks_per_node = 1;
    question.request.min_nodes = 1;
  });
  refused("too few nodes", [](Question& question) { question.request.min_nodes = 3; });
  refused("too many nodes", [](Question& question) { question.request.max_nodes = 1; });
}
END_TEST

START_TEST(fewer_tasks_than_nodes) {
  Question question;
  question.request.min_nodes = 4;
  ck_assert_words(question.refusal(), "3 tasks 4 nodes");
}
END_TEST

START_TEST(nodes_that_the_machine_does_not_have) {
  const TemporaryDirectory directory;
  const std::string ring_file = directory.path() + "/decisions";
  TestMachine(4, 1).configure("DecisionFile=" + ring_file + "\n");
  Environment environment = Environment::with_matrix(::placement::ring(3));
  for (const std::int32_t unknown : {4, -1, INT32_MAX, INT32_MIN}) {
    Offer offer(4, 2);
    offer.node_[1] = unknown;
    const CurrentDecision* const plan = decide(offer, request_for(environment, 3));
    ck_assert_stock(plan, "offered", STOCK_MACHINE);
    placement_tell();
    const std::vector<Decision> told = DecisionReader(ring_file).read();
    ck_assert_text_eq(told.back().candidate_nodes, "n[0,2-3]");
  }
}
END_TEST

int main() {
  setenv("TMPDIR", "/dev/shm", 1);
  Suite* suite = suite_create("illegal_placement");
  TCase* cases = tcase_create("illegal_placement");
  tcase_add_test(cases, a_legal_placement_is_taken);
  tcase_add_test(cases, ranks_and_cores_that_cannot_be);
  tcase_add_test(cases, limits_of_the_request);
  tcase_add_test(cases, fewer_tasks_than_nodes);
  tcase_add_test(cases, nodes_that_the_machine_does_not_have);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
