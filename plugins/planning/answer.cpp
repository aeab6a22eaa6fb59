// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/plugin_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/util/deadline.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/placement_error.hpp"
#include "common/util/text.hpp"

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

// The time limit of a decision. It counts from the first step, because reading a large matrix takes time, too.
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
  const auto is_starved = [&] { return DecisionTimeBudget::thread_time() - time.began < time.budget / 2; };
  Answer answer;
  try {
    answer.use(std::make_shared<const Plan>(
        make_plan({now.machine_for(request), live, offer, request, job_request, now.config, without_matrix}, now.views,
                  time.deadline)));
    answer.reason = answer.plan->note;
    answer.was_starved = answer.plan->cut_short && is_starved();
  } catch (const MustWait& wait) {
    answer.reason = wait.what();
    answer.wait = true;
    answer.wait_left_s = static_cast<std::uint32_t>(std::clamp<std::int64_t>(wait.left_s(), 1, now.config.max_wait_s));
  } catch (const Error& error) {
    answer.reason = error.what();
    answer.reason_class = reason_of(error);
    answer.was_starved = time.deadline.expired() && is_starved();
  }
  return answer;
}

// The most nodes in a list of names. A longer list is not shown whole, and making it takes time.
constexpr std::size_t most_listed = 512;

// Returns the names of `nodes`, indices into the offer, as a hostlist. Nodes without a name are left out.
std::string listed(const Machine& machine, const placement_offer& offer, std::span<const std::uint32_t> nodes) {
  std::vector<std::string> names;
  for (const std::uint32_t node : nodes.first(std::min(nodes.size(), most_listed)))
    if (offer.node[node] >= 0 && offer.node[node] < machine.nodes())
      names.push_back(machine.node(offer.node[node]).name);
  return compress_hostlist(names) + (nodes.size() > most_listed ? ".." : "");
}

void record_question(Decision& record, const Machine& machine, const placement_offer& offer,
                     const JobRequest& job_request) {
  record.parameters =
      joined(job_request.spec.parameters, ",", [](const auto& one) { return one.first + "=" + one.second; });
  record.candidates = offer.node_count;
  std::vector<std::uint32_t> all(std::min<std::size_t>(offer.node_count, most_listed + 1));
  std::iota(all.begin(), all.end(), 0);
  record.candidate_nodes = listed(machine, offer, all);
}

bool may_put_off(const PluginState& now, const placement_request& request) {
  return request.may_be_put_off && request.times_put_off < static_cast<std::uint64_t>(now.config.decision_wait);
}

// Answers that the job stays in the queue until the next scheduling cycle.
Answer put_off(const PluginState& now, const placement_request& request) {
  Answer answer("the time for decisions is used up, the decision is put off to the next scheduling cycle (" +
                    std::to_string(request.times_put_off + 1) +
                    " of DecisionWait=" + std::to_string(now.config.decision_wait) + ")",
                STOCK_NO_TIME);
  answer.wait = answer.put_off = true;
  answer.wait_left_s = 1;
  answer.wait_told = request.times_put_off > 0;  // only the first time is recorded
  return answer;
}

// Returns the policy's answer, or puts the decision off. An answer without the matrix is not kept, so that an equal
// question gets one with the matrix when there is time. An answer cut short by other programs is used but not kept.
Answer new_answer(PluginState& now, const LiveNow& live, const placement_offer& offer, const placement_request& request,
                  JobEntry& job, std::uint64_t question, const DecisionTime& time, bool no_time) {
  const bool may_wait = may_put_off(now, request), degraded = job.job_request.matrix && no_time;
  if (may_wait || !degraded) job.answer.reset();
  if (may_wait && no_time) return put_off(now, request);
  Answer answer = fresh_answer(now, live, offer, request, job.job_request, time, degraded);
  if (degraded) return answer;
  if (!answer.was_starved) {
    job.answer = answer;
    job.question = question;
  } else if (may_wait && !answer.placed) {
    return put_off(now, request);
  }
  return answer;
}

}  // namespace

std::optional<Answer> answer_without_offer(PluginState& now, const placement_request& request) {
  if (!now.machine || !now.budget.used_up(request.uid)) return std::nullopt;
  if (!may_put_off(now, request)) {
    if (!now.degraded.used_up(request.uid)) return std::nullopt;
    return Answer("the time for this user's decisions is used up", STOCK_NO_TIME);
  }
  const JobEntry* const job = now.jobs.find_latest(request.job_id);
  if (request.times_put_off == 0 || (job != nullptr && job->answer)) return std::nullopt;
  return put_off(now, request);
}

Answer answer_of(PluginState& now, const placement_offer& offer, const placement_request& request) {
  if (!now.machine) return Answer("placement is off");
  if (auto answer = answer_without_offer(now, request)) return *std::move(answer);
  const bool no_time = now.budget.used_up(request.uid);
  const DecisionTimeBudget::Use use(no_time ? now.degraded : now.budget, request.uid);
  const DecisionTime time(now.config);
  JobEntry& job = now.jobs.find(request.job_id, {request.environment, request.environment_count}, now.config);
  const LiveNow live = now.feed->now();
  const bool uses_live = job.job_request.policy != nullptr && job.job_request.policy->uses_live;
  const std::uint64_t question = input_hash(offer, request, uses_live ? live.generation : 0);
  now.decision.uses_live = uses_live && live.state;
  now.decision.record.live_age_s = live.age_s;
  now.decision.record.why_not_live = live.why_not;
  now.decision.record.remembered = job.answer && !job.answer->wait && job.question == question;
  Answer answer = now.decision.record.remembered ? *job.answer
                                                 : new_answer(now, live, offer, request, job, question, time, no_time);
  // Slurm may ask about a waiting job every few seconds, so its wait is recorded only every ten minutes.
  if (!answer.put_off)
    answer.wait_told = answer.wait && job.wait_told && Clock::now() - *job.wait_told < wait_told_again;
  if (!answer.wait) job.wait_told.reset();
  if (!now.decision_log) return answer;
  record_question(now.decision.record, now.machine_for(request), offer, job.job_request);
  if (answer.plan) now.decision.record.choice = listed(now.machine_for(request), offer, answer.plan->nodes);
  return answer;
}

}  // namespace placement::planning
