// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/state/live_state.hpp"
#include "common/util/decision_outcome.h"

namespace placement {

// The names of the values of decision_outcome and stock_reason, in their order.
inline constexpr std::array<std::string_view, DECISION_OUTCOMES> decision_outcome_names = {
    "stock", "nodes", "nodes+cores", "advice", "wait"};
inline constexpr std::array<std::string_view, STOCK_REASONS> stock_reason_names = {
    "other", "no_time", "no_live_data", "no_room", "slurm", "option", "request", "machine"};

// A part of Decision::reason: a policy chose the nodes of a job with a matrix, but Slurm places the ranks.
inline constexpr std::string_view natural_order_note = "the ranks keep natural order";

// The record of one decision, for the user and the administrator.
struct Decision {
  double at_s = 0;  // seconds since 1970
  std::uint32_t job_id = 0;
  std::int64_t submitted_s = 0;  // seconds since 1970; identifies the job, because Slurm reuses job IDs; 0: not known
  std::uint32_t restarts = 0;
  std::uint32_t uid = 0;
  decision_outcome outcome = DECISION_STOCK;
  stock_reason reason_class = STOCK_OTHER;  // the class of the reason for DECISION_STOCK
  bool for_start = true;                    // the job starts; false: the backfill scheduler asked where it could run
  bool predicted = false;                   // a user asked when a job would start (srun --test-only); it never starts
  bool remembered = false;                  // the answer to an earlier equal query was reused
  std::int64_t time_us = 0;                 // the time that the decision took
  std::uint32_t tasks = 0;
  std::uint32_t candidates = 0;       // the number of nodes among which the policy chose
  double live_age_s = unknown_value;  // age of the live data; NaN: there were none

  std::string step;        // the number of the step whose ranks srun placed; empty: the record describes the plan
  std::string array_task;  // such as 42_7, where job_id is 42; empty: the job is in no job array
  std::string mode;        // Mode of placement.conf
  std::string policy;
  std::string parameters;          // key=value,.. as the user gave them
  std::string candidate_nodes;     // a host list, like all node lists here; ends in ".." if cut
  std::string choice;              // the nodes that the policy chose
  std::string tasks_per_node;      // on the nodes of the choice, such as 4(x3),2
  std::string given;               // the nodes that Slurm allocated; empty if none, or if the job did not start
  std::string stock_choice;        // the nodes that stock Slurm would choose; empty: not asked
  std::string cost;                // hop-bytes; all costs are empty without a matrix
  std::string natural_cost;        // hop-bytes of the natural order on these cores
  std::string first_nodes_cost;    // hop-bytes of the natural order on stock_choice; if empty, on the first nodes
  std::string reason;              // why the job runs as stock or waits, or what was ignored
  std::string why_not_live;        // why there were no live data
  std::vector<std::string> terms;  // the policy's reasons for its choice, one fact each
};

// Returns the name of the decision's job: its ID, or array_task.
std::string job_name(const Decision& decision);

// Calls visit(NAME, FIELD) for each number or enumeration of `d`, and visit(NAME, TEXT, MOST) for each text. At most
// MOST bytes of a text are kept. `terms` is not visited. All fields together fit into most_decision_bytes.
template <typename AnyDecision, typename Visit>
void visit_fields(AnyDecision& d, const Visit& visit) {
  visit("at_s", d.at_s);
  visit("job", d.job_id);
  visit("submitted_s", d.submitted_s);
  visit("step", d.step, 10);
  visit("restarts", d.restarts);
  visit("uid", d.uid);
  visit("outcome", d.outcome);
  visit("for_start", d.for_start);
  visit("predicted", d.predicted);
  visit("remembered", d.remembered);
  visit("time_us", d.time_us);
  visit("tasks", d.tasks);
  visit("candidates", d.candidates);
  visit("live_age_s", d.live_age_s);
  visit("array_task", d.array_task, 24);
  visit("mode", d.mode, 8);
  visit("policy", d.policy, 24);
  visit("parameters", d.parameters, 120);
  visit("candidate_nodes", d.candidate_nodes, 160);
  visit("choice", d.choice, 240);
  visit("tasks_per_node", d.tasks_per_node, 100);
  visit("given", d.given, 1000);
  visit("stock_choice", d.stock_choice, 240);
  visit("cost", d.cost, 44);
  visit("natural_cost", d.natural_cost, 44);
  visit("first_nodes_cost", d.first_nodes_cost, 44);
  visit("reason", d.reason, 200);
  visit("reason_class", d.reason_class);
  visit("why_not_live", d.why_not_live, 160);
}

// The longest text of a decision in bytes.
inline constexpr std::size_t most_decision_bytes = 4080;

// Returns the decision as lines "name<tab>value". Empty texts and unknown numbers have no line. Texts that are too long
// are cut and end in ".."; terms that do not fit are omitted.
std::string decision_text(const Decision& decision);

// Returns the decision from a text of decision_text(). Bytes other than printable ASCII become '?'. Skips unknown
// names, which a newer version may write. Throws Error when a line has no tab, a value is wrong, or no job is named.
Decision parse_decision_text(std::string_view text);

}  // namespace placement
