// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement::tools {

// The spread of a number over the ranks.
struct Spread {
  std::int64_t least = 0, median = 0, most = 0;
};

// Shows how regular the traffic is: regular traffic has few differences of rank numbers, or few pairs.
struct Regularity {
  Spread neighbours;           // partners per rank
  Spread traffic;              // traffic per rank, in both directions
  std::int64_t distances = 0;  // least number of differences of rank numbers that carry 90 % of the traffic
  std::int64_t pairs = 0;      // least number of pairs that carry 90 % of the traffic
};

// Statistics of a matrix.
struct MatrixFacts {
  std::int32_t ranks = 0;
  std::int64_t pairs = 0;
  double density = 0;  // pairs with traffic as a share of all pairs, 0 to 1
  std::int64_t total = 0;
  std::int32_t silent = 0;         // ranks without any traffic
  std::vector<CommEdge> heaviest;  // heaviest pairs, by decreasing traffic
  Regularity regularity;
  MatrixInfo info;
};
// Returns the statistics of `matrix` with at most `heaviest` of its heaviest pairs.
MatrixFacts facts_of(const CommMatrix& matrix, const MatrixInfo& info, std::size_t heaviest);

// Return the facts as lines for people, and as JSON.
std::string format_facts(const MatrixFacts& facts);
std::string facts_as_json(const MatrixFacts& facts);

}  // namespace placement::tools
