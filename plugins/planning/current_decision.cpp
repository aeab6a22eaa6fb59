// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/current_decision.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace placement::planning {

namespace {

constexpr std::array<std::string_view, DECISION_OUTCOMES> chosen = {"nothing", "nodes", "nodes+cores", "nothing advice",
                                                                    "nothing wait"};

constexpr std::size_t most_task_counts = 2048;  // limit on the list of task counts in a record, in characters

// Returns the reason. For a stock job, it may end in a remark on the ranks, which srun reads (ranks_are_promised()).
std::string reason_of(const CurrentDecision& decision) {
  return (decision.reason.empty() ? "?" : decision.reason) +
         (decision.ranks_by_matrix ? ". The job uses nodes that Slurm chose, and its ranks follow the matrix" : "");
}

// The most bytes of a decision in the system comment of a job, without the character that ends it.
constexpr std::size_t most_bytes = 510;

// Cuts the text to most_bytes. Replaces each character that is `unwanted` or is not printable ASCII by '_'.
std::string plain(std::string text, std::string_view unwanted) {
  text.resize(std::min<std::size_t>(text.size(), most_bytes));
  std::ranges::replace_if(
      text, [&](char c) { return c < ' ' || c > '~' || unwanted.find(c) != unwanted.npos; }, '_');
  return text;
}

}  // namespace

std::string comment_text(const CurrentDecision& decision, const std::string& unbound) {
  const Decision& record = decision.record;
  const bool knows_live = decision.asked && decision.uses_live;
  std::string text = "placement: job=" + job_name(record) + " restarts=" + std::to_string(record.restarts);
  const auto add = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text.append(" ").append(name).append("=").append(value);
  };
  add("policy", record.policy);
  add("chose", std::string(chosen[decision.outcome]));
  if (decision.outcome == DECISION_STOCK)
    text += " stock: " + reason_of(decision);
  else if (decision.outcome == DECISION_WAIT)
    text += ": " + reason_of(decision);
  else
    text += " tasks=" + std::to_string(decision.plan->task_count) + " nodes=" + std::to_string(decision.node_count);
  add("cost", decision.costs.cost);
  add("in-order", decision.costs.natural_cost);
  add("first-nodes", decision.costs.stock_cost);
  // srun, which has more time, may place the ranks of a step better.
  if (!decision.costs.cost.empty()) text += " of=plan";
  if (decision.placed && !decision.reason.empty()) text += " (" + decision.reason + ")";
  if (knows_live) add("live-age", std::to_string(std::llround(record.live_age_s)) + "s");
  if (decision.asked) add("us", std::to_string(record.time_us));
  if (decision.is_by_policy()) add("unbound=TaskPlugin", unbound);
  // The list of nodes comes last, because it can be long and is cut off then.
  if (decision.placed && knows_live) add("stock", record.stock_choice);
  // Accounting puts the text into SQL, and ';' ends the record.
  return plain(text, "'\"\\`;") + ";";
}

std::string job_decision_text(const CurrentDecision& decision) {
  const std::string job = std::to_string(decision.record.job_id) + " ";
  if (decision.is_by_policy())
    return plain(
        job + std::string(chosen[decision.outcome]) + (decision.plan->lacks.empty() ? "" : ": " + decision.plan->lacks),
        {});
  if (decision.mode == PLACEMENT_OBSERVE || decision.mode == PLACEMENT_ADVISE)
    return plain(job + "stock: Mode=" + decision.record.mode + " in placement.conf" +
                     (decision.outcome == DECISION_STOCK && !decision.reason.empty() ? ", " + decision.reason : ""),
                 {});
  const StepCosts& costs = decision.costs;
  return plain(job + "stock: " + reason_of(decision) +
                   (costs.cost.empty() ? "" : ": " + costs.cost + " hop-bytes, in natural order " + costs.natural_cost),
               {});
}

const Decision& complete_record(CurrentDecision& decision, const std::string& unbound) {
  Decision& record = decision.record;
  const auto add_term = [&](const char* name, const std::string& value) {
    if (!value.empty()) record.terms.push_back(name + value);
  };
  record.at_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  record.outcome = decision.outcome;
  record.reason = decision.reason;
  record.cost = decision.costs.cost;
  record.natural_cost = decision.costs.natural_cost;
  record.first_nodes_cost = decision.costs.stock_cost;
  if (decision.plan) {
    record.tasks = decision.plan->task_count;
    record.tasks_per_node = run_lengths(decision.plan->tasks, most_task_counts);
    record.terms = decision.plan->terms;
  }
  if (decision.outcome == DECISION_STOCK) {
    record.reason_class = decision.reason_class;
    return record;
  }
  if (!decision.costs.busiest_link.empty())
    add_term("busiest link: ", decision.costs.busiest_link + decision.costs.stock_busiest_link);
  add_term("ranks: ", decision.costs.ranks);
  if (decision.is_by_policy()) add_term("no rank is bound to its core: TaskPlugin=", unbound);
  return record;
}

}  // namespace placement::planning
