// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/chooser.hpp"

#include <algorithm>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "mapping/greedy.hpp"
#include "mapping/tuning.hpp"
#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/treematch.hpp"
#include "treematch/within_nodes.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

// A search of the table. The best mapping so far is kept, so that each search can only lower the cost.
struct Chooser::Search {
  const char* name;
  bool cheap;  // made after the deadline, too
  bool (*applies)(const Chooser&, const Offer&);
  void (Chooser::*run)(const Offer&);
};

// From cheap to expensive. doc/mapping.md explains what each row costs and gains.
const Chooser::Search Chooser::searches[] = {
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

// Keeps the best result of all searches on all offers. Once a mapping is optimal in the scope, only the first nodes
// can cost less, because they may be beyond it. They come before the exact search.
Placement Chooser::choose() {
  if (!request_.node_tasks.empty()) return on_counts(request_.node_tasks);
  if (scope_ == LeafScope::given) throw Error("scope=allocation leaves the choice of nodes to Slurm");
  Offer all = offer_of({view_, request_, slots_.capacity()}, options_.scope, options_.levels_up);
  if (!all.in_order) all.in_order = all.compact;
  if (!all.in_order)
    throw PlacementError(STOCK_NO_ROOM, "no set of nodes meets the limits on nodes and on tasks per node");
  if (!request_.matrix) return on_counts(all.compact ? *all.compact : *all.in_order);
  search(all);
  if (parts_) search_parts(all);
  search_narrower(all);
  return result();
}

void Chooser::search(const Offer& offer) {
  if (small()) joint_nodes_ = 0;
  for (const Search& search : searches)
    if (!optimal_ && ((search.cheap && offer.of == Offer::all) || in_time()) && search.applies(*this, offer))
      (this->*search.run)(offer);
}

// Searches subsets of the nodes alone. With limits on nodes, a subset may lead to a cheaper placement than all nodes.
void Chooser::search_parts(const Offer& all) {
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
void Chooser::search_narrower(const Offer& wide) {
  if (optimal_ || !in_time() || !small()) return;
  std::int32_t levels = wide.scope == LeafScope::whole ? node_tree().tree.depth() : wide.levels_up;
  while (--levels >= 0 && in_time()) {
    Offer narrower = offer_of(wide.limits, LeafScope::subtree, levels);
    narrower.in_order = wide.in_order;
    narrower.of = Offer::narrower;
    search(narrower);
  }
}

MapOptions options_of(const Request& request) {
  MapOptions options;
  options.seed = mapping::seed_parameter(request);
  options.effort = effort_parameter(request);
  number_parameter(request, "comm-share", 0, 100);  // checked here, used only in the record
  options.levels_up = static_cast<std::int32_t>(number_parameter(request, "levels-up", 0, 64));
  options.scope = scope_parameter(request.parameters) == LeafScope::whole ? LeafScope::whole : LeafScope::subtree;
  return options;
}

Chooser::Chooser(const ClusterView& view, const Request& request, const Deadline& deadline, bool parts)
    : view_(view),
      request_(request),
      slots_(view, request),
      scope_(scope_parameter(request.parameters)),
      parts_(parts),
      options_(options_of(request)) {
  options_.deadline = deadline;
  options_.most_exact_steps = exact_steps_of_part;
  if (request.matrix) memory_ = matrix_memories().of(request.matrix, options_.seed);
}

bool Chooser::small() const { return request_.tasks <= most_tasks_tried_on_all; }

MapOptions Chooser::options_in(const Offer& offer) const {
  MapOptions options = options_;
  options.scope = offer.scope;
  options.levels_up = offer.levels_up;
  return options;
}

// Returns the options for a mapping to the leaves that are given to it.
MapOptions Chooser::options_on_given() const {
  MapOptions options = options_;
  options.scope = LeafScope::given;
  options.memory = memory_.get();
  return options;
}

Chooser::Offer Chooser::offer_of(mapping::NodeLimits limits, LeafScope scope, std::int32_t levels_up) const {
  Offer offer{std::move(limits)};
  offer.in_order = mapping::sequential_counts(offer.limits);
  offer.compact = mapping::compact_counts(view_, offer.limits, levels_up);
  offer.scope = scope;
  offer.levels_up = levels_up;
  return offer;
}

// Returns the limits of the request on these nodes alone; nothing when the nodes do not suffice.
std::optional<mapping::NodeLimits> Chooser::limits_on(const std::vector<std::int32_t>& nodes) const try {
  mapping::NodeCounts capacity(view_.nodes.size(), 0);
  for (const std::int32_t node : nodes) capacity[node] = slots_.capacity()[node];
  return mapping::NodeLimits(view_, request_, std::move(capacity));
} catch (const PlacementError&) {
  return std::nullopt;
}

// Keeps the mapping if it costs less than the best one, or the same on fewer nodes. The first call passes the natural
// order.
void Chooser::keep(Leaves leaf_of_rank, Cost cost, const std::string& method) {
  if (!best_.leaf_of_rank.empty() && cost > best_.cost) return;
  const mapping::NodeCounts counts = slots_.counts(leaf_of_rank);
  const auto nodes = static_cast<std::int32_t>(std::ssize(counts) - std::ranges::count(counts, 0));
  if (!best_.leaf_of_rank.empty() && cost == best_.cost && nodes >= best_.nodes) return;
  best_ = {std::move(leaf_of_rank), cost, nodes, method};
}

void Chooser::keep(Leaves leaf_of_rank, const std::string& method) {
  const Cost cost = view_.tree->hop_bytes(*request_.matrix, leaf_of_rank);
  keep(std::move(leaf_of_rank), cost, method);
}

Placement Chooser::result() const {
  Placement placement = slots_.placement(best_.leaf_of_rank, best_.cost, natural_cost_, best_.method);
  placement.optimal = optimal_;
  return placement;
}

// ---- the searches

void Chooser::in_order(const Offer& offer) {
  if (offer.in_order && offer.of != Offer::narrower) keep(slots_.leaves(*offer.in_order), "natural order");
  if (offer.of == Offer::all) natural_cost_ = best_.cost;
  if (offer.compact && offer.compact != offer.in_order)
    keep(slots_.leaves(*offer.compact), "natural order on the smallest subtree");
}

void Chooser::greedily(const Offer& offer) {
  if (offer.in_order && offer.of != Offer::narrower) greedily_on(*offer.in_order, &offer.limits);
  if (offer.scope == LeafScope::whole) greedily_on(offer.limits.capacity(), &offer.limits);
  if (offer.compact && offer.compact != offer.in_order) greedily_on(*offer.compact, &offer.limits);
}

void Chooser::greedily_on(const mapping::NodeCounts& counts, const mapping::NodeLimits* limits) {
  if (!graph_) graph_ = mapping::scaled_graph(*request_.matrix);
  if (graph_->arc.empty()) return;
  Leaves mapped = mapping::greedy_leaves(*graph_, *view_.tree, slots_.leaves(counts));
  if (limits == nullptr || limits->allow(slots_.counts(mapped))) keep(std::move(mapped), "greedy");
}

// Finds the best legal mapping, unless the search needs more steps than the effort allows.
void Chooser::exactly(const Offer& offer) {
  MappingLimits rules;
  rules.least_nodes = std::min(request_.min_nodes, request_.tasks);
  rules.most_nodes = offer.limits.most_nodes();
  rules.even = offer.limits.even();
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
  for (std::size_t n = 0; n < view_.nodes.size(); ++n)
    if (const std::int32_t room = offer.limits.capacity()[n]; room > 0)
      rules.nodes.push_back({vertex_of_node[n], room, offer.limits.required(static_cast<std::int32_t>(n))});
  const std::int64_t steps =
      offer.of == Offer::all && parts_ ? exact_steps_per_effort * options_.effort : exact_steps_of_part;
  std::optional<Leaves> found = optimum(rules, offer.limits.capacity(), offer.scope, offer.levels_up, steps);
  if (!found || !offer.limits.allow(slots_.counts(*found))) return;
  optimal_ = offer.of == Offer::all;
  try {
    Leaves ordered = *found;
    order_equal_branches(*view_.tree, ordered, mapping::WorkBudget(options_.deadline));
    if (offer.limits.allow(slots_.counts(ordered))) found = std::move(ordered);
  } catch (const mapping::OutOfTime&) {
  }
  const Cost cost = view_.tree->hop_bytes(*request_.matrix, *found);
  if (cost == best_.cost && cost < natural_cost_) best_.cost = cost + 1;  // ties go to this search: its ranks ascend
  keep(*std::move(found), cost, "exact search");
  if (optimal_ && best_.cost == cost) best_.method += ", optimal";
}

// Returns the mapping with the least hop-bytes within the rules. Returns nothing when there is none, when the search
// would take more than `steps`, or when the time has ended. Nodes without room have no usable leaves.
std::optional<Chooser::Leaves> Chooser::optimum(const MappingLimits& rules, const mapping::NodeCounts& room,
                                                LeafScope scope, std::int32_t levels_up, std::int64_t steps) const try {
  if (request_.tasks > most_ranks_mapped_exactly || request_.matrix->pairs() == 0) return std::nullopt;
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
  for (std::size_t n = 0; n < view_.nodes.size(); ++n)  // the vertex of a node may have other leaves
    if (room[n] > 0 && view_.tree->leaf_count(vertex_of_node[n]) != view_.nodes[n].cores()) return std::nullopt;
  const mapping::WorkBudget watch(options_.deadline);
  watch.spend(view_.tree->vertices());
  Leaves usable = slots_.all_leaves();
  std::erase_if(usable, [&](std::int32_t leaf) { return room[slots_.node_of(leaf)] == 0; });
  if (std::ssize(usable) < request_.tasks) return std::nullopt;
  return exact_mapping(*request_.matrix, *view_.tree, usable, scope, levels_up, rules, steps, watch);
} catch (const mapping::OutOfTime&) {
  return std::nullopt;
}

MapResult Chooser::mapped(const mapping::NodeCounts& counts, const MapOptions& options) const {
  Leaves leaves = slots_.leaves(counts);
  if (!std::ranges::is_sorted(leaves)) std::ranges::sort(leaves);
  return map_to_tree(*request_.matrix, *view_.tree, leaves, options);
}

// Maps with the effort of a search among all leaves, as for a step. The plan of the step's job comes from a search
// among more leaves. With less effort, the step would cost more than its plan.
MapResult Chooser::mapped_longer(const mapping::NodeCounts& counts) const {
  MapOptions options = options_;
  options.scope = LeafScope::whole;
  options.anneal_exchanges = true;
  return mapped(counts, options);
}

// Maps to the first nodes; a small job as its step would be mapped. Then moves ranks among the slots of their node, if
// the node has free slots.
void Chooser::on_first_nodes(const Offer& offer) {
  if (!offer.in_order) return;
  MapResult on_first = small() ? mapped_longer(*offer.in_order) : mapped(*offer.in_order, options_on_given());
  if (place_on_sockets(view_, request_, slots_, on_first.leaf_of_rank, SocketsOf::nodes_with_free_slots,
                       effort_within_nodes, options_.deadline))
    return keep(std::move(on_first.leaf_of_rank), on_first.method + ", then each node's sockets");
  keep(std::move(on_first));
}

// Chooses nodes, cores and ranks together, without regard to the limits on nodes, and keeps the result if it meets
// them. After the deadline, keeps it only if every mapping would meet them.
void Chooser::jointly(const Offer& offer) {
  MapOptions options = options_in(offer);
  options.memory = memory_.get();
  MapResult result = mapped(offer.limits.capacity(), options);
  const bool any_is_legal =
      !offer.limits.spreads() && offer.limits.most_nodes() >= request_.tasks && request_.required_nodes.empty();
  const mapping::NodeCounts counts = slots_.counts(result.leaf_of_rank);
  if ((!any_is_legal && !in_time()) || !offer.limits.allow(counts)) return;
  joint_nodes_ = static_cast<std::int32_t>(std::ssize(counts) - std::ranges::count(counts, 0));
  chosen_ = true;
  keep(std::move(result));
}

void Chooser::on_compact_nodes(const Offer& offer) { keep(mapped(*offer.compact, options_on_given())); }

// ---- steps, and jobs without a matrix

// Returns the leaf of each rank when the ranks fill the nodes in the order of the tree. Consecutive ranks are then near
// each other.
Chooser::Leaves Chooser::in_order_of_tree(const mapping::NodeCounts& counts) const {
  std::vector<std::int32_t> node_of_rank;
  for (const std::int32_t node : node_tree().order)
    node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(counts[node]), node);
  return slots_.leaves_on(node_of_rank);
}

// Places the ranks where each node has its number of tasks.
Placement Chooser::on_counts(const mapping::NodeCounts& counts) {
  const Leaves natural = slots_.leaves(counts);
  if (!request_.matrix) return slots_.placement(in_order_of_tree(counts), natural, "the order of the topology");
  keep(natural, "natural order");
  natural_cost_ = best_.cost;
  if (auto planned = slots_.leaves_of_ranks(request_.planned_ranks, counts))
    keep(*std::move(planned), "the plan of the job");
  if (request_.matrix->pairs() <= most_pairs_mapped_quickly) greedily_on(counts, nullptr);
  if (in_time()) {
    MappingLimits rules;
    const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
    for (std::size_t n = 0; n < counts.size(); ++n)
      if (counts[n] > 0) rules.nodes.push_back({vertex_of_node[n], counts[n], true});
    auto best = optimum(rules, counts, LeafScope::whole, 0, exact_steps_per_effort * options_.effort);
    if (best && slots_.counts(*best) == counts) {
      keep(*std::move(best), "exact search, optimal");
    } else {
      keep(request_.tasks <= most_ranks_searched_often ? mapped_longer(counts) : mapped(counts, options_on_given()));
    }
  }
  if (place_on_sockets(view_, request_, slots_, best_.leaf_of_rank, SocketsOf::nodes_with_free_slots,
                       effort_within_nodes, options_.deadline)) {
    best_.cost = view_.tree->hop_bytes(*request_.matrix, best_.leaf_of_rank);
    best_.method += ", then each node's sockets";
  }
  return result();
}

}  // namespace placement::treematch
