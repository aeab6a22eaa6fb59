// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/objectives.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "mapping/node_choice.hpp"
#include "mapping/refine.hpp"
#include "mapping/slots.hpp"
#include "treematch/group_spread.hpp"
#include "treematch/heavy_groups.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/objective_search.hpp"
#include "treematch/treematch.hpp"

namespace placement::treematch {

namespace {

constexpr std::int64_t most_extra_cost = 50;        // a balanced placement may cost 1/50 more hop-bytes
constexpr std::size_t largest_joined_group = 64;    // in a larger group only ranks this close in the list are joined
constexpr std::size_t most_joined_pairs = 200'000;  // of a matrix with many ranks, fewer for each rank
constexpr int most_rounds = 4;
constexpr std::int64_t work_per_effort = 100'000;  // steps of the search through all placements

Cost cost_of(const ClusterView& view, const Request& request, const Placement& placement) {
  std::vector<std::int32_t> leaf;
  for (const RankPlace& rank : placement.ranks) leaf.push_back(view.nodes[rank.node].first_leaf + rank.cores.front());
  return view.tree->hop_bytes(*request.matrix, leaf);
}

// Returns the number of tasks on each leaf switch that is used.
std::map<std::int32_t, std::int32_t> shares(const Placement& placement, const std::vector<std::int32_t>& switch_of) {
  std::map<std::int32_t, std::int32_t> share;
  for (const RankPlace& rank : placement.ranks) ++share[switch_of[rank.node]];
  return share;
}

struct Span {
  std::int32_t least = INT32_MAX;
  std::int32_t most = 0;
};

Span range_of(const std::map<std::int32_t, std::int32_t>& share) {
  Span range;
  for (const auto& [vertex, tasks] : share) range = {std::min(range.least, tasks), std::max(range.most, tasks)};
  return range;
}

// Makes the reasons say what is proved: that no placement is better by the objective, or only that none has fewer
// hop-bytes. In the latter case placement.optimal says so, and is then set to false.
void claim_by_objective(Placement& placement, bool proved) {
  constexpr std::string_view claim = ", optimal";
  if (placement.reasons.empty()) return;
  std::string& reason = placement.reasons.front();
  if (reason.ends_with(claim)) reason.erase(reason.size() - claim.size());
  if (proved) reason += claim;
  if (placement.optimal && !proved) reason += ", optimal in hop-bytes";
  placement.optimal = placement.optimal && proved;
}

// Goes through all placements of a small job. A placement that is better by the objective than `best` replaces it.
// This is done for a step, whose nodes are given, and for a job whose least hop-bytes are proved. A job that is too
// large for it seldom has that proof.
//   least   the placement with the least hop-bytes
//   goal    what `best` reaches
//   lowest  no placement has a lower value of the objective
// Returns whether it is proved that no placement is better.
bool search_all(const ClusterView& view, const Request& request, const Placement& least, ObjectiveGoal goal,
                std::int32_t lowest, const Deadline& deadline, Placement& best) {
  if (!least.optimal && request.node_tasks.empty()) return false;
  if (least.optimal && goal.value == lowest && goal.cost == least.cost) return true;
  const ObjectiveSearchResult found =
      search_by_objective(view, request, std::move(goal), work_per_effort * effort_parameter(request), deadline);
  if (found.leaf_of_rank.empty()) return found.complete;
  best = mapping::Slots(view, request)
             .placement(found.leaf_of_rank, view.tree->hop_bytes(*request.matrix, found.leaf_of_rank),
                        least.natural_cost, "search by the objective");
  best.optimal = least.optimal && best.cost == least.cost;
  return found.complete;
}

// ---- balanced

// Returns the view with cores taken away, so that each leaf switch has room for at most `most` tasks. A leaf switch
// with room for fewer than `least` tasks gets no room at all. Required nodes and large nodes keep their cores first.
ClusterView with_shares(const ClusterView& view, const Request& request, const std::vector<std::int32_t>& switch_of,
                        std::int32_t least, std::int32_t most) {
  const mapping::NodeCounts capacity = mapping::Slots(view, request).capacity();
  std::map<std::int32_t, std::int32_t> room;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) room[switch_of[n]] += capacity[n];
  for (auto& [vertex, tasks] : room) tasks = tasks < least ? 0 : most;
  std::vector<std::size_t> order(view.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto required = [&](std::size_t n) {
    return std::count(request.required_nodes.begin(), request.required_nodes.end(), static_cast<std::int32_t>(n)) > 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return required(a) != required(b) ? required(a) : capacity[a] > capacity[b];
  });
  ClusterView limited = view;
  for (const std::size_t n : order) {
    std::int32_t& left = room[switch_of[n]];
    const std::int32_t tasks = std::min(left, capacity[n]);
    left -= tasks;
    std::int32_t cores = tasks * std::max(1, request.cores_per_task);
    if (tasks == capacity[n]) continue;
    for (std::size_t core = 0; core < limited.nodes[n].core_free.size(); ++core)
      if (limited.nodes[n].core_free[core] && cores-- <= 0) limited.nodes[n].core_free[core] = false;
  }
  return limited;
}

// Returns the lowest vertex that has all nodes of the placement below it, or is the only one.
std::int32_t top_of(const TreeTopology& tree, const std::vector<std::int32_t>& vertex_of_node,
                    const Placement& placement) {
  std::int32_t top = vertex_of_node[placement.ranks.front().node];
  for (const RankPlace& rank : placement.ranks) top = tree.lowest_common_ancestor(top, vertex_of_node[rank.node]);
  return top;
}

// Whether the scope of the request admits the subtree of a placement that was found with fewer free cores, for which
// larger subtrees were admitted. `least` is a placement in the scope.
bool in_scope(const ClusterView& view, const Request& request, const Placement& least, const Placement& placement) {
  const auto scope = request.parameters.find("scope");
  if (scope != request.parameters.end() && scope->second == "whole") return true;
  const TreeTopology& tree = *view.tree;
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view);
  const std::int32_t top = top_of(tree, vertex_of_node, placement);
  if (tree.height(top) <= tree.height(top_of(tree, vertex_of_node, least))) return true;
  const std::vector<std::int32_t> usable = mapping::Slots(view, request).all_leaves();
  const auto levels_up = static_cast<std::int32_t>(number_parameter(request, "levels-up", 0, 64));
  const std::vector<std::int32_t> tops = ancestors(tree, lowest_subtrees(tree, usable, request.tasks), levels_up);
  return std::any_of(tops.begin(), tops.end(),
                     [&](std::int32_t v) { return tree.lowest_common_ancestor(v, top) == v; });
}

Placement balanced(const ClusterView& view, const Request& request, const Deadline& deadline,
                   const PlaceByHopBytes& place) {
  const std::vector<std::int32_t> switch_of = mapping::leaf_switches(view);
  const Placement least = place(view, request);
  Placement best = least;
  Span range = range_of(shares(best, switch_of));
  const auto used = static_cast<std::int32_t>(shares(best, switch_of).size());
  for (std::int32_t switches = std::max(1, used - 1); switches <= used + 1 && request.node_tasks.empty(); ++switches) {
    if (range.most - range.least <= 1 || deadline.expired()) break;
    if (switches > request.tasks) continue;
    try {
      Placement other = place(
          with_shares(view, request, switch_of, request.tasks / switches, (request.tasks + switches - 1) / switches),
          request);
      const Span shared = range_of(shares(other, switch_of));
      const std::int32_t gain = range.most - range.least - (shared.most - shared.least);
      if ((other.cost - least.cost) * most_extra_cost > least.cost || gain < 0 ||
          (gain == 0 && other.cost >= best.cost) || !in_scope(view, request, least, other))
        continue;
      other.natural_cost = best.natural_cost;
      other.optimal = false;  // it is so on the cores that are left
      best = std::move(other);
      range = shared;
    } catch (const Error&) {  // the request does not fit on this number of leaf switches
    }
  }
  const ObjectiveGoal goal{
      Objective::balanced, {}, range.most - range.least, best.cost, least.cost + least.cost / most_extra_cost};
  claim_by_objective(best, search_all(view, request, least, goal, 0, deadline, best));
  range = range_of(shares(best, switch_of));
  best.reasons.push_back(std::to_string(range.least) + " to " + std::to_string(range.most) +
                         " tasks on each leaf switch");
  return best;
}

// ---- worst-group

std::vector<std::int32_t> spans_of(const Placement& placement, const std::vector<std::int32_t>& switch_of,
                                   const std::vector<std::vector<std::int32_t>>& groups) {
  std::vector<std::int32_t> spans;
  for (const std::vector<std::int32_t>& group : groups) {
    std::set<std::int32_t> used;
    for (const std::int32_t rank : group) used.insert(switch_of[placement.ranks[rank].node]);
    spans.push_back(static_cast<std::int32_t>(used.size()));
  }
  return spans;
}

// Returns the matrix with more traffic inside the groups. In a group g, 8 * factor[g] times the traffic of the heaviest
// pair is added to each pair. All weights are halved as often as the sum needs to stay below half the 64-bit range, so
// that matrices with large numbers, such as fractions that were scaled to whole ones, are placed alike.
std::shared_ptr<const CommMatrix> stressed(const CommMatrix& matrix,
                                           const std::vector<std::vector<std::int32_t>>& groups,
                                           const std::vector<std::int64_t>& factor) {
  std::vector<CommEdge> edges = matrix.edges();
  std::int64_t heaviest = 1;
  for (const CommEdge& edge : edges) heaviest = std::max(heaviest, edge.weight);
  const std::size_t reach =
      std::clamp<std::size_t>(most_joined_pairs / static_cast<std::size_t>(matrix.ranks()), 2, largest_joined_group);
  std::vector<std::pair<std::size_t, CommEdge>> added;  // with the number of the group; the weight is still missing
  double times_heaviest = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<std::int32_t>& group = groups[g];
    for (std::size_t a = 0; a < group.size(); ++a)
      for (std::size_t b = a + 1; b < std::min(group.size(), a + reach); ++b) {
        added.push_back({g, {group[a], group[b], 0}});
        times_heaviest += 8.0 * static_cast<double>(factor[g]);
      }
  }
  const double most = static_cast<double>(INT64_MAX / 2);
  int halvings = 0;
  const auto sum = [&] {
    return static_cast<double>(edges.size()) + std::ldexp(static_cast<double>(matrix.total_weight()), -halvings) +
           times_heaviest * static_cast<double>(std::max<std::int64_t>(heaviest >> halvings, 1));
  };
  while (halvings < 62 && sum() > most) ++halvings;
  for (CommEdge& edge : edges)
    if (edge.weight > 0) edge.weight = std::max<std::int64_t>(edge.weight >> halvings, 1);
  for (auto& [g, edge] : added) {
    edge.weight = 8 * factor[g] * std::max<std::int64_t>(heaviest >> halvings, 1);
    edges.push_back(edge);
  }
  return std::make_shared<CommMatrix>(CommMatrix::from_edges(matrix.ranks(), std::move(edges)));
}

// Places each group on at most `span` leaf switches, in the smallest subtree that holds the placement `best`. Ranks
// then exchange their places where the traffic of `joined`, a stressed() matrix, gains and the groups stay together.
// Returns nothing when spread_groups() finds nothing or when the limits of the request are violated.
std::optional<Placement> with_span(const ClusterView& view, const Request& request, const Placement& best,
                                   const CommMatrix& joined, const std::vector<std::int32_t>& switch_of,
                                   std::vector<std::vector<std::int32_t>> groups, std::int32_t span,
                                   const Deadline& deadline) {
  const mapping::Slots slots(view, request);
  const bool step = !request.node_tasks.empty();  // its nodes and their numbers of tasks are given
  std::optional<mapping::NodeLimits> limits;
  if (!step) limits.emplace(view, request, slots.capacity());
  const mapping::NodeCounts& capacity = step ? request.node_tasks : limits->capacity();
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view);
  const std::int32_t top = top_of(*view.tree, vertex_of_node, best);
  std::map<std::int32_t, std::vector<std::int32_t>> nodes_of;  // of each leaf switch, those with the most room first
  for (std::size_t n = 0; n < view.nodes.size(); ++n)
    if (capacity[n] > 0 && view.tree->lowest_common_ancestor(top, vertex_of_node[n]) == top)
      nodes_of[switch_of[n]].push_back(static_cast<std::int32_t>(n));
  std::vector<std::vector<std::int32_t>> nodes;
  std::vector<std::int32_t> room, sizes;
  for (auto& [vertex, below] : nodes_of) {
    std::stable_sort(below.begin(), below.end(),
                     [&](std::int32_t a, std::int32_t b) { return capacity[a] > capacity[b]; });
    room.push_back(0);
    for (const std::int32_t node : below) room.back() += capacity[node];
    nodes.push_back(std::move(below));
  }
  std::vector<bool> grouped(request.tasks, false);
  for (const std::vector<std::int32_t>& group : groups)
    for (const std::int32_t rank : group) grouped[rank] = true;
  for (std::int32_t rank = 0; rank < request.tasks; ++rank)
    if (!grouped[rank]) groups.push_back({rank});
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
  Placement exchanged = placement_on(mapping::refine(joined, *view.tree, usable, leaves, {.deadline = deadline}));
  const std::vector<std::int32_t> spans = spans_of(exchanged, switch_of, groups);
  return *std::max_element(spans.begin(), spans.end()) <= span ? std::move(exchanged) : placement_on(leaves);
}

// Deals the groups out to leaf switches. Then places the request several times; after each round, the traffic inside
// the groups that span the most leaf switches is raised.
Placement by_worst_group(const ClusterView& view, const Request& request, const Deadline& deadline,
                         const PlaceByHopBytes& place) {
  const std::vector<std::int32_t> switch_of = mapping::leaf_switches(view);
  const std::vector<std::vector<std::int32_t>> groups = heavy_groups(*request.matrix);
  const Placement least = place(view, request);
  if (groups.empty()) return least;
  Placement best = least;
  const auto worst_of = [](const std::vector<std::int32_t>& spans) {
    return *std::max_element(spans.begin(), spans.end());
  };
  std::int32_t worst = worst_of(spans_of(best, switch_of, groups));
  std::shared_ptr<const CommMatrix> joined;
  for (std::int32_t span = 1; span < worst && !deadline.expired(); ++span) {
    if (!joined) joined = stressed(*request.matrix, groups, std::vector<std::int64_t>(groups.size(), 1));
    const auto placement = with_span(view, request, best, *joined, switch_of, groups, span, deadline);
    if (!placement || worst_of(spans_of(*placement, switch_of, groups)) >= worst) continue;
    best = *placement;
    worst = worst_of(spans_of(best, switch_of, groups));
  }
  std::vector<std::int64_t> factor(groups.size(), 1);
  for (int round = 0; round < most_rounds && worst > 1 && !deadline.expired(); ++round) {
    Request other = request;
    other.matrix = stressed(*request.matrix, groups, factor);
    try {
      Placement placement = place(view, other);
      placement.cost = cost_of(view, request, placement);
      placement.natural_cost = best.natural_cost;
      placement.optimal = false;  // it is so for the other matrix
      const std::vector<std::int32_t> spans = spans_of(placement, switch_of, groups);
      const std::int32_t now = worst_of(spans);
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (spans[g] == now) factor[g] *= 3;
      if (now > worst || (now == worst && placement.cost >= best.cost)) continue;
      worst = now;
      best = std::move(placement);
    } catch (const Error&) {
      break;
    }
  }
  const ObjectiveGoal goal{Objective::worst_group, groups, worst, best.cost, Cost{INT64_MAX} * INT64_MAX};
  claim_by_objective(best, search_all(view, request, least, goal, 1, deadline, best));
  worst = worst_of(spans_of(best, switch_of, groups));
  best.reasons.push_back("no group of ranks spans more than " + std::to_string(worst) +
                         (worst == 1 ? " leaf switch" : " leaf switches"));
  return best;
}

}  // namespace

Objective objective_parameter(const Parameters& parameters) {
  const auto found = parameters.find("objective");
  if (found == parameters.end() || found->second == "hop-bytes") return Objective::hop_bytes;
  if (found->second == "balanced") return Objective::balanced;
  if (found->second == "worst-group") return Objective::worst_group;
  throw Error("objective=" + found->second + ": hop-bytes, balanced or worst-group is wanted");
}

std::string idle_objective_note(const Parameters& parameters) {
  if (objective_parameter(parameters) == Objective::hop_bytes) return {};
  return "objective=" + parameters.at("objective") +
         " goes by a matrix or a pattern, and none is given: it changes nothing";
}

Placement place_by_objective(Objective objective, const ClusterView& view, const Request& request,
                             const Deadline& deadline, const PlaceByHopBytes& place) {
  if (objective == Objective::balanced) return balanced(view, request, deadline, place);
  if (objective == Objective::worst_group) return by_worst_group(view, request, deadline, place);
  return place(view, request);
}

}  // namespace placement::treematch
