// SPDX-License-Identifier: GPL-2.0-or-later

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/matrix/matrix_coarsen.hpp"
#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "common/util/sequence.hpp"
#include "mapping/graph.hpp"
#include "mapping/greedy.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "mapping/tuning.hpp"
#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/map_memory.hpp"
#include "treematch/treematch.hpp"
#include "treematch/within_nodes.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

using Leaves = std::vector<std::int32_t>;

// Nodes on which the job may be placed, and the scope among them. A decision looks at all nodes of the view first, then
// at parts of them and at narrower scopes.
struct Offer {
  mapping::NodeLimits limits;  // a node that is not offered has no capacity
  // tasks of each node, on the first nodes and on those of the smallest subtree
  std::optional<mapping::NodeCounts> in_order = {}, compact = {};
  LeafScope scope = LeafScope::whole;
  std::int32_t levels_up = 0;
  enum { all, part, narrower } of = all;
};

// The tree whose leaves are the nodes; order[l] is the view's node on leaf l.
struct NodeTree {
  std::vector<std::int32_t> order;
  TreeTopology tree;
};

// Makes one decision.
class Chooser {
 public:
  Chooser(const ClusterView& view, const Request& request, const Deadline& deadline)
      : view_(view),
        request_(request),
        slots_(view, request),
        options_(options_of(request)) {
    options_.deadline = deadline;
    options_.most_exact_steps = exact_steps_of_part;
    if (request.matrix) memory_ = matrix_memories().of(request.matrix, options_.seed);
  }

  // Returns the best placement of all searches on all offers. Once a mapping is optimal in the scope, only the first
  // nodes can cost less, because they may be outside the scope. They are tried before the exact search.
  Placement choose() {
    if (!request_.node_tasks.empty()) return on_counts(request_.node_tasks);
    if (scope_parameter(request_.parameters) == LeafScope::given)
      throw Error("scope=allocation leaves the choice of nodes to Slurm");
    Offer all = offer_of({view_, request_, slots_.capacity()}, options_.scope, options_.levels_up);
    if (!all.in_order) all.in_order = all.compact;
    if (!all.in_order)
      throw PlacementError(STOCK_NO_ROOM, "no set of nodes meets the limits on nodes and on tasks per node");
    if (!request_.matrix) return on_counts(all.compact ? *all.compact : *all.in_order);
    search(all);
    search_parts(all);
    search_narrower(all);
    return result();
  }

 private:
  // A search of the table. The best mapping so far is kept, so that each search can only lower the cost.
  struct Search {
    const char* name;
    bool cheap;  // made after the deadline, too
    bool (*applies)(const Chooser&, const Offer&);
    void (Chooser::*run)(const Offer&);
  };
  static const Search searches[8];

  void search(const Offer& offer) {
    if (small()) joint_nodes_ = 0;
    for (const Search& search : searches)
      if (!optimal_ && ((search.cheap && offer.of == Offer::all) || in_time()) && search.applies(*this, offer))
        (this->*search.run)(offer);
  }

  // Searches subsets of the nodes alone. With limits on nodes, a subset may lead to a cheaper placement than all nodes.
  void search_parts(const Offer& all) {
    if (optimal_ || !in_time() || !(joint_nodes_ == 0 || all.limits.spreads())) return;
    const bool few = request_.tasks <= most_tasks_on_each;
    if (!few && (small() || request_.tasks > most_tasks_tried_on_first_nodes)) return;
    const std::vector<std::vector<std::int32_t>> parts =
        mapping::sufficient_subtrees(view_, all.limits, most_subtrees_with_limits);
    if (few && parts.size() == 1) return;  // search(all) has covered it
    for (const std::vector<std::int32_t>& nodes : parts)
      if (const auto limits = in_time() ? limits_on(nodes) : std::nullopt) {
        Offer part = offer_of(*limits, LeafScope::whole, 0);
        part.of = Offer::part;
        search(part);
        search_narrower(part);
      }
  }

  // Repeats the searches in narrower scopes. Limits on nodes may rule out the mapping of the wider scope and admit that
  // of a narrower one. Large jobs are left out, because they would take too long.
  void search_narrower(const Offer& wide) {
    if (optimal_ || !in_time() || !small()) return;
    std::int32_t levels = wide.scope == LeafScope::whole ? node_tree().tree.depth() : wide.levels_up;
    while (--levels >= 0 && in_time()) {
      Offer narrower = offer_of(wide.limits, LeafScope::subtree, levels);
      narrower.in_order = wide.in_order;
      narrower.of = Offer::narrower;
      search(narrower);
    }
  }

  bool small() const { return request_.tasks <= most_tasks_tried_on_all; }
  bool in_time() const { return !options_.deadline.expired(); }

  MapOptions options_in(const Offer& offer) const {
    MapOptions options = options_;
    options.scope = offer.scope;
    options.levels_up = offer.levels_up;
    return options;
  }

  Offer offer_of(mapping::NodeLimits limits, LeafScope scope, std::int32_t levels_up) const {
    Offer offer{std::move(limits)};
    offer.in_order = mapping::sequential_counts(offer.limits);
    offer.compact = mapping::compact_counts(view_, offer.limits, levels_up);
    offer.scope = scope;
    offer.levels_up = levels_up;
    return offer;
  }

  // Returns the limits of the request on these nodes alone; nothing when the nodes do not suffice.
  std::optional<mapping::NodeLimits> limits_on(const std::vector<std::int32_t>& nodes) const try {
    mapping::NodeCounts capacity(view_.nodes.size(), 0);
    for (const std::int32_t node : nodes) capacity[node] = slots_.capacity()[node];
    return mapping::NodeLimits(view_, request_, std::move(capacity));
  } catch (const PlacementError&) {
    return std::nullopt;
  }

  std::int32_t nodes_of(const Leaves& leaf_of_rank) const {
    const mapping::NodeCounts counts = slots_.counts(leaf_of_rank);
    return static_cast<std::int32_t>(std::ssize(counts) - std::ranges::count(counts, 0));
  }

  // Keeps the mapping if it costs less than the best one, or the same on fewer nodes. The first call passes the natural
  // order.
  void keep(MapResult result) {
    const bool first = best_.leaf_of_rank.empty();
    if (!first && result.cost > best_.cost) return;
    const std::int32_t nodes = nodes_of(result.leaf_of_rank);
    if (!first && result.cost == best_.cost && nodes >= best_nodes_) return;
    best_ = std::move(result);
    best_nodes_ = nodes;
  }

  void keep(Leaves leaf_of_rank, const char* method) { keep(with_cost(std::move(leaf_of_rank), method)); }

  MapResult with_cost(Leaves leaf_of_rank, std::string method) const {
    return measured(*request_.matrix, *view_.tree, std::move(leaf_of_rank), std::move(method));
  }

  Placement result() const {
    Placement placement = slots_.placement(best_.leaf_of_rank, best_.cost, natural_cost_, best_.method);
    placement.optimal = optimal_;
    return placement;
  }

  // ---- the searches

  void in_order(const Offer& offer) {
    if (offer.in_order && offer.of != Offer::narrower) keep(slots_.leaves(*offer.in_order), "natural order");
    if (offer.of == Offer::all) natural_cost_ = best_.cost;
    if (offer.compact && offer.compact != offer.in_order)
      keep(slots_.leaves(*offer.compact), "natural order on the smallest subtree");
  }

  void greedily(const Offer& offer) {
    if (offer.in_order && offer.of != Offer::narrower) greedily_on(*offer.in_order, &offer.limits);
    if (offer.scope == LeafScope::whole) greedily_on(offer.limits.capacity(), &offer.limits);
    if (offer.compact && offer.compact != offer.in_order) greedily_on(*offer.compact, &offer.limits);
  }

  void greedily_on(const mapping::NodeCounts& counts, const mapping::NodeLimits* limits) {
    if (!graph_) graph_ = mapping::scaled_graph(*request_.matrix);
    if (graph_->arc.empty()) return;
    Leaves mapped = mapping::greedy_leaves(*graph_, *view_.tree, slots_.leaves(counts));
    if (limits == nullptr || limits->allow(slots_.counts(mapped))) keep(std::move(mapped), "greedy");
  }

  // Finds the best legal mapping, unless the search needs more steps than the effort allows.
  void exactly(const Offer& offer) {
    MappingLimits rules;
    rules.least_nodes = std::min(request_.min_nodes, request_.tasks);
    rules.most_nodes = offer.limits.most_nodes();
    rules.even = offer.limits.even();
    const std::int64_t steps = offer.of == Offer::all ? exact_steps_per_effort * options_.effort : exact_steps_of_part;
    std::optional<Leaves> found =
        optimum(std::move(rules), offer.limits.capacity(), offer.scope, offer.levels_up, steps);
    if (!found || !offer.limits.allow(slots_.counts(*found))) return;
    optimal_ = offer.of == Offer::all;
    try {  // the used leaves stay, and so does the number of ranks on each node
      order_equal_branches(*view_.tree, *found, mapping::WorkBudget(options_.deadline));
    } catch (const mapping::OutOfTime&) {
    }
    MapResult exact = with_cost(*std::move(found), "exact search");
    const Cost cost = exact.cost;
    if (cost == best_.cost && cost < natural_cost_) best_.cost = cost + 1;  // ties go to this search: its ranks ascend
    keep(std::move(exact));
    if (optimal_ && best_.cost == cost) best_.method += ", optimal";
  }

  // Returns the mapping with the least hop-bytes within `rules`, to which it adds the nodes with room. Returns nothing
  // when there is no mapping, when the search would take more than `steps`, or when the time has ended.
  std::optional<Leaves> optimum(MappingLimits rules, const mapping::NodeCounts& room, LeafScope scope,
                                std::int32_t levels_up, std::int64_t steps) const try {
    if (request_.tasks > most_ranks_mapped_exactly || request_.matrix->pairs() == 0) return std::nullopt;
    const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
    for (std::size_t n = 0; n < view_.nodes.size(); ++n) {
      if (room[n] == 0) continue;
      if (view_.tree->leaf_count(vertex_of_node[n]) != view_.nodes[n].cores()) return std::nullopt;  // too many leaves
      const bool required = std::ranges::count(request_.required_nodes, static_cast<std::int32_t>(n)) > 0;
      rules.nodes.push_back({vertex_of_node[n], room[n], required});
    }
    const mapping::WorkBudget watch(options_.deadline);
    watch.spend(view_.tree->vertices());
    Leaves usable = slots_.all_leaves();
    std::erase_if(usable, [&](std::int32_t leaf) { return room[slots_.node_of(leaf)] == 0; });
    if (std::ssize(usable) < request_.tasks) return std::nullopt;
    return exact_mapping(*request_.matrix, *view_.tree, usable, scope, levels_up, rules, steps, watch);
  } catch (const mapping::OutOfTime&) {
    return std::nullopt;
  }

  MapResult mapped(const mapping::NodeCounts& counts, const MapOptions& options) const {
    Leaves leaves = slots_.leaves(counts);
    if (!std::ranges::is_sorted(leaves)) std::ranges::sort(leaves);
    return map_to_tree(*request_.matrix, *view_.tree, leaves, options);
  }

  MapResult mapped_on_given(const mapping::NodeCounts& counts) const {
    MapOptions options = options_;
    options.scope = LeafScope::given;
    options.memory = memory_.get();
    return mapped(counts, options);
  }

  // Returns a mapping found with the effort of a search among all leaves. A job's plan comes from a search among more
  // leaves than its step has. With less effort, the step would cost more than the plan.
  MapResult mapped_longer(const mapping::NodeCounts& counts) const {
    MapOptions options = options_;
    options.scope = LeafScope::whole;
    options.anneal_exchanges = true;
    return mapped(counts, options);
  }

  // Moves ranks among the slots of their node, if the node has free slots.
  MapResult then_on_sockets(MapResult result) const {
    if (!place_on_sockets(view_, request_, slots_, result.leaf_of_rank, SocketsOf::nodes_with_free_slots,
                          effort_within_nodes, options_.deadline))
      return result;
    return with_cost(std::move(result.leaf_of_rank), result.method + ", then each node's sockets");
  }

  // Maps the job to the first nodes; maps a small job with the effort that its step would get.
  void on_first_nodes(const Offer& offer) {
    if (offer.in_order)
      keep(then_on_sockets(small() ? mapped_longer(*offer.in_order) : mapped_on_given(*offer.in_order)));
  }

  // Chooses nodes, cores and ranks together, without regard to the limits on nodes, and keeps the result if it meets
  // them. After the deadline, keeps it only if every mapping would meet them.
  void jointly(const Offer& offer) {
    MapOptions options = options_in(offer);
    options.memory = memory_.get();
    MapResult result = mapped(offer.limits.capacity(), options);
    const bool any_is_legal =
        !offer.limits.spreads() && offer.limits.most_nodes() >= request_.tasks && request_.required_nodes.empty();
    if ((!any_is_legal && !in_time()) || !offer.limits.allow(slots_.counts(result.leaf_of_rank))) return;
    joint_nodes_ = nodes_of(result.leaf_of_rank);
    chosen_ = true;
    keep(std::move(result));
  }

  void on_compact_nodes(const Offer& offer) { keep(mapped_on_given(*offer.compact)); }

  // ---- groups of ranks, and a node for each group

  // Tries one group per node of the joint choice, and for small jobs also the least number of nodes.
  void in_groups(const Offer& offer) {
    const std::int32_t least = offer.limits.least_nodes();
    in_groups(offer, joint_nodes_ > 0 ? joint_nodes_ : least);
    if (small() && joint_nodes_ > least && in_time()) in_groups(offer, least);
  }

  // Divides the ranks into groups for `nodes` nodes. If a subset of the nodes has no room for equal groups, maps a
  // large job to the subset's smallest sufficient subtree.
  void in_groups(const Offer& offer, std::int32_t nodes) {
    if (const auto node_of_rank = nodes_of_groups(offer, nodes)) {
      chosen_ = true;
      Leaves leaves = slots_.leaves_on(*node_of_rank);
      if (small() || offer.of == Offer::part)
        keep(mapped_on_given(slots_.counts(leaves)));
      else
        keep(std::move(leaves), "groups of ranks on nodes");
    } else if (offer.of == Offer::part && !small() && offer.compact) {
      on_compact_nodes(offer);
    }
  }

  // Divides the ranks into `nodes` groups and then chooses a node for each group. Returns the node of each rank;
  // nothing when the limits do not allow this. The numbers of tasks on the used nodes differ by at most one.
  std::optional<std::vector<std::int32_t>> nodes_of_groups(const Offer& offer, std::int32_t nodes) {
    const std::int32_t size = (request_.tasks + nodes - 1) / nodes;
    const std::vector<std::int32_t>& order = node_tree().order;
    std::vector<std::int32_t> usable;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (offer.limits.capacity()[order[k]] >= size) usable.push_back(static_cast<std::int32_t>(k));
    if (std::ssize(usable) < nodes) return std::nullopt;
    if (groups_ != nodes) group_of_rank_ = groups_of_ranks(nodes, size);
    groups_ = nodes;
    MapOptions options = options_in(offer);
    if (offer.of == Offer::part && !small()) options.effort = effort_for_nodes;
    const MapResult chosen =
        map_to_tree(request_.matrix->aggregated(group_of_rank_, nodes), node_tree().tree, usable, options);
    if (request_.tasks < least_ranks_of_partial_searches && !in_time()) return std::nullopt;
    std::vector<std::int32_t> node_of_rank(group_of_rank_);
    mapping::NodeCounts counts(order.size(), 0);
    for (std::int32_t& node : node_of_rank) {
      node = order[chosen.leaf_of_rank[node]];
      ++counts[node];
    }
    if (!offer.limits.allow(counts)) return std::nullopt;
    return node_of_rank;
  }

  // Divides the ranks into `groups` groups with little traffic between them. Returns the group of each rank. The first
  // groups have `size` ranks, the others one less.
  std::vector<std::int32_t> groups_of_ranks(std::int32_t groups, std::int32_t size) const {
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

  // Divides the ranks into groups quickly. Joins heavy pairs if the matrix is small enough, otherwise consecutive
  // ranks. The ranks, sorted by group, take the `places` in turn, so that each group gets its size. Place p belongs to
  // group p / size. Returns the group of each rank.
  std::vector<std::int32_t> rough_groups(std::int32_t size, const std::vector<std::int32_t>& places) const {
    const CommMatrix& matrix = *request_.matrix;
    std::vector<std::int32_t> row = numbers(places.size());
    if (matrix.ranks() + matrix.pairs() <= most_work_on_groups)
      std::ranges::stable_sort(row, {},
                               [joined = group_ranks(matrix, size)](std::int32_t rank) { return joined[rank]; });
    std::vector<std::int32_t> group(places.size());
    for (std::size_t k = 0; k < row.size(); ++k) group[row[k]] = places[k] / size;
    return group;
  }

  const NodeTree& node_tree() const {
    if (node_tree_) return *node_tree_;
    std::vector<std::int32_t> order =
        ordered_numbers(view_.nodes.size(), [&](std::int32_t node) { return view_.nodes[node].first_leaf; });
    const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
    std::vector<std::int32_t> vertices;
    for (const std::int32_t node : order) vertices.push_back(vertex_of_node[node]);
    return node_tree_.emplace(NodeTree{std::move(order), view_.tree->cut_at(vertices)});
  }

  // ---- steps, and jobs without a matrix

  // Returns the leaf of each rank when the ranks fill the nodes in the order of the tree. Consecutive ranks are then
  // near each other.
  Leaves in_order_of_tree(const mapping::NodeCounts& counts) const {
    std::vector<std::int32_t> node_of_rank;
    for (const std::int32_t node : node_tree().order)
      node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(counts[node]), node);
    return slots_.leaves_on(node_of_rank);
  }

  // Places the ranks where each node has its number of tasks.
  Placement on_counts(const mapping::NodeCounts& counts) {
    const Leaves natural = slots_.leaves(counts);
    if (!request_.matrix) return slots_.placement(in_order_of_tree(counts), natural, "the order of the topology");
    keep(natural, "natural order");
    natural_cost_ = best_.cost;
    if (auto planned = slots_.leaves_of_ranks(request_.planned_ranks, counts))
      keep(*std::move(planned), "the plan of the job");
    if (request_.matrix->pairs() <= most_pairs_mapped_quickly) greedily_on(counts, nullptr);
    if (in_time()) {
      auto best = optimum({}, counts, LeafScope::whole, 0, exact_steps_per_effort * options_.effort);
      if (best && slots_.counts(*best) == counts)
        keep(*std::move(best), "exact search, optimal");
      else
        keep(request_.tasks <= most_ranks_searched_often ? mapped_longer(counts) : mapped_on_given(counts));
    }
    best_ = then_on_sockets(std::move(best_));
    return result();
  }

  const ClusterView& view_;
  const Request& request_;
  const mapping::Slots slots_;
  MapOptions options_;
  std::shared_ptr<MapMemory> memory_;  // mappings of the request's matrix found so far; null without matrix
  std::optional<mapping::Graph> graph_;
  MapResult best_;
  std::int32_t best_nodes_ = 0;  // used by the best mapping
  Cost natural_cost_ = 0;
  bool optimal_ = false;          // no mapping in the scope costs less than the best one
  std::int32_t joint_nodes_ = 0;  // the number of nodes of the joint choice; 0: none was found within the limits
  bool chosen_ = false;           // a search has chosen nodes by the traffic
  std::int32_t groups_ = 0;       // the number of groups in group_of_rank_
  std::vector<std::int32_t> group_of_rank_;
  mutable std::optional<NodeTree> node_tree_;  // set by the first call of node_tree()
};

// From cheap to expensive. doc/mapping.md explains what each row costs and gains.
const Chooser::Search Chooser::searches[8] = {
    {"natural order", true, [](const Chooser&, const Offer&) { return true; }, &Chooser::in_order},
    {"greedy mapping", true,
     [](const Chooser& c, const Offer&) { return c.request_.matrix->pairs() <= most_pairs_mapped_quickly; },
     &Chooser::greedily},
    {"first nodes", false,
     [](const Chooser& c, const Offer& offer) {
       return offer.of != Offer::narrower && !c.request_.node_level &&
              c.request_.tasks <= most_tasks_tried_on_first_nodes && (c.small() || offer.of == Offer::all);
     },
     &Chooser::on_first_nodes},
    {"exact search", false,
     [](const Chooser& c, const Offer&) { return c.request_.tasks <= most_ranks_mapped_exactly; }, &Chooser::exactly},
    {"joint choice of nodes and ranks", false,
     [](const Chooser& c, const Offer& offer) {
       return c.small() || (offer.of != Offer::part && !offer.limits.spreads() && !c.request_.node_level);
     },
     &Chooser::jointly},
    {"groups of ranks on nodes", false,
     [](const Chooser& c, const Offer& offer) { return c.small() || c.joint_nodes_ == 0 || offer.of == Offer::part; },
     &Chooser::in_groups},
    {"compact nodes", false,
     [](const Chooser& c, const Offer& offer) {
       return !c.request_.node_level && offer.compact && offer.compact != offer.in_order && (c.small() || !c.chosen_);
     },
     &Chooser::on_compact_nodes},
    {"first nodes of a large job", false,
     [](const Chooser& c, const Offer& offer) {
       return offer.of == Offer::all && !c.request_.node_level && c.request_.tasks > most_tasks_tried_on_first_nodes &&
              !c.chosen_;
     },
     &Chooser::on_first_nodes},
};

}  // namespace

MapOptions options_of(const Request& request) {
  MapOptions options;
  options.seed = mapping::seed_parameter(request);
  options.effort = effort_parameter(request);
  number_parameter(request, "comm-share", 0, 100);  // checked here, used only in the record
  options.levels_up = static_cast<std::int32_t>(number_parameter(request, "levels-up", 0, 64));
  options.scope = scope_parameter(request.parameters) == LeafScope::whole ? LeafScope::whole : LeafScope::subtree;
  return options;
}

Placement choose_by_hop_bytes(const ClusterView& view, const Request& request, const Deadline& deadline) {
  return Chooser(view, request, deadline).choose();
}

}  // namespace placement::treematch
