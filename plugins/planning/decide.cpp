// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/job_variables.hpp"
#include "plugins/planning/decide.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <string_view>
#include <cstring>
#include <system_error>

#include "common/policy/policy_spec.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/environment.hpp"
#include "policies/table.hpp"
#include "plugins/planning/plugin_state.hpp"
#include "treematch/map_memory.hpp"

namespace placement::planning {

namespace {

constexpr auto jobs_are_known_for = std::chrono::minutes(10);  // counted from the last question about the job

// The state is never destroyed, because slurmctld exits while threads still use it.
PluginState& state() {
  static PluginState* const the_state = new PluginState;
  return *the_state;
}

// The entries of an environment among which a policy is looked for, for each pending job in each cycle.
constexpr std::uint32_t most_policy_entries = 64;

// Returns the policy and its parameters, or null if the job asks for none.
const char* policy_word(char* const* environment, std::uint32_t count) {
  return environment_value({environment, std::min(count, most_policy_entries)}, request_policy_variable);
}

// Calls `call` and ignores its exceptions: if memory runs out, the rest of the call is left out.
template <typename Call>
void if_memory_lasts(const Call& call) noexcept {
  try {
    call();
  } catch (...) {
  }
}

// Sets a text that C code gives.
void set_text(std::string& text, const char* value) {
  text.clear();
  if (value != nullptr) if_memory_lasts([&] { text = value; });
}

const char* policy_name(char* const* environment, std::uint32_t count) {
  try {
    if (const char* const word = policy_word(environment, count))
      if (const auto* policy =
              policies::find_policy(parse_policy_spec({word, strnlen(word, max_policy_word + 1)}).policy))
        return policy->name.data();
  } catch (const Error&) {  // no name of a policy, or too long a word
  }
  return "";
}

// A part of the current decision. All parts together may take DecisionTimeMs of processor time; Slurm's own work
// between them does not count.
class PartOfDecision {
 public:
  explicit PartOfDecision(PluginState& now) : now_(now) {}
  PartOfDecision(const PartOfDecision&) = delete;
  ~PartOfDecision() {
    const bool had_time = now_.time_left >= Deadline::Time::zero();
    now_.time_left -= Deadline::processor_clock() - began_;
    now_.decisions_over_limit += had_time && now_.time_left < Deadline::Time::zero();
  }

  Deadline deadline() const { return Deadline::after(std::max(now_.time_left, Deadline::Time::zero())); }

 private:
  PluginState& now_;
  Deadline::Time began_ = Deadline::processor_clock();
};

// Starts the decision about a job.
void begin_decision(PluginState& now, const placement_request& request) {
  now.decision = CurrentDecision();
  now.time_left = std::chrono::milliseconds(now.config.decision_time_ms);
  now.decision.mode = request.mode;
  now.decision.asked = request.stock_because == nullptr;
  Decision& record = now.decision.record;
  record.job_id = request.job_id;
  record.restarts = request.restarts;
  record.submitted_s = request.submitted_s;
  record.uid = request.uid;
  record.tasks = request.tasks;
  record.for_start = request.for_start;
  record.predicted = request.predicted;
  set_text(now.decision.reason, request.stock_because);
  now.decision.reason_class = now.decision.asked ? STOCK_OTHER : request.stock_reason;
  if (request.array_task_known)
    record.array_task = std::to_string(request.job_id) + "_" + std::to_string(request.array_task);
  record.mode = mode_names[request.mode];
  record.policy = policy_name(request.environment, request.environment_count);
}

void take(CurrentDecision& decision, Answer answer) {
  static_cast<Answer&>(decision) = std::move(answer);
  if (decision.plan) decision.costs = decision.plan->costs;
}

void assess(PluginState& now, const placement_offer& offer, const placement_request& request,
            const placement_grant& grant) {
  CurrentDecision& decision = now.decision;
  const bool no_time = now.budget.used_up(request.uid), stock = decision.outcome == DECISION_STOCK;
  const Plan* const plan = stock ? nullptr : decision.plan.get();
  if (!now.machine || (stock ? no_time : !plan)) return;
  const PartOfDecision part(now);
  const DecisionTimeBudget::Use use(now.budget, request.uid);
  // Decoding a matrix also takes time, up to 10 ms.
  const JobEntry& job = now.jobs.find(request.job_id, {request.environment, request.environment_count}, now.config);
  std::string difference;
  auto costs = costs_on({now.machine_for(request), now.feed->now(), offer, request, job.job_request, now.config}, plan,
                        grant, no_time ? Deadline::after(Deadline::Time::zero()) : part.deadline(), difference);
  decision.ranks_by_matrix = stock && costs;
  decision.costs = std::move(costs).value_or(StepCosts());
  if (!difference.empty()) decision.reason += (decision.reason.empty() ? "" : ", ") + difference;
}

// Sets the costs of stock in the decision to those on Slurm's own choice of nodes. Returns false if they are not known.
// Throws Error if the nodes cannot take the job.
bool compare_with_choice(PluginState& now, const placement_offer& offer, const placement_request& request,
                         const std::string& nodes) {
  CurrentDecision& decision = now.decision;
  if (!now.machine || now.questions.used_up(request.uid)) return false;
  const PartOfDecision part(now);
  const DecisionTimeBudget::Use use(now.questions, request.uid);
  const JobEntry& job = now.jobs.find(request.job_id, {request.environment, request.environment_count}, now.config);
  const auto plan = std::make_shared<Plan>(*decision.plan);
  if (!use_stock_choice({now.machine_for(request), now.feed->now(), offer, request, job.job_request, now.config}, nodes,
                        now.views, *plan, part.deadline()))
    return false;
  decision.use(plan);
  decision.costs = plan->costs;
  return true;
}

// Returns a text for C code.
template <typename Text>
const char* text_for_c(const Text& text) {
  auto& now = state();
  now.text.clear();
  if_memory_lasts([&] { now.text = text(now.decision); });
  return now.text.c_str();
}

}  // namespace

}  // namespace placement::planning

using namespace placement;
using namespace placement::planning;

extern "C" void placement_log_to(void (*log)(bool is_error, const char* text)) { state().log = log; }

extern "C" void placement_facts(void (*add)(void* list, const char* name, const char* value), void* list) {
  if_memory_lasts([&] {
    for (const auto& [name, value] : facts_of(controller_state(state()))) add(list, name.c_str(), value.c_str());
  });
}

extern "C" const char* placement_failure(void) { return state().failure.c_str(); }

extern "C" bool placement_wants_stock_choice(uint32_t uid) {
  auto& now = state();
  return now.decision_log && now.decision_log->is_open() && now.config.record_stock_choice &&
         !now.budget.used_up(uid) && !now.questions.used_up(uid);
}

extern "C" void placement_stock_choice_took(uint32_t uid, int64_t time_ns) {
  if_memory_lasts([&] { state().questions.spend(uid, std::chrono::nanoseconds(time_ns)); });
}

extern "C" void placement_decision_took(uint32_t uid, int64_t time_ns) {
  auto& now = state();
  if_memory_lasts([&] {
    for (DecisionTimeBudget* const budget : {&now.budget, &now.degraded})
      if (!budget->used_up(uid)) return budget->spend(uid, std::chrono::nanoseconds(time_ns));
  });
}

extern "C" void placement_locks_held(int64_t time_us) {
  if (time_us > state().longest_hold_us) state().longest_hold_us = time_us;
}

extern "C" void placement_tell(void) {
  auto& now = state();
  CurrentDecision& decision = now.decision;
  const Decision& record = decision.record;
  // A job without room did not run as stock: it goes on waiting for nodes, as it would without a policy. Without time
  // for a decision the room is not known, but a job that does not start has none.
  const bool found_no_room = record.for_start && decision.outcome == DECISION_STOCK &&
                             (decision.reason_class == STOCK_NO_ROOM || decision.reason_class == STOCK_NO_TIME);
  const bool is_new = decision.asked && !record.remembered && !decision.wait_told && !found_no_room &&
                      !(record.predicted && now.predictions.used_up(record.uid));
  if (now.decision_log && (decision.started || is_new))
    if_memory_lasts([&] {
      if (record.predicted) now.predictions.spend(record.uid, std::chrono::milliseconds(1));
      now.decision_log->record(complete_record(decision, now.unbound));
    });
  if (decision.wait && !decision.put_off && !decision.wait_told)
    if (JobEntry* const job = now.jobs.find_latest(record.job_id)) job->wait_told = Clock::now();
}

extern "C" const char* placement_comment(bool for_log) {
  return text_for_c([&](const CurrentDecision& decision) {
    return comment_text(decision, state().unbound) + (for_log && !decision.record.for_start ? " asked ahead" : "") +
           (for_log && decision.record.remembered ? " remembered" : "");
  });
}

extern "C" const char* placement_job_decision(void) { return text_for_c(job_decision_text); }

extern "C" const char* placement_job_name(void) {
  return text_for_c([](const CurrentDecision& decision) { return job_name(decision.record); });
}

extern "C" void placement_set_stock_choice(const struct placement_offer* offer, const struct placement_request* request,
                                           const char* nodes) {
  auto& now = state();
  set_text(now.decision.record.stock_choice, nodes);
  if (nodes == nullptr || !now.decision.placed || now.decision.costs.stock_cost.empty()) return;
  try {
    if (compare_with_choice(now, *offer, *request, nodes)) return;
  } catch (...) {  // the costs stay those on the first nodes
  }
  set_text(now.decision.record.stock_choice, nullptr);
}

extern "C" void placement_set_started(const char* nodes) {
  CurrentDecision& decision = state().decision;
  decision.started = true;
  set_text(decision.record.given, nodes);
  if (decision.outcome == DECISION_STOCK) set_text(decision.record.stock_choice, nodes);
}

extern "C" void placement_give_up(const char* reason, bool for_good) {
  auto& now = state();
  CurrentDecision& decision = now.decision;
  decision.outcome = DECISION_STOCK;
  decision.placed = false;
  decision.costs = {};
  decision.reason_class = STOCK_SLURM;
  set_text(decision.reason, reason);
  auto* const job = for_good ? now.jobs.find_latest(decision.record.job_id) : nullptr;
  if (job == nullptr || !job->answer) return;
  job->answer.reset();
  if_memory_lasts([&] { job->answer = Answer(reason, STOCK_SLURM); });
}

extern "C" enum placement_mode placement_mode_in(const char* partition) {
  auto& now = state();
  if (now.machine && partition != nullptr)
    for (const auto& [name, mode] : now.config.partition_modes)
      if (name == partition) return mode;
  return now.machine ? now.config.mode : PLACEMENT_OFF;
}

extern "C" void placement_unconfigure(void) {
  auto& now = state();
  now.machine.reset();
  now.other_machines.clear();
  now.views = {};
  now.partitions.clear();
  now.feed.reset();
  now.decision_log.reset();
  now.jobs.clear();
  treematch::matrix_memories().drop_idle(Clock::time_point::max());
  now.decision = CurrentDecision();
}

extern "C" enum placement_mode placement_configure(const char* config_path, const struct placement_machine* machine) {
  placement_unconfigure();
  auto& now = state();
  now.degraded = degraded_budget;
  now.questions = question_budget;
  now.failure.clear();
  set_text(now.unbound, machine->unbound);
  try {
    now.config_path = config_path;
    std::error_code unreadable;
    if (!std::filesystem::exists(config_path, unreadable))
      now.config_path += " (the file does not exist: the defaults)";
    now.config = read_config(config_path, MissingFile::defaults);
    now.budget = full_budget(now.config);
    if (now.config.mode != PLACEMENT_OFF) configure_on(now, *machine);
  } catch (const std::exception& error) {
    set_text(now.failure, error.what());
  } catch (...) {  // no exception of another class may reach Slurm: placement is off without a reason
  }
  const enum placement_mode mode = placement_mode_in(nullptr);
  if (now.log != nullptr && now.failure.empty())
    if_memory_lasts(
        [&] { now.log(false, ("Mode=" + std::string(mode_names[mode]) + " by " + now.config_path).c_str()); });
  return mode;
}

extern "C" void placement_tidy(void) {
  auto& now = state();
  const Clock::time_point since = DecisionTimeBudget::clock() - jobs_are_known_for;
  const std::size_t kept = now.jobs.size(), of_mappings = treematch::matrix_memories().drop_idle(since);
  now.jobs.drop_idle(since);
  if (now.feed && (of_mappings > 0 || now.jobs.size() < kept)) now.feed->memory_was_freed();
}

extern "C" bool placement_asked(char* const* environment, uint32_t environment_count) {
  return policy_word(environment, environment_count) != nullptr;
}

extern "C" uint32_t placement_partition_environment(const char* partition, char* const** environment) {
  auto& now = state();
  if (partition == nullptr) return 0;
  const auto found = now.partitions.find(std::string_view(partition));
  if (found == now.partitions.end()) return 0;
  *environment = found->second.pointers.data();
  return static_cast<uint32_t>(found->second.pointers.size());
}

extern "C" const char* placement_partition_with_policy(uint32_t index) {
  const auto& partitions = state().partitions;
  return index < partitions.size() ? std::next(partitions.begin(), index)->first.c_str() : nullptr;
}

extern "C" struct placement_decision* placement_decide(const struct placement_offer* offer,
                                                       const struct placement_request* request) {
  auto& now = state();
  std::string& reason = now.decision.reason;
  const auto start = Clock::now();
  try {
    begin_decision(now, *request);
    if (!now.decision.asked) return &now.decision;
    const PartOfDecision part(now);
    take(now.decision, answer_of(now, *offer, *request));
  } catch (const std::bad_alloc&) {
    set_text(reason, "out of memory");
  } catch (const std::exception& error) {
    set_text(reason, error.what());
  } catch (...) {
    set_text(reason, "unexpected failure");
  }
  Decision& record = now.decision.record;
  record.time_us = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  // A search by a matrix has freed memory that the C library keeps for this thread.
  if (now.feed && !record.remembered && !now.decision.costs.cost.empty()) now.feed->memory_was_freed();
  return &now.decision;
}

extern "C" struct placement_decision* placement_has_no_time(const struct placement_request* request) {
  auto& now = state();
  try {
    auto answer = answer_without_offer(now, *request);
    if (!answer) return nullptr;
    begin_decision(now, *request);
    take(now.decision, *std::move(answer));
  } catch (...) {  // out of memory: placement_decide() reports it
    return nullptr;
  }
  return &now.decision;
}

extern "C" bool placement_would_put_off(uint32_t uid, uint32_t times_put_off) {
  auto& now = state();
  return now.machine && times_put_off < static_cast<std::uint64_t>(now.config.decision_wait) && now.budget.used_up(uid);
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
    now.decision.costs = {};
  }
}

extern "C" void placement_forget(uint32_t job_id) {
  auto& now = state();
  const std::size_t kept = now.jobs.size();
  now.jobs.drop(job_id);
  if (now.feed && now.jobs.size() < kept) now.feed->memory_was_freed();
}
