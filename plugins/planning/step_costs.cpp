// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/step_costs.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "common/decision/job_state.hpp"
#include "common/topology/link_traffic.hpp"
#include "mapping/slots.hpp"
#include "policies/natural_order.hpp"
#include "policies/table.hpp"
#include "plugins/planning/policy_request.hpp"
#include "plugins/planning/policy_view.hpp"

namespace placement::planning {

namespace {

// The longest list of the ranks of each node, in characters; it has to fit into placement_plan::ranks.
constexpr std::size_t most_rank_text = sizeof placement_plan::ranks - 1;

constexpr int least_effort = 1;  // of the policies on a torus

StepView step_on(const DecisionInput& input, const CandidateNodes& candidates, std::span<const std::uint32_t> nodes,
                 const std::vector<std::int32_t>& tasks, const std::uint8_t* core) {
  ClusterView view = view_of(input.machine, input.live, input.offer, nodes, 1);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::uint32_t first = input.offer.first_core[nodes[n]], end = input.offer.first_core[nodes[n] + 1];
    view.nodes[n].core_free.assign(core + first, core + end);
  }
  StepShape shape;
  shape.tasks = tasks;
  shape.cores_per_task = clamped(candidates.cpus_per_task());
  return view_of_step(view, shape);
}

}  // namespace

bool on_torus(const ClusterView& view, const JobRequest& job_request) {
  return view.torus && job_request.policy->avoids_faults;
}

// A search looks at the time between its steps, and a step, the costs and the record of the decision take time for each
// pair of the matrix and for each rank. Measured on 5,040 nodes by contrib/evaluation/bench/bench_decision.cpp; half of
// the time is left to the search in any case.
Deadline end_of_search(const Deadline& deadline, const CommMatrix* matrix, const Config& config) {
  constexpr std::int64_t ns_of_pair = 30, ns_of_rank = 300;
  if (matrix == nullptr) return deadline;
  const std::chrono::nanoseconds after(matrix->pairs() * ns_of_pair + matrix->ranks() * ns_of_rank);
  return deadline.earlier(
      std::min<std::chrono::nanoseconds>(after, std::chrono::milliseconds(config.decision_time_ms) / 2));
}

std::string busiest_of(const ClusterView& view, const JobRequest& job_request, const Placement& placement) {
  if (on_torus(view, job_request)) return {};
  std::vector<std::int32_t> nodes;
  for (const RankPlace& rank : placement.ranks) nodes.push_back(rank.node);
  const std::string link = busiest_link(view, *job_request.matrix, nodes, mapping::first_leaves(view, placement));
  return link.empty() ? "none, as no traffic leaves a node" : link;
}

RanksOfNodes ranks_of_used_nodes(const Placement& placement, std::size_t nodes) {
  RanksOfNodes ranks = mapping::ranks_of_nodes(placement, nodes);
  std::erase_if(ranks, [](const auto& of_node) { return of_node.empty(); });
  return ranks;
}

std::string ranks_by_node(const Placement& placement, std::size_t nodes) {
  RanksOfNodes ranks = ranks_of_used_nodes(placement, nodes);
  for (auto& of_node : ranks) std::ranges::sort(of_node);
  return ranks_text(ranks, most_rank_text);
}

FirstStep::FirstStep(const DecisionInput& input, const CandidateNodes& candidates, std::span<const std::uint32_t> nodes,
                     std::vector<std::int32_t> tasks, const std::uint8_t* core)
    : input_(input),
      candidates_(candidates),
      tasks_(std::move(tasks)),
      step_(step_on(input, candidates, nodes, tasks_, core)) {}

Request FirstStep::step_request() const {
  Request request = policy_request(candidates_, input_.request, input_.job_request, input_.config);
  request.cores_per_task = step_.cores_per_task;
  request.min_nodes = request.max_nodes = clamped(tasks_.size());
  request.max_tasks_per_node = std::numeric_limits<std::int32_t>::max();
  request.equal_tasks_per_node = request.whole_nodes = false;
  request.required_nodes.clear();
  request.node_tasks = tasks_;
  return request;
}

std::string FirstStep::natural_cost() const {
  return to_string(policies::natural_order_cost(step_.view, step_request(), on_torus(step_.view, input_.job_request)));
}

Placement FirstStep::in_order(const Deadline& deadline) const {
  return policies::find_policy("SEQUENTIAL")->place(step_.view, step_request(), deadline);
}

void FirstStep::set_placed(StepCosts& costs, const StepVariables& sent, const Deadline& deadline) const {
  Request request = step_request();
  if (!sent.planned_ranks.empty()) request.planned_ranks = unpack_planned_ranks(sent.planned_ranks).ranks;
  std::optional<ClusterView> with_state;  // a view of many nodes is copied only where the step sees another one
  if (on_torus(step_.view, input_.job_request)) {
    request.parameters["effort"] = std::to_string(least_effort);
  } else if (input_.job_request.policy->uses_live) {
    with_state = step_.view;
    with_state->live = nullptr;
    if (!sent.job_state.empty()) attach_job_state(*with_state, unpack_job_state(sent.job_state));
  }
  const ClusterView& view = with_state ? *with_state : step_.view;
  const Placement placement =
      input_.job_request.policy->place(view, request, end_of_search(deadline, request.matrix.get(), input_.config));
  costs.cost = to_string(placement.cost);
  costs.busiest_link = busiest_of(view, input_.job_request, placement);
  costs.ranks = ranks_by_node(placement, view.nodes.size());
}

}  // namespace placement::planning
