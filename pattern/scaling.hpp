// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/matrix/comm_matrix.hpp"

namespace placement::pattern {

// A matrix that was made for another number of ranks than the one it comes from.
struct ScaledMatrix {
  CommMatrix matrix;
  std::string structure;  // the structure on this number of ranks for messages, as "a periodic grid of 8 x 4"
};

// The largest part of the traffic that may differ from a regular structure, so that a matrix counts as regular. It
// leaves room for the collective operations of a program.
inline constexpr double most_irregular_traffic = 0.1;

// Returns the matrix of a program on `ranks` ranks (2 to CommMatrix::max_ranks), derived from its matrix on fewer or
// more ranks. The traffic must be a ring, chain, grid, hypercube, binomial tree, or, up to 2^22 pairs, all pairs. A
// grid has sides as MPI_Dims_create() chooses them, largest or smallest first. Each dimension or bit has the mean
// traffic of its pairs. If several structures are possible, the one with the least traffic outside the structure is
// used. Returns nothing, and sets `why_not` to the reason, if no structure fits or several fit and differ on `ranks`
// ranks.
std::optional<ScaledMatrix> scaled_matrix(const CommMatrix& matrix, std::int32_t ranks, std::string* why_not = nullptr);

}  // namespace placement::pattern
