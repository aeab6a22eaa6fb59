// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/sparsify.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/util/random.hpp"

namespace placement::mapping {

CommMatrix sparsified(const CommMatrix& matrix, std::int32_t pairs_per_rank, std::uint64_t seed,
                      const WorkBudget& watch) {
  const std::int64_t most_pairs = std::int64_t{matrix.ranks()} * pairs_per_rank;
  // Rounded up: a smaller threshold would keep more pairs than the limit.
  const std::int64_t limit = std::max<std::int64_t>(1, most_pairs);
  const std::int64_t least =
      std::max<std::int64_t>(1, matrix.total_weight() / limit + (matrix.total_weight() % limit != 0));
  // The sampled weights may sum to more than all weights, but a matrix holds less than 2^63.
  const int shift = matrix.total_weight() >> 61 > 0 ? 2 : 0;
  const auto scaled = [shift](std::int64_t weight) { return std::max<std::int64_t>(1, weight >> shift); };
  std::vector<CommEdge> kept;
  kept.reserve(static_cast<std::size_t>(std::min(matrix.pairs(), most_pairs + matrix.ranks())));
  Random random(seed);
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
    const auto neighbours = matrix.neighbours(rank);
    const auto weights = matrix.weights(rank);
    watch.spend(static_cast<std::int64_t>(neighbours.size()) + 1);
    auto sum = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(least));
    const auto first = std::upper_bound(neighbours.begin(), neighbours.end(), rank) - neighbours.begin();
    for (std::size_t k = static_cast<std::size_t>(first); k < neighbours.size(); ++k) {
      if (weights[k] >= least) {
        kept.push_back({rank, neighbours[k], scaled(weights[k])});
      } else if ((sum += weights[k]) >= least) {
        sum -= least;
        kept.push_back({rank, neighbours[k], scaled(least)});
      }
    }
  }
  return CommMatrix::from_edges(matrix.ranks(), std::move(kept));
}

}  // namespace placement::mapping
