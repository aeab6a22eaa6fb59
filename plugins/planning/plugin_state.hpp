// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/decision/job_variables.hpp"
#include "common/policy/config.hpp"
#include "common/state/controller_state.hpp"
#include "common/util/deadline.hpp"
#include "plugins/planning/current_decision.hpp"
#include "plugins/planning/decision_log.hpp"
#include "plugins/planning/decision_time_budget.hpp"
#include "plugins/planning/planner.hpp"

namespace placement::planning {

using Clock = std::chrono::steady_clock;

// The processor times for decisions, which run under slurmctld's locks. Each user gets a part
// (decision_time_budget.hpp). While the user's part of full_budget lasts, decisions are made in full. After that they
// are put off to the next scheduling cycle, at most DecisionWait= times. A decision that may not be put off is made
// without the matrix, which takes less time. If degraded_budget is also used up, stock Slurm places the job.
// Unused time of full_budget is saved, at most the share of five seconds. Stock Slurm holds its locks for about
// that time to start 200 jobs on 5,000 nodes.
inline DecisionTimeBudget full_budget(const Config& config) {
  const auto of_second = std::chrono::milliseconds(10) * config.decision_share;
  return {of_second, 5 * of_second};
}
inline const DecisionTimeBudget degraded_budget{std::chrono::milliseconds(100), std::chrono::milliseconds(100)};

// The processor time for asking which nodes Slurm itself would choose, which takes as long as an allocation.
inline const DecisionTimeBudget question_budget{std::chrono::milliseconds(10), std::chrono::milliseconds(10)};

// The request of a job, and the last question about it with its answer.
struct JobEntry {
  JobRequest job_request;
  std::uint64_t question = 0;  // a hash of the question
  std::optional<Answer> answer;
  std::optional<Clock::time_point> wait_told;  // when it was last recorded that the job has to wait
};

// A partition's policy as environment entries, in the form in which srun ships the policy of a job. srun does not see
// these entries, so ranks stay in natural order.
struct PartitionEnvironment {
  explicit PartitionEnvironment(const std::string& word)
      : entries{std::string(request_version_variable) + "=" + request_version,
                std::string(request_policy_variable) + "=" + word, std::string(natural_order_variable) + "=1"},
        pointers{entries[0].data(), entries[1].data(), entries[2].data()} {}
  PartitionEnvironment(const PartitionEnvironment&) = delete;  // pointers are into entries

  std::array<std::string, 3> entries;
  std::array<char*, 3> pointers;
};

// The state that the select plugin keeps between the calls of decide.h.
struct PluginState {
  Config config;
  std::map<std::string, PartitionEnvironment, std::less<>> partitions;
  std::unique_ptr<const Machine> machine;                      // null while placement is off
  std::vector<std::unique_ptr<const Machine>> other_machines;  // the machine with each of the other topologies
  std::unique_ptr<const LiveFeed> feed;                        // null while placement is off
  std::shared_ptr<DecisionLog> decision_log;                   // null if decisions are not to be recorded
  std::string config_path;
  std::string failure;  // why the configuration is not in force; empty if it is
  void (*log)(bool, const char*) = nullptr;
  // Values since the start of slurmctld, as in ControllerState.
  std::atomic<std::int64_t> longest_hold_us = 0, decisions_over_limit = 0;
  PolicyViews views;
  JobRequestCache<JobEntry> jobs;
  DecisionTimeBudget budget = full_budget(config);
  DecisionTimeBudget degraded = degraded_budget;
  DecisionTimeBudget questions = question_budget;
  // Each record of a prediction (srun --test-only) counts as one millisecond: 50 per second for all users together.
  DecisionTimeBudget predictions{std::chrono::milliseconds(50), std::chrono::milliseconds(50)};
  CurrentDecision decision;
  Deadline::Time time_left{0};  // of `decision`: DecisionTimeMs without the parts that are done
  std::string unbound;          // the value of TaskPlugin if it binds no rank to a core
  std::string text;             // the text that C code got last

  // Returns the machine with the topology of the request's partition. Must not be called while placement is off.
  const Machine& machine_for(const placement_request& request) const {
    return request.topology == 0 ? *machine : *other_machines.at(request.topology - 1);
  }
};

// Brings `now.config` into force: describes the machine, opens the ring and starts the thread that reads the snapshot.
// Logs problems that do not turn placement off. Throws Error.
void configure_on(PluginState& now, const placement_machine& machine);

// Returns the settings in force and whether live data are used, for "scontrol show config".
ControllerState controller_state(const PluginState& now);

// Returns the answer for a user who has no time for decisions left, as answer_of() would: the decision is put off, or
// the job runs as stock. Returns nothing if the question needs the offer: there is time, an answer for the job is kept,
// or the job was not put off before, and the record of the first time names the candidates.
std::optional<Answer> answer_without_offer(PluginState& now, const placement_request& request);

// Returns the policy's answer to a question about a job. An answer to an equal question is reused; otherwise the policy
// is asked within the user's part of the processor time. Sets in `now.decision` what the answer does not have: the live
// data, the candidates and the choice, and whether the answer was reused. Throws bad_alloc and Error.
Answer answer_of(PluginState& now, const placement_offer& offer, const placement_request& request);

}  // namespace placement::planning
