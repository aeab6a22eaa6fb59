// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/exact_map.hpp"

#include <algorithm>
#include <bit>

#include "treematch/leaf_choice.hpp"

namespace placement::treematch {

namespace {

using Set = std::uint32_t;  // a set of ranks: bit r stands for rank r
using Run = SubtreeClass::Run;

constexpr std::size_t most_table_bytes = std::size_t{32} << 20;

// A cost that no mapping has. Twice this value fits into the type, too.
template <typename Sum>
constexpr Sum never = Sum{1} << (8 * sizeof(Sum) - 3);

// Returns the factor of the traffic beside a second term, which counts all pairs of ranks alike. Distances are at most
// 2 * depth. The second term is so small that it decides only among mappings of equal hop-bytes.
Cost scale_of(std::int32_t ranks, std::int64_t depth) { return Cost{ranks} * ranks * (2 * Cost{depth} + 1) + 1; }

// Whether sums of what cuts_of() returns times distances up to 2 * depth fit into the type.
template <typename Sum>
bool sums_fit(const CommMatrix& matrix, std::int64_t depth) {
  const double pairs = static_cast<double>(matrix.ranks()) * matrix.ranks(), length = 2.0 * static_cast<double>(depth);
  const double traffic =
      static_cast<double>(matrix.total_weight()) * static_cast<double>(scale_of(matrix.ranks(), depth));
  return (traffic + pairs) * (length + 1) < 0.99 * static_cast<double>(never<Sum>);
}

// Returns the traffic that leaves each set of ranks, with a small second term. By that, of mappings with equal
// hop-bytes the one with the nearest ranks costs least.
template <typename Sum>
std::vector<Sum> cuts_of(const CommMatrix& matrix, std::int64_t depth) {
  const std::int32_t n = matrix.ranks();
  const Sum scale = static_cast<Sum>(scale_of(n, depth));
  std::vector<Sum> cut(std::size_t{1} << n, 0);
  for (Set set = 1; set < cut.size(); ++set) {
    const auto rank = static_cast<std::int32_t>(std::countr_zero(set));
    const Set rest = set & (set - 1);
    Sum change = 0;  // what the cut of `rest` gains when `rank` joins it
    const auto neighbours = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      change += (rest >> neighbours[k] & 1) != 0 ? -weights[k] : weights[k];
    cut[set] = cut[rest] + change * scale + (n - 1 - 2 * std::popcount(rest));
  }
  return cut;
}

// Returns a lower bound of the steps that the search takes on any tree, as ExactMapping::affordable() counts them:
// those for joining single leaves, one after the other, to a subtree with all ranks. Larger children take more steps.
// For few ranks the bound is that of the table of the cuts.
std::int64_t least_steps(std::int32_t ranks) {
  const std::int64_t sets = std::int64_t{1} << ranks;
  constexpr std::int32_t bound_holds_from = 11;
  return ranks < bound_holds_from ? sets : sets / 2 * ranks * (2 + ranks) / 2;
}

// The least cost inside a subtree for each set of ranks placed there. Where nodes are counted, there is one entry for
// each set and each number of used nodes.
template <typename Sum>
struct TableOf {
  std::vector<Sum> cost;   // `never` where the set cannot be placed
  std::int32_t slots = 0;  // largest number of ranks in a set
};

// The search, with sums of costs of the type Sum.
template <typename Sum>
class ExactMapping {
  using Table = TableOf<Sum>;

 public:
  ExactMapping(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
               const MappingLimits& limits, const mapping::WorkBudget& watch)
      : matrix_(matrix),
        ranks_(matrix.ranks()),
        sets_(Set{1} << matrix.ranks()),
        tree_(tree),
        watch_(watch),
        limits_(limits),
        classes_(tree, usable, matrix.ranks(), limits.nodes),
        required_(static_cast<std::int32_t>(
            std::count_if(limits.nodes.begin(), limits.nodes.end(), [](const NodeLimit& n) { return n.required; }))) {
    for (const std::int32_t leaf : usable) depth_ = std::max(depth_, tree.position(tree.leaf_vertex(leaf)));
    free_.assign(tree.vertices(), false);
    for (const std::int32_t leaf : usable) free_[tree.leaf_vertex(leaf)] = true;
    choose_counting();
  }

  std::optional<std::vector<std::int32_t>> run(std::span<const std::int32_t> usable, LeafScope scope,
                                               std::int32_t levels_up, std::int64_t work, bool* narrower) {
    if (scope != LeafScope::subtree) {
      auto found = below(std::vector<std::int32_t>{0}, work);
      if (affordable_ || narrower == nullptr) return found;
      *narrower = true;
      levels_up = tree_.height(0);
    }
    for (std::int32_t height = 0; height <= tree_.height(0); ++height) {
      const std::vector<std::int32_t> lowest = subtrees_with_enough(tree_, usable, ranks_, height);
      auto found = below(lowest, work);
      if (!affordable_) return std::nullopt;
      if (!found) continue;
      for (std::int32_t up = std::min(levels_up, tree_.height(0) - height); up > 0; --up) {
        auto wider = below(ancestors(tree_, lowest, up), work);
        if (affordable_ || narrower == nullptr) return wider;
        *narrower = true;
      }
      return found;
    }
    return std::nullopt;
  }

  // Whether the costs fit into their type; run() may only be called if they do.
  bool fits() const { return sums_fit<Sum>(matrix_, depth_); }

 private:
  static constexpr Sum none = never<Sum>;

  // Returns the best legal mapping below one of the vertices `tops`, or nothing. An even distribution gives each used
  // node share_ or share_ + 1 ranks; there is one pass for each possible share_.
  std::optional<std::vector<std::int32_t>> below(std::span<const std::int32_t> tops, std::int64_t work) {
    affordable_ = affordable(tops, work);
    if (!affordable_) return std::nullopt;
    make_cuts();
    best_ = none;
    for (share_ = first_share(); share_ <= last_share(); ++share_) {
      if (limits_.even) tables_.clear();
      tables_.resize(classes_.classes().size());
      for (const std::int32_t top : tops)
        if (classes_.of(top) >= 0) consider(top);
    }
    if (best_ >= none) return std::nullopt;
    return leaf_of_rank_;
  }

  // Makes the tables that all subtrees share.
  void make_cuts() {
    if (!identity_.empty()) return;
    cut_ = cuts_of<Sum>(matrix_, depth_);
    identity_.resize(sets_);
    for (Set set = 0; set < sets_; ++set) identity_[set] = set;
  }

  void choose_counting() {
    const bool spread_over_all = limits_.least_nodes >= ranks_;
    counted_ =
        !limits_.nodes.empty() && !spread_over_all &&
        (limits_.most_nodes < std::min<std::int64_t>(ranks_, std::ssize(limits_.nodes)) || limits_.least_nodes > 1);
    width_ = counted_ ? std::min(limits_.most_nodes, ranks_) + 1 : 1;
    one_each_ = spread_over_all;
  }

  std::int32_t first_share() const {
    return limits_.even ? std::max(1, ranks_ / std::min(limits_.most_nodes, ranks_)) : 0;
  }
  std::int32_t last_share() const {
    std::int32_t most = 0;
    for (const NodeLimit& node : limits_.nodes) most = std::max(most, node.most);
    return limits_.even ? std::clamp(ranks_ / std::max(1, limits_.least_nodes), 1, std::max(1, most)) : 0;
  }

  bool allowed_on_node(const SubtreeClass& node, std::int32_t ranks) const {
    if (ranks == 0) return node.node_required == 0;
    if (ranks > node.node_most || (one_each_ && ranks > 1)) return false;
    return !limits_.even || ranks == share_ || ranks == share_ + 1;
  }

  // ---- number of steps

  double steps_with(std::int32_t slots) const {
    double steps = 0, choose = 1;
    for (std::int32_t k = 1; k <= std::min(slots, ranks_); ++k) {
      choose = choose * (ranks_ - k + 1) / k;
      steps += choose * static_cast<double>(Set{1} << (ranks_ - k));
    }
    return steps;
  }

  bool affordable(std::span<const std::int32_t> tops, std::int64_t work) const {
    const std::span<const SubtreeClass> all = classes_.classes();
    std::vector<bool> needed(all.size(), false);
    for (const std::int32_t top : tops)
      if (classes_.of(top) >= 0) needed[classes_.of(top)] = true;
    double steps = 0;
    std::size_t tables = 0;
    for (std::size_t c = all.size(); c-- > 0;) {
      if (!needed[c]) continue;
      ++tables;
      for (const Run& run : all[c].children) {
        needed[run.of] = true;
        steps += steps_with(all[run.of].slots) * (1 + run.count / 2.0) + sets_;
      }
    }
    const double counts = width_ * (width_ + 1) / 2.0;
    return steps * counts * (last_share() - first_share() + 1) <= static_cast<double>(work) &&
           (tables + 4) * sets_ * static_cast<std::size_t>(width_) <= most_table_bytes / sizeof(Sum);
  }

  // ---- the least costs

  std::size_t at(Set set, std::int32_t nodes) const { return static_cast<std::size_t>(set) * width_ + nodes; }

  Table empty(Set sets) const {
    Table table;
    table.cost.assign(static_cast<std::size_t>(sets) * width_, none);
    return table;
  }

  Table nothing(Set sets) const {
    Table table = empty(sets);
    table.cost[0] = 0;
    return table;
  }

  const Table& table_of(std::int32_t c) {
    if (tables_[c].cost.empty()) tables_[c] = computed(c);
    return tables_[c];
  }

  Table computed(std::int32_t c) {
    const SubtreeClass& subtree = classes_.classes()[c];
    Table table;
    if (subtree.children.empty()) {
      table = nothing(sets_);
      for (std::int32_t rank = 0; rank < ranks_; ++rank) table.cost[at(Set{1} << rank, 0)] = 0;
      table.slots = 1;
    } else {
      table = joined_children(subtree);
    }
    if (subtree.node_most >= 0) as_node(subtree, table);
    return table;
  }

  Table joined_children(const SubtreeClass& subtree) {
    Table sum;
    for (const Run& run : subtree.children) {
      const Table child = seen_from(subtree, run.of, identity_);
      Table several = child;
      // Children may be needed although the slots of fewer of them are enough: where nodes have limits, and where each
      // has some slots that are near and others that are far.
      for (std::int32_t k = 1; k < std::min(run.count, ranks_); ++k) several = joined(several, child, sets_, true);
      sum = sum.cost.empty() ? std::move(several) : joined(sum, several, sets_, false);
    }
    return sum;
  }

  // Returns the table of a child of `parent`, with the cost of the link between the two added. Entry k of the result
  // is for the set set_of[k].
  Table seen_from(const SubtreeClass& parent, std::int32_t child, const std::vector<Set>& set_of) {
    const Table& inside = table_of(child);
    const std::int64_t length = classes_.classes()[child].position - parent.position;
    Table table = empty(static_cast<Set>(set_of.size()));
    table.slots = inside.slots;
    for (Set set = 0; set < set_of.size(); ++set)
      for (std::int32_t m = 0; m < width_; ++m)
        if (const Sum cost = inside.cost[at(set_of[set], m)]; cost < none)
          table.cost[at(set, m)] = cost + length * cut_[set_of[set]];
    return table;
  }

  // Returns the table of two parts of a subtree together: some ranks lie in `one`, the others in `other`. `equal` says
  // that `one` consists of subtrees of the class of `other`. These are interchangeable, so that only divisions are
  // tried in which the least rank of the set lies in `other`.
  Table joined(const Table& one, const Table& other, Set sets, bool equal) const {
    Table sum = empty(sets);
    const auto ranks = static_cast<std::int32_t>(std::bit_width(sets - 1));
    sum.slots = std::min(ranks, one.slots + other.slots);
    for (Set set = 0; set < sets; ++set) {
      for (std::int32_t m = 0; m < width_; ++m) {
        const Sum cost = other.cost[at(set, m)];
        if (cost >= none) continue;
        Set rest = (sets - 1) & ~set;
        if (equal && set == 0) rest = 0;
        if (equal && set != 0) rest &= ~((set & (0 - set)) - 1);
        watch_.spend(Set{1} << std::popcount(rest));
        join(one, set, m, rest, cost, sum);
      }
    }
    return sum;
  }

  void join(const Table& one, Set set, std::int32_t m, Set rest, Sum cost, Table& sum) const {
    for (Set with = rest;; with = (with - 1) & rest) {
      for (std::int32_t k = 0; k + m < width_; ++k) {
        Sum& least = sum.cost[at(with | set, k + m)];
        least = std::min(least, one.cost[at(with, k)] + cost);
      }
      if (with == 0) break;
    }
  }

  void as_node(const SubtreeClass& node, Table& table) const {
    for (Set set = 0; set < sets_; ++set) {
      const Sum cost = table.cost[at(set, 0)];
      table.cost[at(set, 0)] = none;
      if (cost >= none || !allowed_on_node(node, std::popcount(set))) continue;
      if (!counted_ || set == 0)
        table.cost[at(set, 0)] = cost;
      else if (width_ > 1)
        table.cost[at(set, 1)] = cost;
    }
    table.slots = std::min(table.slots, node.slots);
  }

  // ---- the mapping with the least cost

  void consider(std::int32_t top) {
    const std::int32_t c = classes_.of(top);
    if (classes_.classes()[c].slots < ranks_ || classes_.classes()[c].required != required_) return;
    if (!limits_.nodes.empty() && !classes_.classes()[c].holds_nodes) return;  // a part of a node
    const Table& table = table_of(c);
    for (std::int32_t m = counted_ ? std::max(1, limits_.least_nodes) : 0; m < width_; ++m) {
      const Sum cost = table.cost[at(sets_ - 1, m)];
      if (cost >= best_) continue;
      best_ = cost;
      leaf_of_rank_.assign(ranks_, -1);
      settle(top, sets_ - 1, m);
    }
  }

  // Places the ranks of a set on leaves of `nodes` nodes below the vertex, at the cost that the table has for them.
  void settle(std::int32_t vertex, Set set, std::int32_t nodes) {
    if (set == 0) return;
    const SubtreeClass& subtree = classes_.classes()[classes_.of(vertex)];
    if (free_[vertex]) {
      leaf_of_rank_[std::countr_zero(set)] = tree_.first_leaf(vertex);
      return;
    }
    if (subtree.node_most >= 0 && counted_) nodes = 0;
    std::vector<Set> set_of(Set{1} << std::popcount(set));  // the subsets of the set
    Set next = 0;
    for (Set& s : set_of) {
      s = next;
      next = (next - set) & set;
    }
    const auto all = static_cast<Set>(set_of.size());
    std::vector<std::int32_t> of_child;
    std::vector<Table> child;
    // Classes are numbered from right to left.
    for (auto run = subtree.children.rbegin(); run != subtree.children.rend(); ++run)
      for (std::int32_t k = 0; k < run->count; ++k) {
        of_child.push_back(run->of);
        child.push_back(k > 0 ? child.back() : seen_from(subtree, run->of, set_of));
      }
    std::vector<Table> first{child.front()};  // first[k]: the table of children 0 to k together
    for (std::size_t k = 1; k < child.size(); ++k) first.push_back(joined(first.back(), child[k], all, false));
    std::vector<std::int32_t> taken(tree_.children(vertex).size(), 0);
    Set left = all - 1;
    for (std::size_t k = child.size(); k-- > 0;) {
      const auto [part, m] = k == 0 ? std::pair{left, nodes}
                                    : part_of_last(first[k - 1], child[k], first[k].cost[at(left, nodes)], left, nodes);
      if (part != 0) settle(untaken_child(vertex, of_child[k], taken), set_of[part], m);
      left &= ~part;
      nodes -= m;
    }
  }

  // Returns the ranks and the number of nodes that fall to the last child where `others` and `last` together cost
  // `cost`. If there is a choice, the least rank of the set falls to the others, so that ranks ascend from left to
  // right.
  std::pair<Set, std::int32_t> part_of_last(const Table& others, const Table& last, Sum cost, Set set,
                                            std::int32_t nodes) const {
    const Set low = set & (0 - set);
    for (const Set with : {Set{0}, low}) {
      const Set choice = set & ~low;
      for (Set part = choice;; part = (part - 1) & choice) {
        for (std::int32_t m = 0; m <= nodes; ++m) {
          const Sum own = last.cost[at(part | with, m)];
          const Sum rest = others.cost[at(set & ~(part | with), nodes - m)];
          if (own < none && rest < none && own + rest == cost) return {part | with, m};
        }
        if (part == 0) break;
      }
    }
    return {0, 0};
  }

  std::int32_t untaken_child(std::int32_t vertex, std::int32_t of, std::vector<std::int32_t>& taken) const {
    const auto children = tree_.children(vertex);
    for (std::size_t k = 0; k < children.size(); ++k)
      if (taken[k] == 0 && classes_.of(children[k]) == of) {
        taken[k] = 1;
        return children[k];
      }
    return vertex;  // the class has no more children than the vertex
  }

  const CommMatrix& matrix_;
  const std::int32_t ranks_;
  const Set sets_;
  const TreeTopology& tree_;
  const mapping::WorkBudget& watch_;
  const MappingLimits& limits_;
  const SubtreeClasses classes_;
  const std::int32_t required_;  // number of nodes that must be used
  std::int64_t depth_ = 0;       // largest position of a usable leaf
  std::vector<Sum> cut_;         // per set: the traffic that leaves it
  std::vector<bool> free_;       // per vertex of the tree: whether it is a usable leaf
  std::vector<Set> identity_;
  bool counted_ = false;  // tables have an entry for each number of used nodes
  bool affordable_ = true;
  bool one_each_ = false;   // each node takes one rank
  std::int32_t width_ = 1;  // entries per set in a table
  std::int32_t share_ = 0;  // in an even distribution each used node takes share_ or share_ + 1 ranks
  std::vector<Table> tables_;
  Sum best_ = none;
  std::vector<std::int32_t> leaf_of_rank_;
};

}  // namespace

std::optional<std::vector<std::int32_t>> exact_mapping(const CommMatrix& matrix, const TreeTopology& tree,
                                                       std::span<const std::int32_t> usable, LeafScope scope,
                                                       std::int32_t levels_up, const MappingLimits& limits,
                                                       std::int64_t work, const mapping::WorkBudget& watch,
                                                       bool* narrower) {
  if (matrix.ranks() < 1 || matrix.ranks() > most_ranks_mapped_exactly) return std::nullopt;
  if (work < least_steps(matrix.ranks())) return std::nullopt;
  if (scope == LeafScope::given) usable = usable.first(static_cast<std::size_t>(matrix.ranks()));
  // Most sums fit into 64 bits. With 128 bits a step takes twice as long.
  if (ExactMapping<std::int64_t> search(matrix, tree, usable, limits, watch); search.fits())
    return search.run(usable, scope, levels_up, work, narrower);
  if (ExactMapping<Cost> search(matrix, tree, usable, limits, watch); search.fits())
    return search.run(usable, scope, levels_up, work / 2, narrower);
  return std::nullopt;
}

}  // namespace placement::treematch
