// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_coarsen.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "common/util/error.hpp"

namespace placement {

namespace {

// A division of the ranks into growing groups, with the matrix between the groups.
struct Grouping {
  CommMatrix matrix;
  std::vector<std::int32_t> group_of;  // by rank
  std::vector<std::int32_t> size;      // by group
};

// Renumbers groups as they first appear in `group_of`, whose entries are below `names`. Returns their number.
std::int32_t number_by_appearance(std::vector<std::int32_t>& group_of, std::size_t names) {
  std::vector<std::int32_t> number(names, -1);
  std::int32_t groups = 0;
  for (std::int32_t& group : group_of) {
    if (number[group] < 0) number[group] = groups++;
    group = number[group];
  }
  return groups;
}

// Returns the group into which `group` was joined (union-find with path halving).
std::int32_t root_of(std::vector<std::int32_t>& joined, std::int32_t group) {
  while (joined[group] != group) group = joined[group] = joined[joined[group]];
  return group;
}

// Joins groups in the order of their traffic, heaviest first, while a joint group has at most `group_size` ranks. With
// `in_pairs` each group is joined at most once. Returns false when no groups could be joined.
bool join(Grouping& grouping, std::int32_t group_size, bool in_pairs) {
  std::vector<CommEdge> edges = grouping.matrix.edges();
  std::ranges::stable_sort(edges, [](const CommEdge& x, const CommEdge& y) { return x.weight > y.weight; });
  const std::size_t before = grouping.size.size();
  std::vector<std::int32_t> joined(before);
  std::iota(joined.begin(), joined.end(), 0);
  std::vector<std::int32_t> size = grouping.size;  // of each root
  std::vector<bool> taken(before);
  bool any = false;
  for (const CommEdge& edge : edges) {
    const std::int32_t a = root_of(joined, edge.a);
    const std::int32_t b = root_of(joined, edge.b);
    if (a == b || size[a] > group_size - size[b] || (in_pairs && (taken[a] || taken[b]))) continue;
    taken[a] = taken[b] = any = true;
    joined[b] = a;
    size[a] += size[b];
  }
  if (!any) return false;
  for (std::size_t g = 0; g < before; ++g) joined[g] = root_of(joined, static_cast<std::int32_t>(g));
  const std::int32_t groups = number_by_appearance(joined, before);
  size.assign(groups, 0);
  for (std::size_t g = 0; g < before; ++g) size[joined[g]] += grouping.size[g];
  for (std::int32_t& group : grouping.group_of) group = joined[group];
  grouping.matrix = grouping.matrix.aggregated(joined, groups);
  grouping.size = std::move(size);
  return true;
}

// Returns the division with one group per rank.
Grouping singles(const CommMatrix& matrix) {
  const auto ranks = static_cast<std::size_t>(matrix.ranks());
  Grouping grouping{matrix, std::vector<std::int32_t>(ranks), std::vector<std::int32_t>(ranks, 1)};
  std::iota(grouping.group_of.begin(), grouping.group_of.end(), 0);
  return grouping;
}

// Joins groups until they have up to `group_size` ranks. Joins them in pairs first, by greedy heavy-edge matching, so
// that they grow evenly. In a star-shaped matrix few groups find a partner this way; the last step joins the rest.
void grow(Grouping& grouping, std::int32_t group_size) {
  std::int32_t grown = 1;
  for (; grown < group_size && join(grouping, group_size, true); grown += grown) continue;
  if (grown < group_size) return;  // no two groups with traffic fit together any more
  join(grouping, group_size, false);
}

// Returns groups of equal size. Full groups stay. The ranks of all others form a list, which is cut into full groups.
std::vector<std::int32_t> filled_up(const Grouping& grouping, std::int32_t group_size) {
  std::vector<std::int32_t> group_of = grouping.group_of;
  std::vector<std::int32_t> begin(grouping.size.size() + 1);
  std::partial_sum(grouping.size.begin(), grouping.size.end(), begin.begin() + 1);
  std::vector<std::int32_t> order(group_of.size());
  std::vector<std::int32_t> at(begin.begin(), begin.end() - 1);
  for (std::size_t rank = 0; rank < order.size(); ++rank) order[at[group_of[rank]]++] = static_cast<std::int32_t>(rank);
  std::int32_t next = static_cast<std::int32_t>(grouping.size.size());
  std::int32_t used = 0;
  for (std::size_t g = 0; g < grouping.size.size(); ++g) {
    if (grouping.size[g] == group_size) continue;
    for (std::int32_t i = begin[g]; i < begin[g + 1]; ++i) {
      group_of[order[i]] = next;
      if (++used == group_size) ++next, used = 0;
    }
  }
  number_by_appearance(group_of, grouping.size.size() + group_of.size() + 1);
  return group_of;
}

}  // namespace

std::vector<std::int32_t> group_ranks(const CommMatrix& matrix, std::int32_t group_size) {
  if (group_size < 1) throw Error("groups of " + std::to_string(group_size) + " ranks: expected 1 or more");
  Grouping grouping = singles(matrix);
  grow(grouping, group_size);
  return filled_up(grouping, group_size);
}

}  // namespace placement
