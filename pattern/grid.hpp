// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement::pattern {

// A grid of ranks in which neighbours exchange halos. Ranks are numbered as by MPI_Cart_create() without reordering:
// the last coordinate changes fastest.
struct Grid {
  std::vector<std::int32_t> sides;  // 1 to 8 sides of at least 1; empty: balanced sides for each number of ranks
  std::int32_t dimensions = 3;      // number of the balanced sides, 2 or 3
  bool periodic = false;            // the first and the last rank of each line are neighbours, too
};

// Parses the value of grid=: sides such as 8x4x4, or auto, auto2 or auto3, optionally followed by :periodic. Throws
// Error on any other text, and on sides whose product is above CommMatrix::max_ranks.
Grid parse_grid(std::string_view text);

// Returns the text of the grid, which parse_grid() reads.
std::string to_string(const Grid& grid);

// Returns the number of places of a grid with fixed sides; 0 for balanced sides.
std::int32_t places(const Grid& grid);

// Returns `dimensions` sides, the largest first, whose product is `ranks`, as specified for MPI_Dims_create(). The
// largest side is as small as possible, then the second largest, and so on.
std::vector<std::int32_t> balanced_sides(std::int32_t ranks, std::int32_t dimensions);

// Returns one edge of weight 1 for each pair of neighbours. A line of two ranks has one edge, periodic or not, and a
// line of one rank has none. The product of the sides is at most CommMatrix::max_ranks.
std::vector<CommEdge> grid_edges(const std::vector<std::int32_t>& sides, bool periodic);

// Returns the number of edges that grid_edges() returns. The product of the sides may be any number of 31 bits.
std::int64_t grid_pairs(const std::vector<std::int32_t>& sides, bool periodic);

// Returns the edges of grid_edges() along the side `side`, an index of `sides`.
std::vector<CommEdge> grid_edges_along(const std::vector<std::int32_t>& sides, std::size_t side, bool periodic);

// Returns the matrix of a chain: one pair of weight 1 for any two consecutive ranks. A policy that maps it places
// consecutive ranks near each other. `ranks` is 1 to CommMatrix::max_ranks.
CommMatrix chain(std::int32_t ranks);

}  // namespace placement::pattern
