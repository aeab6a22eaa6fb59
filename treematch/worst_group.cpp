// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/util/error.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "mapping/swap_search.hpp"
#include "mapping/tuning.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/objectives.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

using RankGroups = std::vector<std::vector<std::int32_t>>;

// Returns the number of leaf switches that each group spans.
std::vector<std::int32_t> spans_of(const Placement& placement, const std::vector<std::int32_t>& switch_of,
                                   const RankGroups& groups) {
  std::vector<std::int32_t> spans;
  for (const std::vector<std::int32_t>& group : groups) {
    std::set<std::int32_t> used;
    for (const std::int32_t rank : group) used.insert(switch_of[placement.ranks[rank].node]);
    spans.push_back(static_cast<std::int32_t>(used.size()));
  }
  return spans;
}

// Returns the matrix with more traffic inside the groups: 8 * factor[g] times that of the heaviest pair between ranks
// at near positions of group g. Weights are first cut to 32 bits, so that no sum overflows.
CommMatrix joined_groups(const CommMatrix& matrix, const RankGroups& groups, const std::vector<std::int64_t>& factor) {
  std::vector<CommEdge> edges = matrix.edges();
  std::int64_t heaviest = 1;
  for (const CommEdge& edge : edges) heaviest = std::max(heaviest, edge.weight);
  const int shift = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(heaviest))) - 32);
  for (CommEdge& edge : edges)
    if (edge.weight > 0) edge.weight = std::max<std::int64_t>(edge.weight >> shift, 1);
  const std::size_t reach =
      std::clamp<std::size_t>(most_joined_pairs / static_cast<std::size_t>(matrix.ranks()), 2, largest_joined_group);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t a = 0; a < groups[g].size(); ++a)
      for (std::size_t b = a + 1; b < std::min(groups[g].size(), a + reach); ++b)
        edges.push_back({groups[g][a], groups[g][b], 8 * factor[g] * (heaviest >> shift)});
  return CommMatrix::from_edges(matrix.ranks(), std::move(edges));
}

// Places each group on at most `span` leaf switches, in the smallest subtree that holds the placement `best`. Ranks
// then exchange places to lower the cost with `joined`, the matrix of joined_groups(). If a group then spans more
// switches, the exchanges are discarded. Returns nothing if spread_groups() does or if the limits of the request are
// violated.
std::optional<Placement> with_span(const ClusterView& view, const Request& request, const Placement& best,
                                   const CommMatrix& joined, const std::vector<std::int32_t>& switch_of,
                                   RankGroups groups, std::int32_t span, const Deadline& deadline) {
  const mapping::Slots slots(view, request);
  const bool step = !request.node_tasks.empty();  // the task count of each node is given
  std::optional<mapping::NodeLimits> limits;
  if (!step) limits.emplace(view, request, slots.capacity());
  const mapping::NodeCounts& capacity = step ? request.node_tasks : limits->capacity();
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view);
  const std::int32_t top = mapping::top_of(*view.tree, vertex_of_node, best);
  std::map<std::int32_t, std::vector<std::int32_t>> nodes_of;  // by leaf switch, the most room first
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    if (capacity[n] > 0 && view.tree->lowest_common_ancestor(top, vertex_of_node[n]) == top)
      nodes_of[switch_of[n]].push_back(static_cast<std::int32_t>(n));
  std::vector<std::vector<std::int32_t>> nodes;
  std::vector<std::int32_t> room, sizes;
  for (auto& [vertex, below] : nodes_of) {
    std::ranges::stable_sort(below, std::greater(), [&](std::int32_t node) { return capacity[node]; });
    room.push_back(0);
    for (const std::int32_t node : below) room.back() += capacity[node];
    nodes.push_back(std::move(below));
  }
  groups = with_single_ranks(std::move(groups), request.tasks);
  for (const std::vector<std::int32_t>& group : groups) sizes.push_back(static_cast<std::int32_t>(group.size()));
  const auto shares = spread_groups(room, sizes, span);
  if (!shares) return std::nullopt;
  std::vector<std::int32_t> node_of_rank(request.tasks);
  mapping::NodeCounts counts(view.nodes.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto rank = groups[g].begin();
    for (const SwitchShare& share : (*shares)[g])
      for (std::int32_t k = 0; k < share.tasks; ++k) {
        std::vector<std::int32_t>& free = nodes[share.on];
        node_of_rank[*rank++] = free.front();
        if (++counts[free.front()] == capacity[free.front()]) free.erase(free.begin());
      }
  }
  if (limits && !limits->allow(counts)) return std::nullopt;
  const auto placement_on = [&](const std::vector<std::int32_t>& leaves) {
    return slots.placement(leaves, view.tree->hop_bytes(*request.matrix, leaves), best.natural_cost,
                           "groups on leaf switches");
  };
  const std::vector<std::int32_t> leaves = slots.leaves_on(node_of_rank);
  std::vector<std::int32_t> usable = leaves;
  std::sort(usable.begin(), usable.end());
  std::vector<std::int32_t> swapped = leaves;
  mapping::swap_search(mapping::scaled_graph(joined), *view.tree, usable, swapped,
                       swaps_per_rank * joined.ranks() + swaps_per_pair * joined.pairs(),
                       mapping::WorkBudget(deadline));
  Placement exchanged = placement_on(swapped);
  return std::ranges::max(spans_of(exchanged, switch_of, groups)) <= span ? std::move(exchanged) : placement_on(leaves);
}

// Returns the placement of a step by the job's plan for its nodes; nothing if no plan is known.
std::optional<Placement> as_planned(const ClusterView& view, const Request& request, Cost natural_cost) {
  if (request.planned_ranks.empty()) return std::nullopt;
  const mapping::Slots slots(view, request);
  const auto leaves = slots.leaves_of_ranks(request.planned_ranks, request.node_tasks);
  if (!leaves) return std::nullopt;
  return slots.placement(*leaves, view.tree->hop_bytes(*request.matrix, *leaves), natural_cost, "the plan of the job");
}

// Returns the placement in natural order, on the first nodes for a job; nothing if the limits do not allow it.
std::optional<Placement> in_natural_order(const ClusterView& view, const Request& request) {
  const mapping::Slots slots(view, request);
  const auto counts = request.node_tasks.empty()
                          ? mapping::sequential_counts(mapping::NodeLimits(view, request, slots.capacity()))
                          : std::optional(request.node_tasks);
  if (!counts) return std::nullopt;
  const std::vector<std::int32_t> leaves = slots.leaves(*counts);
  return slots.placement(leaves, leaves, "natural order");
}

}  // namespace

Placement place_by_worst_group(const ClusterView& view, const Request& request, const Deadline& deadline,
                               const PlaceByHopBytes& place) {
  const std::vector<std::int32_t> switch_of = mapping::leaf_switches(view);
  const RankGroups groups = heavy_groups(*request.matrix);
  Placement best = place(view, request);
  if (groups.empty()) return best;
  std::int32_t worst = std::ranges::max(spans_of(best, switch_of, groups));
  const auto offer = [&](std::optional<Placement> placement) {
    if (!placement) return;
    const std::int32_t span = std::ranges::max(spans_of(*placement, switch_of, groups));
    if (span > worst || (span == worst && placement->cost >= best.cost)) return;
    best = *std::move(placement);
    worst = span;
  };
  offer(in_natural_order(view, request));
  offer(as_planned(view, request, best.natural_cost));
  std::vector<std::int64_t> factor(groups.size(), 1);
  std::optional<CommMatrix> joined;
  for (std::int32_t span = 1; span < worst && !deadline.expired(); ++span) {
    if (!joined) joined = joined_groups(*request.matrix, groups, factor);
    offer(with_span(view, request, best, *joined, switch_of, groups, span, deadline));
  }
  // Maps with more traffic inside the groups, and with most of it inside those that span the most switches.
  for (int round = 0; round < most_rounds_of_worst_group && worst > 1 && !deadline.expired(); ++round) try {
      Request other = request;
      other.matrix = std::make_shared<const CommMatrix>(joined_groups(*request.matrix, groups, factor));
      Placement placement = place(view, other);
      placement.cost = view.tree->hop_bytes(*request.matrix, mapping::first_leaves(view, placement));
      placement.natural_cost = best.natural_cost;
      placement.optimal = false;  // it was optimal for the changed matrix only
      const std::vector<std::int32_t> spans = spans_of(placement, switch_of, groups);
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (spans[g] == std::ranges::max(spans)) factor[g] *= 3;
      offer(std::move(placement));
    } catch (const Error&) {
      break;
    }
  if (worst > 1) drop_claim(best);
  best.reasons.push_back("no group of ranks spans more than " + std::to_string(worst) +
                         (worst == 1 ? " leaf switch" : " leaf switches"));
  return best;
}

}  // namespace placement::treematch
