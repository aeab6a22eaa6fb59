// SPDX-License-Identifier: GPL-2.0-or-later
// One decision of slurmctld on a machine with switches, a torus and live data. Any offer of nodes, request and
// environment of a job gives a plan within the offer and the request, or a reason. An input has a byte for each number
// of the offer, the request and the matrix, and a byte for the policy. The rest is the policy's parameters, or the
// whole environment, one entry per line. The calls that slurmctld makes with the plan are made too. The input also sets
// the processor time of a decision, so that decisions are postponed, or made without their matrix.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "common/matrix/matrix_wire.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/state/snapshot.hpp"
#include "common/util/base64url.hpp"
#include "common/util/error.hpp"
#include "plugins/planning/current_decision.hpp"
#include "plugins/planning/decide.h"
#include "plugins/planning/decision_time_budget.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::planning;

const char* const fuzz_corpus = "decide";

namespace {

constexpr std::uint32_t nodes = 6, cores = 4;
constexpr int reconfigure_after = 200;       // decisions
constexpr std::uint32_t decision_wait = 10;  // its default in placement.conf

using planning::DecisionTimeBudget;

// The clocks by which the time for decisions is counted. Between two decisions 4 ms of it become available.
struct BudgetClocks {
  inline static DecisionTimeBudget::Clock::duration used{}, step{};
  inline static DecisionTimeBudget::Clock::time_point now{std::chrono::hours(1)};

  static void set() {
    DecisionTimeBudget::thread_time = [] { return used += step; };
    DecisionTimeBudget::clock = [] { return now; };
  }

  static void next_decision(std::uint8_t how_long) {
    constexpr int ms[] = {0, 0, 0, 0, 1, 10, 100, 1000};
    step = std::chrono::milliseconds(ms[how_long % std::size(ms)]);
    now += std::chrono::milliseconds(20);
  }
};

// The state of n1 .. n6. The machine does not have n6, the links of n3 are bad, and those of n4 are unknown.
LiveState live_state() {
  LiveState state;
  state.published_at_s = std::time(nullptr);
  state.outage_horizon_s = 86400;
  std::vector<std::int32_t> group;
  for (std::int32_t n = 0; n < static_cast<std::int32_t>(nodes); ++n) {
    NodeState node;
    node.name = "n" + std::to_string(n + 1);
    node.liveness = n == 4 ? Liveness::down : Liveness::up;
    node.age_s = 2;
    node.outage_probability = n == 1 ? 0.3 : 0;
    node.cores = cores;
    node.cpu_load = {0.5 * n, 0.5 * n, 0.5 * n};
    state.nodes.push_back(node);
    group.push_back(n);
  }
  PairArrays pairs(nodes, group);
  for (std::int32_t a = 0; a < static_cast<std::int32_t>(nodes); ++a)
    for (std::int32_t b = a + 1; b < static_cast<std::int32_t>(nodes); ++b)
      if (a != 3 && b != 3) pairs.set(a, b, {a == 2 ? 900.0F : 50.0F, 1e8F, 1.25e8F, PairSource::measured, 2.0F});
  state.pairs = pair_table(std::move(pairs));
  return state;
}

TemporaryDirectory directory_in_memory() {
  setenv("TMPDIR", "/dev/shm", 1);
  return TemporaryDirectory();
}

// The machine and its files; the policies' defaults are those of an installation. A decision on so few nodes that takes
// longer than 3 ms has a long search, and only its deadline remains to be tried.
class Site {
 public:
  Site() {
    write_snapshot(directory_.path() + "/snapshot", live_state());
    const std::string torus = directory_.file("torus", "torus 3 2\nn0 0 0\nn1 1 0\nn2 2 0\nn3 0 1\nn4 1 1\n");
    const std::string outages = directory_.file("outages", "n2 0.25\n");
    config_ = directory_.file("placement.conf",
                              "DecisionFile=" + directory_.path() + "/decisions\nSnapshotFile=" + directory_.path() +
                                  "/snapshot\nSnapshotMaxAgeS=86400\nTorusFile=" + torus + "\nOutageFile=" + outages +
                                  "\nMaxWaitS=600\nDecisionTimeMs=3\nPartitionPolicies=slow:TOFA\n");
  }

  // Also gives the next decisions all of their time.
  void configure() const {
    static constexpr placement_machine_node all[nodes] = {{"n0", 2, 2, 2}, {"n1", 2, 2, 2}, {"n2", 2, 2, 2},
                                                          {"n3", 2, 2, 2}, {"n4", 2, 2, 1}, {"n5", 2, 2, 1}};
    static constexpr const char* others[] = {
        "BlockName=c BlockIndex=0 Nodes=n[0,2,4] BlockSize=3\n"
        "BlockName=d BlockIndex=1 Nodes=n[1,3,5] BlockSize=3\n"};
    const placement_machine machine = {all,
                                       nodes,
                                       "SwitchName=a Level=0 Nodes=n[0-2]\nSwitchName=b Level=0 Nodes=n[3-5]\n"
                                       "SwitchName=root Level=1 Nodes=n[0-5] Switches=a,b\n",
                                       others,
                                       1,
                                       false,
                                       nullptr};
    static std::string logged;
    logged.clear();
    placement_log_to([](bool, const char* text) { logged += text; });
    placement_configure(config_.c_str(), &machine);
    REQUIRE(*placement_failure() == '\0');
    REQUIRE(logged.find("/torus: has no coordinates of n5, which TOFA does not use") != logged.npos);
  }

 private:
  const TemporaryDirectory directory_ = directory_in_memory();
  std::string config_;
};

struct Question {
  std::vector<std::int32_t> node;
  std::vector<std::uint32_t> first_core{0};
  std::vector<std::uint8_t> core_free;
  std::vector<std::uint16_t> cpus;
  std::vector<std::uint64_t> weight;
  std::vector<std::uint32_t> max_tasks;
  std::vector<std::uint32_t> required;
  std::vector<std::string> entries;
  std::vector<char*> pointers;
  placement_offer offer{};
  placement_request request{};
};

// Bytes of the input one after the other, then zeros.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }
  std::string_view rest() const { return as_text(data_ + at_, size_ - at_); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// Most values are small; some are those at which arithmetic goes wrong.
std::uint32_t number(std::uint8_t byte) {
  if (byte < 0xf0) return byte % 40;
  constexpr std::uint32_t odd[] = {0,    1,    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 65535,    65536,
                                   4096, 4097, 131072,     0x55555556, 100000,     16777216,   16777217, 3};
  return odd[byte - 0xf0];
}

// A matrix in its wire form, which a change of a byte of that form would hardly ever find.
void add_matrix(Question& q, Bytes& in) {
  const std::uint8_t byte = in.next();
  const std::int32_t ranks = byte % 32;
  if (ranks == 0) return;
  std::vector<CommEdge> edges;
  for (int pairs = byte / 32 * 6; pairs > 0; --pairs) {
    const std::int32_t a = in.next() % ranks, b = in.next() % ranks;
    const std::uint8_t weight = in.next();
    if (a != b) edges.push_back({std::min(a, b), std::max(a, b), std::int64_t{1} << weight % 63});
  }
  try {
    q.entries.push_back("PLACEMENT_MATRIX_0=" +
                        to_base64url(pack_wire(CommMatrix::from_edges(ranks, std::move(edges)))));
    q.entries.push_back("PLACEMENT_MATRIX_PIECES=1");
  } catch (const Error&) {  // the sum of its weights is too large for a matrix
  }
}

// One byte names the policy, so that most inputs reach one.
void add_environment(Question& q, Bytes& in) {
  constexpr std::string_view words[] = {"TREEMATCH", "NLA", "TOFA"};
  const std::uint8_t byte = in.next();
  std::string_view rest = in.rest();
  if (byte < 0xf0) {
    q.entries.push_back("PLACEMENT_VERSION=1");
    q.entries.push_back("PLACEMENT_POLICY=" + std::string(words[byte % std::size(words)]) + (rest.empty() ? "" : "=") +
                        std::string(rest));
    return;
  }
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    q.entries.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void ask(Question& q, Bytes in) {
  const std::uint32_t offered = in.next() % (nodes + 1);
  for (std::uint32_t n = 0; n < offered; ++n) {
    const std::uint8_t byte = in.next();
    q.node.push_back(byte == 0xff ? static_cast<std::int32_t>(nodes) : static_cast<std::int32_t>(n));
    for (std::uint32_t core = 0; core < cores; ++core) q.core_free.push_back((byte >> core) & 1);
    q.first_core.push_back(static_cast<std::uint32_t>(q.core_free.size()));
    q.cpus.push_back((byte & 0x10) != 0 ? 2 : 1);
    q.weight.push_back(byte >> 5);
    q.max_tasks.push_back((byte >> 6) == 0 ? UINT32_MAX : byte >> 6);
    if ((byte & 0xc0) == 0x40) q.required.push_back((byte & 0x20) != 0 ? n : number(byte));
  }
  q.request.job_id = 1 + in.next() % 4;
  q.request.uid = in.next();
  q.request.tasks = number(in.next());
  q.request.cpus_per_task = number(in.next());
  q.request.min_nodes = number(in.next());
  q.request.max_nodes = std::max({number(in.next()), q.request.min_nodes, 1u});
  q.request.tasks_per_node = number(in.next());
  q.request.tasks_per_socket = number(in.next());
  q.request.no_wait = q.request.tasks_per_socket == 1 ? "here" : nullptr;
  q.request.waited_s = static_cast<std::int32_t>(number(in.next()));
  q.request.time_limit_s = number(in.next());
  const std::uint8_t flags = in.next();
  q.request.whole_nodes = (flags & 1) != 0;
  q.request.pack_nodes = (flags & 2) != 0;
  q.request.partition = (flags & 4) != 0 ? "slow" : "debug";
  if ((flags & 8) == 0) q.max_tasks.clear();
  const std::uint8_t time = in.next();
  BudgetClocks::next_decision(time);
  q.request.may_be_put_off = (time & 8) != 0;
  q.request.times_put_off = number(time >> 4 < 15 ? time >> 4 : 0xff - q.request.uid % 8);
  add_matrix(q, in);
  add_environment(q, in);
  for (std::string& entry : q.entries) q.pointers.push_back(entry.data());
  q.offer = {static_cast<std::uint32_t>(q.node.size()),
             q.node.data(),
             q.first_core.data(),
             q.core_free.data(),
             q.cpus.data(),
             q.weight.data(),
             q.max_tasks.empty() ? nullptr : q.max_tasks.data(),
             (flags & 16) != 0};
  q.request.environment = q.pointers.data();
  q.request.environment_count = static_cast<std::uint32_t>(q.pointers.size());
  q.request.required = q.required.data();
  q.request.required_count = static_cast<std::uint32_t>(q.required.size());
}

void check(const Question& q, const CurrentDecision& plan) {
  const std::string& reason = plan.reason;
  REQUIRE(plan.placed || !reason.empty());
  // What is asked of six nodes takes no memory to speak of, and a policy keeps to what is asked.
  REQUIRE(reason != "out of memory");
  REQUIRE(!reason.ends_with("gave a placement that is not legal"));
  REQUIRE(!plan.wait || (!plan.placed && plan.wait_left_s >= 1 && plan.wait_left_s <= 600));
  REQUIRE(q.request.no_wait == nullptr || !plan.wait || plan.put_off);
  REQUIRE(!plan.put_off || (plan.wait && q.request.may_be_put_off && q.request.times_put_off < decision_wait));
  if (!plan.placed) return;
  REQUIRE(plan.node_count > 0 && plan.node_count <= q.node.size());
  REQUIRE(plan.node_count >= q.request.min_nodes && plan.node_count <= q.request.max_nodes);
  std::uint64_t tasks = 0;
  for (std::uint32_t n = 0; n < plan.node_count; ++n) {
    REQUIRE(plan.node[n] < q.node.size() && (n == 0 || plan.node[n] > plan.node[n - 1]));
    REQUIRE(plan.tasks[n] > 0 && (q.request.tasks_per_node == 0 || plan.tasks[n] <= q.request.tasks_per_node));
    tasks += plan.tasks[n];
  }
  REQUIRE(tasks == plan.plan->task_count && (q.request.tasks == 0 || tasks == q.request.tasks));
  for (const std::uint32_t node : q.required)
    REQUIRE(std::find(plan.node, plan.node + plan.node_count, node) != plan.node + plan.node_count);
  for (std::size_t core = 0; core < q.core_free.size(); ++core) REQUIRE(!plan.core_wanted[core] || q.core_free[core]);
}

// Slurm gives the planned nodes, and on them the planned cores or all free ones.
void grant(const Question& q, CurrentDecision& plan, bool planned_cores) {
  std::vector<std::uint32_t> given(plan.node, plan.node + plan.node_count);
  std::vector<std::uint32_t> room(plan.tasks, plan.tasks + plan.node_count);
  std::vector<std::uint8_t> core_given(q.core_free.size(), 0);
  for (const std::uint32_t node : given)
    for (std::uint32_t core = q.first_core[node]; core < q.first_core[node + 1]; ++core)
      core_given[core] = planned_cores ? plan.core_wanted[core] : q.core_free[core];
  if (!planned_cores) room.front() += 1;
  const placement_grant what = {static_cast<std::uint32_t>(given.size()), given.data(), room.data(), core_given.data()};
  placement_offer all_given = q.offer;
  all_given.given = true;
  const decision_outcome outcome = std::exchange(plan.outcome, DECISION_STOCK);
  const StepCosts planned = std::exchange(plan.costs, {});
  placement_assess(&all_given, &q.request, &what);
  REQUIRE(plan.ranks_by_matrix || plan.costs.cost.empty());
  plan.outcome = outcome;
  plan.costs = planned;
  placement_assess(&q.offer, &q.request, &what);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Site site;
  static int decisions = 0;
  if (decisions++ % reconfigure_after == 0) {
    BudgetClocks::set();
    site.configure();
  }
  Question q;
  ask(q, Bytes(data, size));
  placement_tidy();
  if (!placement_asked(q.request.environment, q.request.environment_count)) {
    char* const* environment = nullptr;
    if (const std::uint32_t count = placement_partition_environment(q.request.partition, &environment); count > 0) {
      q.request.environment = environment;
      q.request.environment_count = count;
    }
  }
  auto& plan = static_cast<CurrentDecision&>(*placement_decide(&q.offer, &q.request));
  plan.outcome = plan.wait ? DECISION_WAIT : plan.placed ? DECISION_CORES : DECISION_STOCK;
  check(q, plan);
  if (plan.placed) grant(q, plan, q.request.uid % 2 == 0);
  placement_tell();
  REQUIRE(std::strlen(placement_comment(true)) > 0 && std::strlen(placement_job_decision()) > 0);
  if (q.request.job_id == 4) placement_give_up("it could not be had", true);
  return 0;
}
