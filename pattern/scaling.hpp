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
  std::string structure;  // what the traffic is on this number of ranks, as "a periodic grid of 8 x 4", for people
};

// The largest part of the traffic that may differ from a regular structure, so that a matrix counts as regular. It
// leaves room for the collective operations of a program.
inline constexpr double most_irregular_traffic = 0.1;

// Returns the matrix that a program would have on `ranks` ranks whose matrix is `matrix`, where its traffic is a
// regular structure: a ring, a chain, a grid of two or three dimensions (periodic or not) with sides as
// MPI_Dims_create() chooses them, largest or smallest first, a hypercube, which is what recursive doubling makes, a
// binomial tree, or all pairs. The traffic of a pair may differ by the dimension or the bit, and is the mean over those
// pairs. Where several structures fit, the one is taken from which the least traffic differs. A square or a cube fits
// with its largest side first as well as smallest first: the largest is first on `ranks` ranks, which `structure` says
// where it makes a difference. Returns nothing if more than most_irregular_traffic differs from each, if two structures
// fit equally well and differ on `ranks` ranks, also as a square or cube with one dimension that has at most
// most_irregular_traffic of the traffic, if the structure does not exist for `ranks` ranks, or if the matrix has fewer
// than 4 ranks or no traffic, and sets `why_not` to the reason, as "its traffic is a hypercube, and none of 24 ranks
// can be made". All pairs are a structure up to 2^22 pairs. `ranks` is 2 to CommMatrix::max_ranks.
std::optional<ScaledMatrix> scaled_matrix(const CommMatrix& matrix, std::int32_t ranks, std::string* why_not = nullptr);

}  // namespace placement::pattern
