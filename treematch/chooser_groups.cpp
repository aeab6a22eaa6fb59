// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with limits on nodes: groups of ranks, and a node for each group. Parts of the nodes that are searched alone.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "common/matrix/matrix_coarsen.hpp"
#include "common/util/placement_error.hpp"
#include "treematch/chooser.hpp"

namespace placement::treematch {

namespace {

// Ranks are joined to groups by traffic only if this takes about ten milliseconds at most; this counts ranks and pairs.
constexpr std::int64_t most_work_on_groups = 100'000;

constexpr std::int32_t effort_for_nodes = 1;  // for groups of ranks on the nodes of one subtree

}  // namespace

// Divides the ranks into `groups` groups with little traffic between them. Returns the group of each rank. The first
// groups have `size` ranks, the others one less.
std::vector<std::int32_t> Chooser::groups_of_ranks(std::int32_t groups, std::int32_t size) const {
  const std::vector<std::int32_t> arities{groups, size};
  const std::int64_t full = request_.tasks - static_cast<std::int64_t>(groups) * (size - 1);
  std::vector<std::int32_t> usable;
  for (std::int32_t g = 0; g < groups; ++g)
    for (std::int32_t k = 0; k < (g < full ? size : size - 1); ++k) usable.push_back(g * size + k);
  if (request_.node_level) return rough_groups(size, usable);
  MapOptions options = options_;
  options.scope = LeafScope::given;
  std::vector<std::int32_t> group =
      map_to_tree(*request_.matrix, TreeTopology::balanced(arities), usable, options).leaf_of_rank;
  for (std::int32_t& leaf : group) leaf /= size;
  return group;
}

// Divides the ranks into groups quickly. Heavy pairs are joined while this is quick; otherwise consecutive ranks are
// joined. The ranks, sorted by group, then take the `places` in turn, so that the sizes come out right. Place p belongs
// to group p / size. Returns the group of each rank.
std::vector<std::int32_t> Chooser::rough_groups(std::int32_t size, const std::vector<std::int32_t>& places) const {
  const CommMatrix& matrix = *request_.matrix;
  std::vector<std::int32_t> row(places.size());
  std::iota(row.begin(), row.end(), 0);
  if (matrix.ranks() + matrix.pairs() <= most_work_on_groups) {
    const std::vector<std::int32_t> joined = group_ranks(matrix, size);
    std::stable_sort(row.begin(), row.end(), [&](std::int32_t a, std::int32_t b) { return joined[a] < joined[b]; });
  }
  std::vector<std::int32_t> group(places.size());
  for (std::size_t k = 0; k < row.size(); ++k) group[row[k]] = places[k] / size;
  return group;
}

const NodeTree& Chooser::node_tree() const {
  if (node_tree_) return *node_tree_;
  std::vector<std::int32_t> order(view_.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto first_leaf = [&](std::int32_t node) { return view_.nodes[node].first_leaf; };
  const auto left = [&](std::int32_t a, std::int32_t b) { return first_leaf(a) < first_leaf(b); };
  if (!std::is_sorted(order.begin(), order.end(), left)) std::sort(order.begin(), order.end(), left);
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
  std::vector<std::int32_t> vertices;
  for (const std::int32_t node : order) vertices.push_back(vertex_of_node[node]);
  return node_tree_.emplace(NodeTree{std::move(order), view_.tree->cut_at(vertices)});
}

// Divides the ranks into `nodes` groups and then chooses one of the nodes in `offered` for each group. Returns the node
// of each rank; nothing when the limits do not allow this. The numbers of tasks on the used nodes differ by at most
// one.
std::optional<std::vector<std::int32_t>> Chooser::nodes_of_groups(const mapping::NodeLimits& limits, std::int32_t nodes,
                                                                  const std::vector<bool>& offered,
                                                                  const MapOptions& options) const {
  const std::int32_t size = (request_.tasks + nodes - 1) / nodes;
  const std::vector<std::int32_t>& order = node_tree().order;
  std::vector<std::int32_t> usable;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (offered[order[k]] && limits.capacity()[order[k]] >= size) usable.push_back(static_cast<std::int32_t>(k));
  if (static_cast<std::int32_t>(usable.size()) < nodes) return std::nullopt;

  if (groups_ != nodes) group_of_rank_ = groups_of_ranks(nodes, size);
  groups_ = nodes;
  const MapResult chosen =
      map_to_tree(request_.matrix->aggregated(group_of_rank_, nodes), node_tree().tree, usable, options);
  if (request_.tasks < least_ranks_of_partial_searches && !in_time()) return std::nullopt;
  std::vector<std::int32_t> node_of_rank(group_of_rank_);
  mapping::NodeCounts counts(order.size(), 0);
  for (std::int32_t& node : node_of_rank) {
    node = order[chosen.leaf_of_rank[node]];
    ++counts[node];
  }
  if (!limits.allow(counts)) return std::nullopt;
  return node_of_rank;
}

// Divides the ranks into groups for `nodes` nodes; for jobs with a fixed number of nodes.
std::optional<Candidate> Chooser::grouped(const mapping::NodeLimits& limits, std::int32_t nodes) const {
  const auto node_of_rank = nodes_of_groups(limits, nodes, std::vector<bool>(view_.nodes.size(), true), options_);
  if (!node_of_rank) return std::nullopt;
  if (request_.tasks <= most_tasks_tried_on_all) return mapped(slots_.counts(slots_.leaves_on(*node_of_rank)));
  return evaluated(slots_.leaves_on(*node_of_rank), "groups of ranks on nodes");
}

// As grouped(), on the nodes of one subtree, which are chosen with little effort. Where these have not enough room for
// equal groups, the ranks are mapped to the fullest nodes.
std::optional<Candidate> Chooser::grouped_on(const mapping::NodeLimits& limits, std::int32_t nodes,
                                             const std::vector<std::int32_t>& subtree) const try {
  MapOptions options = options_;
  options.scope = LeafScope::whole;
  options.effort = effort_for_nodes;
  std::vector<bool> offered(view_.nodes.size(), false);
  for (const std::int32_t node : subtree) offered[node] = true;
  if (const auto node_of_rank = nodes_of_groups(limits, nodes, offered, options))
    return mapped(slots_.counts(slots_.leaves_on(*node_of_rank)));
  const ClusterView view = with_nodes(subtree);
  const Request request = on_nodes(subtree);
  const mapping::NodeLimits own(view, request, mapping::Slots(view, request).capacity());
  const auto compact = mapping::compact_counts(view, own, 0);
  if (!compact) return std::nullopt;
  mapping::NodeCounts counts(view_.nodes.size(), 0);
  for (std::size_t k = 0; k < subtree.size(); ++k) counts[subtree[k]] = (*compact)[k];
  return mapped(counts);
} catch (const PlacementError&) {
  return std::nullopt;
}

// Returns the mapping that is chosen if only these nodes are offered; nothing when the limits do not allow any.
std::optional<Candidate> Chooser::alone_on(const std::vector<std::int32_t>& nodes) const try {
  const Request request = on_nodes(nodes);
  const ClusterView view = with_nodes(nodes);
  const Placement placement = Chooser(view, request, options_.deadline, Of::part).choose();
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
