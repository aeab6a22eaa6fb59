// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/comm_matrix.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "common/util/error.hpp"

namespace placement {

static void check(std::int32_t ranks, const CommEdge& edge) {
  if (edge.a < 0 || edge.b < 0 || edge.a >= ranks || edge.b >= ranks)
    throw Error("rank " +
                std::to_string(std::min(edge.a, edge.b) < 0 ? std::min(edge.a, edge.b) : std::max(edge.a, edge.b)) +
                " is outside 0.." + std::to_string(ranks - 1));
  if (edge.weight < 0)
    throw Error("negative traffic " + std::to_string(edge.weight) + " between ranks " + std::to_string(edge.a) +
                " and " + std::to_string(edge.b));
}

// Sorts edges, each with a < b, by a and then by b. Takes linear time if the edges of each rank are already sorted.
static void sort_by_pair(std::int32_t ranks, std::vector<CommEdge>& edges) {
  const auto before = [](const CommEdge& x, const CommEdge& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); };
  if (std::ranges::is_sorted(edges, before)) return;
  std::vector<std::size_t> begin(static_cast<std::size_t>(ranks) + 1);
  for (const CommEdge& edge : edges) ++begin[edge.a + 1];
  for (std::int32_t r = 0; r < ranks; ++r) begin[r + 1] += begin[r];
  std::vector<CommEdge> sorted(edges.size());
  std::vector<std::size_t> at(begin.begin(), begin.end() - 1);
  for (const CommEdge& edge : edges) sorted[at[edge.a]++] = edge;
  for (std::int32_t r = 0; r < ranks; ++r) {
    const auto row = sorted.begin() + static_cast<std::ptrdiff_t>(begin[r]);
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(begin[r + 1]);
    if (!std::is_sorted(row, end, before)) std::sort(row, end, before);
  }
  edges = std::move(sorted);
}

// Brings edges into the form of a matrix: a < b, sorted, and one edge per pair. Removes edges of weight 0 and from a
// rank to itself. Returns the sum of the weights. Throws Error when it is 2^63 or more.
static std::int64_t merge(std::int32_t ranks, std::vector<CommEdge>& edges) {
  for (CommEdge& edge : edges)
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  std::erase_if(edges, [](const CommEdge& edge) { return edge.a == edge.b || edge.weight == 0; });
  sort_by_pair(ranks, edges);
  std::int64_t total = 0;
  std::size_t kept = 0;
  for (const CommEdge& edge : edges) {
    if (__builtin_add_overflow(total, edge.weight, &total))
      throw Error("the traffic of all pairs together is 2^63 or more: use a larger unit");
    if (kept > 0 && edges[kept - 1].a == edge.a && edges[kept - 1].b == edge.b)
      edges[kept - 1].weight += edge.weight;
    else
      edges[kept++] = edge;
  }
  edges.resize(kept);
  return total;
}

CommMatrix CommMatrix::from_edges(std::int32_t ranks, std::vector<CommEdge> edges) {
  if (ranks < 0 || ranks > max_ranks)
    throw Error(std::to_string(ranks) + " ranks: expected 0 to " + std::to_string(max_ranks));
  for (const CommEdge& edge : edges) check(ranks, edge);
  CommMatrix matrix;
  matrix.total_weight_ = merge(ranks, edges);
  matrix.row_.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (const CommEdge& edge : edges) {
    ++matrix.row_[edge.a + 1];
    ++matrix.row_[edge.b + 1];
  }
  for (std::int32_t r = 0; r < ranks; ++r) matrix.row_[r + 1] += matrix.row_[r];
  matrix.neighbour_.resize(2 * edges.size());
  matrix.weight_.resize(2 * edges.size());
  std::vector<std::int64_t> at(matrix.row_.begin(), matrix.row_.end() - 1);
  const auto put = [&](std::int32_t from, std::int32_t to, std::int64_t weight) {
    matrix.neighbour_[at[from]] = to;
    matrix.weight_[at[from]++] = weight;
  };
  // Each row comes out sorted: the first loop puts the smaller neighbours of each rank, the second the larger ones.
  for (const CommEdge& edge : edges) put(edge.b, edge.a, edge.weight);
  for (const CommEdge& edge : edges) put(edge.a, edge.b, edge.weight);
  matrix.all_alike_ =
      matrix.pairs() > 0 && matrix.pairs() == std::int64_t{ranks} * (ranks - 1) / 2 &&
      std::ranges::all_of(matrix.weight_, [&](std::int64_t each) { return each == matrix.weight_.front(); });
  return matrix;
}

std::int64_t CommMatrix::weight(std::int32_t a, std::int32_t b) const {
  const auto row = neighbours(a);
  const auto found = std::ranges::lower_bound(row, b);
  return found == row.end() || *found != b ? 0 : weights(a)[found - row.begin()];
}

std::vector<CommEdge> CommMatrix::edges() const {
  std::vector<CommEdge> all;
  all.reserve(static_cast<std::size_t>(pairs()));
  for (std::int32_t a = 0; a < ranks(); ++a)
    for (std::size_t k = 0; k < neighbours(a).size(); ++k)
      if (neighbours(a)[k] > a) all.push_back({a, neighbours(a)[k], weights(a)[k]});
  return all;
}

CommMatrix CommMatrix::aggregated(std::span<const std::int32_t> group_of, std::int32_t groups) const {
  if (group_of.size() != static_cast<std::size_t>(ranks()))
    throw Error(std::to_string(group_of.size()) + " ranks have a group: the matrix has " + std::to_string(ranks()));
  for (const std::int32_t group : group_of)
    if (group < 0 || group >= groups)
      throw Error("group " + std::to_string(group) + " is outside 0.." + std::to_string(groups - 1));
  std::vector<CommEdge> between;
  for (const CommEdge& edge : edges())
    if (group_of[edge.a] != group_of[edge.b]) between.push_back({group_of[edge.a], group_of[edge.b], edge.weight});
  return from_edges(groups, std::move(between));
}

}  // namespace placement
