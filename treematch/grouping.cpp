// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/grouping.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "common/util/sequence.hpp"
#include "mapping/coarsen.hpp"
#include "mapping/leaf_tree.hpp"
#include "treematch/leaf_choice.hpp"

namespace placement::treematch {

namespace {

// Groups of equal size: the members of the first group, then those of the second, and so on.
struct Groups {
  std::int32_t size = 1;
  std::vector<std::int32_t> member;

  std::int32_t count() const { return static_cast<std::int32_t>(member.size()) / size; }
};

// Returns the number of each vertex's group, -1 for a vertex without a group.
std::vector<std::int32_t> group_of(const Groups& groups, std::int32_t vertices) {
  std::vector<std::int32_t> part(vertices, -1);
  for (std::size_t k = 0; k < groups.member.size(); ++k)
    part[groups.member[k]] = static_cast<std::int32_t>(k) / groups.size;
  return part;
}

// Replaces each member of `outer`, which is the number of a group in `inner`, by the members of that group.
Groups flattened(const Groups& outer, const Groups& inner) {
  Groups flat{outer.size * inner.size, {}};
  flat.member.reserve(outer.member.size() * inner.size);
  for (const std::int32_t group : outer.member)
    flat.member.insert(flat.member.end(), inner.member.begin() + static_cast<std::ptrdiff_t>(group) * inner.size,
                       inner.member.begin() + static_cast<std::ptrdiff_t>(group + 1) * inner.size);
  return flat;
}

// Returns `count` pairs of vertices; the graph has at least 2 * count vertices. Matched pairs come first, and the
// heaviest are kept when there are too many. Unmatched vertices are paired in the order of their numbers.
Groups pairs(const mapping::Graph& graph, std::int32_t count, Pairing pairing) {
  const std::vector<std::int32_t> partner = paired(graph, pairing);
  std::vector<mapping::HeavyPair> chosen;
  std::vector<std::int32_t> single;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    if (partner[v] < 0) single.push_back(v);
    if (partner[v] < v) continue;
    for (const mapping::Arc& arc : graph.arcs(v))
      if (arc.to == partner[v]) chosen.push_back({arc.weight, v, arc.to});
  }
  for (std::size_t k = 0; k + 1 < single.size(); k += 2) chosen.push_back({0, single[k], single[k + 1]});
  std::ranges::stable_sort(chosen, std::greater(), &mapping::HeavyPair::weight);
  chosen.resize(count);
  std::ranges::sort(chosen, {}, &mapping::HeavyPair::a);
  Groups groups{2, {}};
  for (const mapping::HeavyPair& pair : chosen) groups.member.insert(groups.member.end(), {pair.a, pair.b});
  return groups;
}

// Returns the graph with only the arcs between vertices below `border` and the other vertices, sorted by neighbour.
mapping::Graph across(const mapping::Graph& graph, std::int32_t border) {
  mapping::Graph result;
  result.size = graph.size;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    for (const mapping::Arc& arc : graph.arcs(v))
      if ((arc.to < border) != (v < border) && arc.weight > 0) result.arc.push_back(arc);
    std::ranges::sort(result.arc.begin() + result.row.back(), result.arc.end(), {}, &mapping::Arc::to);
    result.row.push_back(std::ssize(result.arc));
  }
  return result;
}

// Adds one more vertex to each group, out of the vertices without a group.
Groups joined(const mapping::Graph& graph, const Groups& groups, Pairing pairing) {
  std::vector<std::int32_t> part = group_of(groups, graph.vertices());
  std::vector<std::int32_t> single;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    if (part[v] >= 0) continue;
    part[v] = groups.count() + static_cast<std::int32_t>(single.size());
    single.push_back(v);
  }
  const auto both = groups.count() + static_cast<std::int32_t>(single.size());
  std::vector<std::int32_t> partner = paired(across(mapping::contracted(graph, part, both), groups.count()), pairing);
  partner.resize(groups.count());
  std::vector<bool> taken(single.size(), false);
  for (const std::int32_t p : partner)
    if (p >= 0) taken[p - groups.count()] = true;
  Groups result{groups.size + 1, {}};
  std::size_t next = 0;
  for (std::int32_t g = 0; g < groups.count(); ++g) {
    const auto begin = groups.member.begin() + static_cast<std::ptrdiff_t>(g) * groups.size;
    result.member.insert(result.member.end(), begin, begin + groups.size);
    if (partner[g] < 0) {
      while (taken[next]) ++next;
      taken[next] = true;
      result.member.push_back(single[next]);
    } else {
      result.member.push_back(single[partner[g] - groups.count()]);
    }
  }
  return result;
}

// Returns `count` groups of `size` vertices; the graph has at least count * size vertices.
Groups grouped(const mapping::Graph& graph, std::int32_t size, std::int32_t count, Pairing pairing) {
  if (size == 1) return {1, numbers(count)};
  if (size == 2) return pairs(graph, count, pairing);
  if (size % 2 == 1) return joined(graph, grouped(graph, size - 1, count, pairing), pairing);
  const Groups halves = grouped(graph, size / 2, 2 * count, pairing);
  const mapping::Graph between = mapping::contracted(graph, group_of(halves, graph.vertices()), 2 * count);
  return flattened(pairs(between, count, pairing), halves);
}

// Adds vertices without traffic until the graph has `vertices` of them.
void pad(mapping::Graph& graph, std::int32_t vertices) {
  graph.row.resize(static_cast<std::size_t>(vertices) + 1, graph.row.back());
  graph.size.resize(vertices, 1);
}

}  // namespace

std::vector<std::int32_t> grouped_order(const mapping::Graph& graph, std::span<const std::int32_t> arities,
                                        Pairing pairing) {
  Groups order{1, numbers(graph.vertices())};
  mapping::Graph level = graph;
  for (std::size_t k = arities.size(); k > 0; --k) {
    const std::int32_t arity = std::min(arities[k - 1], level.vertices());
    if (arity < 2) continue;
    const std::int32_t count = (level.vertices() - 1) / arity + 1;
    // Vertices without traffic fill the last group. They have the highest numbers, so that ties go to real vertices.
    order.member.resize(static_cast<std::size_t>(count) * arity * order.size, -1);
    pad(level, count * arity);
    const Groups groups = grouped(level, arity, count, pairing);
    level = mapping::contracted(level, group_of(groups, level.vertices()), count);
    order = flattened(groups, order);
  }
  std::erase(order.member, -1);
  return order.member;
}

MapResult map_by_matching(const CommMatrix& matrix, const TreeTopology& tree, std::span<const std::int32_t> usable,
                          const MapOptions& options, Pairing pairing) {
  check_usable(tree, usable, matrix.ranks());
  if (matrix.ranks() == 0) return {.leaf_of_rank = {}, .cost = 0, .method = "matching"};
  const std::vector<std::int32_t> scope =
      leaves_in_scope(tree, usable, matrix.ranks(), options.scope, options.levels_up);
  const std::vector<std::int32_t> packed = packed_leaves(tree, scope, matrix.ranks());
  const mapping::LeafTree slots(tree, packed);
  std::vector<std::int32_t> arities;
  for (std::int32_t v = 0; slots.vertex(v).children > 0;) {
    arities.push_back(slots.vertex(v).children);
    std::int32_t fullest = slots.vertex(v).first_child;
    for (std::int32_t child = fullest; child < slots.vertex(v).first_child + slots.vertex(v).children; ++child)
      if (slots.vertex(child).slots > slots.vertex(fullest).slots) fullest = child;
    v = fullest;
  }
  const bool exact = matrix.ranks() <= 4096 && matrix.pairs() <= 1 << 18;
  if (pairing == Pairing::maximum_weight && !exact) pairing = Pairing::heaviest_first;
  const std::vector<std::int32_t> order = grouped_order(mapping::scaled_graph(matrix), arities, pairing);
  std::vector<std::int32_t> leaf_of_rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) leaf_of_rank[order[k]] = packed[k];
  return measured(matrix, tree, std::move(leaf_of_rank), "matching");
}

}  // namespace placement::treematch
