// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/select/decide.h"

#include <algorithm>
#include <array>
#include <map>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/decision/job_state.hpp"
#include "common/decision/ring_place.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/error.hpp"
#include "plugins/select/job_request.hpp"
#include "plugins/select/live_feed.hpp"
#include "plugins/select/machine.hpp"
#include "plugins/select/planner.hpp"
#include "plugins/select/decision_log.hpp"
#include "plugins/select/decision_time_budget.hpp"
#include "policies/settings.hpp"

namespace placement::select_plugin {

namespace {

using Clock = std::chrono::steady_clock;

// Decisions run under slurmctld's locks, so all decisions together must not take too much of its time. These are the
// processor times that they get; each user gets a part (decision_time_budget.hpp). While the user's part of full_share
// lasts, decisions are made in full. After that they are put off to the next scheduling cycle, at most DecisionWait=
// times. A decision that may not be put off is made without the matrix, which takes a tenth of the time. When the
// user's part of hasty_share is used up too, no decision is made, and stock Slurm places the job.
//
// At once there is as much of full_share as five seconds bring. The main scheduler runs every three seconds at most
// (batch_sched_delay), and stock Slurm holds its locks as long for 200 jobs on 5,000 nodes.
DecisionTimeBudget full_share(const Config& config) {
  const auto of_second = std::chrono::milliseconds(10) * config.decision_share;
  return {of_second, 5 * of_second};
}
const DecisionTimeBudget hasty_share{std::chrono::milliseconds(100), std::chrono::milliseconds(100)};

// The processor time for asking which nodes Slurm itself would choose. On a large cluster the question takes as long as
// an allocation.
const DecisionTimeBudget question_share{std::chrono::milliseconds(10), std::chrono::milliseconds(10)};

// The memory that a decision uses for a while; it is counted as freed when the job is forgotten.
constexpr std::size_t bytes_of_a_decision = 1 << 20;

constexpr auto wait_told_again = std::chrono::minutes(10);     // a waiting job is recorded again after this time
constexpr auto jobs_are_known_for = std::chrono::minutes(10);  // counted from the last question about the job

static_assert(std::string_view(PLACEMENT_JOB_STATE) == job_state_variable);

struct Answer {
  std::optional<Plan> plan;
  std::string reason;  // why there is no plan
  bool wait = false;   // the job stays in the queue for now
  std::uint32_t wait_left_s = 0;  // with `wait`: seconds after which the job waits no longer
  bool put_off = false;  // with `wait`: there was no time to decide
  bool was_starved = false;  // the deadline passed while other programs had the processor
};

// The request of a job, and the last question about it with its answer.
struct JobEntry {
  JobRequest job_request;
  std::uint64_t question = 0;
  std::optional<Answer> answer;
  std::optional<Clock::time_point> wait_told;  // when it was last recorded that the job has to wait
};

// A partition's policy as environment entries, in the form in which srun ships the policy of a job. srun knows nothing of
// it, so ranks stay in natural order.
struct PartitionEnvironment {
  explicit PartitionEnvironment(const std::string& word)
      : entries{"PLACEMENT_VERSION=1", "PLACEMENT_POLICY=" + word, "PLACEMENT_NATURAL_ORDER=1"},
        pointers{entries[0].data(), entries[1].data(), entries[2].data()} {}
  PartitionEnvironment(const PartitionEnvironment&) = delete;  // pointers are into entries

  std::array<std::string, 3> entries;
  std::array<char*, 3> pointers;
};

struct State {
  Config config;
  std::map<std::string, PartitionEnvironment, std::less<>> partitions;
  std::unique_ptr<const Machine> machine;  // null while placement is off
  std::unique_ptr<const LiveFeed> feed;    // null while placement is off
  std::unique_ptr<DecisionLog> decision_log;          // null if decisions are not recorded
  bool private_jobs = false;               // slurm.conf has PrivateData=jobs
  std::string warning;
  std::string config_path;
  std::string failure;                     // why the configuration is not in force; empty if it is
  void (*log)(bool, const char*) = nullptr;
  PolicyViews views;
  JobRequestCache<JobEntry> jobs;
  DecisionTimeBudget share = full_share(config);
  DecisionTimeBudget hasty = hasty_share;
  DecisionTimeBudget questions = question_share;
  Answer transient;  // the latest answer, if it is not kept in `jobs`
  placement_plan result{};
  const Answer* latest = nullptr;  // the answer to which `result` points; null once it may have been dropped
};

// The state is never destroyed, because slurmctld exits while threads still use it.
State& state() {
  static State* const the_state = new State;
  return *the_state;
}

void copy_text(char* target, std::size_t size, std::string_view text) {
  const std::size_t length = std::min(size - 1, text.size());
  std::copy_n(text.data(), length, target);
  target[length] = '\0';
}

template <typename T>
void mix(std::uint64_t& hash, const T* values, std::size_t count) {
  const std::string_view bytes(reinterpret_cast<const char*>(values), count * sizeof(T));
  hash = (hash ^ std::hash<std::string_view>{}(bytes)) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
}

std::uint64_t question_of(const placement_offer& offer, const placement_request& request,
                          std::uint64_t generation) {
  std::uint64_t hash = offer.node_count;
  mix(hash, &generation, 1);
  mix(hash, offer.node, offer.node_count);
  mix(hash, offer.cpus_per_core, offer.node_count);
  if (offer.max_tasks != nullptr) mix(hash, offer.max_tasks, offer.node_count);
  if (offer.weight != nullptr) mix(hash, offer.weight, offer.node_count);
  mix(hash, offer.core_free, offer.first_core[offer.node_count]);
  const std::uint32_t numbers[] = {request.tasks,     request.cpus_per_task,  request.min_nodes,
                                   request.max_nodes, request.tasks_per_node, request.whole_nodes, request.time_limit_s,
                                   request.tasks_per_socket};
  mix(hash, numbers, std::size(numbers));
  mix(hash, request.required, request.required_count);
  if (request.partition != nullptr) mix(hash, request.partition, std::strlen(request.partition));
  return hash;
}

Answer fresh_answer(State& now, const LiveNow& live, const placement_offer& offer,
                    const placement_request& request, const JobRequest& job_request) {
  const auto budget = std::chrono::milliseconds(now.config.decision_time_ms);
  const Deadline deadline = Deadline::after(budget);
  const DecisionTimeBudget::Clock::duration began = DecisionTimeBudget::thread_time();
  Answer answer;
  try {
    answer.plan = make_plan(*now.machine, live, offer, request, job_request, now.config, now.views, deadline);
  } catch (const MustWait& wait) {
    answer.reason = wait.what();
    answer.wait = true;
    answer.wait_left_s = static_cast<std::uint32_t>(std::clamp<std::int64_t>(wait.left_s(), 1, now.config.max_wait_s));
  } catch (const Error& error) {
    answer.reason = error.what();
    answer.was_starved = deadline.expired() && DecisionTimeBudget::thread_time() - began < budget / 2;
  }
  return answer;
}

// Makes a decision without the matrix: nodes that are close together, whatever the ranks' traffic. The caller does not
// keep this answer, so that an equal question later, when there is time, gets a decision with the matrix.
Answer degraded_answer(State& now, const LiveNow& live, const placement_offer& offer,
                    const placement_request& request, const JobRequest& job_request) {
  JobRequest plain = job_request;
  placement_request sized = request;
  if (request.tasks == 0 && request.whole_nodes)
    sized.tasks = static_cast<std::uint32_t>(job_request.matrix->ranks());
  plain.matrix = nullptr;
  Answer answer = fresh_answer(now, live, offer, sized, plain);
  if (answer.plan) answer.plan->note = "without the matrix, the time for decisions is used up";
  return answer;
}

bool may_put_off(const State& now, const placement_request& request) {
  return request.may_be_put_off && request.times_put_off < static_cast<std::uint64_t>(now.config.decision_wait);
}

// Answers that the job stays in the queue until the next scheduling cycle. Only the first time that a job is put off is
// recorded.
const Answer& put_off(State& now, const LiveNow& live, const placement_offer& offer, const placement_request& request,
                      const JobRequest& job_request) {
  Answer answer{std::nullopt, "the time for decisions is used up, the decision is put off to the next scheduling cycle (" +
                                  std::to_string(request.times_put_off + 1) + " of DecisionWait=" +
                                  std::to_string(now.config.decision_wait) + ")"};
  answer.wait = answer.put_off = true;
  answer.wait_left_s = 1;
  now.result.wait_told = request.times_put_off > 0;
  if (now.decision_log) now.decision_log->decided(*now.machine, offer, job_request, live, nullptr);
  return now.transient = std::move(answer);
}

const Answer& answer_of(State& now, const placement_offer& offer, const placement_request& request) {
  now.result.remembered = false;
  if (!now.machine) return now.transient = {std::nullopt, "placement is off"};
  const bool may_wait = may_put_off(now, request), no_time = now.share.used_up(request.uid);
  if (no_time && !may_wait && now.hasty.used_up(request.uid))
    return now.transient = {std::nullopt, "the time for this user's decisions is used up"};
  const DecisionTimeBudget::Use use(no_time ? now.hasty : now.share, request.uid);
  JobEntry& job = now.jobs.find(request.job_id, {request.environment, request.environment_count},
                                now.config);
  copy_text(now.result.policy, sizeof now.result.policy, job.job_request.spec.policy);
  const LiveNow live = now.feed->now();
  const bool uses_live = job.job_request.policy != nullptr && job.job_request.policy->uses_live;
  if (uses_live && live.state) now.result.live_age_s = live.age_s;
  const std::uint64_t question = question_of(offer, request, uses_live ? live.generation : 0);
  now.result.remembered = job.answer && !job.answer->wait && job.question == question;
  const bool degraded = !now.result.remembered && job.job_request.matrix && no_time;
  if (!now.result.remembered && may_wait && no_time) return put_off(now, live, offer, request, job.job_request);
  if (degraded) {
    now.transient = degraded_answer(now, live, offer, request, job.job_request);
  } else if (!now.result.remembered) {
    job.answer.reset();
    job.answer = fresh_answer(now, live, offer, request, job.job_request);
    job.question = question;
  }
  // What other programs were to blame for is not kept: an equal question later is answered anew.
  const bool kept = !degraded && !job.answer->was_starved;
  if (!degraded && !kept) {
    now.transient = *std::exchange(job.answer, std::nullopt);
    if (may_wait) return put_off(now, live, offer, request, job.job_request);
  }
  const Answer& answer = kept ? *job.answer : now.transient;
  // Slurm may ask about a waiting job every few seconds, so its wait is recorded only every ten minutes.
  now.result.wait_told = answer.wait && job.wait_told && Clock::now() - *job.wait_told < wait_told_again;
  if (!answer.wait)
    job.wait_told.reset();
  else if (!now.result.wait_told)
    job.wait_told = Clock::now();
  now.latest = &answer;
  if (now.decision_log) now.decision_log->decided(*now.machine, offer, job.job_request, live, answer.plan ? &*answer.plan : nullptr);
  return answer;
}

void fill_result(placement_plan& result, const Answer& answer) {
  result.placed = answer.plan.has_value();
  result.wait = answer.wait;
  result.wait_left_s = answer.wait_left_s;
  result.put_off = answer.put_off;
  copy_text(result.reason, sizeof result.reason, answer.reason);
  if (!answer.plan) return;
  const Plan& plan = *answer.plan;
  copy_text(result.reason, sizeof result.reason, plan.note);
  result.node_count = static_cast<std::uint32_t>(plan.nodes.size());
  result.node = plan.nodes.data();
  result.tasks = plan.tasks.data();
  result.core_wanted = plan.core_wanted.data();
  result.task_count = plan.task_count;
  result.job_state = plan.job_state.c_str();
  copy_text(result.lacks, sizeof result.lacks, plan.lacks);
  copy_text(result.cost, sizeof result.cost, plan.cost);
  copy_text(result.natural_cost, sizeof result.natural_cost, plan.natural_cost);
  copy_text(result.stock_cost, sizeof result.stock_cost, plan.stock_cost);
}

void assess(State& now, const placement_offer& offer, const placement_request& request, const placement_grant& grant) {
  if (!now.machine || now.latest == nullptr || !now.latest->plan) return;
  const auto budget = std::chrono::milliseconds(now.share.used_up(request.uid) ? 0 : now.config.decision_time_ms);
  const DecisionTimeBudget::Use use(now.share, request.uid);
  const Plan& plan = *now.latest->plan;
  const JobEntry& job = now.jobs.find(request.job_id, {request.environment, request.environment_count}, now.config);
  const GivenCosts costs = assess_grant(*now.machine, now.feed->now(), offer, request, job.job_request, now.config, plan, grant,
                                        Deadline::after(budget));
  copy_text(now.result.cost, sizeof now.result.cost, costs.cost);
  copy_text(now.result.natural_cost, sizeof now.result.natural_cost, costs.natural_cost);
  if (costs.difference.empty()) return;
  copy_text(now.result.reason, sizeof now.result.reason, plan.note + (plan.note.empty() ? "" : ", ") + costs.difference);
}

enum placement_mode as_c(Mode mode) {
  switch (mode) {
    case Mode::observe: return PLACEMENT_OBSERVE;
    case Mode::advise: return PLACEMENT_ADVISE;
    case Mode::enforce: return PLACEMENT_ENFORCE;
    case Mode::off: break;
  }
  return PLACEMENT_OFF;
}

// Opens the ring at `path`. Returns null, without a warning, if its directory does not exist: decisions are recorded
// only where the site has made that directory.
std::unique_ptr<DecisionLog> open_decision_log(const std::string& path, bool private_jobs, std::string& warning) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (!std::filesystem::is_directory(directory, error)) return nullptr;
  try {
    return std::make_unique<DecisionLog>(path, private_jobs ? RingReaders::group : RingReaders::everybody);
  } catch (const Error& wrong) {
    warning = std::string("decisions are not recorded: ") + wrong.what();
    return nullptr;
  }
}

// Looks up the users whose snapshot is believed. With PrivateData=jobs, MonitorUser is let read the ring at
// `private_ring` (empty: everybody reads it), because it answers users about their own jobs.
SnapshotOwners find_monitor(const std::string& monitor_user, const std::string& private_ring) {
  SnapshotOwners owners = snapshot_owners(monitor_user);
  if (owners.missing.empty() && !private_ring.empty()) let_read_ring(private_ring, owners.users.back());
  return owners;
}

// Returns whether MonitorUser can read the ring as far as its file system decides. A user who does not exist yet is let
// in once it does.
bool is_let_in(const std::string& private_ring, const std::string& monitor_user) {
  const SnapshotOwners owners = snapshot_owners(monitor_user);
  return !owners.missing.empty() || let_read_ring(private_ring, owners.users.back());
}

void configure_on(State& now, const placement_machine& machine) {
  policies::check_policy_settings(now.config);
  for (const auto& [partition, word] : now.config.partition_policies) now.partitions.try_emplace(partition, word);
  auto known = std::make_unique<const Machine>(machine, now.config);
  now.decision_log = open_decision_log(now.config.decision_file, now.private_jobs, now.warning);
  const std::string private_ring = now.decision_log && now.private_jobs ? now.decision_log->path() : "";
  now.feed = std::make_unique<const LiveFeed>(
      now.config.snapshot_file, [user = now.config.monitor_user, private_ring] { return find_monitor(user, private_ring); },
      now.config.snapshot_max_age_s, known->node_names(), [log = now.log](bool is_error, const std::string& text) {
        if (log != nullptr) log(is_error, text.c_str());
      });
  if (!private_ring.empty() && !is_let_in(private_ring, now.config.monitor_user))
    now.warning += (now.warning.empty() ? "" : "; ") +
                   ("PrivateData=jobs: " + private_ring + " is on a file system without access control lists, so that "
                    "placement-monitor gets the decisions only by the group of its directory");
  if (!known->warning().empty()) now.warning += (now.warning.empty() ? "" : "; ") + known->warning();
  now.machine = std::move(known);
}

// Returns the settings that differ from their defaults. The mode is left out, because it is reported by itself.
Facts changed_settings(const Config& config) {
  static const Config defaults;
  Facts changed;
  for (const ConfigKey& key : config_keys())
    if (std::string value = key.show(config); key.name != "Mode" && value != key.show(defaults))
      changed.emplace_back(key.name, std::move(value));
  return changed;
}

ControllerState controller_state(const State& now) {
  ControllerState told;
  told.configuration = now.config_path;
  told.failure = now.failure;
  told.mode = to_string(now.machine ? now.config.mode : Mode::off);
  told.monitor_user = now.config.monitor_user;
  told.monitor_port = now.config.monitor_port;
  if (now.failure.empty()) told.settings = changed_settings(now.config);
  if (!now.feed) return told;
  const LiveNow live = now.feed->now();
  const std::string trouble = now.feed->trouble();
  told.live = !trouble.empty() ? LiveUse::refused : live.state ? LiveUse::used : LiveUse::none;
  told.live_text = !trouble.empty() ? trouble : live.state ? now.config.snapshot_file : live.why_not;
  return told;
}

}  // namespace

}  // namespace placement::select_plugin

using namespace placement;
using namespace placement::select_plugin;

extern "C" void placement_log_to(void (*log)(bool is_error, const char* text)) { state().log = log; }

extern "C" uint32_t placement_facts(struct placement_fact* facts) {
  uint32_t count = 0;
  try {
    for (const auto& [name, value] : facts_of(controller_state(state()))) {
      if (count == PLACEMENT_MOST_FACTS) break;
      copy_text(facts[count].name, sizeof facts[count].name, name);
      copy_text(facts[count].value, sizeof facts[count].value, value);
      ++count;
    }
  } catch (...) {  // out of memory: the list of facts is incomplete
  }
  return count;
}

extern "C" const char* placement_failure(void) { return state().failure.c_str(); }

extern "C" const char* placement_warning(void) { return state().warning.c_str(); }

extern "C" bool placement_wants_stock_choice(uint32_t uid) {
  auto& now = state();
  return now.decision_log && now.config.record_stock_choice && !now.share.used_up(uid) &&
         !now.questions.used_up(uid);
}

extern "C" void placement_stock_choice_took(uint32_t uid, int64_t time_ns) {
  try {
    state().questions.spend(uid, std::chrono::nanoseconds(time_ns));
  } catch (...) {  // out of memory: the time is not counted
  }
}

extern "C" void placement_tell(const struct placement_outcome* outcome) {
  auto& now = state();
  try {
    if (now.decision_log) now.decision_log->tell(*outcome, now.result, now.config.mode);
  } catch (...) {  // out of memory: the history has a gap
  }
}

extern "C" enum placement_mode placement_current_mode(void) {
  auto& now = state();
  return now.machine ? as_c(now.config.mode) : PLACEMENT_OFF;
}

extern "C" void placement_keep_jobs_private(bool private_jobs) { state().private_jobs = private_jobs; }

extern "C" void placement_unconfigure(void) {
  auto& now = state();
  now.machine.reset();
  now.views = {};
  now.partitions.clear();
  now.feed.reset();
  now.decision_log.reset();
  now.warning.clear();
  now.jobs.clear();
  now.transient = {};
  now.latest = nullptr;
}

extern "C" enum placement_mode placement_configure(const char* config_path,
                                                   const struct placement_machine* machine,
                                                   char* message, size_t message_size) {
  placement_unconfigure();
  message[0] = '\0';
  auto& now = state();
  now.hasty = hasty_share;
  now.questions = question_share;
  now.failure.clear();
  try {
    now.config_path = config_path;
    std::error_code unreadable;
    if (!std::filesystem::exists(config_path, unreadable)) now.config_path += " (no such file: the defaults)";
    now.config = read_config(config_path, MissingFile::defaults);
    now.share = full_share(now.config);
    if (now.config.mode != Mode::off)
      configure_on(now, *machine);
  } catch (const std::exception& error) {
    copy_text(message, message_size, error.what());
  } catch (...) {
    copy_text(message, message_size, "unexpected failure while reading the configuration");
  }
  try {
    now.failure = message;
  } catch (...) {  // out of memory: the reason is in slurmctld's log only
  }
  return placement_current_mode();
}

extern "C" void placement_tidy(void) {
  auto& now = state();
  now.latest = nullptr;  // the next line may drop the answer
  now.jobs.drop_idle(Clock::now() - jobs_are_known_for);
  if (now.feed) now.feed->memory_was_freed(now.jobs.take_freed_bytes());
}

extern "C" bool placement_asked(char* const* environment, uint32_t environment_count) {
  return environment != nullptr &&
         environment_value({environment, environment_count}, "PLACEMENT_POLICY") != nullptr;
}

extern "C" uint32_t placement_partition_environment(const char* partition, char* const** environment) {
  auto& now = state();
  if (partition == nullptr) return 0;
  const auto found = now.partitions.find(std::string_view(partition));
  if (found == now.partitions.end()) return 0;
  *environment = found->second.pointers.data();
  return static_cast<uint32_t>(found->second.pointers.size());
}

extern "C" const struct placement_plan* placement_decide(const struct placement_offer* offer,
                                                         const struct placement_request* request) {
  auto& now = state();
  now.result = {};
  now.result.live_age_s = -1;
  now.latest = nullptr;
  if (now.decision_log) now.decision_log->forget();
  const auto start = Clock::now();
  try {
    fill_result(now.result, answer_of(now, *offer, *request));
  } catch (const std::bad_alloc&) {
    copy_text(now.result.reason, sizeof now.result.reason, "out of memory");
  } catch (const std::exception& error) {
    copy_text(now.result.reason, sizeof now.result.reason, error.what());
  } catch (...) {
    copy_text(now.result.reason, sizeof now.result.reason, "unexpected failure");
  }
  now.result.time_us =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  return &now.result;
}

extern "C" bool placement_would_put_off(uint32_t uid, uint32_t times_put_off) {
  auto& now = state();
  return now.machine && times_put_off < static_cast<std::uint64_t>(now.config.decision_wait) &&
         now.share.used_up(uid);
}

extern "C" void placement_call_later(uint32_t seconds, void (*call)(void)) {
  auto& now = state();
  if (now.feed) now.feed->call_later(std::chrono::seconds(seconds), call);
}

extern "C" void placement_assess(const struct placement_offer* offer, const struct placement_request* request,
                                 const struct placement_grant* grant) {
  auto& now = state();
  try {
    assess(now, *offer, *request, *grant);
  } catch (...) {  // out of memory: the costs are not known
    now.result.cost[0] = now.result.natural_cost[0] = '\0';
  }
}

extern "C" void placement_forget(uint32_t job_id) {
  auto& now = state();
  now.latest = nullptr;
  now.jobs.drop(job_id);
  // The decision used this memory for a while, in the thread that made it; the C library keeps it for that thread.
  if (now.feed) now.feed->memory_was_freed(bytes_of_a_decision);
}

extern "C" void placement_plan_failed(uint32_t job_id, const char* reason) {
  auto& now = state();
  try {
    if (auto* job = now.jobs.find_latest(job_id); job != nullptr && job->answer)
      job->answer = Answer{std::nullopt, reason};
  } catch (...) {
    now.jobs.clear();
  }
}
