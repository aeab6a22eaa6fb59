// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "common/matrix/comm_matrix.hpp"

namespace placement::pattern {

// A matrix scaled to another number of ranks than that of its source.
struct ScaledMatrix {
  CommMatrix matrix;
  std::string structure;  // for messages, such as "a periodic grid of 8 x 4"
};

// The largest part of a regular matrix's traffic that may differ from its structure. It admits the collective
// operations of a program.
inline constexpr double most_irregular_traffic = 0.1;

// Returns the matrix of a program on `ranks` ranks (2 to CommMatrix::max_ranks), derived from its matrix on fewer or
// more ranks. The traffic must be a ring, chain, grid, hypercube, binomial tree, or, up to 2^22 pairs, all pairs. A
// grid has sides as MPI_Dims_create() chooses them, largest or smallest first. Each dimension or bit gets the mean
// traffic of its pairs. Uses the structure with the least traffic outside of it. Returns nothing, and sets `why_not`,
// if no structure fits or several fit equally and differ on `ranks` ranks.
std::optional<ScaledMatrix> scaled_matrix(const CommMatrix& matrix, std::int32_t ranks, std::string* why_not = nullptr);

}  // namespace placement::pattern
