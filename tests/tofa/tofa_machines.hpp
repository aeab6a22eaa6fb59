// SPDX-License-Identifier: GPL-2.0-or-later
// Machines and matrices for the tests of TOFA.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/random.hpp"
#include "policies/table.hpp"
#include "tests/torus_route.hpp"
#include "tofa/scotch_hook.hpp"

namespace placement {

inline std::vector<TorusDimension> rings(std::vector<std::int32_t> sizes) {
  std::vector<TorusDimension> dimensions;
  for (const std::int32_t size : sizes) dimensions.push_back({size, true});
  return dimensions;
}

inline std::vector<std::vector<TorusDimension>> shapes() {
  return {rings({1}),
          rings({2}),
          rings({7}),
          rings({4, 3}),
          rings({2, 2, 2}),
          rings({4, 5, 3}),
          rings({1, 6, 2}),
          {{4, false}, {3, true}, {2, false}},
          rings({3, 2, 3, 2, 2})};
}

// Returns a view with a node at each position, named by its number. Each node has `cores` cores.
inline ClusterView view_of(std::vector<TorusDimension> dimensions, std::int32_t cores = 1) {
  ClusterView view;
  view.torus = std::make_shared<const TorusTopology>(TorusTopology::full(std::move(dimensions)));
  const std::int32_t arities[] = {view.torus->positions(), cores};
  view.tree = std::make_shared<const TreeTopology>(TreeTopology::balanced(arities));
  for (std::int32_t node = 0; node < view.torus->nodes(); ++node)
    view.nodes.push_back({view.torus->name(node), node * cores, 1, cores, 1,
                          std::vector<bool>(static_cast<std::size_t>(cores), true), -1, node});
  return view;
}

inline void set_outages(ClusterView& view, const std::vector<std::int32_t>& nodes, double probability) {
  NodeOutages outages;
  for (const std::int32_t node : nodes) outages.set(std::to_string(node), probability);
  view.outages = std::make_shared<const NodeOutages>(std::move(outages));
}

inline Request request_of(CommMatrix matrix) {
  Request request;
  request.tasks = matrix.ranks();
  request.matrix = std::make_shared<const CommMatrix>(std::move(matrix));
  return request;
}

// Returns the traffic of a grid whose ranks are in a shuffled order.
inline CommMatrix shuffled_grid(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  const std::int32_t ranks = nx * ny * nz;
  std::vector<std::int32_t> name(static_cast<std::size_t>(ranks));
  for (std::int32_t k = 0; k < ranks; ++k) name[k] = k;
  Random random(5);
  for (std::int32_t k = ranks; k > 1; --k) std::swap(name[k - 1], name[random.below(k)]);
  std::vector<CommEdge> edges;
  for (std::int32_t r = 0; r < ranks; ++r) {
    if (r % nx + 1 < nx) edges.push_back({name[r], name[r + 1], 100});
    if (r / nx % ny + 1 < ny) edges.push_back({name[r], name[r + nx], 100});
    if (r / nx / ny + 1 < nz) edges.push_back({name[r], name[r + nx * ny], 100});
  }
  return CommMatrix::from_edges(ranks, std::move(edges));
}

inline CommMatrix random_matrix(std::int32_t ranks, std::int32_t pairs, std::uint64_t seed) {
  Random random(seed);
  std::vector<CommEdge> edges;
  for (std::int32_t k = 0; k < pairs; ++k)
    edges.push_back({random.below(ranks), random.below(ranks), 1 + random.below(100)});
  return CommMatrix::from_edges(ranks, std::move(edges));
}

inline std::vector<std::int32_t> nodes_of(const Placement& placement) {
  std::vector<std::int32_t> nodes;
  for (const RankPlace& rank : placement.ranks) nodes.push_back(rank.node);
  return nodes;
}

// Returns the positions with ranks or on a route between ranks with traffic, found by walking each route.
inline std::set<std::int32_t> touched(const TorusTopology& torus, const CommMatrix& matrix,
                                      const std::vector<std::int32_t>& position) {
  std::set<std::int32_t> all(position.begin(), position.end());
  for (const CommEdge& edge : matrix.edges())
    for (const auto& [a, b] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)})
      for (const std::int32_t at : route_on(torus, position[a], position[b])) all.insert(at);
  return all;
}

inline Placement place(const char* policy, const ClusterView& view, const Request& request) {
  return policies::find_policy(policy)->place(view, request, Deadline::never());
}

inline std::vector<std::int32_t> fake_scotch(
    const tofa::ScotchTask& task) {  // the ranks in reverse order on the first slots
  std::vector<std::int32_t> slot(static_cast<std::size_t>(task.matrix->ranks()));
  for (std::size_t rank = 0; rank < slot.size(); ++rank) slot[rank] = static_cast<std::int32_t>(slot.size() - 1 - rank);
  if (task.raised) std::swap(slot.front(), slot.back());
  return slot;
}

}  // namespace placement
