// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/step/step_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "common/decision/planned_ranks.hpp"
#include "common/util/error.hpp"
#include "common/util/sequence.hpp"
#include "common/util/text.hpp"
#include "mapping/slots.hpp"
#include "pattern/grid.hpp"
#include "policies/baselines.hpp"
#include "policies/table.hpp"

namespace placement::spank {

namespace {

// Returns the ranks of each node, ascending. Throws Error if a node does not have the number of tasks that Slurm set.
std::vector<std::vector<std::uint32_t>> by_node(const Placement& placement, const StepShape& step) {
  std::vector<std::vector<std::uint32_t>> ranks_of_node(step.nodes.size());
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    const std::int32_t node = placement.ranks[rank].node;
    if (node < 0 || static_cast<std::size_t>(node) >= ranks_of_node.size())
      throw Error("the policy placed a rank on a node outside the step");
    ranks_of_node[static_cast<std::size_t>(node)].push_back(static_cast<std::uint32_t>(rank));
  }
  for (std::size_t node = 0; node < ranks_of_node.size(); ++node)
    if (ranks_of_node[node].size() != static_cast<std::size_t>(step.tasks[node]))
      throw Error("the policy put " + std::to_string(ranks_of_node[node].size()) + " ranks on " + step.nodes[node] +
                  ", which has " + std::to_string(step.tasks[node]) + " tasks");
  return ranks_of_node;
}

// Returns the slot of each rank: its index among the ranks of its node, which are ordered by their first cores.
std::vector<std::int32_t> slots_of(const Placement& placement, std::size_t nodes) {
  std::vector<std::int32_t> slot(placement.ranks.size(), 0);
  for (const std::vector<std::int32_t>& ranks : mapping::ranks_of_nodes(placement, nodes))
    for (std::size_t position = 0; position < ranks.size(); ++position)
      slot[static_cast<std::size_t>(ranks[position])] = static_cast<std::int32_t>(position);
  return slot;
}

// Returns the cores of a rank, numbered as in the view `nodes`. The rank was placed in the view of `places`, where a
// core can be a hardware thread.
std::vector<std::int32_t> cores_of(const RankPlace& rank, const StepView& places, const ClusterView& nodes) {
  std::vector<std::int32_t> cores = rank.cores;
  if (!places.whole_cores)
    for (std::int32_t& core : cores) core /= nodes.nodes[static_cast<std::size_t>(rank.node)].threads_per_core;
  return cores;
}

// Returns the placement with the ranks ranks_of_node[n] on node n, in the order of the node's cores.
Placement with_ranks(const Placement& placement, const RanksOfNodes& ranks_of_node) {
  Placement result = placement;
  const RanksOfNodes before = mapping::ranks_of_nodes(placement, ranks_of_node.size());
  for (std::size_t n = 0; n < before.size(); ++n)
    for (std::size_t k = 0; k < before[n].size(); ++k)
      result.ranks[ranks_of_node[n][k]] = placement.ranks[before[n][k]];
  return result;
}

// Compares placements of a step by what its policy minimizes.
class Judge {
 public:
  // The arguments must outlive the object.
  Judge(const policies::Policy& policy, const ClusterView& view, const Request& request)
      : policy_(policy),
        view_(view),
        request_(request) {}

  // Returns whether the policy has compared placements by another measure than hop-bytes.
  bool has_own_measure() const { return measure_ && *measure_; }
  bool on_torus() const { return policy_.avoids_faults && view_.torus; }

  // Sets the hop-bytes of the placement. Returns the natural logarithm of what the policy minimizes.
  double judge(Placement& placement) {
    placement.cost = policies::step_cost(view_, request_, placement, on_torus());
    if (!measure_) measure_ = policy_.step_measure ? policy_.step_measure(view_, request_) : nullptr;
    return *measure_ ? (*measure_)(placement) : std::log(static_cast<double>(placement.cost));
  }

 private:
  const policies::Policy& policy_;
  const ClusterView& view_;
  const Request& request_;
  std::optional<StepMeasure> measure_;  // set when it is first needed
};

// Returns the placement with rank 0 on the node `step.rank0_host`, where for example PyTorch programs expect it.
// Exchanges rank 0 with the first rank of that node. If both nodes have equal numbers of ranks, exchanges all their
// ranks instead, unless this is worse. Returns the placement unchanged if that node is not in the step.
Placement with_rank0_on_host(Placement placement, const StepShape& step, Judge& judge) {
  auto named = std::ranges::find(step.nodes, step.rank0_host);
  if (named == step.nodes.end())
    named = std::ranges::find(step.nodes, step.rank0_host.substr(0, step.rank0_host.find('.')));
  if (named == step.nodes.end()) return placement;
  const auto node = static_cast<std::int32_t>(named - step.nodes.begin()), now = placement.ranks[0].node;
  if (now == node) return placement;
  RanksOfNodes ranks_of_node = mapping::ranks_of_nodes(placement, step.nodes.size());
  auto &here = ranks_of_node[static_cast<std::size_t>(now)], &there = ranks_of_node[static_cast<std::size_t>(node)];
  const bool equal = here.size() == there.size();
  Placement one = placement;
  std::swap(one.ranks[0], one.ranks[static_cast<std::size_t>(there.front())]);
  if (equal) std::swap(here, there);
  Placement all = with_ranks(placement, ranks_of_node);
  const double of_one = judge.judge(one), of_all = judge.judge(all);
  Placement best = equal && of_all <= of_one ? std::move(all) : std::move(one);
  const std::string reason = "rank 0 is on " + *named + " by MASTER_ADDR";
  if (std::ranges::find(best.reasons, reason) == best.reasons.end()) best.reasons.push_back(reason);
  return best;
}

// Returns the placement with the ranks of nodes exchanged as a whole, between nodes with an equal number of ranks. The
// nodes are then in the order of their lowest ranks, which shortens the map.
Placement renumbered(const Placement& placement, std::size_t nodes) {
  const RanksOfNodes before = mapping::ranks_of_nodes(placement, nodes);
  const auto count = [&](std::int32_t n) { return before[n].size(); };
  const auto lowest = [&](std::int32_t n) { return std::pair(before[n].size(), std::ranges::min(before[n])); };
  const std::vector<std::int32_t> to = ordered_numbers(nodes, count), from = ordered_numbers(nodes, lowest);
  RanksOfNodes after(nodes);
  for (std::size_t i = 0; i < nodes; ++i) after[to[i]] = before[from[i]];
  return with_ranks(placement, after);
}

// Returns a placement in which the first `kept` nodes have the ranks that they have in `order`. The other ranks are on
// the other nodes, in natural order.
Placement partly(const Placement& order, std::size_t nodes, std::size_t kept) {
  RanksOfNodes ranks_of_node = mapping::ranks_of_nodes(order, nodes);
  std::vector<std::int32_t> others;
  for (std::size_t n = kept; n < nodes; ++n)
    others.insert(others.end(), ranks_of_node[n].begin(), ranks_of_node[n].end());
  std::ranges::sort(others);
  auto next = others.begin();
  for (std::size_t n = kept; n < nodes; ++n)
    for (std::int32_t& rank : ranks_of_node[n]) rank = *next++;
  return with_ranks(order, ranks_of_node);
}

// Returns the placement of Slurm's cyclic or plane distribution: each node in turn gets the next `width` ranks, until
// it has its number of tasks. The places are those of `natural`.
Placement in_turn(const Placement& natural, const StepShape& step, std::int32_t width) {
  RanksOfNodes ranks_of_node(step.nodes.size());
  for (std::int32_t rank = 0; static_cast<std::size_t>(rank) < natural.ranks.size();)
    for (std::size_t n = 0; n < ranks_of_node.size(); ++n)
      for (std::int32_t k = 0; k < width && std::ssize(ranks_of_node[n]) < step.tasks[n]; ++k)
        ranks_of_node[n].push_back(rank++);
  return with_ranks(natural, ranks_of_node);
}

// Returns the request with traffic added between successive ranks, so that policies put these on one node. The traffic
// added between ranks r - 1 and r is `share` times the mean traffic of a rank for odd r, half of that for
// r = 2, 6, 10, .., and a quarter for r = 4, 12, 20, .. So runs of two ranks form first, then runs of four.
Request with_traffic_in_order(const Request& request, double share) {
  constexpr std::int64_t most_weight = std::int64_t{1} << 40;  // leaves room for the added traffic
  const std::int64_t unit = request.matrix->total_weight() / most_weight + 1;
  const double added = share * 2 * static_cast<double>(request.matrix->total_weight() / unit) / request.tasks;
  std::vector<CommEdge> edges = request.matrix->edges();
  for (CommEdge& edge : edges) edge.weight = std::max<std::int64_t>(edge.weight / unit, 1);
  for (std::int32_t rank = 1; rank < request.tasks; ++rank) {
    const int halvings = std::countr_zero(static_cast<std::uint32_t>(rank));
    edges.push_back({rank - 1, rank, std::max<std::int64_t>(std::llround(std::ldexp(added, -halvings)), 1)});
  }
  Request result = request;
  result.matrix = std::make_shared<const CommMatrix>(CommMatrix::from_edges(request.tasks, std::move(edges)));
  result.planned_ranks.clear();
  result.parameters.erase("objective");  // an objective forms groups of ranks by the matrix without added traffic
  return result;
}

// Returns the best candidate whose map MPI can read; its map_length is 1 or less. The candidates are:
// - `best_order`, the policy's own placement, whose map has the length `length`,
// - placements by the policy with traffic added between successive ranks,
// - variants of both with the ranks of nodes exchanged, or with only the first nodes placed by the policy,
// - Slurm's distributions: natural order (block), cyclic and plane.
// If no map fits, or the step has no traffic, returns natural order. The second value is worse_by.
std::pair<Placement, double> place_with_readable_map(const policies::Policy& policy, const ClusterView& view,
                                                     const Request& request, const MapLength& map_length,
                                                     const StepShape& step, Placement best_order, double length,
                                                     Judge& judge, const Deadline& deadline) {
  constexpr double most_share = 4096, close_shares = 1.5;
  constexpr double near_part = 0.01;  // no search if the best candidate is worse than best_order by at most this part
  constexpr double rounding = 1e-9;
  // The number of further searches. For many ranks, one takes tenths of a second, unless it compares hop-bytes.
  int tries = policy.step_measure && request.tasks > 1024 ? 3 : 32;
  Placement natural = policies::place_sequential(view, request, deadline);
  Placement best = with_rank0_on_host(natural, step, judge);
  if (map_length(by_node(best, step)) > 1) best = natural;
  bool best_fits = map_length(by_node(best, step)) <= 1;
  if (!request.matrix || request.matrix->total_weight() == 0) return {best, 0};
  judge.judge(natural);
  best.natural_cost = natural.cost;
  double of_best = judge.judge(best);
  const double of_best_order = judge.judge(best_order);
  // Makes `order` the best placement if its map fits, and it is better or the map of the best does not fit. Ties go to
  // fewer hop-bytes. Returns whether its map fits.
  const auto take = [&](const Placement& order) {
    if (deadline.expired()) return false;
    Placement other = with_rank0_on_host(order, step, judge);
    if (map_length(by_node(other, step)) > 1) return false;
    other.natural_cost = natural.cost;
    const double of_other = judge.judge(other);
    if (!best_fits || of_other < of_best - rounding || (of_other <= of_best + rounding && other.cost < best.cost)) {
      best = std::move(other);
      of_best = of_other;
    }
    return best_fits = true;
  };
  // Calls take() for `order`. If it does not fit, calls take() for renumbered(), and for partly() with as many nodes as
  // fit. Returns whether `order` itself fits.
  const auto take_all_or_part = [&](const Placement& order) {
    if (take(order)) return true;
    take(renumbered(order, step.nodes.size()));
    for (std::size_t low = 0, high = step.nodes.size(); high - low > 1;) {
      const std::size_t kept = (low + high) / 2;
      (take(partly(order, step.nodes.size(), kept)) ? low : high) = kept;
    }
    return false;
  };
  take_all_or_part(best_order);
  for (std::int32_t width = 1; width < std::ranges::max(step.tasks); width *= 2) take(in_turn(natural, step, width));

  double low = 0, high = 2 * most_share, share = std::min(length / 2, most_share);
  while (tries-- > 0 && low < most_share && high > low * close_shares && high > 1 / most_share && !deadline.expired() &&
         of_best - of_best_order > near_part) {
    Request changed = with_traffic_in_order(request, share);
    if (judge.on_torus()) changed.parameters["effort"] = "1";  // TOFA takes tenths of a second otherwise
    (take_all_or_part(policy.place(view, changed, deadline)) ? high : low) = share;
    share = high > most_share ? std::min(share * 2, most_share) : low == 0 ? share / 2 : std::sqrt(low * high);
  }
  return {best, of_best <= of_best_order + rounding ? 0 : of_best - of_best_order};
}

}  // namespace

std::string worse_text(const StepPlacement& placement, const std::string& policy) {
  if (!placement.worse_by || !std::isfinite(*placement.worse_by)) return {};
  return ", " + in_percent(std::expm1(*placement.worse_by)) + " worse for the objective of " + policy;
}

StepPlacement place_step(const PlacementRequest& placement_request, const StepShape& step, const ClusterView& view,
                         const MapLength& map_length) {
  Request request;
  request.tasks = static_cast<std::int32_t>(step.all_tasks());
  if (placement_request.matrix && placement_request.matrix->ranks() != request.tasks)
    throw Error("the matrix has " + std::to_string(placement_request.matrix->ranks()) + " ranks, but step " +
                std::to_string(step.job) + "." + std::to_string(step.step) + " has " + std::to_string(request.tasks) +
                " tasks");
  const StepView places = view_of_step(view, step);
  request.cores_per_task = places.cores_per_task;
  request.min_nodes = request.max_nodes = static_cast<std::int32_t>(step.nodes.size());
  request.node_tasks = step.tasks;
  request.planned_ranks = step.planned_ranks;
  request.matrix = placement_request.matrix;
  request.parameters = placement_request.spec.parameters;

  const Deadline deadline = Deadline::after(policy_patience);
  const policies::Policy& policy = policies::check_policy_spec(placement_request.spec);
  StepPlacement result;
  Placement& placement = result;
  placement = policy.place(places.view, request, deadline);
  if (placement.ranks.size() != static_cast<std::size_t>(request.tasks))
    throw Error("the policy placed " + std::to_string(placement.ranks.size()) + " ranks of " +
                std::to_string(request.tasks));
  Judge judge(policy, places.view, request);
  placement = with_rank0_on_host(std::move(placement), step, judge);
  if (const double length = map_length ? map_length(by_node(placement, step)) : 0; length > 1) {
    result.cost_of_best_order = placement.cost;
    // Without a matrix, NLA and TOFA place the ranks of a step as a chain.
    Request mapped = request;
    if (!request.matrix && policy.step_measure)
      mapped.matrix = std::make_shared<const CommMatrix>(pattern::chain(request.tasks));
    Judge judge_of_maps(policy, places.view, mapped);
    double worse_by = 0;
    std::tie(placement, worse_by) = place_with_readable_map(policy, places.view, mapped, map_length, step, placement,
                                                            length, judge_of_maps, deadline);
    if (!request.matrix) placement.cost = placement.natural_cost = 0;
    if (judge_of_maps.has_own_measure()) result.worse_by = worse_by;
  }
  result.ranks_of_node = by_node(placement, step);
  if (places.ordered) result.slot_of_rank = slots_of(placement, step.nodes.size());
  result.whole_cores = places.whole_cores;
  if (places.whole_cores || places.ordered)
    for (const RankPlace& rank : placement.ranks) result.cores_of_rank.push_back(cores_of(rank, places, view));
  return result;
}

}  // namespace placement::spank
