// SPDX-License-Identifier: GPL-2.0-or-later
#include "policies/measured_ranks.hpp"

#include <utility>

#include "mapping/greedy.hpp"
#include "mapping/tuning.hpp"
#include "netload/rank_mapping.hpp"
#include "treematch/tree_map.hpp"
#include "treematch/treematch.hpp"
#include "treematch/within_nodes.hpp"

namespace placement::policies {

namespace {

// A difference smaller than this part of the cost may be rounding.
constexpr double rounding = 1e-9;

// Returns the leaf of each rank if TREEMATCH maps the request to the tree of switches.
std::vector<std::int32_t> leaves_by_tree(const ClusterView& view, const Request& request,
                                         const mapping::NodeCounts& counts, const Deadline& deadline) {
  Request step = for_tree(request);
  step.node_tasks = counts;
  return mapping::first_leaves(view, treematch::place_treematch(view, step, deadline));
}

}  // namespace

std::vector<std::int32_t> leaves_by_measured_distance(const ClusterView& view, const Request& request,
                                                      const mapping::Slots& slots, const netload::NetworkLoad& network,
                                                      std::span<const std::int32_t> nodes,
                                                      const mapping::NodeCounts& counts, const Deadline& deadline) {
  const CommMatrix& matrix = *request.matrix;
  const auto node_at = [&](std::int32_t place) { return nodes[place]; };
  netload::NodeDistances distances;
  distances.nodes = static_cast<std::int32_t>(nodes.size());
  if (static_cast<std::int64_t>(nodes.size() * nodes.size()) <= netload::most_distances)
    for (std::int32_t a = 0; a < distances.nodes; ++a)
      for (std::int32_t b = 0; b < distances.nodes; ++b) distances.value.push_back(network.at(node_at(a), node_at(b)));
  const auto distance = [&](std::int32_t a, std::int32_t b) {
    return distances.value.empty() ? network.at(node_at(a), node_at(b)) : distances(a, b);
  };
  std::vector<std::int32_t> place_of(view.nodes.size(), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k) place_of[nodes[k]] = static_cast<std::int32_t>(k);

  const auto places_of = [&](std::vector<std::int32_t> leaf_of_rank) {
    for (std::int32_t& leaf : leaf_of_rank) leaf = place_of[slots.node_of(leaf)];
    return leaf_of_rank;
  };
  const auto leaves_of = [&](std::vector<std::int32_t> places) {
    for (std::int32_t& place : places) place = node_at(place);
    return slots.leaves_on(places);
  };
  const std::vector<std::int32_t> natural = slots.leaves(counts);
  const std::vector<std::int32_t> first = netload::mapped_by_distance(matrix, distances, places_of(natural), deadline);
  std::vector<std::int32_t> leaves = leaves_of(first);
  const bool has_traffic = matrix.total_weight() > 0,
             few_pairs = matrix.pairs() <= mapping::tuning::most_pairs_mapped_quickly;
  // Without a table of distances, the comparison of many pairs takes too long.
  const bool compares = has_traffic && (few_pairs || !distances.value.empty());
  double best_cost = compares ? netload::measured_cost(matrix, distance, first) : 0;
  const auto improve_by = [&](const std::vector<std::int32_t>& start) {
    const std::vector<std::int32_t> other = netload::mapped_by_distance(matrix, distances, places_of(start), deadline);
    const double cost = netload::measured_cost(matrix, distance, other);
    std::vector<std::int32_t> other_leaves = leaves_of(other);
    if (cost > best_cost * (1 + rounding) ||
        (cost >= best_cost * (1 - rounding) &&
         view.tree->hop_bytes(matrix, other_leaves) >= view.tree->hop_bytes(matrix, leaves)))
      return;
    best_cost = cost;
    leaves = std::move(other_leaves);
  };
  if (compares)
    if (const auto planned = slots.leaves_of_ranks(request.planned_ranks, counts)) improve_by(*planned);
  if (compares && few_pairs) improve_by(mapping::greedy_leaves(mapping::scaled_graph(matrix), *view.tree, natural));
  if (has_traffic && !deadline.expired()) {
    std::vector<std::int32_t> by_tree = leaves_by_tree(view, request, counts, deadline);
    if (compares)
      improve_by(by_tree);
    else
      leaves = std::move(by_tree);
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
