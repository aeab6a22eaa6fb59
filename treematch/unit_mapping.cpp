// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/unit_mapping.hpp"

#include <algorithm>
#include <utility>

#include "common/util/sequence.hpp"
#include "mapping/coarsen.hpp"
#include "mapping/swap_search.hpp"
#include "mapping/tuning.hpp"
#include "treematch/graph_growing.hpp"
#include "treematch/multisection.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

// Finds the lowest subtrees and the odd one among them. Returns nothing when they do not suit units.
std::optional<Units> lowest_subtrees(const mapping::LeafTree& tree) {
  Units units;
  std::int32_t size = 0;
  for (std::int32_t slot = 0; slot < tree.slots();) {
    std::int32_t v = tree.slot_vertex(slot);
    const std::int32_t above = tree.vertex(v).parent;
    if (above >= 0 && tree.vertex(above).slots == tree.vertex(above).children) v = above;
    units.place.push_back(v);
    slot += tree.vertex(v).slots;
    size = std::max(size, tree.vertex(v).slots);
  }
  if (units.place.size() < 4 || size < 2 || size > largest_unit) return std::nullopt;
  const std::int64_t position = tree.vertex(units.place.front()).position;
  for (std::size_t k = 0; k < units.place.size(); ++k) {
    if (tree.vertex(units.place[k]).position != position) return std::nullopt;
    if (tree.vertex(units.place[k]).slots == size) continue;
    if (units.odd >= 0) return std::nullopt;
    units.odd = static_cast<std::int32_t>(k);
  }
  return units;
}

// Returns the ways to make groups of `size` vertices, each as the sizes of its steps. Groups are made in one step or
// from smaller groups: cubes of eight and squares of four fit together on grids. `exact`: all groups have equal sizes.
std::vector<std::vector<std::int32_t>> ways_to(std::int32_t size, bool exact) {
  std::vector<std::vector<std::int32_t>> ways{{size}};
  for (const std::int32_t brick : {8, 4})
    if (exact && size % brick == 0 && size > brick) ways.push_back({brick, size / brick});
  return ways;
}

FrontGroups grouped_by(const mapping::Graph& graph, const std::vector<std::int32_t>& way,
                       const mapping::WorkBudget& watch) {
  FrontGroups groups = front_groups(graph, way.front(), watch);
  if (way.size() == 1) return groups;
  const FrontGroups outer =
      front_groups(mapping::contracted(graph, groups.group, groups.groups, watch), way.back(), watch);
  for (std::int32_t& group : groups.group) group = outer.group[group];
  groups.groups = outer.groups;
  return groups;
}

// Places unit k on the subtree units.place[place[k]] and returns the slot of each vertex.
std::vector<std::int32_t> laid_out(const mapping::LeafTree& tree, const Units& units, std::vector<std::int32_t> place) {
  if (units.odd >= 0) std::iter_swap(std::find(place.begin(), place.end(), units.odd), place.end() - 1);
  std::vector<std::int32_t> next;
  for (const std::int32_t p : place) next.push_back(tree.vertex(units.place[p]).first_slot);
  std::vector<std::int32_t> slot;
  slot.reserve(units.unit_of.size());
  for (const std::int32_t unit : units.unit_of) slot.push_back(next[unit]++);
  return slot;
}

// Returns the graph with similar weights made equal, because measured traffic is seldom even. Weights are similar when
// no gap of more than a quarter lies between them. Returns nothing when no weight would change.
std::optional<mapping::Graph> evened(const mapping::Graph& graph, const mapping::WorkBudget& watch) {
  struct Class {
    std::int32_t least;
    std::int64_t sum, count;

    std::int32_t mean() const { return static_cast<std::int32_t>(sum / count); }
  };
  std::vector<Class> classes;
  bool even = true;
  for (const mapping::HeavyPair& pair : mapping::pairs_by_weight(graph, watch)) {
    if (classes.empty() || pair.weight < classes.back().least - classes.back().least / 4)
      classes.push_back({pair.weight, 0, 0});
    Class& last = classes.back();
    even = even && pair.weight == last.least;
    last = {pair.weight, last.sum + pair.weight, last.count + 1};
  }
  if (even) return std::nullopt;
  mapping::Graph result = graph;
  watch.spend(std::ssize(graph.arc));
  for (mapping::Arc& arc : result.arc)
    arc.weight = std::partition_point(classes.begin(), classes.end(), [&](const Class& c) {
                   return c.least > arc.weight;
                 })->mean();
  return result;
}

// Joins the vertices to units of `size` in several ways. Stores the best result in `units` if its fit is better than
// that of `units`.
void join(const mapping::Graph& graph, std::int32_t size, Units& units, const mapping::WorkBudget& watch) {
  for (const std::vector<std::int32_t>& way : ways_to(size, units.odd < 0)) {
    FrontGroups groups = grouped_by(graph, way, watch);
    if (units.unit_of.empty()) units.unit_of = groups.group;
    const double fit = fit_of(graph, groups, watch);
    if (fit > units.fit) {
      units.fit = fit;
      units.unit_of = std::move(groups.group);
      units.equal_pieces = way.size() == 1 && fit > perfect_fit;
    }
    if (fit > perfect_fit || fit < hopeless_fit) break;
  }
}

}  // namespace

std::optional<Units> join_to_units(const mapping::Graph& graph, const mapping::LeafTree& tree,
                                   const mapping::WorkBudget& watch) {
  std::optional<Units> units = lowest_subtrees(tree);
  if (!units) return units;
  const std::int32_t size = tree.vertex(units->place[units->odd == 0 ? 1 : 0]).slots;
  try {
    join(graph, size, *units, watch);
    if (units->fit < perfect_fit && units->fit >= hopeless_fit)
      if (const std::optional<mapping::Graph> even = evened(graph, watch)) join(*even, size, *units, watch);
  } catch (const mapping::OutOfTime&) {
    units->fit = 0;
  }
  return units;
}

std::optional<Units> consecutive_units(const mapping::LeafTree& tree, std::span<const std::int32_t> position) {
  std::optional<Units> units = lowest_subtrees(tree);
  if (!units) return units;
  const std::int32_t size = tree.vertex(units->place[units->odd == 0 ? 1 : 0]).slots;
  for (const std::int32_t place : position) units->unit_of.push_back(place / size);
  return units;
}

std::vector<std::int32_t> units_in_order(const mapping::LeafTree& tree, const Units& units) {
  return laid_out(tree, units, numbers(units.place.size()));
}

std::vector<std::int32_t> units_mapping(const mapping::Graph& graph, const mapping::LeafTree& tree, const Units& units,
                                        std::uint64_t seed, std::int64_t work, const mapping::WorkBudget& watch) {
  mapping::Graph between =
      mapping::contracted(graph, units.unit_of, static_cast<std::int32_t>(units.place.size()), watch);
  std::fill(between.size.begin(), between.size.end(), 1);
  const mapping::LeafTree above = tree.cut_at(units.place);
  std::vector<std::int32_t> place = multisection(between, above, seed, work, watch);
  swap_search(between, above, place, work, watch);
  return laid_out(tree, units, std::move(place));
}

}  // namespace placement::treematch
