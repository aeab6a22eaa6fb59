// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/chooser.hpp"

#include <algorithm>

#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "mapping/greedy.hpp"
#include "mapping/leaf_tree.hpp"
#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/request_limits.hpp"
#include "treematch/subtree_search.hpp"
#include "treematch/treematch.hpp"
#include "treematch/within_nodes.hpp"

namespace placement::treematch {

namespace {

// Up to so many tasks with limits on nodes are placed on each of so many subtrees alone. Where there are no limits, the
// mapper does this.
constexpr std::int32_t most_tasks_on_each = 32;
constexpr std::size_t most_subtrees_with_limits = 4;
constexpr std::int32_t most_tasks_on_fullest = 64;  // of which the fullest leaf switches are tried alone, too
constexpr std::int32_t effort_within_nodes = 2;     // for the ranks of one node; with it ten ranks are placed optimally

}  // namespace

MapOptions options_of(const Request& request) {
  MapOptions options;
  options.seed =
      static_cast<std::uint64_t>(number_parameter(request, "seed", static_cast<std::int64_t>(request.seed), INT64_MAX));
  options.effort = effort_parameter(request);
  number_parameter(request, "comm-share", 0, 100);  // for the record alone
  options.levels_up = static_cast<std::int32_t>(number_parameter(request, "levels-up", 0, 64));
  options.scope = scope_parameter(request.parameters) == LeafScope::whole ? LeafScope::whole : LeafScope::subtree;
  return options;
}

std::vector<std::int32_t> sorted(std::vector<std::int32_t> leaves) {
  // Nodes are mostly in the order of their leaves, and the list is then sorted already.
  if (!std::is_sorted(leaves.begin(), leaves.end())) std::sort(leaves.begin(), leaves.end());
  return leaves;
}

Chooser::Chooser(const ClusterView& view, const Request& request, const Deadline& deadline, Of of)
    : view_(view),
      request_(request),
      slots_(view, request),
      scope_(scope_parameter(request.parameters)),
      options_(options_of(request)),
      of_(of),
      exact_steps_(of == Of::part ? exact_steps_of_part : exact_steps(options_.effort)) {
  options_.deadline = deadline;
  options_.most_exact_steps = exact_steps_of_part;
  remembering_ = options_;
  if (request.matrix) memory_ = matrix_memories().of(request.matrix, options_.seed);
  remembering_.memory = memory_.get();
}

Candidate Chooser::evaluated(std::vector<std::int32_t> leaf_of_rank, std::string method) const {
  const Cost cost = view_.tree->hop_bytes(*request_.matrix, leaf_of_rank);
  return candidate(std::move(leaf_of_rank), cost, std::move(method));
}

Candidate Chooser::candidate(std::vector<std::int32_t> leaf_of_rank, Cost cost, std::string method) const {
  Candidate candidate;
  candidate.cost = cost;
  const mapping::NodeCounts counts = slots_.counts(leaf_of_rank);
  candidate.nodes =
      static_cast<std::int32_t>(std::count_if(counts.begin(), counts.end(), [](auto c) { return c > 0; }));
  candidate.leaf_of_rank = std::move(leaf_of_rank);
  candidate.method = std::move(method);
  return candidate;
}

Candidate Chooser::mapped(const mapping::NodeCounts& counts) const {
  MapOptions options = remembering_;
  options.scope = LeafScope::given;
  return mapped(counts, options);
}

Candidate Chooser::mapped(const mapping::NodeCounts& counts, const MapOptions& options) const {
  MapResult result = map_to_tree(*request_.matrix, *view_.tree, sorted(slots_.leaves(counts)), options);
  return candidate(std::move(result.leaf_of_rank), result.cost, std::move(result.method));
}

// As mapped(), for a step. The nodes of its job were chosen by a search that moved ranks among more leaves; with the
// effort of mapped() the ranks would cost more than was planned.
Candidate Chooser::mapped_longer(const mapping::NodeCounts& counts) const {
  MapOptions options = options_;
  options.scope = LeafScope::whole;
  options.anneal_exchanges = true;
  return mapped(counts, options);
}

// Lets the ranks of each node take other slots of it, where some are free.
Candidate Chooser::on_sockets(Candidate candidate) const {
  if (!place_on_sockets(view_, request_, slots_, candidate.leaf_of_rank, SocketsOf::nodes_with_free_slots,
                        effort_within_nodes, options_.deadline))
    return candidate;
  candidate.cost = view_.tree->hop_bytes(*request_.matrix, candidate.leaf_of_rank);
  candidate.method += ", then each node's sockets";
  return candidate;
}

// Returns the best of all legal mappings; nothing when the exact search would take more steps than `steps`.
std::optional<Candidate> Chooser::optimal(const mapping::NodeLimits& limits, std::int64_t steps) const {
  if (request_.tasks > most_ranks_mapped_exactly || request_.matrix->pairs() == 0) return std::nullopt;
  MappingLimits rules;
  rules.least_nodes = std::min(request_.min_nodes, request_.tasks);
  rules.most_nodes = limits.most_nodes();
  rules.even = limits.even();
  const std::vector<std::int32_t> vertex_of_node = mapping::node_vertices(view_);
  for (std::size_t n = 0; n < view_.nodes.size(); ++n) {
    const auto node = static_cast<std::int32_t>(n);
    if (limits.capacity()[n] == 0) continue;
    const std::int32_t vertex = vertex_of_node[n];
    if (view_.tree->leaf_count(vertex) != view_.nodes[n].cores()) return std::nullopt;
    rules.nodes.push_back({vertex, limits.capacity()[n], limits.required(node)});
  }
  try {
    const mapping::WorkBudget watch(options_.deadline);
    watch.spend(view_.tree->vertices());
    std::vector<std::int32_t> usable = slots_.all_leaves();  // a leaf of a node without rules would be free of them
    std::erase_if(usable, [&](std::int32_t leaf) { return limits.capacity()[slots_.node_of(leaf)] == 0; });
    auto leaves =
        exact_mapping(*request_.matrix, *view_.tree, usable, options_.scope, options_.levels_up, rules, steps, watch);
    if (!leaves || !limits.allow(slots_.counts(*leaves))) return std::nullopt;
    std::vector<std::int32_t> ordered = *leaves;
    order_equal_branches(*view_.tree, ordered, watch);
    return evaluated(limits.allow(slots_.counts(ordered)) ? std::move(ordered) : std::move(*leaves),
                     "exact search, optimal");
  } catch (const mapping::OutOfTime&) {
    return std::nullopt;
  }
}

// Returns the best mapping of a step to all free cores of its nodes; nothing when there are too many tasks for the
// exact search, or no more free cores than tasks.
std::optional<Candidate> Chooser::optimal_step() const {
  if (request_.tasks > most_ranks_mapped_exactly) return std::nullopt;
  const MappingLimits rules = limits_of(view_, request_, request_.node_tasks);
  const auto usable = usable_leaves(view_, slots_, rules);
  if (!usable || std::ssize(*usable) <= request_.tasks) return std::nullopt;
  try {
    const mapping::WorkBudget watch(options_.deadline);
    watch.spend(view_.tree->vertices());
    auto leaves = exact_mapping(*request_.matrix, *view_.tree, *usable, LeafScope::whole, 0, rules,
                                exact_steps(options_.effort), watch);
    if (!leaves || slots_.counts(*leaves) != request_.node_tasks) return std::nullopt;
    return evaluated(*std::move(leaves), "exact search, optimal");
  } catch (const mapping::OutOfTime&) {
    return std::nullopt;
  }
}

// Chooses nodes, cores and ranks together, without regard to the limits on nodes. Returns nothing when the mapping
// violates them, and when the search is cut short where the mapping at its end may violate them.
std::optional<Candidate> Chooser::free_choice(const mapping::NodeLimits& limits) const {
  MapResult result = map_to_tree(*request_.matrix, *view_.tree, sorted(slots_.leaves(limits.capacity())), remembering_);
  const bool any_is_legal =
      !limits.spreads() && limits.most_nodes() >= request_.tasks && request_.required_nodes.empty();
  if (!any_is_legal && !in_time()) return std::nullopt;
  if (!limits.allow(slots_.counts(result.leaf_of_rank))) return std::nullopt;
  return candidate(std::move(result.leaf_of_rank), result.cost, std::move(result.method));
}

// Returns the leaf of each rank when the ranks fill the nodes in the order in which these stand in the tree, so that
// consecutive ranks are near each other.
std::vector<std::int32_t> Chooser::in_order_of_tree(const mapping::NodeCounts& counts) const {
  std::vector<std::int32_t> node_of_rank;
  for (const std::int32_t node : node_tree().order)
    node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(counts[node]), node);
  return slots_.leaves_on(node_of_rank);
}

Placement Chooser::on_counts(const mapping::NodeCounts& counts) const {
  const std::vector<std::int32_t> natural = slots_.leaves(counts);
  if (natural.size() != static_cast<std::size_t>(request_.tasks))
    throw Error(std::to_string(natural.size()) + " tasks are laid out, and the request has " +
                std::to_string(request_.tasks));
  if (!request_.matrix) return slots_.placement(in_order_of_tree(counts), natural, "the order of the topology");
  const Cost natural_cost = view_.tree->hop_bytes(*request_.matrix, natural);
  std::vector<Candidate> cheap{candidate(natural, natural_cost, "natural order")};
  if (auto planned = slots_.leaves_of_ranks(request_.planned_ranks, counts))
    cheap.push_back(evaluated(*std::move(planned), "the plan of the job"));
  if (mapped_quickly())
    if (auto greedy = greedy_on(counts, mapping::scaled_graph(*request_.matrix))) cheap.push_back(*std::move(greedy));
  Candidate best = *std::ranges::min_element(cheap, {}, &Candidate::cost);
  if (in_time()) {
    std::optional<Candidate> found;
    if (!request_.node_tasks.empty() && request_.matrix->pairs() > 0) found = optimal_step();
    if (!found) found = request_.tasks <= most_ranks_searched_often ? mapped_longer(counts) : mapped(counts);
    if (found->cost == best.cost && best.cost < natural_cost) best.method = found->method;
    if (found->cost < best.cost) best = *std::move(found);
  }
  best = on_sockets(std::move(best));
  return slots_.placement(best.leaf_of_rank, best.cost, natural_cost, best.method);
}

Placement Chooser::among(const mapping::NodeLimits& limits, const mapping::NodeCounts& in_order,
                         const std::optional<mapping::NodeCounts>& compact) const {
  std::vector<Candidate> candidates = cheap_choices(limits, in_order, compact);
  const std::size_t cheap = candidates.size();
  if (auto best = in_time() ? optimal(limits, std::min(exact_steps_, quick_exact_steps)) : std::nullopt)
    return proved(*std::move(best), std::move(candidates), in_order);
  std::optional<Candidate> on_first;  // made before the searches of more nodes, which may leave no time for it
  if (small() && !request_.node_level && in_time()) on_first = on_first_nodes(in_order);
  const bool limited = add_joint_choices(limits, candidates);
  if (auto best = in_time() && exact_steps_ > quick_exact_steps ? optimal(limits, exact_steps_) : std::nullopt)
    return proved(*std::move(best), std::move(candidates), in_order);
  if (request_.node_level) return best_of(candidates);
  const auto chosen = [&] { return candidates.size() > cheap; };
  if (in_time() && compact && *compact != in_order && (small() || !chosen())) candidates.push_back(mapped(*compact));
  if (!on_first && in_time() && (request_.tasks <= most_tasks_tried_on_first_nodes || !chosen()))
    on_first = on_first_nodes(in_order);
  const bool any_nodes = !limited && scope_ == LeafScope::whole && request_.required_nodes.empty();
  if (on_first && any_nodes && of_ == Of::job && request_.tasks <= most_tasks_on_fullest && in_time())
    if (auto other = alone_on_fullest()) candidates.push_back(*std::move(other));
  if (on_first) candidates.push_back(*std::move(on_first));
  return best_of(candidates);
}

// Returns the mappings that take a fraction of a millisecond, for whatever little time there is: the natural order,
// which is the first one, and the greedy mapping.
std::vector<Candidate> Chooser::cheap_choices(const mapping::NodeLimits& limits, const mapping::NodeCounts& in_order,
                                              const std::optional<mapping::NodeCounts>& compact) const {
  std::vector<Candidate> candidates{evaluated(slots_.leaves(in_order), "natural order")};
  if (compact && *compact != in_order)
    candidates.push_back(evaluated(slots_.leaves(*compact), "natural order on the smallest subtree"));
  if (!mapped_quickly()) return candidates;
  const mapping::Graph graph = mapping::scaled_graph(*request_.matrix);
  std::vector<mapping::NodeCounts> offers{in_order};
  if (scope_ == LeafScope::whole) offers.push_back(limits.capacity());
  if (compact && *compact != in_order) offers.push_back(*compact);
  for (const mapping::NodeCounts& offer : offers)
    if (auto greedy = greedy_on(offer, graph); greedy && limits.allow(slots_.counts(greedy->leaf_of_rank)))
      candidates.push_back(*std::move(greedy));
  return candidates;
}

// Returns the greedy mapping on these slots; nothing without traffic.
std::optional<Candidate> Chooser::greedy_on(const mapping::NodeCounts& counts, const mapping::Graph& graph) const {
  if (graph.arc.empty()) return std::nullopt;
  const mapping::LeafTree tree(*view_.tree, sorted(slots_.leaves(counts)));
  std::vector<std::int32_t> mapped = mapping::greedy_mapping(graph, tree);
  for (std::int32_t& slot : mapped) slot = tree.leaf(slot);
  return evaluated(std::move(mapped), "greedy");
}

// Returns the mapping to the first nodes; of a small job, as its step would be placed there.
Candidate Chooser::on_first_nodes(const mapping::NodeCounts& in_order) const {
  return on_sockets(small() ? mapped_longer(in_order) : mapped(in_order));
}

// Returns the placement for the optimum of the scope. The first nodes may be beyond the scope, and cost less.
Placement Chooser::proved(Candidate best, std::vector<Candidate> candidates,
                          const mapping::NodeCounts& in_order) const {
  if (best.cost == candidates.front().cost) candidates.front().method += ", optimal";
  candidates.insert(candidates.begin() + 1, std::move(best));
  if (scope_ != LeafScope::whole && in_time()) candidates.push_back(on_first_nodes(in_order));
  Placement placement = best_of(candidates);
  placement.optimal = true;
  return placement;
}

// Adds mappings that choose nodes, cores and ranks together to the cheap ones, the only candidates so far. Returns
// whether the limits on nodes bear on the choice.
bool Chooser::add_joint_choices(const mapping::NodeLimits& limits, std::vector<Candidate>& candidates) const {
  const bool few = request_.tasks <= most_tasks_on_each;
  const std::size_t cheap = candidates.size();
  const auto chosen = [&] { return candidates.size() > cheap; };
  const auto add = [&](std::optional<Candidate> candidate) {
    if (candidate) candidates.push_back(std::move(*candidate));
  };
  // A mapping made without regard to the limits seldom spreads the ranks as the limits ask.
  if (in_time() && (small() || !(limits.spreads() || request_.node_level))) add(free_choice(limits));
  const bool limited = !chosen() || limits.spreads();
  const std::int32_t freely = chosen() ? candidates.back().nodes : limits.least_nodes();
  if (in_time() && (small() || !chosen())) add(grouped(limits, freely));
  if (in_time() && small() && freely > limits.least_nodes()) add(grouped(limits, limits.least_nodes()));
  if (limited && of_ == Of::job && (few || (!small() && request_.tasks <= most_tasks_tried_on_first_nodes))) {
    auto subtrees = mapping::sufficient_subtrees(view_, limits, most_subtrees_with_limits);
    if (few && subtrees.size() == 1) subtrees.clear();  // the other candidates are on it
    for (const auto& nodes : subtrees)
      if (in_time()) add(few ? alone_on(nodes) : grouped_on(limits, freely, nodes));
  }
  return limited;
}

// Returns the candidate with the least cost; ties go to the one with the fewest nodes. The first candidate is the
// natural order.
Placement Chooser::best_of(const std::vector<Candidate>& candidates) const {
  const auto best = std::min_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.nodes < b.nodes;
  });
  return slots_.placement(best->leaf_of_rank, best->cost, candidates.front().cost, best->method);
}

Placement Chooser::choose() const {
  if (request_.matrix && request_.matrix->ranks() != request_.tasks)
    throw Error("the matrix has " + std::to_string(request_.matrix->ranks()) + " ranks, and " +
                std::to_string(request_.tasks) + " tasks are asked for");
  if (!request_.node_tasks.empty()) return on_counts(request_.node_tasks);
  if (scope_ == LeafScope::given) throw Error("scope=allocation leaves the choice of nodes to Slurm");
  const mapping::NodeLimits limits(view_, request_, slots_.capacity());
  auto in_order = mapping::sequential_counts(limits);
  const auto compact = mapping::compact_counts(view_, limits, options_.levels_up);
  if (!in_order) in_order = compact;
  if (!in_order)
    throw PlacementError(STOCK_NO_ROOM, "no choice of nodes keeps to the limits on nodes and tasks per node");
  if (!request_.matrix) return on_counts(compact ? *compact : *in_order);
  Placement placement = among(limits, *in_order, compact);
  const bool limited = limits.spreads() || limits.most_nodes() < request_.tasks;
  if (!placement.optimal && request_.tasks <= (limited ? most_tasks_tried_on_first_nodes : most_tasks_tried_on_all))
    keep_narrower(placement);
  return placement;
}

// Replaces the placement by that of a narrower scope if the latter costs less. This happens where the limits on nodes
// rule out the mapping of the wider scope, and where a search among fewer leaves comes to a better end. Large jobs,
// which take long, are tried with the narrowest scope alone.
void Chooser::keep_narrower(Placement& placement) const {
  const std::int32_t levels = options_.scope == LeafScope::whole ? node_tree().tree.depth() : options_.levels_up;
  if (levels < 1 || options_.deadline.expired()) return;
  Request narrower = request_;
  narrower.parameters["scope"] = "subtree";
  narrower.parameters["levels-up"] = std::to_string(small() ? levels - 1 : 0);
  // A large job is not placed on each subtree once more.
  Chooser chooser(view_, narrower, options_.deadline, small() ? of_ : Of::part);
  chooser.exact_steps_ = exact_steps_of_part;
  Placement other = chooser.choose();
  if (other.cost < placement.cost) placement = std::move(other);
}

}  // namespace placement::treematch
