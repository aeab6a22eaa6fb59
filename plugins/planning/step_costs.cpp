// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/planner.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "common/decision/job_state.hpp"
#include "common/topology/link_traffic.hpp"
#include "common/util/error.hpp"
#include "mapping/slots.hpp"
#include "policies/baselines.hpp"
#include "policies/table.hpp"

namespace placement::planning {

constexpr std::size_t most_rank_text = 767;  // the longest list of the ranks of each node, in characters

constexpr int least_effort = 1;  // least value of `effort` of the policies on a torus

static StepView step_on(const DecisionInput& input, const CandidateNodes& candidates,
                        std::span<const std::uint32_t> nodes, const std::vector<std::int32_t>& tasks,
                        const std::uint8_t* core) {
  ClusterView view = view_of(input.machine, input.live, input.offer, nodes, 1);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::uint32_t first = input.offer.first_core[nodes[n]], end = input.offer.first_core[nodes[n] + 1];
    view.nodes[n].core_free.assign(core + first, core + end);
  }
  StepShape shape;
  shape.tasks = tasks;
  shape.cores_per_task = clamped(candidates.cpus_per_task);
  return view_of_step(view, shape);
}

// Estimates the hop-bytes of natural order on stock Slurm's nodes, where the cores that Slurm would choose are not
// known. `stock` was computed on other cores there, `known` on cores that Slurm chose. The result is `stock` with the
// mean distance of `known` for bytes within nodes.
static Cost as_far_within_nodes(const CostWithin& stock, const CostWithin& known) {
  if (known.bytes_within == 0) return stock.cost;
  // Divides before it multiplies, so that the products stay below 127 bits.
  const Cost hops = known.hop_bytes_within / known.bytes_within, rest = known.hop_bytes_within % known.bytes_within;
  return stock.cost - stock.hop_bytes_within + stock.bytes_within * hops +
         stock.bytes_within * rest / known.bytes_within;
}

bool on_torus(const ClusterView& view, const JobRequest& job_request) {
  return view.torus && job_request.policy->avoids_faults;
}

// Returns the time at which a search must end. The remaining time is for the last step of the search, the costs and the
// record. These need time for each pair of the matrix and each rank. The values were measured on 5,040 nodes by
// contrib/evaluation/bench/bench_decision.cpp. The search gets at least half of the time.
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

void set_placed(StepCosts& costs, const ClusterView& view, const JobRequest& job_request, const Placement& placement) {
  costs.cost = to_string(placement.cost);
  costs.busiest_link = busiest_of(view, job_request, placement);
  RanksOfNodes ranks = ranks_of_used_nodes(placement, view.nodes.size());
  for (auto& of_node : ranks) std::ranges::sort(of_node);
  costs.ranks = ranks_text(ranks, most_rank_text);
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

CostWithin FirstStep::cost_within(const Placement& placement) const {
  const CommMatrix& matrix = *input_.job_request.matrix;
  const auto leaf_of = [&](const RankPlace& rank) {
    return view().nodes[static_cast<std::size_t>(rank.node)].first_leaf + rank.cores.front();
  };
  CostWithin within{placement.cost};
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const RankPlace& here = placement.ranks.at(static_cast<std::size_t>(rank));
    const auto partners = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < partners.size() && partners[k] < rank; ++k) {
      const RankPlace& there = placement.ranks.at(static_cast<std::size_t>(partners[k]));
      if (there.node != here.node) continue;
      within.bytes_within += weights[k];
      within.hop_bytes_within += static_cast<Cost>(weights[k]) * view().tree->distance(leaf_of(here), leaf_of(there));
    }
  }
  return within;
}

void FirstStep::place(StepCosts& costs, const StepVariables& sent, const Deadline& deadline) const {
  Request request = step_request();
  if (!sent.planned_ranks.empty()) request.planned_ranks = unpack_planned_ranks(sent.planned_ranks).ranks;
  std::optional<ClusterView> with_state;  // a copy of the view, which can be large; only for live data
  if (on_torus(step_.view, input_.job_request)) {
    request.parameters["effort"] = std::to_string(least_effort);
  } else if (input_.job_request.policy->uses_live) {
    with_state = step_.view;
    with_state->live = nullptr;
    if (!sent.job_state.empty()) attach_job_state(*with_state, unpack_job_state(sent.job_state));
  }
  const ClusterView& view = with_state ? *with_state : step_.view;
  const Deadline search = end_of_search(deadline, request.matrix.get(), input_.config);
  const Placement placement = input_.job_request.policy->place(view, request, search);
  // A search that is cut short ends with natural order at worst. srun has more time, and finds a better order.
  if (!search.expired()) set_placed(costs, view, input_.job_request, placement);
}

std::optional<StepCosts> costs_on(const DecisionInput& input, const Plan* plan, const placement_grant& grant,
                                  const Deadline& deadline, std::string& difference) {
  const JobRequest& job_request = input.job_request;
  if (!plan && (job_request.policy == nullptr || !job_request.matrix || job_request.natural_order)) return std::nullopt;
  StepCosts costs;
  try {
    const CandidateNodes candidates(input.machine, input.offer, input.request, job_request, input.config);
    const std::span nodes(grant.node, grant.node_count);
    const auto tasks = block_layout({grant.room, grant.node_count}, candidates.tasks, input.request.pack_nodes);
    if (plan) {
      const bool same_tasks = std::ranges::equal(nodes, plan->nodes) && std::ranges::equal(tasks, plan->tasks);
      if (!same_tasks)
        difference = "Slurm gives " + run_lengths(tasks, 40) + " tasks, planned were " + run_lengths(plan->tasks, 40);
      const bool same_cores = std::equal(plan->core_wanted.begin(), plan->core_wanted.end(), grant.core_given);
      if (plan->costs.cost.empty() || (same_tasks && same_cores && !input.request.whole_nodes)) return plan->costs;
      costs.stock_cost = plan->costs.stock_cost;
      costs.stock_busiest_link = plan->costs.stock_busiest_link;
    }
    const FirstStep step(input, candidates, nodes, tasks, grant.core_given);
    if (plan && plan->stock) {
      const CostWithin natural = step.cost_within(step.in_order(Deadline::never()));
      costs.natural_cost = to_string(natural.cost);
      costs.stock_cost = to_string(as_far_within_nodes(*plan->stock, natural));
    } else {
      costs.natural_cost = step.natural_cost();
      if (!plan) costs.stock_cost = costs.natural_cost;
    }
    if (job_request.natural_order)
      costs.cost = costs.natural_cost;
    else if (!deadline.expired())
      step.place(costs, plan ? plan->for_steps : StepVariables(), deadline);
    if (plan && costs.cost.empty() && difference.empty()) return plan->costs;
    if (plan && costs.cost.empty())
      difference += ", no time was left to compute the hop-bytes of the cores that Slurm gave";
  } catch (const Error&) {
    if (!plan) return std::nullopt;
  }
  return costs;
}

}  // namespace placement::planning
