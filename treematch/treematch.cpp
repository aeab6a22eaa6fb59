// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/treematch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "common/matrix/matrix_coarsen.hpp"
#include "common/util/error.hpp"
#include "common/util/placement_error.hpp"
#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "treematch/canonical.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/objectives.hpp"
#include "treematch/request_limits.hpp"
#include "treematch/subtree_search.hpp"
#include "treematch/tree_map.hpp"
#include "treematch/within_nodes.hpp"

namespace placement::treematch {

namespace {

// slurmctld waits for the answer. Therefore only small jobs are tried on several choices of nodes. Ranks are joined to
// groups by traffic only if this takes about ten milliseconds at most; most_work_on_groups counts ranks and pairs.
constexpr std::int32_t most_tasks_tried_on_all = 128;
constexpr std::int32_t most_tasks_tried_on_first_nodes = 512;
constexpr std::int64_t most_work_on_groups = 100'000;

// Up to so many tasks with limits on nodes are placed on each of so many subtrees alone. Where there are no limits, the
// mapper does this.
constexpr std::int32_t most_tasks_on_each = 32;
constexpr std::size_t most_subtrees_with_limits = 4;

// How many choices of nodes and cores are tried as srun will use them: so many, of those that cost at most this
// percentage of the best.
constexpr std::size_t most_tried_as_step = 2;
constexpr int percent_tried_as_step = 103;

constexpr std::int32_t effort_for_nodes = 1;     // for groups of ranks on the nodes of one subtree
constexpr std::int32_t effort_within_nodes = 2;  // for the ranks of one node; with it ten ranks are placed optimally

// A mapping of the ranks, with its hop-bytes and the number of nodes that it uses.
struct Candidate {
  std::vector<std::int32_t> leaf_of_rank;
  Cost cost = 0;
  std::int32_t nodes = 0;
  std::string method;
};

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

// The tree above the nodes, whose leaves are nodes; order[l] is the view's node on leaf l.
struct NodeTree {
  std::vector<std::int32_t> order;
  TreeTopology tree;
};

// Makes one decision: places one request on one view.
class Chooser {
 public:
  // Placements of steps by the leaves that they were offered, ascending.
  using StepMemory = std::map<std::vector<std::int32_t>, Placement>;

  // With `steps`, small jobs have the choice of nodes on which srun places the ranks best. It holds what was placed for
  // a request that differs from this one at most by the scope.
  Chooser(const ClusterView& view, const Request& request, const Deadline& deadline, StepMemory* steps)
      : view_(view),
        request_(request),
        slots_(view, request),
        scope_(scope_parameter(request.parameters)),
        options_(options_of(request)),
        steps_(steps) {
    options_.deadline = deadline;
    remembering_ = options_;
    if (request.matrix) memory_ = matrix_memories().of(request.matrix, options_.seed);
    remembering_.memory = memory_.get();
  }

  Placement choose() const;

 private:
  Placement on_counts(const mapping::NodeCounts& counts) const;
  std::vector<std::int32_t> in_order_of_tree(const mapping::NodeCounts& counts) const;
  Placement among(const mapping::NodeLimits& limits, const mapping::NodeCounts& in_order,
                  const std::optional<mapping::NodeCounts>& compact) const;
  Placement best_of(const std::vector<Candidate>& candidates) const;
  Placement best_as_step(std::vector<Candidate> candidates) const;
  Placement as_step(const Candidate& candidate) const;
  std::optional<Candidate> alone_on(const std::vector<std::int32_t>& nodes) const;
  Request on_nodes(const std::vector<std::int32_t>& nodes) const;
  ClusterView with_nodes(const std::vector<std::int32_t>& nodes) const;
  void keep_narrower(Placement& placement) const;
  Candidate evaluated(std::vector<std::int32_t> leaf_of_rank, std::string method) const;
  Candidate candidate(std::vector<std::int32_t> leaf_of_rank, Cost cost, std::string method) const;
  Candidate mapped(const mapping::NodeCounts& counts) const;
  Candidate mapped(const mapping::NodeCounts& counts, const MapOptions& options) const;
  Candidate mapped_longer(const mapping::NodeCounts& counts) const;
  Candidate on_sockets(Candidate candidate) const;
  std::optional<Candidate> optimal(const mapping::NodeLimits& limits) const;
  std::optional<Candidate> optimal_step() const;
  std::optional<Candidate> free_choice(const mapping::NodeLimits& limits) const;
  std::optional<std::vector<std::int32_t>> nodes_of_groups(const mapping::NodeLimits& limits, std::int32_t nodes,
                                                           const std::vector<bool>& offered,
                                                           const MapOptions& options) const;
  std::optional<Candidate> grouped(const mapping::NodeLimits& limits, std::int32_t nodes) const;
  std::optional<Candidate> grouped_on(const mapping::NodeLimits& limits, std::int32_t nodes,
                                      const std::vector<std::int32_t>& subtree) const;
  const NodeTree& node_tree() const;
  std::vector<std::int32_t> groups_of_ranks(std::int32_t groups, std::int32_t size) const;
  std::vector<std::int32_t> rough_groups(std::int32_t size, const std::vector<std::int32_t>& places) const;

  const ClusterView& view_;
  const Request& request_;
  const mapping::Slots slots_;
  const LeafScope scope_;
  MapOptions options_;
  StepMemory* const steps_;            // may be null
  std::shared_ptr<MapMemory> memory_;  // mappings of the request's matrix found so far; null without matrix
  MapOptions remembering_;             // options_ with memory_
  mutable std::int32_t groups_ = 0;    // the number of groups in group_of_rank_
  mutable std::vector<std::int32_t> group_of_rank_;
  mutable std::optional<NodeTree> node_tree_;  // set by the first call of node_tree()
};

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

// Returns the best of all legal mappings; nothing when there are too many tasks for the exact search.
std::optional<Candidate> Chooser::optimal(const mapping::NodeLimits& limits) const {
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
    auto leaves = exact_mapping(*request_.matrix, *view_.tree, usable, options_.scope, options_.levels_up, rules,
                                exact_steps(options_.effort), watch);
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
// violates them.
std::optional<Candidate> Chooser::free_choice(const mapping::NodeLimits& limits) const {
  MapOptions options = remembering_;
  if (limits.spreads()) options.deadline = options.deadline.halfway();  // the limits are seldom kept in this case
  MapResult result = map_to_tree(*request_.matrix, *view_.tree, sorted(slots_.leaves(limits.capacity())), options);
  if (!limits.allow(slots_.counts(result.leaf_of_rank))) return std::nullopt;
  return candidate(std::move(result.leaf_of_rank), result.cost, std::move(result.method));
}

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
  std::optional<Candidate> optimal;
  if (!request_.node_tasks.empty() && request_.matrix->pairs() > 0) optimal = optimal_step();
  const bool few = request_.tasks <= most_ranks_searched_often;
  Candidate best = optimal ? *std::move(optimal) : few ? mapped_longer(counts) : mapped(counts);
  if (auto planned = slots_.leaves_of_ranks(request_.planned_ranks, counts)) {
    Candidate other = evaluated(*std::move(planned), "the plan of the job");
    if (other.cost <= best.cost) best = std::move(other);
  }
  if (best.cost >= natural_cost) best = candidate(natural, natural_cost, "natural order");
  best = on_sockets(std::move(best));
  return slots_.placement(best.leaf_of_rank, best.cost, natural_cost, best.method);
}

Placement Chooser::among(const mapping::NodeLimits& limits, const mapping::NodeCounts& in_order,
                         const std::optional<mapping::NodeCounts>& compact) const {
  const bool small = request_.tasks <= most_tasks_tried_on_all, few = request_.tasks <= most_tasks_on_each;
  const std::vector<std::int32_t> natural = slots_.leaves(in_order);
  std::vector<Candidate> candidates{evaluated(natural, "natural order")};
  const auto chosen = [&] { return candidates.size() > 1; };
  // Each candidate takes time to evaluate, even when there is no time left to search for a good one.
  const auto in_time = [&] { return !options_.deadline.expired(); };
  const auto add = [&](std::optional<Candidate> candidate) {
    if (candidate) candidates.push_back(std::move(*candidate));
  };
  if (in_time()) add(optimal(limits));
  if (chosen()) {
    if (candidates.back().cost == candidates.front().cost) candidates.front().method += ", optimal";
    if (scope_ != LeafScope::whole && in_time())  // these nodes may be beyond the scope, and cost less
      add(on_sockets(mapped_longer(in_order)));
    Placement placement = best_of(candidates);
    placement.optimal = true;
    return placement;
  }
  // A mapping made without regard to the limits seldom spreads the ranks as the limits ask.
  if (in_time() && (small || !(limits.spreads() || request_.node_level))) add(free_choice(limits));
  const bool limited = !chosen() || limits.spreads();
  const std::int32_t freely = chosen() ? candidates.back().nodes : limits.least_nodes();
  if (in_time() && (small || !chosen())) add(grouped(limits, freely));
  if (in_time() && small && freely > limits.least_nodes()) add(grouped(limits, limits.least_nodes()));
  if (limited && steps_ != nullptr && (few || (!small && request_.tasks <= most_tasks_tried_on_first_nodes))) {
    auto subtrees = mapping::sufficient_subtrees(view_, limits, most_subtrees_with_limits);
    if (few && subtrees.size() == 1) subtrees.clear();  // the other candidates are on it
    for (const auto& nodes : subtrees)
      if (in_time()) add(few ? alone_on(nodes) : grouped_on(limits, freely, nodes));
  }
  if (request_.node_level) {
    if (compact) add(evaluated(slots_.leaves(*compact), "natural order on the smallest subtree"));
  } else {
    if (in_time() && compact && *compact != in_order && (small || !chosen())) add(mapped(*compact));
    if (in_time() && (request_.tasks <= most_tasks_tried_on_first_nodes || !chosen())) {
      add(on_sockets(small ? mapped_longer(in_order) : mapped(in_order)));  // as a step on these nodes would be placed
      if (small && steps_ != nullptr) return best_as_step(std::move(candidates));
    }
  }
  return best_of(candidates);
}

// Returns the candidate with the least cost; ties go to the one with the fewest nodes. The first candidate is the
// natural order.
Placement Chooser::best_of(const std::vector<Candidate>& candidates) const {
  const auto best = std::min_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.nodes < b.nodes;
  });
  return slots_.placement(best->leaf_of_rank, best->cost, candidates.front().cost, best->method);
}

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
  if (!placement.optimal && (limited || request_.tasks <= most_tasks_tried_on_all)) keep_narrower(placement);
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
  const bool small = request_.tasks <= most_tasks_tried_on_all;
  narrower.parameters["levels-up"] = std::to_string(small ? levels - 1 : 0);
  // Without `steps` a large job is not placed on each subtree once more.
  Placement other = Chooser(view_, narrower, options_.deadline, small ? steps_ : nullptr).choose();
  if (other.cost < placement.cost) placement = std::move(other);
}

}  // namespace

LeafScope scope_parameter(const Parameters& parameters) {
  const auto found = parameters.find("scope");
  if (found == parameters.end() || found->second == "subtree") return LeafScope::subtree;
  if (found->second == "whole") return LeafScope::whole;
  if (found->second == "allocation") return LeafScope::given;
  throw Error("scope=" + found->second + ": allocation, whole or subtree is wanted");
}

std::int32_t effort_parameter(const Request& request) {
  return static_cast<std::int32_t>(number_parameter(request, "effort", usual_effort, 1000, 1));
}

void check_treematch(const Parameters& parameters) {
  Request request;
  request.parameters = parameters;
  options_of(request);
  objective_parameter(parameters);
}

Placement place_treematch(const ClusterView& view, const Request& request, const Deadline& deadline) {
  if (request.tasks < 1) throw Error(std::to_string(request.tasks) + " tasks: at least 1 is wanted");
  if (!request.node_tasks.empty() && request.node_tasks.size() != view.nodes.size())
    throw Error(std::to_string(request.node_tasks.size()) + " task counts for " + std::to_string(view.nodes.size()) +
                " nodes");
  const Objective objective = objective_parameter(request.parameters);
  const auto by_hop_bytes = [&](const ClusterView& offered, const Request& wanted) {
    Chooser::StepMemory steps;
    const bool of_job = wanted.matrix == request.matrix;  // an objective may ask for other matrices, too
    return Chooser(offered, wanted, deadline, of_job ? &steps : nullptr).choose();
  };
  if (!request.matrix) return by_hop_bytes(view, request);
  return place_by_objective(objective, view, request, deadline, by_hop_bytes);
}

}  // namespace placement::treematch
