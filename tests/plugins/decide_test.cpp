// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the C interface of decisions, with arrays as the select plugin fills them from Slurm.
#include "plugins/planning/decide.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "plugins/planning/planner.hpp"
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;
using namespace placement::planning;

START_TEST(nothing_is_asked_for) {
  Environment none, other{"SLURM_JOB_NAME=PLACEMENT_POLICY=X", "PLACEMENT_POLICYX=1", "", "="};
  ck_assert(!placement_asked(nullptr, 0));
  ck_assert(!placement_asked(none.c(), 0));
  ck_assert(!placement_asked(other.c(), other.size()));
  Environment job_request{"A=b", "PLACEMENT_POLICY="};
  ck_assert(placement_asked(job_request.c(), job_request.size()));
  // Only the first 64 entries are read: slurmctld asks this about each pending job in each cycle.
  for (const std::size_t before : {63U, 64U}) {
    std::vector<std::string> entries(before, "OTHER=x");
    entries.push_back("PLACEMENT_POLICY=NLA");
    std::vector<char*> pointers;
    for (std::string& entry : entries) pointers.push_back(entry.data());
    ck_assert(placement_asked(pointers.data(), static_cast<std::uint32_t>(pointers.size())) == (before == 63));
  }
}
END_TEST

START_TEST(off_before_the_machine_is_known) {
  placement_unconfigure();
  ck_assert_int_eq(placement_mode_in(nullptr), PLACEMENT_OFF);
  Environment environment = Environment::with_matrix(ring(2));
  ck_assert_stock(decide(Offer(2, 4), request_for(environment, 2)), "off", STOCK_OTHER);
}
END_TEST

START_TEST(modes_and_bad_configurations) {
  const TestMachine machine(4, 2);
  const placement_machine c = machine.c();
  const bool ring_was_there = std::filesystem::exists(Config{}.decision_file);
  ck_assert_int_eq(placement_configure("/does/not/exist", &c), PLACEMENT_ENFORCE);
  placement_unconfigure();
  if (!ring_was_there) std::filesystem::remove(Config{}.decision_file);
  ck_assert_str_eq(placement_failure(), "");
  for (const auto& [text, mode] : {std::pair{"Mode=off", PLACEMENT_OFF},
                                   {"mode=observe", PLACEMENT_OBSERVE},
                                   {"Mode=advise\n", PLACEMENT_ADVISE},
                                   {"Mode=Enforce", PLACEMENT_ENFORCE}}) {
    const TempFile file(std::string(text) + "\nDecisionFile=/no/such/place");
    ck_assert_int_eq(placement_configure(file.path().c_str(), &c), mode);
    ck_assert_str_eq(placement_failure(), "");
  }
  const TempFile broken("Mode=enforce\nModus=off\n");
  ck_assert_int_eq(placement_configure(broken.path().c_str(), &c), PLACEMENT_OFF);
  ck_assert_msg(std::strstr(placement_failure(), ":2:") != nullptr, "failure is '%s'", placement_failure());
  ck_assert_int_eq(placement_mode_in(nullptr), PLACEMENT_OFF);
  const TempFile missing("TreematchTopologyFile=/does/not/exist\n");
  ck_assert_int_eq(placement_configure(missing.path().c_str(), &c), PLACEMENT_OFF);
  ck_assert_str_ne(placement_failure(), "");
  machine.configure();  // and a good one makes it work again
  ck_assert_int_eq(placement_mode_in(nullptr), PLACEMENT_ENFORCE);
}
END_TEST

START_TEST(a_topology_that_is_none) {
  const placement_machine_node nodes[] = {{"a", 1, 2, 1}, {"b", 1, 2, 1}};
  const placement_machine machine = {nodes, 2, "SwitchName=s Level=0 Nodes=a[\n", nullptr, 0, false, nullptr};
  ck_assert_int_eq(placement_configure("/does/not/exist", &machine), PLACEMENT_OFF);
  ck_assert_str_ne(placement_failure(), "");
}
END_TEST

START_TEST(heavy_pairs_share_nodes) {
  TestMachine(4, 1).configure();
  // 0-2 and 1-3 talk
  Environment environment = Environment::with_matrix(CommMatrix::from_edges(4, {{0, 2, 100}, {1, 3, 100}, {0, 1, 1}}));
  Offer offer(4, 2);
  const CurrentDecision* plan = decide(offer, request_for(environment, 4));
  ck_assert_planned(offer, plan, "0:0,1 1:0,1");
  ck_assert_uint_eq(plan->plan->task_count, 4);
  ck_assert_uint_eq(plan->tasks[0], 2);
  ck_assert_str_eq(plan->record.policy.c_str(), "TREEMATCH");
  ck_assert_int_lt(std::stoll(plan->costs.cost.c_str()), std::stoll(plan->costs.natural_cost.c_str()));
  ck_assert(!plan->record.remembered);
}
END_TEST

// With --ntasks-per-node Slurm gives each node the cores of as many tasks. A step with fewer tasks there gets one core
// of each socket.
START_TEST(costs_where_a_node_has_cores_to_spare) {
  TestMachine(2, 2).configure();
  Environment environment =
      Environment::with_matrix(CommMatrix::from_edges(5, {{0, 1, 100}, {0, 2, 100}, {1, 2, 100}, {3, 4, 1000}}));
  Offer offer(2, 4);
  placement_request request = request_for(environment, 5);
  request.tasks_per_node = 3;
  const CurrentDecision* plan = decide(offer, request);
  ck_assert(plan->placed);
  ck_assert_str_eq(plan->costs.cost.c_str(),
                   "3600");  // 3 and 4 on one socket of the first node; not 3000, as on the planned cores of the second
  ck_assert_str_eq(plan->costs.natural_cost.c_str(), "5000");
}
END_TEST

// Slurm chose one core of each socket of n1 and not the planned two of one socket. On the first nodes it would choose
// no nearer ones.
START_TEST(first_nodes_where_slurm_chose_the_cores) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(CommMatrix::from_edges(2, {{0, 1, 100}}));
  Offer offer(4, 4);
  const placement_request request = request_for(environment, 2);
  CurrentDecision* plan = decide(offer, request);
  ck_assert(plan->placed);
  ck_assert_str_eq(plan->costs.cost.c_str(), "200");
  ck_assert_str_eq(plan->costs.stock_cost.c_str(), "200");
  std::uint32_t node = 1, room = 2;
  std::vector<std::uint8_t> cores(16, 0);
  cores[4] = cores[6] = 1;
  const placement_offer nodes = offer.c();
  const placement_grant grant{1, &node, &room, cores.data()};
  placement_assess(&nodes, &request, &grant);
  ck_assert_str_eq(plan->costs.cost.c_str(), "400");
  ck_assert_str_eq(plan->costs.natural_cost.c_str(), "400");
  ck_assert_str_eq(plan->costs.stock_cost.c_str(), "400");
}
END_TEST

// n1 is behind another switch than n2 and n3, which Slurm would take.
START_TEST(stock_is_the_choice_of_slurm_where_it_is_known) {
  TestMachine(4, 1).configure();
  Environment environment = Environment::with_matrix(ring(4));
  Offer offer(3, 2);
  offer.node_ = {1, 2, 3};
  const placement_request request = request_for(environment, 4);
  const placement_offer nodes = offer.c();
  const CurrentDecision* plan = decide(offer, request);
  ck_assert(plan->placed);
  ck_assert_double_gt(std::atof(plan->costs.stock_cost.c_str()), std::atof(plan->costs.natural_cost.c_str()));
  const std::string on_first_nodes = plan->costs.stock_cost;
  placement_set_stock_choice(&nodes, &request, "n[0,3]");  // n0 is not in the offer
  ck_assert_str_eq(plan->costs.stock_cost.c_str(), on_first_nodes.c_str());
  placement_set_stock_choice(&nodes, &request, "n[2-3]");
  ck_assert_str_eq(plan->costs.stock_cost.c_str(), plan->costs.natural_cost.c_str());
  ck_assert_uint_eq(plan->node[0], 1);
}
END_TEST

// Five tasks of three hardware threads: two of them on a node have three cores, and the step requires four.
START_TEST(a_step_that_slurm_would_not_start) {
  TestMachine(4, 2, 2).configure();
  Environment environment({"PLACEMENT_VERSION=1", "PLACEMENT_POLICY=TREEMATCH"});
  Offer offer(4, 4, 2);
  placement_request request = request_for(environment, 5);
  request.cpus_per_task = 3;
  ck_assert(decide(offer, request)->placed);
  request.tasks_need_whole_cores = true;
  const CurrentDecision* plan = decide(offer, request);
  ck_assert_stock(plan, "5 tasks of 3 CPUs", STOCK_NO_ROOM);
  request = request_for(environment, 4);  // all CPUs of the job
  request.cpus_per_task = 3;
  request.tasks_need_whole_cores = true;
  ck_assert(decide(offer, request)->placed);
  request = request_for(environment, 3);  // one task on each node
  request.cpus_per_task = 3;
  request.tasks_per_node = 1;
  request.tasks_need_whole_cores = true;
  ck_assert(decide(offer, request)->placed);
}
END_TEST

START_TEST(busy_cores_are_left_alone) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(4));
  Offer offer(4, 4);
  offer.take(0, {0, 1, 2}).take(1, {0, 1, 2, 3}).take(2, {1}).take(3, {3});
  const CurrentDecision* plan = decide(offer, request_for(environment, 4));
  ck_assert(plan->placed);
  std::uint32_t wanted = 0;
  for (std::size_t core = 0; core < offer.free_.size(); ++core) {
    wanted += plan->core_wanted[core];
    ck_assert(!plan->core_wanted[core] || offer.free_[core]);
  }
  ck_assert_uint_eq(wanted, 4);
  ck_assert_uint_eq(plan->node_count, 2);
  ck_assert_uint_eq(plan->node[0], 2);  // the leaf switch that has room
}
END_TEST

START_TEST(not_enough_room) {
  TestMachine(4, 1).configure();
  Environment environment = Environment::with_matrix(ring(9));
  ck_assert_stock(decide(Offer(4, 2), request_for(environment, 9)), "not enough", STOCK_NO_ROOM);
  Environment two = Environment::with_matrix(ring(2));
  Offer busy(4, 2);
  for (std::uint32_t node = 0; node < 4; ++node) busy.take(node, {0, 1});
  ck_assert_stock(decide(busy, request_for(two, 2)), "not enough", STOCK_NO_ROOM);
  ck_assert_stock(decide(Offer(0, 2), request_for(two, 2)), "no node", STOCK_NO_ROOM);
  Environment six = Environment::with_matrix(ring(6));
  placement_request many_nodes = request_for(six, 6);
  many_nodes.min_nodes = 5;
  ck_assert_stock(decide(Offer(4, 2), many_nodes), "not enough", STOCK_NO_ROOM);
}
END_TEST

START_TEST(node_limits_are_kept) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(4));
  for (std::uint32_t nodes = 1; nodes <= 4; ++nodes) {
    placement_request request = request_for(environment, 4);
    request.min_nodes = request.max_nodes = nodes;
    const CurrentDecision* plan = decide(Offer(4, 4), request);
    ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
    ck_assert_uint_eq(plan->node_count, nodes);
  }
}
END_TEST

START_TEST(required_nodes_are_used) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(4));
  std::uint32_t required[] = {3};
  placement_request request = request_for(environment, 4);
  request.min_nodes = request.max_nodes = 2;
  request.required = required;
  request.required_count = 1;
  const CurrentDecision* plan = decide(Offer(4, 4), request);
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_uint_eq(plan->node[1], 3);
  Offer busy(4, 4);
  busy.take(3, {0, 1, 2, 3});
  ck_assert_stock(decide(busy, request), "required node", STOCK_NO_ROOM);
  std::uint32_t absurd[] = {77};
  request.required = absurd;
  ck_assert_stock(decide(Offer(4, 4), request), "required node", STOCK_NO_ROOM);
}
END_TEST

// Slurm needs the CPUs of --ntasks-per-node tasks free on each node, also on the last one.
START_TEST(tasks_per_node_take_their_cpus_everywhere) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(5));
  placement_request request = request_for(environment, 5);
  request.tasks_per_node = 2;
  Offer offer(4, 4);
  offer.take(0, {0, 1, 2});  // one core is not enough for it
  const CurrentDecision* plan = decide(offer, request);
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_uint_eq(plan->node_count, 3);
  for (std::uint32_t n = 0; n < 3; ++n) {
    ck_assert_uint_ne(plan->node[n], 0);
    ck_assert_uint_le(plan->tasks[n], 2);
    const std::uint8_t* cores = plan->core_wanted + offer.first_core_[plan->node[n]];
    ck_assert_int_eq(std::accumulate(cores, cores + 4, 0), 2);
  }
}
END_TEST

START_TEST(several_cpus_per_task) {
  TestMachine(2, 2).configure();
  Environment environment = Environment::with_matrix(ring(3));
  placement_request request = request_for(environment, 3);
  request.cpus_per_task = 2;
  Offer offer(2, 4);
  offer.take(0, {0});  // three cores are room for one task only
  const CurrentDecision* plan = decide(offer, request);
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  std::uint32_t wanted = 0;
  for (std::uint32_t n = 0; n < plan->node_count; ++n) {
    const std::uint8_t* cores = plan->core_wanted + offer.first_core_[plan->node[n]];
    const int on_node = std::accumulate(cores, cores + 4, 0);
    ck_assert_int_eq(on_node, 2 * static_cast<int>(plan->tasks[n]));
    wanted += on_node;
  }
  ck_assert_uint_eq(wanted, 6);
}
END_TEST

START_TEST(tasks_that_share_cores) {
  TestMachine(2, 2, 2).configure();
  Environment environment = Environment::with_matrix(ring(6));
  Offer offer(2, 4, 2);
  placement_request request = request_for(environment, 6);
  const CurrentDecision* plan = decide(offer, request);
  ck_assert_planned(offer, plan, "0:0,1,2");  // six threads on three cores
  request.cpus_per_task = 3;                  // 18 CPUs are more than there are
  ck_assert_stock(decide(offer, request), "not enough", STOCK_NO_ROOM);
  Environment four = Environment::with_matrix(ring(4));
  placement_request odd = request_for(four, 4);
  odd.cpus_per_task = 3;
  plan = decide(offer, odd);  // 2 tasks of 3 CPUs are 3 cores on each
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_uint_eq(plan->node_count, 2);
  for (std::uint32_t n = 0; n < 2; ++n) {
    const std::uint8_t* cores = plan->core_wanted + offer.first_core_[plan->node[n]];
    ck_assert_int_eq(std::accumulate(cores, cores + 4, 0), 3);
  }
  offer.cpus_[1] = 1;
  ck_assert_stock(decide(offer, request_for(environment, 6)), "differ", STOCK_OTHER);
}
END_TEST

START_TEST(whole_nodes) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(6));
  placement_request request = request_for(environment, 0);  // -N2 --exclusive, the matrix says 6
  request.whole_nodes = true;
  request.min_nodes = request.max_nodes = 2;
  Offer offer(4, 4);
  const CurrentDecision* plan = decide(offer, request);
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_uint_eq(plan->plan->task_count, 6);
  ck_assert_planned(offer, plan, "0:0,1,2,3 1:0,1,2,3");
}
END_TEST

START_TEST(tasks_that_nobody_named) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(3));
  placement_request request = request_for(environment, 0);
  request.min_nodes = 3;
  const CurrentDecision* plan = decide(Offer(4, 4), request);
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_uint_eq(plan->plan->task_count, 3);
  request.tasks_per_node = 4;
  ck_assert_stock(decide(Offer(4, 4), request), "12 tasks", STOCK_REQUEST);
}
END_TEST

START_TEST(without_a_matrix) {
  TestMachine(4, 2).configure();
  Environment environment{"PLACEMENT_VERSION=1", "PLACEMENT_POLICY=TREEMATCH"};
  const CurrentDecision* plan = decide(Offer(4, 4), request_for(environment, 8));
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_str_eq(plan->costs.cost.c_str(), "");
}
END_TEST

START_TEST(hostile_environments) {
  TestMachine(4, 2).configure();
  const CommMatrix matrix = ring(4);
  const auto reason_of = [](Environment environment) {
    const CurrentDecision* plan = decide(Offer(4, 4), request_for(environment, 4));
    ck_assert(!plan->placed);
    ck_assert_str_ne(plan->reason.c_str(), "");
    return std::string(plan->reason.c_str());
  };
  const Environment good = Environment::with_matrix(matrix);
  reason_of(Environment{"PLACEMENT_POLICY=TREEMATCH"});
  reason_of(Environment{"PLACEMENT_VERSION=2", "PLACEMENT_POLICY=TREEMATCH"});
  for (const char* word : {"", "=", "NOSUCH", "TREEMATCH=", "TREEMATCH=scope=", "TREEMATCH=a=1,a=2",
                           "TREEMATCH=nokey=1", "RANDOM", "SEQUENTIAL", "treematch=scope=\x01\xff\"'\\"})
    reason_of(Environment(good).set("PLACEMENT_POLICY", word));
  reason_of(Environment(good).set("PLACEMENT_POLICY", "TREEMATCH=scope=" + std::string(1 << 20, 'x')));
  for (const char* count : {"", "-1", "1x", " 1", "2", "99999999999999999999", "1000000", "0x1"})
    reason_of(Environment(good).set("PLACEMENT_MATRIX_PIECES", count));
  for (const std::string& piece :
       {std::string(), std::string("!"), std::string(65537, 'A'), std::string(65536, 'A'), std::string("AAAA")})
    reason_of(Environment(good).set("PLACEMENT_MATRIX_0", piece));
  // sound base64url around what is no matrix
  const std::vector<std::byte> zeros(1000);
  reason_of(Environment::with_bytes(zeros));
  std::vector<std::byte> cut = pack_wire(matrix);
  cut.pop_back();
  reason_of(Environment::with_bytes(cut));
}
END_TEST

START_TEST(null_entries_are_skipped) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(4));
  std::vector<char*> pointers(environment.c(), environment.c() + environment.size());
  pointers.insert(pointers.begin(), nullptr);
  pointers.push_back(nullptr);
  placement_request request = request_for(environment, 4);
  request.environment = pointers.data();
  request.environment_count = static_cast<std::uint32_t>(pointers.size());
  ck_assert(placement_asked(request.environment, request.environment_count));
  ck_assert(decide(Offer(4, 4), request)->placed);
}
END_TEST

START_TEST(sizes_that_do_not_fit) {
  TestMachine(4, 2).configure();
  Environment environment = Environment::with_matrix(ring(4));
  ck_assert_stock(decide(Offer(4, 4), request_for(environment, 5)), "4 ranks", STOCK_REQUEST);
  ck_assert_stock(decide(Offer(4, 4), request_for(environment, UINT32_MAX)), "too many", STOCK_REQUEST);
  ck_assert_stock(decide(Offer(4, 3), request_for(environment, 4)), "node n0 ", STOCK_MACHINE);
  Offer unknown(4, 4);
  unknown.node_[2] = 9;
  ck_assert_stock(decide(unknown, request_for(environment, 4)), "offered", STOCK_MACHINE);
  unknown.node_[2] = -1;
  ck_assert_stock(decide(unknown, request_for(environment, 4)), "offered", STOCK_MACHINE);
  TestMachine(4, 2).configure("MaxMatrixRanks=3\n");
  ck_assert(!decide(Offer(4, 4), request_for(environment, 4))->placed);
}
END_TEST

// A job as stock has its tasks on record, too: placectl explain starts with them.
START_TEST(the_record_of_a_job_as_stock_has_its_tasks) {
  TestMachine(4, 2).configure();
  Environment environment{"PLACEMENT_VERSION=1", "PLACEMENT_POLICY=TREEMATCH"};
  CurrentDecision* const decision =
      left_to_slurm(request_for(environment, 3), "--contiguous is left to Slurm", STOCK_OPTION);
  decision->outcome = DECISION_STOCK;
  ck_assert_uint_eq(complete_record(*decision, "").tasks, 3);
  CurrentDecision* const without_room = decide(Offer(4, 4), request_for(environment, 100));
  ck_assert_int_eq(without_room->outcome, DECISION_STOCK);
  ck_assert_uint_eq(complete_record(*without_room, "").tasks, 100);
}
END_TEST

START_TEST(above_the_size_limit_groups_are_placed) {
  TestMachine(4, 2).configure("NodeLevelTasks=3\n");
  Environment environment = Environment::with_matrix(ring(4));
  const CurrentDecision* plan = decide(Offer(4, 4), request_for(environment, 4));
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_str_ne(plan->costs.cost.c_str(), "");
  ck_assert_msg(std::strstr(plan->reason.c_str(), "NodeLevelTasks=3") != nullptr, "%s", plan->reason.c_str());
}
END_TEST

// Returns the heavy traffic of all pairs of `ranks` ranks, in which no two ranks have an equal share.
static CommMatrix all_pairs(std::int32_t ranks) {
  std::vector<CommEdge> edges;
  for (std::int32_t a = 0; a < ranks; ++a)
    for (std::int32_t b = a + 1; b < ranks; ++b) edges.push_back({a, b, 1 + (a * 7 + b * 11) % 13});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

// The clocks advance with each look, so the time is over long before a search through 51,040 pairs ends.
START_TEST(costs_are_known_when_time_is_over) {
  TestMachine(160, 1).configure("DecisionTimeMs=1");
  Environment environment = Environment::with_matrix(all_pairs(320));
  const auto processor = Deadline::processor_clock, wall = Deadline::wall_clock;
  Deadline::processor_clock = Deadline::wall_clock = [] {
    static Deadline::Time now{};
    return now += std::chrono::microseconds(200);
  };
  const CurrentDecision* plan = decide(Offer(160, 2), request_for(environment, 320));
  Deadline::processor_clock = processor;
  Deadline::wall_clock = wall;
  ck_assert_msg(plan->placed, "%s", plan->reason.c_str());
  ck_assert_ptr_ne(std::strstr(plan->reason.c_str(), "DecisionTimeMs"), nullptr);
  ck_assert_str_ne(plan->costs.cost.c_str(), "");
  ck_assert_str_ne(plan->costs.natural_cost.c_str(), "");
  ck_assert_str_ne(plan->costs.stock_cost.c_str(), "");
  ck_assert_double_le(std::atof(plan->costs.cost.c_str()), std::atof(plan->costs.natural_cost.c_str()));
}
END_TEST

static Suite* suite() {
  Suite* suite = suite_create("decide");
  TCase* core = tcase_create("core");
  tcase_add_test(core, nothing_is_asked_for);
  tcase_add_test(core, off_before_the_machine_is_known);
  tcase_add_test(core, modes_and_bad_configurations);
  tcase_add_test(core, a_topology_that_is_none);
  tcase_add_test(core, heavy_pairs_share_nodes);
  tcase_add_test(core, costs_where_a_node_has_cores_to_spare);
  tcase_add_test(core, costs_are_known_when_time_is_over);
  tcase_add_test(core, a_step_that_slurm_would_not_start);
  tcase_add_test(core, busy_cores_are_left_alone);
  tcase_add_test(core, not_enough_room);
  tcase_add_test(core, node_limits_are_kept);
  tcase_add_test(core, required_nodes_are_used);
  tcase_add_test(core, tasks_per_node_take_their_cpus_everywhere);
  tcase_add_test(core, several_cpus_per_task);
  tcase_add_test(core, tasks_that_share_cores);
  tcase_add_test(core, whole_nodes);
  tcase_add_test(core, first_nodes_where_slurm_chose_the_cores);
  tcase_add_test(core, stock_is_the_choice_of_slurm_where_it_is_known);
  tcase_add_test(core, tasks_that_nobody_named);
  tcase_add_test(core, without_a_matrix);
  tcase_add_test(core, hostile_environments);
  tcase_add_test(core, null_entries_are_skipped);
  tcase_add_test(core, sizes_that_do_not_fit);
  tcase_add_test(core, above_the_size_limit_groups_are_placed);
  tcase_add_test(core, the_record_of_a_job_as_stock_has_its_tasks);
  suite_add_tcase(suite, core);
  return suite;
}

int main() { return run_suite(suite()); }
