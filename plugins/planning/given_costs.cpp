// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/given_costs.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/util/error.hpp"
#include "plugins/planning/candidate_nodes.hpp"
#include "plugins/planning/step_layout.hpp"
#include "plugins/planning/within_nodes.hpp"

namespace placement::planning {

namespace {

// The nodes that Slurm gave the job, and the tasks that its layout of a step puts on each.
struct GivenNodes {
  GivenNodes(const DecisionInput& input, const placement_grant& grant)
      : candidates(input.machine, input.offer, input.request, input.job_request, input.config),
        nodes(grant.node, grant.node_count),
        tasks(block_layout({grant.room, grant.node_count}, candidates.tasks(), input.request.pack_nodes)) {}

  const CandidateNodes candidates;
  const std::span<const std::uint32_t> nodes;
  const std::vector<std::int32_t> tasks;
};

template <typename Counts>
std::string counts_text(const Counts& counts) {
  std::string text;
  for (const auto count : counts) {
    if (text.size() > 40) return text + ",..";
    text += (text.empty() ? "" : ",") + std::to_string(count);
  }
  return text;
}

// Computes the costs on other nodes or cores than planned. On the first nodes nobody knows the cores that Slurm would
// choose there, so each byte within a node is taken to go as far as on the nodes that it gave.
void set_costs_on(const GivenNodes& given, const DecisionInput& input, const Plan& plan, const placement_grant& grant,
                  const Deadline& deadline, StepCosts& costs) {
  const FirstStep step(input, given.candidates, given.nodes, given.tasks, grant.core_given);
  if (plan.stock_within) {
    const Placement natural = step.in_order(Deadline::never());
    costs.natural_cost = to_string(natural.cost);
    costs.stock_cost = to_string(as_far_within_nodes(plan.stock_within->cost, plan.stock_within->within,
                                                     within_nodes(step.view(), *input.job_request.matrix, natural)));
  } else {
    costs.natural_cost = step.natural_cost();
  }
  if (input.job_request.natural_order)
    costs.cost = costs.natural_cost;
  else if (!deadline.expired())
    step.set_placed(costs, plan.for_steps, deadline);
}

}  // namespace

GivenCosts assess_grant(const DecisionInput& input, const Plan& plan, const placement_grant& grant,
                        const Deadline& deadline) {
  GivenCosts costs;
  try {
    const GivenNodes given(input, grant);
    const bool same_tasks = std::ranges::equal(given.nodes, plan.nodes) && std::ranges::equal(given.tasks, plan.tasks);
    const bool same_cores = std::equal(plan.core_wanted.begin(), plan.core_wanted.end(), grant.core_given);
    costs = {plan.costs, {}};
    if (!same_tasks)
      costs.difference = "Slurm gives " + counts_text(given.tasks) + " tasks, planned were " + counts_text(plan.tasks);
    if (plan.costs.cost.empty() || (same_tasks && same_cores && !input.request.whole_nodes)) return costs;
    costs.cost = costs.natural_cost = costs.busiest_link = costs.ranks = {};
    set_costs_on(given, input, plan, grant, deadline, costs);
    if (costs.cost.empty())
      costs.difference += std::string(costs.difference.empty() ? "" : ", ") +
                          "no time was left for the hop-bytes on the cores that Slurm gave";
  } catch (const Error&) {  // costs that are not known stay empty
  }
  return costs;
}

std::optional<StepCosts> costs_on(const DecisionInput& input, const placement_grant& grant, const Deadline& deadline) {
  const JobRequest& job_request = input.job_request;
  if (job_request.policy == nullptr || !job_request.matrix || job_request.natural_order) return std::nullopt;
  try {
    const GivenNodes given(input, grant);
    StepCosts costs;
    if (job_request.coarse) return costs;
    const FirstStep step(input, given.candidates, given.nodes, given.tasks, grant.core_given);
    costs.natural_cost = costs.stock_cost = step.natural_cost();
    if (!deadline.expired()) step.set_placed(costs, {}, deadline);
    return costs;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace placement::planning
