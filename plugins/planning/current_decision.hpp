// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/decision/decision.hpp"
#include "common/policy/config.hpp"
#include "plugins/planning/decision_types.h"
#include "plugins/planning/planner.hpp"

namespace placement::planning {

// The answer of the policy to a question about a job. The pointers of placement_decision are into `plan`.
struct Answer : placement_decision {
  explicit Answer(std::string why = {}, stock_reason of_class = STOCK_OTHER)
      : placement_decision{},
        reason(std::move(why)),
        reason_class(of_class) {}

  // Makes `of_policy` the plan of this answer.
  void use(std::shared_ptr<const Plan> of_policy) {
    plan = std::move(of_policy);
    placed = true;
    node_count = static_cast<std::uint32_t>(plan->nodes.size());
    node = plan->nodes.data();
    tasks = plan->tasks.data();
    core_wanted = plan->core_wanted.data();
    job_state = plan->for_steps.job_state.c_str();
    planned_ranks = plan->for_steps.planned_ranks.c_str();
  }

  std::shared_ptr<const Plan> plan;
  std::string reason;  // why there is no plan, or remarks on the plan
  stock_reason reason_class;
  bool was_starved = false;  // other programs used more than half of the search's time
};

// The decision that is being made.
struct CurrentDecision : Answer {
  Decision record;  // complete_record() copies the answer, the outcome and the costs into it
  placement_mode mode = PLACEMENT_OFF;
  bool asked = false;            // the policy was called for this job
  bool uses_live = false;        // the policy had live data
  bool started = false;          // Slurm has allocated nodes for a start
  bool ranks_by_matrix = false;  // for DECISION_STOCK: srun places the ranks by the job's matrix
  StepCosts costs;               // costs of the plan, or of the nodes and cores that the job got

  // Returns whether the job gets nodes by its policy.
  bool is_by_policy() const { return outcome == DECISION_NODES || outcome == DECISION_CORES; }
};

// Return the texts of placement_comment() and placement_job_decision(). `unbound` is the value of TaskPlugin if it
// binds no rank to a core, else empty.
std::string comment_text(const CurrentDecision& decision, const std::string& unbound);
std::string job_decision_text(const CurrentDecision& decision);

// Completes the record of the decision and returns it.
const Decision& complete_record(CurrentDecision& decision, const std::string& unbound);

}  // namespace placement::planning
