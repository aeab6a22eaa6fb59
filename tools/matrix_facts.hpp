// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/cost.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement {

struct Spread {
  std::int64_t least = 0, median = 0, most = 0;
};

// How regular the traffic is, that is how few words would describe it.
struct Regularity {
  Spread neighbours;           // of a rank
  Spread traffic;              // of a rank, both directions
  std::int64_t distances = 0;  // differences of ranks, the heaviest ones, that carry 90 % of the traffic
  std::int64_t pairs = 0;      // the heaviest pairs that carry 90 % of it
};

// What there is to say about a matrix.
struct MatrixFacts {
  std::int32_t ranks = 0;
  std::int64_t pairs = 0;
  double density = 0;  // of all pairs, 0..1
  std::int64_t total = 0;
  std::int32_t silent = 0;         // ranks without any traffic
  std::vector<CommEdge> heaviest;  // by falling traffic
  Regularity regularity;
  MatrixInfo info;
};
MatrixFacts facts_of(const CommMatrix& matrix, const MatrixInfo& info, std::size_t heaviest);

// What placement could gain for the matrix on a machine of which all is free.
struct PlacementGain {
  std::string topology;   // its file
  Cost natural_cost = 0;  // hop-bytes: rank r in the r-th place
  Cost cost = 0;          // by the policy
  std::string policy;

  double ratio() const;  // cost / natural_cost; 1 where nothing costs anything
  // The time of the program relative to natural order, when `share` of it goes into communication [TM §7].
  double time(double share) const { return 1 + share * (ratio() - 1); }
};

std::string format_facts(const MatrixFacts& facts, const std::optional<PlacementGain>& gain);
std::string facts_as_json(const MatrixFacts& facts, const std::optional<PlacementGain>& gain);

}  // namespace placement
