// SPDX-License-Identifier: GPL-2.0-or-later
// Tests the path of live data from the monitor's file to a policy's view, and that of decisions to the ring.
#include "plugins/planning/live_feed.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "common/decision/decision_ring.hpp"
#include "common/state/snapshot.hpp"
#include "plugins/planning/planner.hpp"
#include "tests/common/snapshot_samples.hpp"
#include "tests/plugins/decide_fixture.hpp"

using namespace placement;
using namespace placement::planning;

namespace {

const std::vector<std::string> machine_nodes = {"n0", "n1", "n2", "n3"};

// Returns the state of `nodes` nodes, n1 and following, as if it was published `age_s` seconds ago.
LiveState state_of_age(std::int64_t age_s, std::size_t nodes = 4) {
  LiveState state = sample_state(nodes, static_cast<std::int32_t>(nodes));
  state.published_at_s = std::time(nullptr) - age_s;
  return state;
}

// Waits until the condition is true, for 30 s at most. The feed looks by itself, and a loaded machine may delay it.
bool comes_true(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 600; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// Returns the owners for a feed that trusts only these users.
decltype(LiveSource::find_owners) only(std::vector<uid_t> users) {
  return [users = std::move(users)] { return SnapshotOwners{users, {}}; };
}
void silent(bool, const std::string&) {}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

namespace {

std::string logged_by_plugin;
void log_of_plugin(bool is_error, const char* text) {
  logged_by_plugin += (is_error ? "error " : "info ") + std::string(text) + "\n";
}

// Returns the facts that "scontrol show config" would show, as lines "name = value".
std::string facts() {
  std::string text;
  const auto add = [](void* list, const char* name, const char* value) {
    *static_cast<std::string*>(list) += std::string(name) + " = " + value + "\n";
  };
  placement_facts(add, &text);
  return text;
}

}  // namespace

START_TEST(a_fresh_state_is_there_at_once) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  write_snapshot(path, state_of_age(7));
  const LiveFeed feed({path, only({getuid()}), 60, machine_nodes, silent});
  const LiveNow now = feed.now();
  ck_assert(now.state != nullptr);
  ck_assert_uint_eq(now.state->nodes.size(), 4);
  ck_assert(now.age_s >= 7 && now.age_s < 60);
  ck_assert(*now.state_of_node == (std::vector<std::int32_t>{-1, 0, 1, 2}));
  ck_assert_text_eq(now.why_not, "");
  ck_assert_text_eq(feed.trouble(), "");
}
END_TEST

START_TEST(what_cannot_be_used_says_why) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  const auto why = [&](std::vector<uid_t> owners = {getuid()}) {
    const LiveFeed feed({path, only(std::move(owners)), 60, machine_nodes, silent});
    const LiveNow now = feed.now();
    ck_assert(now.state == nullptr && now.state_of_node == nullptr);
    ck_assert_uint_eq(now.generation, 0);
    return now.why_not;
  };
  ck_assert(contains(why(), path + " "));
  write_snapshot(path, state_of_age(1000));
  ck_assert(contains(why(), " SnapshotMaxAgeS=60"));
  write_snapshot(path, state_of_age(-1000));
  ck_assert(contains(why(), "s ahead"));
  write_snapshot(path, state_of_age(0));
  ck_assert(contains(why({getuid() + 1}), "user " + std::to_string(getuid())));
  chmod(path.c_str(), 0666);
  ck_assert(contains(why(), "others"));
  directory.file("snapshot", "no snapshot at all");
  chmod(path.c_str(), 0644);
  ck_assert(contains(why(), " 18 bytes "));
  write_snapshot(path, state_of_age(0, 200));
  ck_assert(contains(why(), " 72 nodes "));
}
END_TEST

// doc/live-state.md: a file whose time is more than five seconds ahead is refused.
START_TEST(the_clocks_of_two_hosts_differ_a_little) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  write_snapshot(path, state_of_age(-5));
  ck_assert(LiveFeed({path, only({getuid()}), 60, machine_nodes, silent}).now().state != nullptr);
  bool taken = true;
  for (std::time_t began = 0; began != std::time(nullptr);) {  // within one second
    began = std::time(nullptr);
    write_snapshot(path, state_of_age(-6));
    taken = LiveFeed({path, only({getuid()}), 60, machine_nodes, silent}).now().state != nullptr;
  }
  ck_assert(!taken);
}
END_TEST

START_TEST(a_newer_file_is_taken_and_a_bad_one_is_not) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  LiveFeed feed({path, only({getuid()}), 1000, machine_nodes, silent});
  ck_assert(feed.now().state == nullptr);
  write_snapshot(path, state_of_age(0));
  ck_assert(comes_true([&] { return feed.now().state != nullptr; }));
  const LiveNow first = feed.now();
  write_snapshot(path, state_of_age(0, 3));
  ck_assert(comes_true([&] { return feed.now().generation != first.generation; }));
  ck_assert_uint_eq(feed.now().state->nodes.size(), 3);
  // a decision that holds the old state keeps it
  ck_assert_uint_eq(first.state->nodes.size(), 4);
  ck_assert(same_number(first.state->pairs.latency_us[1], first.state->pairs.latency_us[4]));
  // a file that its owner truncates is refused, and the state before it stays in use
  std::filesystem::resize_file(path, 100);
  ck_assert(comes_true([&] { return !feed.trouble().empty(); }));
  ck_assert_uint_eq(feed.now().state->nodes.size(), 3);
  std::filesystem::remove(path);
  ck_assert(comes_true([&] { return feed.trouble().empty(); }));  // there is no file that could be wrong
  write_snapshot(path, state_of_age(0));
  ck_assert(comes_true([&] { return feed.now().state->nodes.size() == 4; }));
  ck_assert_text_eq(feed.trouble(), "");
}
END_TEST

// A reader of the state and a writer of the file run as fast as they can. The reader never sees a part of a state.
START_TEST(replaced_while_it_is_read) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  write_snapshot(path, state_of_age(0));
  LiveFeed feed({path, only({getuid()}), 1000, machine_nodes, silent});
  std::atomic<bool> end = false;
  std::thread writer([&] {
    for (std::size_t round = 0; !end; ++round) write_snapshot(path, state_of_age(0, 1 + round % 60));
  });
  const std::uint64_t first = feed.now().generation;
  const bool moved = comes_true([&] {
    const LiveNow now = feed.now();
    ck_assert(now.state != nullptr);
    ck_assert_int_eq(now.state->pairs.groups, static_cast<std::int32_t>(now.state->nodes.size()));
    check_live_state(*now.state);
    return now.generation >= first + 3;
  });
  end = true;
  writer.join();
  ck_assert(moved);
  ck_assert_text_eq(feed.trouble(), "");
}
END_TEST

namespace {

std::string seen;  // by the policy below

Placement look_at(const ClusterView& view, const Request& request, const Deadline&) {
  if (!view.live) throw Error("not live");
  seen.clear();
  for (const NodeView& node : view.nodes)
    seen += node.name + "=" + (node.state < 0 ? "?" : view.live->nodes[node.state].name) + "@" +
            std::to_string(node.torus_node) + " ";
  if (view.torus) seen += "torus of " + std::to_string(view.torus->positions());
  if (view.outages) seen += ", n1 fails with " + std::to_string(view.outages->of("n1"));
  Placement placement;
  for (std::int32_t rank = 0; rank < request.tasks; ++rank) placement.ranks.push_back({0, {rank}});
  placement.reasons = {"first term", "second term"};
  return placement;
}

constexpr policies::Policy looking{.name = "LOOKING", .for_users = true, .uses_live = true, .place = look_at};

}  // namespace

START_TEST(a_policy_sees_states_and_coordinates_of_its_nodes) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  Config config;
  config.torus_file = directory.file("torus", "torus 2 2\nn0 0 0\nn2 0 1\n");
  config.outage_file = directory.file("outages", "n1 0.5\n");
  const TestMachine described(4, 1);
  const placement_machine c = described.c();
  const Machine machine(c, config);
  JobRequest job_request;
  job_request.spec.policy = "LOOKING";
  job_request.policy = &looking;
  Environment environment;
  const placement_request request = request_for(environment, 2);
  Offer offer(4, 2);
  offer.take(1, {0, 1});  // n1 is not offered
  const placement_offer offered = offer.c();
  write_snapshot(path, state_of_age(3));
  const LiveFeed feed({path, only({getuid()}), 60, machine.node_names(), silent});
  PolicyViews views;
  const Plan plan = make_plan({machine, feed.now(), offered, request, job_request, config}, views, Deadline::never());
  ck_assert_text_eq(seen, "n0=?@0 n2=n2@1 n3=n3@-1 torus of 4, n1 fails with 0.500000");
  ck_assert(plan.terms == (std::vector<std::string>{"first term", "second term"}));
  const LiveFeed none({directory.path() + "/none", only({getuid()}), 60, machine.node_names(), silent});
  ck_assert_error(make_plan({machine, none.now(), offered, request, job_request, config}, views, Deadline::never()),
                  directory.path() + "/none ");
}
END_TEST

// The monitor's user is created after slurmctld has started. The file that was refused is then used without a
// reconfigure, and the log has the refusal and its end once each.
START_TEST(a_user_who_is_new_is_found) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/snapshot";
  std::mutex mutex;
  std::vector<std::string> logged;
  bool exists = false;
  const auto find = [&] {
    const std::lock_guard lock(mutex);
    return exists ? SnapshotOwners{{getuid()}, {}}
                  : SnapshotOwners{{getuid() + 1}, "MonitorUser=new is not a user of this host"};
  };
  const auto log = [&](bool is_error, const std::string& text) {
    const std::lock_guard lock(mutex);
    logged.push_back((is_error ? "error " : "info ") + text);
  };
  const auto lines = [&] {
    const std::lock_guard lock(mutex);
    return logged.size();
  };
  LiveFeed feed({path, find, 1000, machine_nodes, log});
  ck_assert_uint_eq(lines(), 0);  // no file is no refusal
  write_snapshot(path, state_of_age(0));
  ck_assert(comes_true([&] { return lines() == 1; }));
  ck_assert(contains(feed.now().why_not, "MonitorUser=new"));
  write_snapshot(path, state_of_age(0, 3));  // the monitor goes on: another file, refused too
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  ck_assert_uint_eq(lines(), 1);
  {
    const std::lock_guard lock(mutex);
    exists = true;
  }
  ck_assert(comes_true([&] { return feed.now().state != nullptr; }));
  ck_assert_text_eq(feed.trouble(), "");
  ck_assert(comes_true([&] { return lines() == 2; }));
  ck_assert(contains(logged[0], path));
  ck_assert(logged[0].starts_with("error ") && logged[1].starts_with("info ") && contains(logged[1], path));
}
END_TEST

START_TEST(wrong_files_are_told) {
  const TemporaryDirectory directory;
  const TestMachine machine(4, 1);
  const placement_machine c = machine.c();
  const auto configured = [&](const std::string& text) {
    const bool with_ring = text.find("DecisionFile=") != std::string::npos;
    const TempFile file(text + (with_ring ? "" : "\nDecisionFile=/no/such/place"));
    placement_configure(file.path().c_str(), &c);
    return std::string(placement_failure());
  };
  placement_log_to(log_of_plugin);
  ck_assert(
      contains(configured("TorusFile=" + directory.file("torus", "n8 0 0\nn9 0 1\n")), directory.path() + "/torus: "));
  ck_assert(contains(facts(), "PlacementMode = off\n"));
  ck_assert(contains(facts(), "PlacementFailure = "));
  ck_assert(contains(facts(), directory.path() + "/torus: "));
  ck_assert_int_eq(placement_mode_in(nullptr), PLACEMENT_OFF);
  ck_assert_text_eq(configured("SnapshotFile=" + directory.file("snapshot", "x")), "");
  ck_assert(contains(logged_by_plugin, " " + directory.path() + "/snapshot: "));
  ck_assert(contains(facts(), "PlacementLiveData = refused: " + directory.path() + "/snapshot: "));
  ck_assert_int_eq(placement_mode_in(nullptr), PLACEMENT_ENFORCE);
  ck_assert_text_eq(configured("DecisionFile=/proc/ring"), "");
  ck_assert(contains(logged_by_plugin, " not recorded: /proc/ring: "));
  ck_assert(contains(facts(), "PlacementNotRecorded = /proc/ring: "));
  ck_assert_text_eq(configured("DecisionFile=/no/directory/ring"), "");
  ck_assert(!contains(facts(), "PlacementNotRecorded"));
}
END_TEST

START_TEST(decisions_reach_the_ring) {
  const TemporaryDirectory directory;
  const std::string ring = directory.path() + "/decisions";
  const std::string snapshot = directory.path() + "/snapshot";
  write_snapshot(snapshot, state_of_age(4));
  TestMachine(4, 1).configure("Mode=enforce\nDecisionFile=" + ring + "\nSnapshotFile=" + snapshot + "\n");
  Environment environment = Environment::with_matrix(::placement::ring(4), "TREEMATCH=seed=7");
  const Offer offer(4, 2);
  placement_request request = request_for(environment, 4);
  request.job_id = 77;
  request.restarts = 1;
  request.uid = 1234;
  const CurrentDecision* plan = decide(offer, request);
  ck_assert(plan->placed);
  const std::string cost = plan->costs.cost;
  const placement_offer nodes = offer.c();
  placement_set_stock_choice(&nodes, &request, "n[2-3]");
  placement_set_started("n[0-1]");
  placement_tell();
  const auto tell_stock = [](std::uint32_t job) {
    placement_request of_job{};
    of_job.job_id = job;
    of_job.mode = PLACEMENT_ENFORCE;
    left_to_slurm(of_job, "--contiguous is told", STOCK_OPTION);
    placement_set_started("n[0-1]");
    placement_tell();
  };
  tell_stock(78);
  const auto told = DecisionReader(ring).read();
  ck_assert_uint_eq(told.size(), 2);
  const Decision& d = told[0];
  ck_assert_uint_eq(d.job_id, 77);
  ck_assert_uint_eq(d.uid, 1234);
  ck_assert(d.outcome == DECISION_CORES && d.for_start && !d.remembered);
  ck_assert_text_eq(d.mode + " " + d.policy + " " + d.parameters, "enforce TREEMATCH seed=7");
  ck_assert_uint_eq(d.candidates, 4);
  ck_assert_text_eq(d.candidate_nodes, "n[0-3]");
  ck_assert_text_eq(d.choice + " " + d.tasks_per_node, "n[0-1] 2(x2)");
  ck_assert_text_eq(d.given + " " + d.stock_choice, "n[0-1] n[2-3]");
  ck_assert_text_eq(d.cost, cost);
  ck_assert(d.live_age_s >= 4 && d.live_age_s < 60);
  ck_assert(std::abs(d.at_s - static_cast<double>(std::time(nullptr))) < 60);
  ck_assert_uint_eq(told[1].job_id, 78);
  ck_assert_text_eq(told[1].reason, "--contiguous is told");
  ck_assert_text_eq(told[1].policy + told[1].choice, "");
  // The ring goes on after a reconfigure.
  TestMachine(4, 1).configure("DecisionFile=" + ring + "\n");
  tell_stock(78);
  ck_assert_uint_eq(DecisionReader(ring).read().size(), 3);
}
END_TEST

// The slurmctld before this one writes the ring until this one has read its configuration: with Slurm 23.11 and later
// "scontrol reconfigure" starts another process. Decisions made meanwhile are recorded too.
START_TEST(a_ring_in_use_is_opened_when_it_is_free) {
  const TemporaryDirectory directory;
  const std::string ring = directory.path() + "/decisions";
  placement_log_to(log_of_plugin);
  auto before = std::make_unique<DecisionWriter>(ring);
  Decision first;
  first.job_id = 76;
  before->put(first);
  TestMachine(4, 1).configure("DecisionFile=" + ring + "\n");
  ck_assert(contains(facts(), "PlacementNotRecorded = " + ring + ".lock: another process"));
  ck_assert(contains(logged_by_plugin, " not recorded: " + ring + ".lock: another process"));
  const auto tell_stock = [](std::uint32_t job) {
    placement_request of_job{};
    of_job.job_id = job;
    left_to_slurm(of_job, "a reason", STOCK_OTHER);
    placement_set_started("n0");
    placement_tell();
  };
  tell_stock(77);
  ck_assert(!placement_wants_stock_choice(0));
  ck_assert_uint_eq(DecisionReader(ring).read().size(), 1);
  before.reset();
  ck_assert(comes_true([&] { return DecisionReader(ring).read().size() == 2; }));
  ck_assert(!contains(facts(), "PlacementNotRecorded"));
  tell_stock(78);
  const std::vector<Decision> told = DecisionReader(ring).read();
  ck_assert_uint_eq(told.size(), 3);
  for (std::uint32_t i = 0; i < 3; ++i) ck_assert_uint_eq(told[i].job_id, 76 + i);
  ck_assert(comes_true([&] { return contains(logged_by_plugin, "info decisions are recorded "); }));
  TestMachine(4, 1).configure("DecisionFile=" + ring + "\n");
  ck_assert(!contains(facts(), "PlacementNotRecorded"));
}
END_TEST

int main() {
  setenv("TMPDIR", "/dev/shm", 1);
  Suite* suite = suite_create("live_feed");
  TCase* cases = tcase_create("all");
  tcase_add_test(cases, a_fresh_state_is_there_at_once);
  tcase_add_test(cases, what_cannot_be_used_says_why);
  tcase_add_test(cases, the_clocks_of_two_hosts_differ_a_little);
  tcase_add_test(cases, a_newer_file_is_taken_and_a_bad_one_is_not);
  tcase_add_test(cases, replaced_while_it_is_read);
  tcase_add_test(cases, a_user_who_is_new_is_found);
  tcase_add_test(cases, a_policy_sees_states_and_coordinates_of_its_nodes);
  tcase_add_test(cases, wrong_files_are_told);
  tcase_add_test(cases, decisions_reach_the_ring);
  tcase_add_test(cases, a_ring_in_use_is_opened_when_it_is_free);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
