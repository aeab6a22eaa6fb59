// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/exact_map.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "mapping/tuning.hpp"
#include "treematch/leaf_choice.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

using Set = std::uint32_t;  // a set of ranks: bit r stands for rank r
using Run = SubtreeClass::Run;

struct OutOfSteps {};

// The limits on a set of ranks in a part of the machine. `nodes` is 0 if nodes are not counted.
struct Capacity {
  std::int32_t slots = 0;     // largest number of ranks in a set
  std::int32_t nodes = 0;     // largest number of nodes that a mapping may use here
  std::int32_t per_node = 0;  // largest number of ranks on one of the nodes

  std::int32_t least_nodes(std::int32_t ranks) const { return nodes == 0 ? 0 : (ranks + per_node - 1) / per_node; }
  std::int32_t most_nodes(std::int32_t ranks) const { return std::min(nodes, ranks); }
  std::size_t numbers_of_nodes() const { return static_cast<std::size_t>(nodes) + 1; }  // from 0 to `nodes`
};

// A cost that no mapping has. Twice this value fits into the type, too.
template <typename Sum>
constexpr Sum never = Sum{1} << (8 * sizeof(Sum) - 3);

// A cost is a factor times the hop-bytes, plus a second term that counts all pairs of ranks equally. Returns a factor
// with which the second term decides only among mappings of equal hop-bytes. Distances are at most 2 * depth.
Cost scale_of(std::int32_t ranks, std::int64_t depth) { return Cost{ranks} * ranks * (2 * Cost{depth} + 1) + 1; }

// Whether sums of cuts_of() times distances up to 2 * depth fit into the type.
template <typename Sum>
bool sums_fit(const CommMatrix& matrix, std::int64_t depth) {
  const double pairs = static_cast<double>(matrix.ranks()) * matrix.ranks(), length = 2.0 * static_cast<double>(depth);
  const double traffic =
      static_cast<double>(matrix.total_weight()) * static_cast<double>(scale_of(matrix.ranks(), depth));
  return (traffic + pairs) * (length + 1) < 0.99 * static_cast<double>(never<Sum>);
}

// Returns the traffic that leaves each set of ranks, with a small second term. Among mappings of equal hop-bytes, the
// second term makes the mapping with the nearest ranks the cheapest.
template <typename Sum>
std::vector<Sum> cuts_of(const CommMatrix& matrix, std::int64_t depth) {
  const std::int32_t n = matrix.ranks();
  const Sum scale = static_cast<Sum>(scale_of(n, depth));
  std::vector<Sum> cut(std::size_t{1} << n, 0);
  for (Set set = 1; set < cut.size(); ++set) {
    const auto rank = static_cast<std::int32_t>(std::countr_zero(set));
    const Set rest = set & (set - 1);
    Sum change = 0;  // of the cut of `rest` when `rank` joins it
    const auto neighbours = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      change += (rest >> neighbours[k] & 1) != 0 ? -weights[k] : weights[k];
    cut[set] = cut[rest] + change * scale + (n - 1 - 2 * std::popcount(rest));
  }
  return cut;
}

// The least cost inside a part of the machine for each set of ranks placed there. If nodes are counted, there is one
// entry for each set and each number of used nodes.
template <typename Sum>
struct TableOf {
  Capacity room;
  std::vector<Sum> cost;  // `never` where the set cannot be placed

  TableOf() = default;
  TableOf(const Capacity& capacity, Set sets) : room(capacity), cost(sets * capacity.numbers_of_nodes(), never<Sum>) {}

  std::size_t at(Set set, std::int32_t nodes) const { return set * room.numbers_of_nodes() + nodes; }
  Sum& of(Set set, std::int32_t nodes) { return cost[at(set, nodes)]; }

  // Returns the least cost of the set on this number of nodes; `never` if it does not fit or the part has fewer nodes.
  Sum of(Set set, std::int32_t nodes) const { return nodes > room.nodes ? never<Sum> : cost[at(set, nodes)]; }
};

// The search, with sums of costs of the type Sum.
template <typename Sum>
class ExactMapping {
  using Table = TableOf<Sum>;
  // For each number of ranks in a set, the least and the largest number of nodes that it may use.
  using NodeRanges = std::array<std::pair<std::int32_t, std::int32_t>, most_ranks_mapped_exactly + 1>;
  // The set of ranks, and the number of nodes, of one child or of all children of one class.
  using Share = std::pair<Set, std::int32_t>;

 public:
  ExactMapping(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
               const MappingLimits& limits, std::int64_t work, const mapping::WorkBudget& watch)
      : matrix_(matrix),
        ranks_(matrix.ranks()),
        sets_(Set{1} << matrix.ranks()),
        tree_(tree),
        watch_(watch),
        work_(work),
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
                                               std::int32_t levels_up, bool* narrower) {
    if (scope != LeafScope::subtree && narrower == nullptr) return below(std::vector<std::int32_t>{0});
    if (scope != LeafScope::subtree) levels_up = tree_.height(0);
    std::optional<std::vector<std::int32_t>> found;
    for (std::int32_t height = 0; height <= tree_.height(0) && !found; ++height) {
      const std::vector<std::int32_t> lowest = subtrees_with_enough(tree_, usable, ranks_, height);
      found = below(lowest);
      const std::int32_t highest = found ? std::min(levels_up, tree_.height(0) - height) : 0;
      for (std::int32_t up = narrower == nullptr ? std::max(1, highest) : 1; up <= highest; ++up) try {
          found = below(ancestors(tree_, lowest, up));
        } catch (const OutOfSteps&) {
          if (narrower == nullptr) throw;
          *narrower = true;
          return found;
        }
    }
    return found;
  }

  // Whether the costs fit into their type; run() may only be called if they do.
  bool fits() const { return sums_fit<Sum>(matrix_, depth_); }

 private:
  static constexpr Sum none = never<Sum>;

  // Returns the best legal mapping below one of the vertices `tops`, or nothing. An even distribution gives each used
  // node share_ or share_ + 1 ranks; there is one pass for each possible share_.
  std::optional<std::vector<std::int32_t>> below(std::span<const std::int32_t> tops) {
    make_cuts();
    best_ = none;
    for (share_ = first_share(); share_ <= last_share(); ++share_) {
      if (limits_.even) tables_.clear(), entries_ = 0;
      tables_.resize(classes_.classes().size());
      for (const std::int32_t top : tops)
        if (classes_.of(top) >= 0) consider(top);
      if (best_top_ < 0) continue;
      leaf_of_rank_.assign(ranks_, -1);
      settle(best_top_, sets_ - 1, best_nodes_);
      best_top_ = -1;
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
    most_counted_ = counted_ ? std::min(limits_.most_nodes, ranks_) : 0;
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

  // A step that counts nodes takes twice the time of another, and so does one with sums in 128 bits.
  void count_steps(std::int64_t steps) const {
    watch_.spend(steps);
    if ((work_ -= steps * (counted_ ? 2 : 1) * (sizeof(Sum) / sizeof(std::int64_t))) < 0) throw OutOfSteps{};
  }

  Capacity capacity_of(const SubtreeClass& subtree) const {
    return {subtree.slots, std::min(subtree.nodes, most_counted_), subtree.per_node};
  }

  Capacity together(const Capacity& one, const Capacity& other) const {
    return {std::min(ranks_, one.slots + other.slots), std::min(most_counted_, one.nodes + other.nodes),
            std::max(one.per_node, other.per_node)};
  }

  // ---- the least costs

  const Table& table_of(std::int32_t c) {
    if (!tables_[c].cost.empty()) return tables_[c];
    Table table = computed(c);
    entries_ += table.cost.size();
    if (entries_ > most_table_bytes / sizeof(Sum)) throw OutOfSteps{};
    return tables_[c] = std::move(table);
  }

  Table computed(std::int32_t c) {
    const SubtreeClass& subtree = classes_.classes()[c];
    Table table;
    if (subtree.children.empty()) {
      table = Table({1, 0, 0}, sets_);
      table.of(0, 0) = 0;
      for (std::int32_t rank = 0; rank < ranks_; ++rank) table.of(Set{1} << rank, 0) = 0;
    } else {
      table = joined_children(subtree);
    }
    return subtree.node_most >= 0 ? as_node(subtree, table) : table;
  }

  Table joined_children(const SubtreeClass& subtree) {
    Table sum;
    for (auto run = subtree.children.rbegin(); run != subtree.children.rend(); ++run) {  // as shares_of_runs() does
      Table several = repeated(seen_from(subtree, run->of, identity_), run->count, sets_).back();
      sum = sum.cost.empty() ? std::move(several) : joined(sum, several, sets_, false);
    }
    return sum;
  }

  // Returns tables for children of one class, at most `count` tables and at most one per rank. Entry k is for k + 1
  // children together. Even if fewer children have slots for all ranks, a mapping may use up to one child per rank,
  // because nodes have limits, and because a child may have near and far slots.
  std::vector<Table> repeated(Table child, std::int32_t count, Set sets) const {
    std::vector<Table> tables{std::move(child)};
    const std::int32_t most = std::min(count, static_cast<std::int32_t>(std::bit_width(sets - 1)));
    while (std::ssize(tables) < most) tables.push_back(joined(tables.back(), tables.front(), sets, true));
    return tables;
  }

  // Returns the table of a child of `parent`, with the cost of the link between the two added. Entry k of the result
  // is for the set set_of[k].
  Table seen_from(const SubtreeClass& parent, std::int32_t child, const std::vector<Set>& set_of) {
    const Table& inside = table_of(child);
    const std::int64_t length = classes_.classes()[child].position - parent.position;
    Table table(inside.room, static_cast<Set>(set_of.size()));
    for (Set set = 0; set < set_of.size(); ++set)
      for (std::int32_t m = 0; m <= inside.room.nodes; ++m)
        if (const Sum cost = inside.of(set_of[set], m); cost < none)
          table.of(set, m) = cost + length * cut_[set_of[set]];
    return table;
  }

  // Returns the table of two parts of a subtree together: some ranks lie in `one`, the others in `other`. With `equal`,
  // `one` consists of subtrees of the class of `other`. They are interchangeable, so only divisions with the least rank
  // of the set in `other` are tried.
  Table joined(const Table& one, const Table& other, Set sets, bool equal) const {
    if (!equal && one.room.slots < other.room.slots) return joined(other, one, sets, false);
    Table sum(together(one.room, other.room), sets);
    NodeRanges ranges;
    for (std::int32_t k = 0; k <= ranks_; ++k) ranges[k] = {one.room.least_nodes(k), one.room.most_nodes(k)};
    for (Set set = 0; set < sets; ++set) {
      Set rest = (sets - 1) & ~set;
      if (equal && set == 0) rest = 0;
      if (equal && set != 0) rest &= ~((set & (0 - set)) - 1);
      for (std::int32_t m = 0; m <= other.room.most_nodes(std::popcount(set)); ++m) {
        const Sum cost = other.of(set, m);
        if (cost >= none) continue;
        count_steps(std::int64_t{1} << std::popcount(rest));
        if (sum.room.nodes == 0)
          join(one, set, rest, cost, sum);
        else
          join_counted(one, ranges, set, m, rest, cost, sum);
      }
    }
    return sum;
  }

  void join(const Table& one, Set set, Set rest, Sum cost, Table& sum) const {
    for (Set with = rest;; with = (with - 1) & rest) {
      Sum& least = sum.cost[with | set];
      least = std::min(least, one.cost[with] + cost);
      if (with == 0) break;
    }
  }

  void join_counted(const Table& one, const NodeRanges& ranges, Set set, std::int32_t m, Set rest, Sum cost,
                    Table& sum) const {
    for (Set with = rest;; with = (with - 1) & rest) {
      const auto [fewest, most] = ranges[std::popcount(with)];
      for (std::int32_t k = fewest; k <= std::min(most, sum.room.nodes - m); ++k) {
        Sum& least = sum.of(with | set, k + m);
        least = std::min(least, one.of(with, k) + cost);
      }
      if (with == 0) break;
    }
  }

  // Returns the table of a node, from the table of the leaves below it, in which nodes are not counted.
  Table as_node(const SubtreeClass& node, const Table& leaves) const {
    Table table(capacity_of(node), sets_);
    for (Set set = 0; set < sets_; ++set) {
      const std::int32_t used = counted_ && set != 0 ? 1 : 0;
      if (used <= table.room.nodes && allowed_on_node(node, std::popcount(set)))
        table.of(set, used) = leaves.of(set, 0);
    }
    return table;
  }

  // ---- the mapping with the least cost

  // Keeps the vertex as the best place for all ranks if the cost below it is the least so far.
  void consider(std::int32_t top) {
    const std::int32_t c = classes_.of(top);
    if (classes_.classes()[c].slots < ranks_ || classes_.classes()[c].required != required_) return;
    if (!limits_.nodes.empty() && !classes_.classes()[c].holds_nodes) return;  // a part of a node
    const Table& table = table_of(c);
    for (std::int32_t m = counted_ ? std::max(1, limits_.least_nodes) : 0; m <= table.room.nodes; ++m) {
      const Sum cost = table.of(sets_ - 1, m);
      if (cost >= best_) continue;
      best_ = cost;
      best_top_ = top;
      best_nodes_ = m;
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
    if (subtree.children.size() == 1) return settle_among_equals(vertex, subtree.children.front(), set, nodes);
    const std::vector<Set> set_of = subsets_of(set);
    const std::vector<Share> shares = shares_of_runs(subtree, set_of, nodes);
    for (std::size_t r = 0; r < shares.size(); ++r)
      if (const auto [part, m] = shares[r]; part != 0)
        settle_among_equals(vertex, subtree.children[r], set_of[part], m);
  }

  // Divides the ranks of a set among the children of a vertex that are of one class, and places them there.
  void settle_among_equals(std::int32_t vertex, const Run& run, Set set, std::int32_t nodes) {
    const std::vector<Set> set_of = subsets_of(set);
    const SubtreeClass& subtree = classes_.classes()[classes_.of(vertex)];
    const auto sets = static_cast<Set>(set_of.size());
    std::vector<Table> several = repeated(seen_from(subtree, run.of, set_of), run.count, sets);
    std::vector<Share> shares = shares_of(
        several, [&](std::size_t) -> const Table& { return several.front(); }, sets - 1, nodes);
    several = {};  // not needed below, where the children make tables of their own
    std::erase_if(shares, [](const Share& share) { return share.first == 0; });
    auto share = shares.begin();
    for (const std::int32_t child : tree_.children(vertex)) {
      if (classes_.of(child) != run.of || share == shares.end()) continue;
      settle(child, set_of[share->first], share->second);
      ++share;
    }
  }

  // Returns the subsets of a set of ranks. Tables have one entry per subset, at the position that the subset has in the
  // result.
  static std::vector<Set> subsets_of(Set set) {
    std::vector<Set> subsets(std::size_t{1} << std::popcount(set));
    Set next = 0;
    for (Set& subset : subsets) {
      subset = next;
      next = (next - set) & set;
    }
    return subsets;
  }

  // Returns the share that the children of each class take, in the order of `subtree.children`. Classes are numbered
  // from right to left, so that the first share is that of the leftmost children.
  std::vector<Share> shares_of_runs(const SubtreeClass& subtree, const std::vector<Set>& set_of, std::int32_t nodes) {
    const auto sets = static_cast<Set>(set_of.size());
    std::vector<Table> part, sum;  // sum[k]: the first k + 1 parts together
    for (auto run = subtree.children.rbegin(); run != subtree.children.rend(); ++run) {
      part.push_back(repeated(seen_from(subtree, run->of, set_of), run->count, sets).back());
      sum.push_back(sum.empty() ? part.back() : joined(sum.back(), part.back(), sets, false));
    }
    std::vector<Share> shares = shares_of(
        sum, [&](std::size_t k) -> const Table& { return part[k]; }, sets - 1, nodes);
    std::reverse(shares.begin(), shares.end());
    return shares;
  }

  // Divides the ranks of the set `left`, on `nodes` nodes, among several parts of a subtree, the last part first.
  // Returns the share of each part. The shares together cost sum.back().of(left, nodes).
  //   sum      sum[k]: the table of the parts 0 to k together
  //   part_at  returns the table of part k
  template <typename PartAt>
  std::vector<Share> shares_of(const std::vector<Table>& sum, PartAt part_at, Set left, std::int32_t nodes) const {
    std::vector<Share> shares(sum.size());
    for (std::size_t k = sum.size(); k-- > 1;) {
      shares[k] = part_of_last(sum[k - 1], part_at(k), sum[k].of(left, nodes), left, nodes);
      left &= ~shares[k].first;
      nodes -= shares[k].second;
    }
    shares[0] = {left, nodes};
    return shares;
  }

  // Returns the ranks and the number of nodes of the last part, so that `others` and `last` together cost `cost`. If
  // there is a choice, the least rank of the set goes to the others. Ranks then ascend from left to right.
  Share part_of_last(const Table& others, const Table& last, Sum cost, Set set, std::int32_t nodes) const {
    const Set low = set & (0 - set);
    for (const Set with : {Set{0}, low}) {
      const Set choice = set & ~low;
      for (Set part = choice;; part = (part - 1) & choice) {
        for (std::int32_t m = 0; m <= nodes; ++m) {
          const Sum own = last.of(part | with, m);
          const Sum rest = others.of(set & ~(part | with), nodes - m);
          if (own < none && rest < none && own + rest == cost) return {part | with, m};
        }
        if (part == 0) break;
      }
    }
    return {0, 0};
  }

  const CommMatrix& matrix_;
  const std::int32_t ranks_;
  const Set sets_;
  const TreeTopology& tree_;
  const mapping::WorkBudget& watch_;
  mutable std::int64_t work_;  // steps left
  const MappingLimits& limits_;
  const SubtreeClasses classes_;
  const std::int32_t required_;  // number of nodes that must be used
  std::int64_t depth_ = 0;       // largest position of a usable leaf
  std::vector<Sum> cut_;         // per set: the traffic that leaves it
  std::vector<bool> free_;       // per vertex of the tree: whether it is a usable leaf
  std::vector<Set> identity_;
  bool counted_ = false;           // tables have an entry for each number of used nodes
  bool one_each_ = false;          // each node takes one rank
  std::int32_t most_counted_ = 0;  // largest number of used nodes that tables distinguish
  std::int32_t share_ = 0;         // in an even distribution each used node takes share_ or share_ + 1 ranks
  std::vector<Table> tables_;
  std::size_t entries_ = 0;  // in all tables
  Sum best_ = none;
  std::int32_t best_top_ = -1;   // the vertex below which this cost is reached,
  std::int32_t best_nodes_ = 0;  // and the number of used nodes there
  std::vector<std::int32_t> leaf_of_rank_;
};

}  // namespace

std::optional<std::vector<std::int32_t>> exact_mapping(const CommMatrix& matrix, const TreeTopology& tree,
                                                       std::span<const std::int32_t> usable, LeafScope scope,
                                                       std::int32_t levels_up, const MappingLimits& limits,
                                                       std::int64_t work, const mapping::WorkBudget& watch,
                                                       bool* narrower) try {
  if (matrix.ranks() < 1 || matrix.ranks() > most_ranks_mapped_exactly) return std::nullopt;
  if (scope == LeafScope::given) usable = usable.first(static_cast<std::size_t>(matrix.ranks()));
  // Most sums fit into 64 bits.
  if (ExactMapping<std::int64_t> search(matrix, tree, usable, limits, work, watch); search.fits())
    return search.run(usable, scope, levels_up, narrower);
  if (ExactMapping<Cost> search(matrix, tree, usable, limits, work, watch); search.fits())
    return search.run(usable, scope, levels_up, narrower);
  return std::nullopt;
} catch (const OutOfSteps&) {
  return std::nullopt;
}

}  // namespace placement::treematch
