// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decision/job_variables.hpp"
#include "plugins/planning/decide.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <string_view>
#include <cstring>
#include <system_error>

#include "common/decision/job_state.hpp"
#include "common/policy/policy_spec.hpp"
#include "common/state/controller_state.hpp"
#include "policies/table.hpp"
#include "plugins/planning/plugin_state.hpp"
#include "treematch/map_memory.hpp"

namespace placement::planning {

namespace {

constexpr auto jobs_are_known_for = std::chrono::minutes(10);  // counted from the last question about the job

static_assert(std::string_view(PLACEMENT_JOB_STATE) == job_state_variable);
static_assert(std::string_view(PLACEMENT_PLANNED_RANKS) == planned_ranks_variable);
static_assert(std::string_view(PLACEMENT_JOB_DECISION) == job_decision_variable);
static_assert(std::string_view(PLACEMENT_JOB_START) == job_start_variable);

// The state is never destroyed, because slurmctld exits while threads still use it.
PluginState& state() {
  static PluginState* const the_state = new PluginState;
  return *the_state;
}

// The entries of an environment among which a policy is looked for, for each pending job in each cycle.
constexpr std::uint32_t most_policy_entries = 64;

// Returns the policy and its parameters, or null if the job asks for none.
const char* policy_word(char* const* environment, std::uint32_t count) {
  return environment == nullptr
             ? nullptr
             : environment_value({environment, std::min(count, most_policy_entries)}, request_policy_variable);
}

// Lets the costs of the decision point to `costs`. Appends `stock_busiest_link`, that of the stock cost.
void point_to_costs(PluginState& now, placement_decision& decision, const StepCosts& costs,
                    const std::string& stock_busiest_link) {
  now.busiest_link = costs.busiest_link.empty() ? "" : costs.busiest_link + stock_busiest_link;
  decision.cost = costs.cost.c_str();
  decision.natural_cost = costs.natural_cost.c_str();
  decision.stock_cost = costs.stock_cost.c_str();
  decision.busiest_link = now.busiest_link.c_str();
  decision.ranks = costs.ranks.c_str();
}

void point_to_answer(PluginState& now, placement_decision& decision, const Answer& answer) {
  decision.placed = answer.plan.has_value();
  decision.wait = answer.wait;
  decision.wait_left_s = answer.wait_left_s;
  decision.put_off = answer.put_off;
  decision.reason = answer.reason.c_str();
  decision.stock_reason = answer.reason_class;
  if (!answer.plan) return;
  const Plan& plan = *answer.plan;
  decision.reason = plan.note.c_str();
  decision.node_count = static_cast<std::uint32_t>(plan.nodes.size());
  decision.node = plan.nodes.data();
  decision.tasks = plan.tasks.data();
  decision.core_wanted = plan.core_wanted.data();
  decision.task_count = plan.task_count;
  decision.job_state = plan.for_steps.job_state.c_str();
  decision.planned_ranks = plan.for_steps.planned_ranks.c_str();
  decision.lacks = plan.lacks.c_str();
  point_to_costs(now, decision, plan.costs, plan.stock_busiest_link);
}

// Begins the answer of `decision`. No answer is kept from an earlier question, nor a record.
void begin_answer(PluginState& now, placement_decision& decision) {
  decision.asked = true;
  decision.live_age_s = -1;
  now.latest = nullptr;
  if (now.decision_log) now.decision_log->forget();
}

void assess(PluginState& now, const placement_offer& offer, const placement_request& request,
            const placement_grant& grant, placement_decision& decision) {
  const bool no_time = now.budget.used_up(request.uid), stock = decision.end == DECISION_STOCK;
  const Plan* const plan = !stock && now.latest != nullptr && now.latest->plan ? &*now.latest->plan : nullptr;
  if (!now.machine || (stock ? no_time : !plan)) return;
  const auto budget = std::chrono::milliseconds(no_time ? 0 : now.config.decision_time_ms);
  const DecisionTimeBudget::Use use(now.budget, request.uid);
  // Decoding a matrix also takes time, up to 10 ms.
  const JobEntry& job = now.jobs.find(request.job_id, {request.environment, request.environment_count}, now.config);
  std::string difference;
  const auto costs = costs_on({now.machine_for(request), now.feed->now(), offer, request, job.job_request, now.config},
                              plan, grant, Deadline::after(budget), difference);
  now.costs = costs.value_or(StepCosts());
  point_to_costs(now, decision, now.costs, plan ? plan->stock_busiest_link : "");
  decision.ranks_by_matrix = stock && costs;
  if (difference.empty()) return;
  now.text = plan->note + (plan->note.empty() ? "" : ", ") + difference;
  decision.reason = now.text.c_str();
}

// The modes of placement.conf have the numbers of those of decide.h.
static_assert(static_cast<int>(Mode::off) == PLACEMENT_OFF && static_cast<int>(Mode::observe) == PLACEMENT_OBSERVE &&
              static_cast<int>(Mode::advise) == PLACEMENT_ADVISE &&
              static_cast<int>(Mode::enforce) == PLACEMENT_ENFORCE);

enum placement_mode as_c(Mode mode) { return static_cast<enum placement_mode>(mode); }

}  // namespace

}  // namespace placement::planning

using namespace placement;
using namespace placement::planning;

extern "C" void placement_log_to(void (*log)(bool is_error, const char* text)) { state().log = log; }

extern "C" void placement_facts(void (*add)(void* list, const char* name, const char* value), void* list) {
  try {
    for (const auto& [name, value] : facts_of(controller_state(state()))) add(list, name.c_str(), value.c_str());
  } catch (...) {  // out of memory: the list of facts is incomplete
  }
}

extern "C" const char* placement_failure(void) { return state().failure.c_str(); }

extern "C" bool placement_wants_stock_choice(uint32_t uid) {
  auto& now = state();
  return now.decision_log && !now.decision_log->status().ring.empty() && now.config.record_stock_choice &&
         !now.budget.used_up(uid) && !now.questions.used_up(uid);
}

extern "C" void placement_stock_choice_took(uint32_t uid, int64_t time_ns) {
  try {
    state().questions.spend(uid, std::chrono::nanoseconds(time_ns));
  } catch (...) {  // out of memory: the time is not counted
  }
}

extern "C" void placement_decision_took(uint32_t uid, int64_t time_ns) {
  try {
    auto& now = state();
    for (DecisionTimeBudget* const budget : {&now.budget, &now.degraded})
      if (!budget->used_up(uid)) return budget->spend(uid, std::chrono::nanoseconds(time_ns));
  } catch (...) {  // out of memory: the time is not counted
  }
}

extern "C" void placement_locks_held(int64_t time_us) {
  if (time_us > state().longest_hold_us) state().longest_hold_us = time_us;
}

extern "C" void placement_tell(const struct placement_decision* decision) {
  auto& now = state();
  try {
    if (now.decision_log) now.decision_log->record(*decision);
  } catch (...) {  // out of memory: the history has a gap
  }
}

extern "C" enum placement_mode placement_mode_in(const char* partition) {
  auto& now = state();
  if (now.machine && partition != nullptr)
    for (const auto& [name, mode] : now.config.partition_modes)
      if (name == partition) return as_c(mode);
  return now.machine ? as_c(now.config.mode) : PLACEMENT_OFF;
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
  now.transient = {};
  now.latest = nullptr;
}

extern "C" enum placement_mode placement_configure(const char* config_path, const struct placement_machine* machine) {
  placement_unconfigure();
  auto& now = state();
  now.degraded = degraded_budget;
  now.questions = question_budget;
  now.failure.clear();
  try {
    now.config_path = config_path;
    std::error_code unreadable;
    if (!std::filesystem::exists(config_path, unreadable))
      now.config_path += " (the file does not exist: the defaults)";
    now.config = read_config(config_path, MissingFile::defaults);
    now.budget = full_budget(now.config);
    if (now.config.mode != Mode::off) configure_on(now, *machine);
  } catch (const std::exception& error) {
    try {
      now.failure = error.what();
    } catch (...) {  // out of memory: placement is off without a reason
    }
  } catch (...) {  // no exception of another class may reach Slurm: placement is off without a reason
  }
  return placement_mode_in(nullptr);
}

extern "C" void placement_tidy(void) {
  auto& now = state();
  now.latest = nullptr;  // the next line may drop the answer
  const Clock::time_point since = DecisionTimeBudget::clock() - jobs_are_known_for;
  const std::size_t kept = now.jobs.size(), of_mappings = treematch::matrix_memories().drop_idle(since);
  now.jobs.drop_idle(since);
  if (now.feed && (of_mappings > 0 || now.jobs.size() < kept)) now.feed->memory_was_freed();
}

extern "C" bool placement_asked(char* const* environment, uint32_t environment_count) {
  return policy_word(environment, environment_count) != nullptr;
}

extern "C" const char* placement_policy_name(char* const* environment, uint32_t environment_count) {
  try {
    if (const char* const word = policy_word(environment, environment_count))
      if (const auto* policy =
              policies::find_policy(parse_policy_spec({word, strnlen(word, max_policy_word + 1)}).policy))
        return policy->name.data();
  } catch (...) {  // no name of a policy, too long a word, or out of memory
  }
  return "";
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

extern "C" void placement_decide(const struct placement_offer* offer, const struct placement_request* request,
                                 struct placement_decision* decision) {
  auto& now = state();
  begin_answer(now, *decision);
  const auto start = Clock::now();
  const auto limit = Deadline::processor_clock() + std::chrono::milliseconds(now.config.decision_time_ms);
  try {
    point_to_answer(now, *decision, answer_of(now, *offer, *request, *decision));
  } catch (const std::bad_alloc&) {
    decision->reason = "out of memory";
  } catch (const std::exception& error) {
    std::snprintf(now.failed, sizeof now.failed, "%s", error.what());
    decision->reason = now.failed;
  } catch (...) {
    decision->reason = "unexpected failure";
  }
  decision->time_us = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  now.decisions_over_limit += Deadline::processor_clock() > limit;
  // A search by a matrix has freed memory that the C library keeps for this thread.
  if (now.feed && !decision->remembered && decision->cost != nullptr && *decision->cost != '\0')
    now.feed->memory_was_freed();
}

extern "C" bool placement_has_no_time(const struct placement_request* request, struct placement_decision* decision) {
  auto& now = state();
  try {
    const Answer* const answer = answer_without_offer(now, *request, *decision);
    if (answer == nullptr) return false;
    begin_answer(now, *decision);
    point_to_answer(now, *decision, *answer);
  } catch (...) {  // out of memory: placement_decide() reports it
    return false;
  }
  return true;
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
                                 const struct placement_grant* grant, struct placement_decision* decision) {
  auto& now = state();
  try {
    assess(now, *offer, *request, *grant, *decision);
  } catch (...) {  // out of memory: the costs are not known
    decision->cost = decision->natural_cost = decision->stock_cost = decision->busiest_link = decision->ranks = nullptr;
  }
}

extern "C" void placement_forget(uint32_t job_id) {
  auto& now = state();
  now.latest = nullptr;
  const std::size_t kept = now.jobs.size();
  now.jobs.drop(job_id);
  if (now.feed && now.jobs.size() < kept) now.feed->memory_was_freed();
}

extern "C" void placement_plan_failed(uint32_t job_id, const char* reason) {
  auto& now = state();
  try {
    if (auto* job = now.jobs.find_latest(job_id); job != nullptr && job->answer)
      job->answer = Answer{std::nullopt, reason, STOCK_SLURM};
  } catch (...) {
    now.jobs.clear();
  }
}
