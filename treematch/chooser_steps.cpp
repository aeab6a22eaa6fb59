// SPDX-License-Identifier: GPL-2.0-or-later
// What srun makes of a choice of nodes and cores, and what is chosen on a part of the nodes alone.
#include <algorithm>
#include <functional>
#include <utility>

#include "common/util/placement_error.hpp"
#include "treematch/chooser.hpp"

namespace placement::treematch {

namespace {

// How many choices of nodes and cores are tried as srun will use them: so many, of those that cost at most this
// percentage of the best.
constexpr std::size_t most_tried_as_step = 2;
constexpr int percent_tried_as_step = 103;

}  // namespace

// Returns the candidate whose nodes and cores srun will use best. srun begins with the ranks of the candidate, and what
// it finds by itself on these cores alone may cost a few percent less. A few of the best candidates are tried. The last
// candidate has the ranks as srun would place them already.
Placement Chooser::best_as_step(std::vector<Candidate> candidates) const {
  const Cost natural_cost = candidates.front().cost;
  Placement best = best_of(candidates);
  const Cost least = best.cost;
  std::vector<std::vector<std::int32_t>> tried{sorted(candidates.back().leaf_of_rank)};
  std::ranges::stable_sort(candidates, {}, &Candidate::cost);
  for (const Candidate& candidate : candidates) {
    if (tried.size() > most_tried_as_step || candidate.cost * 100 > least * percent_tried_as_step) break;
    std::vector<std::int32_t> leaves = sorted(candidate.leaf_of_rank);
    if (std::ranges::find(tried, leaves) != tried.end()) continue;
    auto known = steps_->find(leaves);
    if (known == steps_->end()) known = steps_->emplace(leaves, as_step(candidate)).first;
    tried.push_back(std::move(leaves));
    if (options_.deadline.expired()) break;
    if (known->second.cost >= best.cost) continue;
    best = known->second;
    best.natural_cost = natural_cost;
  }
  return best;
}

// Returns the nodes and cores of the candidate with the ranks as srun will place them there.
Placement Chooser::as_step(const Candidate& candidate) const {
  const Placement chosen = slots_.placement(candidate.leaf_of_rank, candidate.cost, candidate.cost, candidate.method);
  const mapping::NodeCounts counts = slots_.counts(candidate.leaf_of_rank);
  std::vector<std::int32_t> nodes, index_of(view_.nodes.size(), -1);
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] == 0) continue;
    index_of[n] = static_cast<std::int32_t>(nodes.size());
    nodes.push_back(static_cast<std::int32_t>(n));
  }
  ClusterView view = with_nodes(nodes);
  Request request = request_;
  request.required_nodes.clear();
  for (const std::int32_t node : nodes) request.node_tasks.push_back(counts[node]);
  for (NodeView& node : view.nodes)
    if (!request.whole_nodes) node.core_free.assign(node.core_free.size(), false);
  for (const RankPlace& rank : chosen.ranks)
    for (const std::int32_t core : rank.cores) view.nodes[index_of[rank.node]].core_free[core] = true;
  Placement placement = Chooser(view, request, options_.deadline, nullptr).choose();
  for (RankPlace& rank : placement.ranks) rank.node = nodes[rank.node];
  return placement;
}

// Returns the mapping that is chosen if only these nodes are offered; nothing when the limits do not allow any.
std::optional<Candidate> Chooser::alone_on(const std::vector<std::int32_t>& nodes) const try {
  const Request request = on_nodes(nodes);
  const ClusterView view = with_nodes(nodes);
  const Placement placement = Chooser(view, request, options_.deadline, nullptr).choose();
  return evaluated(mapping::first_leaves(view, placement), "search of one subtree");
} catch (const PlacementError&) {
  return std::nullopt;
}

// As alone_on(), for the leaf switches with the most room, as few as have room for the tasks. Equal switches are in the
// order of the tree. Returns nothing if these are all nodes.
std::optional<Candidate> Chooser::alone_on_fullest() const {
  const std::vector<std::int32_t> switch_of = mapping::leaf_switches(view_);
  std::map<std::int32_t, std::pair<std::int32_t, std::vector<std::int32_t>>> room_of;  // the room and the nodes
  for (std::size_t n = 0; n < switch_of.size(); ++n) {
    auto& [room, nodes] = room_of[switch_of[n]];
    room += slots_.capacity()[n];
    nodes.push_back(static_cast<std::int32_t>(n));
  }
  std::vector<std::pair<std::int32_t, std::vector<std::int32_t>>> switches;
  for (auto& [leaf_switch, of_switch] : room_of) switches.push_back(std::move(of_switch));
  std::ranges::stable_sort(switches, std::greater<>(), [](const auto& of_switch) { return of_switch.first; });
  std::vector<std::int32_t> fullest;
  std::int32_t room = 0;
  for (const auto& [own, nodes] : switches) {
    if (room >= request_.tasks) break;
    room += own;
    fullest.insert(fullest.end(), nodes.begin(), nodes.end());
  }
  if (fullest.size() == view_.nodes.size()) return std::nullopt;
  std::ranges::sort(fullest);
  return alone_on(fullest);
}

// Returns the request for with_nodes(nodes). All required nodes are among them.
Request Chooser::on_nodes(const std::vector<std::int32_t>& nodes) const {
  Request request = request_;
  for (std::int32_t& required : request.required_nodes)
    required = static_cast<std::int32_t>(std::ranges::find(nodes, required) - nodes.begin());
  return request;
}

// Returns the view with these nodes alone.
ClusterView Chooser::with_nodes(const std::vector<std::int32_t>& nodes) const {
  ClusterView view{view_.tree, {}};
  for (const std::int32_t node : nodes) view.nodes.push_back(view_.nodes[node]);
  return view;
}

}  // namespace placement::treematch
