// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/util/error.hpp"
#include "common/util/sequence.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "mapping/tuning.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/objectives.hpp"
#include "treematch/treematch.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

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

// Returns the view with fewer free cores, so that each leaf switch has room for at most `most` tasks. A leaf switch
// with room for fewer than `least` tasks gets none. Required nodes and large nodes keep their cores first.
ClusterView with_shares(const ClusterView& view, const Request& request, const std::vector<std::int32_t>& switch_of,
                        std::int32_t least, std::int32_t most) {
  const mapping::NodeCounts capacity = mapping::Slots(view, request).capacity();
  std::map<std::int32_t, std::int32_t> room;
  for (std::size_t n = 0; n < view.nodes.size(); ++n) room[switch_of[n]] += capacity[n];
  for (auto& [vertex, tasks] : room) tasks = tasks < least ? 0 : most;
  const auto required_and_large_first = [&](std::int32_t node) {
    return std::pair(std::ranges::count(request.required_nodes, node) == 0, -capacity[node]);
  };
  ClusterView limited = view;
  for (const std::int32_t n : ordered_numbers(view.nodes.size(), required_and_large_first)) {
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

// Returns whether `placement` is in the scope of the request. It may not be, because with fewer free cores the mapper
// also searches larger subtrees. `least` is a placement in the scope.
bool in_scope(const ClusterView& view, const Request& request, const Placement& least, const Placement& placement) {
  if (scope_parameter(request.parameters) == LeafScope::whole) return true;
  const TreeTopology& tree = *view.tree;
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view);
  const std::int32_t top = mapping::top_of(tree, vertex_of_node, placement);
  if (tree.height(top) <= tree.height(mapping::top_of(tree, vertex_of_node, least))) return true;
  const std::vector<std::int32_t> usable = mapping::Slots(view, request).all_leaves();
  const auto levels_up = static_cast<std::int32_t>(number_parameter(request, "levels-up", 0, 64));
  const std::vector<std::int32_t> tops = ancestors(tree, lowest_subtrees(tree, usable, request.tasks), levels_up);
  return std::any_of(tops.begin(), tops.end(),
                     [&](std::int32_t v) { return tree.lowest_common_ancestor(v, top) == v; });
}

}  // namespace

Placement place_balanced(const ClusterView& view, const Request& request, const Deadline& deadline,
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
      other.optimal = false;  // it is optimal only for the remaining cores
      best = std::move(other);
      range = shared;
    } catch (const Error&) {  // the request does not fit on this number of leaf switches
    }
  }
  if (range.most > range.least) drop_claim(best);
  best.reasons.push_back(std::to_string(range.least) + " to " + std::to_string(range.most) +
                         " tasks on each leaf switch");
  return best;
}

}  // namespace placement::treematch
