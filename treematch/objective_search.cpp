// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/objective_search.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mapping/node_choice.hpp"
#include "mapping/slots.hpp"
#include "mapping/work_budget.hpp"
#include "treematch/exact_map.hpp"
#include "treematch/leaf_choice.hpp"
#include "treematch/objective_tally.hpp"
#include "treematch/reduced_tree.hpp"
#include "treematch/request_limits.hpp"
#include "treematch/subtree_classes.hpp"
#include "treematch/treematch.hpp"

namespace placement::treematch {

namespace {

struct OutOfWork {};

class Search {
 public:
  Search(const ClusterView& view, const Request& request, ObjectiveGoal goal, MappingLimits limits,
         const std::vector<std::int32_t>& usable, std::int64_t work, const Deadline& deadline)
      : tree_(*view.tree),
        request_(request),
        goal_(std::move(goal)),
        limits_(std::move(limits)),
        classes_(tree_, usable, request.tasks, limits_.nodes),
        limit_of_(tree_.vertices(), -1),
        required_(static_cast<std::int32_t>(
            std::count_if(limits_.nodes.begin(), limits_.nodes.end(), [](const NodeLimit& n) { return n.required; }))),
        work_(work),
        watch_(deadline),
        traffic_(static_cast<std::size_t>(request.tasks) * request.tasks, 0),
        ranks_on_(limits_.nodes.size(), 0) {
    for (std::size_t n = 0; n < limits_.nodes.size(); ++n)
      limit_of_[limits_.nodes[n].vertex] = static_cast<std::int32_t>(n);
    for (const CommEdge& edge : request.matrix->edges())
      traffic_[at(edge.a, edge.b)] = traffic_[at(edge.b, edge.a)] = edge.weight;
    put_in_order();
  }

  // Tries the subtrees below `tops`. Subtrees of one class are interchangeable.
  void below(std::span<const std::int32_t> tops) {
    std::vector<bool> tried(classes_.classes().size(), false);
    for (const std::int32_t top : tops) {
      const std::int32_t of = classes_.of(top);
      if (of < 0 || tried[of]) continue;
      tried[of] = true;
      const SubtreeClass& subtree = classes_.classes()[of];
      if (subtree.slots < request_.tasks || subtree.required != required_ || !subtree.holds_nodes) continue;
      part_ = reduced_tree(tree_, classes_, top);
      tally_.emplace(goal_.objective, goal_.groups, request_.tasks, rooms());
      least_distance_ = least_distance();
      place_next();
      if (any_ && !found_.empty()) return;
    }
  }

  // Whether a placement below one of `tops` keeps to the limits.
  bool any_below(std::span<const std::int32_t> tops) {
    any_ = true;
    found_.clear();
    below(tops);
    any_ = false;
    return !std::exchange(found_, {}).empty();
  }

  std::vector<std::int32_t> found() const { return found_; }

 private:
  std::size_t at(std::int32_t a, std::int32_t b) const { return static_cast<std::size_t>(a) * request_.tasks + b; }
  std::int32_t placed() const { return static_cast<std::int32_t>(at_.size()); }

  // Orders the ranks so that each has much traffic with those before it, and sums the traffic that is not among the
  // first ranks.
  void put_in_order() {
    std::vector<std::int64_t> gain(request_.tasks, 0);
    for (std::int32_t rank = 0; rank < request_.tasks; ++rank)
      for (std::int32_t other = 0; other < request_.tasks; ++other) gain[rank] += traffic_[at(rank, other)] / 2;
    later_traffic_ = {request_.matrix->total_weight()};
    while (std::ssize(order_) < request_.tasks) {
      const auto next = static_cast<std::int32_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
      if (order_.empty()) std::fill(gain.begin(), gain.end(), 0);
      std::int64_t left = later_traffic_.back();
      for (const std::int32_t before : order_) left -= traffic_[at(next, before)];
      order_.push_back(next);
      later_traffic_.push_back(left);
      for (std::int32_t rank = 0; rank < request_.tasks; ++rank)
        if (gain[rank] >= 0) gain[rank] += traffic_[at(next, rank)];
      gain[next] = -1;
      twin_.push_back(order_.size() > 1 && twins(next, order_.end()[-2]));
    }
  }

  // Whether two ranks have equal traffic with each other rank, so that they can change places.
  bool twins(std::int32_t a, std::int32_t b) const {
    for (std::int32_t other = 0; other < request_.tasks; ++other)
      if (other != a && other != b && traffic_[at(a, other)] != traffic_[at(b, other)]) return false;
    return true;
  }

  // Returns the room of each leaf switch: of the nodes just below each vertex, or of the node at the top.
  std::vector<std::int32_t> rooms() const {
    std::vector<std::int32_t> room(part_.size(), 0);
    for (const ReducedVertex& v : part_)
      if (limit_of_[v.vertex] >= 0) room[std::max(0, v.parent)] += v.slots;
    return room;
  }

  // Returns the least distance of two ranks. A node with room for one rank counts as one leaf.
  std::int64_t least_distance() const {
    std::int64_t least = INT64_MAX;
    for (const ReducedVertex& v : part_) {
      if (v.slots < 2 || v.children < 2) continue;
      std::vector<std::int64_t> below;
      for (std::int32_t child = v.first_child; child < v.first_child + v.children; ++child)
        below.push_back(part_[child].nearest);
      std::partial_sort(below.begin(), below.begin() + 2, below.end());
      least = std::min(least, (below[0] + below[1]) / 2 - tree_.position(v.vertex));
    }
    return least;
  }

  void place_next() {
    if (placed() == request_.tasks)
      keep();
    else
      descend(0);
  }

  // Tries all leaves below the vertex for the next rank.
  void descend(std::int32_t v) {
    if (any_ && !found_.empty()) return;
    if (part_[v].used == part_[v].slots) return;
    if (twin_[placed()] && part_[v].first_leaf + part_[v].leaves <= part_[at_.back()].first_leaf) return;
    if (part_[v].children == 0) {
      try_leaf(v);
      return;
    }
    std::int32_t untouched = -1;  // class of the last child without ranks
    for (std::int32_t child = part_[v].first_child; child < part_[v].first_child + part_[v].children; ++child) {
      if (part_[child].used == 0 && std::exchange(untouched, part_[child].of) == part_[child].of) continue;
      descend(child);
    }
  }

  void try_leaf(std::int32_t leaf) {
    spend(2 + placed());
    const std::int32_t rank = order_[placed()];
    Cost more = 0;
    for (std::int32_t k = 0; k < placed(); ++k)
      if (const std::int64_t weight = traffic_[at(rank, order_[k])]; weight > 0)
        more +=
            Cost{weight} * tree_.distance(tree_.first_leaf(part_[leaf].vertex), tree_.first_leaf(part_[at_[k]].vertex));
    cost_ += more;
    at_.push_back(leaf);
    const std::int32_t on = take(leaf, 1);
    tally_->add(rank, on);
    if (promising()) place_next();
    tally_->remove(rank, on);
    take(leaf, -1);
    at_.pop_back();
    cost_ -= more;
  }

  void spend(std::int64_t steps) {
    watch_.spend(steps);
    if ((work_ -= steps) < 0) throw OutOfWork{};
  }

  void count_node(const NodeLimit& node, std::int32_t nodes) {
    used_nodes_ += nodes;
    if (node.required) used_required_ += nodes;
  }

  // Adds `ranks` ranks, 1 or -1, to all vertices above the leaf. Returns the leaf switch: the vertex just above the
  // node.
  std::int32_t take(std::int32_t leaf, std::int32_t ranks) {
    std::int32_t on = 0;
    for (std::int32_t v = leaf; v >= 0; v = part_[v].parent) {
      part_[v].used += ranks;
      const std::int32_t node = limit_of_[part_[v].vertex];
      if (node < 0) continue;
      on = std::max(0, part_[v].parent);
      if (part_[v].used == std::max(0, ranks)) count_node(limits_.nodes[node], ranks);
      ranks_on_[node] = part_[v].used;
    }
    return on;
  }

  // Whether the ranks placed so far may be a part of a placement that reaches the goal.
  bool promising() const {
    const std::int32_t left = request_.tasks - placed();
    if (used_nodes_ > limits_.most_nodes || required_ - used_required_ > left) return false;
    if (used_nodes_ + left < limits_.least_nodes) return false;
    if (any_) return true;
    if (!tally_->can_be(goal_.value, left)) return false;
    const Cost cost = cost_ + Cost{later_traffic_[placed()]} * least_distance_;
    return cost <= goal_.most_cost && (cost < goal_.cost || tally_->can_be(goal_.value - 1, left));
  }

  // Whether the numbers of ranks on the used nodes differ by more than the limits allow.
  bool uneven() const {
    if (!limits_.even) return false;
    std::int32_t most = 0, least = request_.tasks;
    for (const std::int32_t ranks : ranks_on_) {
      most = std::max(most, ranks);
      if (ranks > 0) least = std::min(least, ranks);
    }
    return most - least > 1;
  }

  void keep() {
    if (uneven()) return;
    found_.resize(request_.tasks);
    for (std::int32_t k = 0; k < request_.tasks; ++k) found_[order_[k]] = tree_.first_leaf(part_[at_[k]].vertex);
    if (any_) return;
    goal_.value = tally_->value();
    goal_.cost = cost_;
  }

  const TreeTopology& tree_;
  const Request& request_;
  ObjectiveGoal goal_;  // becomes that of the best placement found
  const MappingLimits limits_;
  const SubtreeClasses classes_;
  std::vector<std::int32_t> limit_of_;  // per vertex of the tree: index in limits_.nodes, or -1
  const std::int32_t required_;         // number of nodes that must be used
  std::int64_t work_;
  const mapping::WorkBudget watch_;
  std::vector<std::int64_t> traffic_;  // of each pair of ranks
  std::vector<std::int32_t> order_;    // ranks in the order in which they are placed
  std::vector<bool> twin_;             // of each rank of the order: whether it can change places with the one before
  std::vector<std::int64_t> later_traffic_;  // traffic of all pairs that are not among the first ranks of the order
  bool any_ = false;                         // the first placement within the limits will do
  std::vector<ReducedVertex> part_;          // the subtree that is searched
  std::optional<ObjectiveTally> tally_;
  std::int64_t least_distance_ = 0;
  std::vector<std::int32_t> at_;  // indices in part_ of the leaves of the placed ranks, in their order
  Cost cost_ = 0;                 // hop-bytes among the placed ranks
  std::int32_t used_nodes_ = 0;
  std::int32_t used_required_ = 0;
  std::vector<std::int32_t> ranks_on_;  // number of ranks on each node of limits_.nodes
  std::vector<std::int32_t> found_;
};

// Searches below the vertices that the scope of the request admits, as exact_mapping() does. A step has its nodes.
void search_scope(Search& search, const TreeTopology& tree, const Request& request,
                  const std::vector<std::int32_t>& usable) {
  if (!request.node_tasks.empty() || scope_parameter(request.parameters) == LeafScope::whole)
    return search.below(std::vector<std::int32_t>{0});
  const auto levels_up = static_cast<std::int32_t>(number_parameter(request, "levels-up", 0, 64));
  for (std::int32_t height = 0; height <= tree.height(0); ++height) {
    const std::vector<std::int32_t> lowest = subtrees_with_enough(tree, usable, request.tasks, height);
    if (search.any_below(lowest)) return search.below(ancestors(tree, lowest, levels_up));
  }
}

}  // namespace

ObjectiveSearchResult search_by_objective(const ClusterView& view, const Request& request, ObjectiveGoal goal,
                                          std::int64_t work, const Deadline& deadline) {
  if (request.tasks > most_ranks_by_objective || deadline.expired()) return {};
  const mapping::Slots slots(view, request);
  MappingLimits limits = limits_of(view, request, slots.capacity());
  const auto usable = usable_leaves(view, slots, limits);
  if (!usable) return {};
  Search search(view, request, std::move(goal), std::move(limits), *usable, work, deadline);
  try {
    search_scope(search, *view.tree, request, *usable);
    return {search.found(), true};
  } catch (const mapping::OutOfTime&) {
  } catch (const OutOfWork&) {
  }
  return {search.found(), false};
}

}  // namespace placement::treematch
