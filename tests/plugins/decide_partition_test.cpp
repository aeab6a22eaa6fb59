// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the policies that partitions give to jobs without a policy.
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;
using namespace placement::planning;

namespace {

std::string refused(const std::string& value) {
  const TestMachine machine(2, 1);
  const TempFile file("DecisionFile=/no/such/place\nPartitionPolicies=" + value + "\n");
  const placement_machine c = machine.c();
  ck_assert_int_eq(placement_configure(file.path().c_str(), &c), PLACEMENT_OFF);
  return placement_failure();
}

#define ck_assert_refused(value, part)                                                            \
  do {                                                                                            \
    const std::string message_ = refused(value);                                                  \
    ck_assert_msg(message_.find(part) != std::string::npos, "message is '%s'", message_.c_str()); \
  } while (0)

}  // namespace

START_TEST(a_partition_stands_for_its_jobs) {
  TestMachine(4, 1).configure("PartitionPolicies=debug:TOFA  long:NLA=alpha=0.4,beta=0.6\n");
  char* const* environment = nullptr;
  ck_assert_uint_eq(placement_partition_environment(nullptr, &environment), 0);
  ck_assert_uint_eq(placement_partition_environment("deb", &environment), 0);
  ck_assert_str_eq(placement_partition_with_policy(0), "debug");
  ck_assert_str_eq(placement_partition_with_policy(1), "long");
  ck_assert_ptr_null(placement_partition_with_policy(2));
  const uint32_t count = placement_partition_environment("debug", &environment);
  ck_assert(placement_asked(environment, count));
  placement_request request{};
  request.job_id = next_job++;
  request.environment = environment;
  request.environment_count = count;
  request.tasks = 2;
  request.min_nodes = 1;
  request.max_nodes = UINT32_MAX;
  Offer offer(4, 2);
  const CurrentDecision* plan = decide(offer, request);
  ck_assert_str_eq(plan->record.policy.c_str(), "TOFA");
  ck_assert_uint_eq(plan->plan->task_count, 2);
  request.environment_count = placement_partition_environment("long", &environment);
  request.environment = environment;
  request.job_id = next_job++;
  plan = decide(offer, request);  // there are no live data here
  ck_assert(!plan->placed);
  ck_assert_str_eq(plan->record.policy.c_str(), "NLA");
  placement_unconfigure();
  ck_assert_uint_eq(placement_partition_environment("debug", &environment), 0);
}
END_TEST

START_TEST(what_cannot_be_a_partition_s_policy) {
  ck_assert_refused("debug", "PartitionPolicies");
  ck_assert_refused(":NLA", "PartitionPolicies");
  ck_assert_refused("debug:", "PartitionPolicies");
  ck_assert_refused("debug:NLA debug:TOFA", "PartitionPolicies");
  ck_assert_refused("debug:NLO", "unknown policy NLO");
  ck_assert_refused("debug:NLA=alpha=2", "alpha");
  ck_assert_refused("debug:TREEMATCH=grid=2x2", " grid= ");
  ck_assert_refused("debug:LOAD-AWARE", "LOAD-AWARE");
  ck_assert_refused("debug:NLA=matrix=/etc/passwd", ": /etc/passwd ");
  ck_assert_refused("debug:TREEMATCH=ring", ": ring ");
}
END_TEST

// Returns the nodes that two tasks per node get on four nodes of two cores each, in a partition with this topology.
std::vector<std::uint32_t> nodes_with_topology(placement_request request, std::uint32_t topology) {
  request.topology = topology;
  Offer offer(4, 2);
  const CurrentDecision* const plan = decide(offer, request);
  return plan->placed ? std::vector(plan->node, plan->node + plan->node_count) : std::vector<std::uint32_t>{};
}

START_TEST(a_partition_has_its_own_topology) {
  const placement_machine_node nodes[] = {{"n0", 2, 1, 1}, {"n1", 2, 1, 1}, {"n2", 2, 1, 1}, {"n3", 2, 1, 1}};
  const char* const others[] = {
      "SwitchName=c Level=0 Nodes=n[0,2]\nSwitchName=d Level=0 Nodes=n[1,3]\n"
      "SwitchName=q Level=1 Nodes=n[0-3] Switches=c,d\n",
      nullptr,
      "BlockName=b1 BlockIndex=0 Nodes=n[0,3] BlockSize=2\nBlockName=b2 BlockIndex=1 Nodes=n[1-2] BlockSize=2\n"
      "AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[0-3] BlockSize=4\n"};
  const placement_machine machine = {nodes,
                                     4,
                                     "SwitchName=a Level=0 Nodes=n[0-1]\nSwitchName=b Level=0 Nodes=n[2-3]\n"
                                     "SwitchName=r Level=1 Nodes=n[0-3] Switches=a,b\n",
                                     others,
                                     3,
                                     false,
                                     nullptr};
  // The file stands for the topology of the cluster alone.
  for (const char* const file : {"", "TreematchTopologyFile="}) {
    const TemporaryDirectory directory;
    const std::string tree = directory.file("tree", "tree 2 2 2\n");
    const TempFile conf("DecisionFile=/no/such/place\nSnapshotFile=/no/such/place\nDecisionTimeMs=10000\n" +
                        (*file ? file + tree : std::string()) + "\n");
    ck_assert_int_eq(placement_configure(conf.path().c_str(), &machine), PLACEMENT_ENFORCE);
    ck_assert_str_eq(placement_failure(), "");
    Environment environment{"PLACEMENT_VERSION=1", "PLACEMENT_POLICY=TREEMATCH"};
    const placement_request request = request_for(environment, 4);
    using Nodes = std::vector<std::uint32_t>;
    // One job, which is considered in several partitions.
    ck_assert(nodes_with_topology(request, 0) == (Nodes{0, 1}));
    ck_assert(nodes_with_topology(request, 1) == (Nodes{0, 2}));
    ck_assert(nodes_with_topology(request, 0) == (Nodes{0, 1}));
    ck_assert_uint_eq(nodes_with_topology(request, 2).size(), 2);
    ck_assert(nodes_with_topology(request, 3) == (Nodes{0, 3}));
    ck_assert_uint_eq(nodes_with_topology(request, 4).size(), 0);  // there is none
    placement_unconfigure();
  }
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("decide_partition");
  TCase* core = tcase_create("core");
  tcase_add_test(core, a_partition_stands_for_its_jobs);
  tcase_add_test(core, a_partition_has_its_own_topology);
  tcase_add_test(core, what_cannot_be_a_partition_s_policy);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
