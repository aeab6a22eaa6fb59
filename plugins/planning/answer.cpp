// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/plugin_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/util/deadline.hpp"
#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"

namespace placement::planning {

namespace {

constexpr auto wait_told_again = std::chrono::minutes(10);  // a waiting job is recorded again after this time

template <typename T>
void mix(std::uint64_t& hash, const T* values, std::size_t count) {
  const std::string_view bytes(reinterpret_cast<const char*>(values), count * sizeof(T));
  hash = (hash ^ std::hash<std::string_view>{}(bytes)) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
}

// Returns a hash of the data that determine the answer, in addition to the job's own request. These are the offer, the
// numbers in `request`, and the `generation` of the live state (0 if the policy does not use it).
std::uint64_t input_hash(const placement_offer& offer, const placement_request& request, std::uint64_t generation) {
  std::uint64_t hash = offer.node_count;
  mix(hash, &generation, 1);
  mix(hash, offer.node, offer.node_count);
  mix(hash, offer.cpus_per_core, offer.node_count);
  if (offer.max_tasks != nullptr) mix(hash, offer.max_tasks, offer.node_count);
  if (offer.weight != nullptr) mix(hash, offer.weight, offer.node_count);
  mix(hash, offer.core_free, offer.first_core[offer.node_count]);
  const std::uint32_t numbers[] = {request.tasks,          request.cpus_per_task,
                                   request.min_nodes,      request.max_nodes,
                                   request.tasks_per_node, request.whole_nodes,
                                   request.time_limit_s,   request.tasks_per_socket,
                                   request.topology,       request.tasks_need_whole_cores,
                                   request.node_range};
  mix(hash, numbers, std::size(numbers));
  mix(hash, request.required, request.required_count);
  if (request.partition != nullptr) mix(hash, request.partition, std::strlen(request.partition));
  return hash;
}

// The time that a decision may take, from its first step: reading a large matrix takes a part of it.
struct DecisionTime {
  explicit DecisionTime(const Config& config)
      : budget(std::chrono::milliseconds(config.decision_time_ms)),
        deadline(Deadline::after(budget)) {}

  const std::chrono::microseconds budget;
  const Deadline deadline;
  const DecisionTimeBudget::Clock::duration began = DecisionTimeBudget::thread_time();
};

Answer fresh_answer(PluginState& now, const LiveNow& live, const placement_offer& offer,
                    const placement_request& request, const JobRequest& job_request, const DecisionTime& time,
                    bool without_matrix) {
  const auto& [budget, deadline, began] = time;
  Answer answer;
  try {
    answer.plan = make_plan({now.machine_for(request), live, offer, request, job_request, now.config, without_matrix},
                            now.views, deadline);
  } catch (const MustWait& wait) {
    answer.reason = wait.what();
    answer.wait = true;
    answer.wait_left_s = static_cast<std::uint32_t>(std::clamp<std::int64_t>(wait.left_s(), 1, now.config.max_wait_s));
  } catch (const Error& error) {
    answer.reason = error.what();
    answer.reason_class = reason_of(error);
    answer.was_starved = deadline.expired() && DecisionTimeBudget::thread_time() - began < budget / 2;
  }
  return answer;
}

bool may_put_off(const PluginState& now, const placement_request& request) {
  return request.may_be_put_off && request.times_put_off < static_cast<std::uint64_t>(now.config.decision_wait);
}

// Answers that the job stays in the queue until the next scheduling cycle. Only the first time is recorded.
const Answer& put_off(PluginState& now, const placement_request& request, placement_decision& decision) {
  Answer answer{std::nullopt,
                "the time for decisions is used up, the decision is put off to the next scheduling cycle (" +
                    std::to_string(request.times_put_off + 1) +
                    " of DecisionWait=" + std::to_string(now.config.decision_wait) + ")",
                STOCK_NO_TIME};
  answer.wait = answer.put_off = true;
  answer.wait_left_s = 1;
  decision.wait_told = request.times_put_off > 0;
  return now.transient = std::move(answer);
}

}  // namespace

const Answer* answer_without_offer(PluginState& now, const placement_request& request, placement_decision& decision) {
  if (!now.machine || !now.budget.used_up(request.uid)) return nullptr;
  if (!may_put_off(now, request)) {
    if (!now.degraded.used_up(request.uid)) return nullptr;
    return &(now.transient = {std::nullopt, "the time for this user's decisions is used up", STOCK_NO_TIME});
  }
  const JobEntry* const job = now.jobs.find_latest(request.job_id);
  if (request.times_put_off == 0 || (job != nullptr && job->answer)) return nullptr;
  return &put_off(now, request, decision);
}

const Answer& answer_of(PluginState& now, const placement_offer& offer, const placement_request& request,
                        placement_decision& decision) {
  if (!now.machine) return now.transient = {std::nullopt, "placement is off"};
  if (const Answer* const answer = answer_without_offer(now, request, decision)) return *answer;
  const bool may_wait = may_put_off(now, request), no_time = now.budget.used_up(request.uid);
  const DecisionTimeBudget::Use use(no_time ? now.degraded : now.budget, request.uid);
  const DecisionTime time(now.config);
  JobEntry& job = now.jobs.find(request.job_id, {request.environment, request.environment_count}, now.config);
  const LiveNow live = now.feed->now();
  const bool uses_live = job.job_request.policy != nullptr && job.job_request.policy->uses_live;
  if (uses_live && live.state) decision.live_age_s = live.age_s;
  const std::uint64_t question = input_hash(offer, request, uses_live ? live.generation : 0);
  decision.remembered = job.answer && !job.answer->wait && job.question == question;
  const bool degraded = !decision.remembered && job.job_request.matrix && no_time;
  const auto start_record = [&](const Plan* plan) {
    if (now.decision_log) now.decision_log->record_choice(now.machine_for(request), offer, job.job_request, live, plan);
  };
  if (!decision.remembered && may_wait && no_time) {
    job.answer.reset();
    start_record(nullptr);
    return put_off(now, request, decision);
  }
  if (degraded) {
    // The answer is not kept, so that an equal question later, when there is time, gets a decision with the matrix.
    now.transient = fresh_answer(now, live, offer, request, job.job_request, time, true);
  } else if (!decision.remembered) {
    job.answer.reset();
    job.answer = fresh_answer(now, live, offer, request, job.job_request, time, false);
    job.question = question;
  }
  // An answer that other programs' load cut short is not kept: an equal question later gets a new answer.
  const bool kept = !degraded && !job.answer->was_starved;
  if (!degraded && !kept) {
    now.transient = *std::exchange(job.answer, std::nullopt);
    if (may_wait) {
      start_record(nullptr);
      return put_off(now, request, decision);
    }
  }
  const Answer& answer = kept ? *job.answer : now.transient;
  // Slurm may ask about a waiting job every few seconds, so its wait is recorded only every ten minutes.
  decision.wait_told = answer.wait && job.wait_told && Clock::now() - *job.wait_told < wait_told_again;
  if (!answer.wait)
    job.wait_told.reset();
  else if (!decision.wait_told)
    job.wait_told = Clock::now();
  now.latest = &answer;
  start_record(answer.plan ? &*answer.plan : nullptr);
  return answer;
}

}  // namespace placement::planning
