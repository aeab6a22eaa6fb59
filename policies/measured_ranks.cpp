// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/measured_ranks.hpp"

#include <numeric>

#include "netload/rank_mapping.hpp"
#include "treematch/tree_map.hpp"
#include "treematch/treematch.hpp"
#include "treematch/within_nodes.hpp"

namespace placement::policies {

namespace {

// A difference smaller than this part of the cost may be rounding.
constexpr double rounding = 1e-9;

std::vector<std::int32_t> places_by_tree(const ClusterView& view, const Request& request,
                                         const mapping::NodeCounts& counts, std::span<const std::int32_t> place_of,
                                         const Deadline& deadline) {
  Request step = for_tree(request);
  step.node_tasks = counts;
  std::vector<std::int32_t> places;
  for (const RankPlace& rank : treematch::place_treematch(view, step, deadline).ranks)
    places.push_back(place_of[static_cast<std::size_t>(rank.node)]);
  return places;
}

}  // namespace

std::vector<std::int32_t> leaves_by_measured_distance(const ClusterView& view, const Request& request,
                                                      const mapping::Slots& slots, const netload::NetworkLoad& network,
                                                      std::span<const std::int32_t> nodes,
                                                      const mapping::NodeCounts& counts, const Deadline& deadline) {
  const CommMatrix& matrix = *request.matrix;
  if (static_cast<std::int64_t>(nodes.size() * nodes.size()) > netload::most_distances) {
    std::vector<std::int32_t> same(view.nodes.size());  // too many nodes for a table of distances
    std::iota(same.begin(), same.end(), 0);
    return slots.leaves_on(places_by_tree(view, request, counts, same, deadline));
  }
  netload::NodeDistances distances;
  distances.nodes = static_cast<std::int32_t>(nodes.size());
  for (const std::int32_t u : nodes)
    for (const std::int32_t v : nodes) distances.value.push_back(network.at(u, v));
  std::vector<std::int32_t> place_of(view.nodes.size(), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    place_of[static_cast<std::size_t>(nodes[k])] = static_cast<std::int32_t>(k);

  std::vector<std::int32_t> natural;
  for (std::size_t n = 0; n < counts.size(); ++n)
    natural.insert(natural.end(), static_cast<std::size_t>(counts[n]), place_of[n]);
  const auto leaves_of = [&](std::vector<std::int32_t> places) {
    for (std::int32_t& place : places) place = nodes[static_cast<std::size_t>(place)];
    return slots.leaves_on(places);
  };
  std::vector<std::int32_t> best = netload::mapped_by_distance(matrix, distances, natural, deadline);
  std::vector<std::int32_t> leaves = leaves_of(best);
  const auto improve_by = [&](std::vector<std::int32_t> start) {
    std::vector<std::int32_t> other = netload::mapped_by_distance(matrix, distances, std::move(start), deadline);
    const double cost = netload::measured_cost(matrix, distances, other);
    const double best_cost = netload::measured_cost(matrix, distances, best);
    std::vector<std::int32_t> other_leaves = leaves_of(other);
    if (cost > best_cost * (1 + rounding) ||
        (cost >= best_cost * (1 - rounding) &&
         view.tree->hop_bytes(matrix, other_leaves) >= view.tree->hop_bytes(matrix, leaves)))
      return;
    best = std::move(other);
    leaves = std::move(other_leaves);
  };
  if (!deadline.expired() && matrix.total_weight() > 0) {
    improve_by(places_by_tree(view, request, counts, place_of, deadline));
    if (const auto planned = slots.leaves_of_ranks(request.planned_ranks, counts)) {
      std::vector<std::int32_t> start;
      for (const std::int32_t leaf : *planned) start.push_back(place_of[static_cast<std::size_t>(slots.node_of(leaf))]);
      improve_by(std::move(start));
    }
  }
  treematch::place_on_sockets(view, request, slots, leaves, treematch::SocketsOf::all_nodes, treematch::usual_effort,
                              deadline);
  return leaves;
}

Request for_tree(const Request& request) {
  Request plain = request;
  plain.parameters.clear();
  const auto seed = request.parameters.find("seed");
  if (seed != request.parameters.end()) plain.parameters.insert(*seed);
  return plain;
}

}  // namespace placement::policies
