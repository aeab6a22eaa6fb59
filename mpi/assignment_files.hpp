// SPDX-License-Identifier: GPL-2.0-or-later
// Reading and writing the files of the published job assignment [JA §1, §4].
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement::mpi {

// Reads a hardware file: the number of levels (1 to 8), then the arity of each level from the root. Returns the
// arities. Throws Error with file and value when the file cannot be read or has other contents.
std::vector<std::int32_t> read_hardware(const std::string& path);
// Returns the text of a hardware file with these arities.
std::string format_hardware(std::span<const std::int32_t> arities);

// Returns the neighbours of each process, ascending, in the graph of the published assignment [JA §4]. Below each
// vertex, the graph joins each two groups by their pair of processes with the most traffic, the first pair if several
// are equal. Groups without traffic are not joined.
//   matrix   the traffic between processes
//   order    the process at each leaf, by leaf; -1 for none
//   arities  the arity of each level from the root; throws Error unless their product is the number of leaves
std::vector<std::vector<std::int32_t>> assignment_neighbours(const CommMatrix& matrix,
                                                             std::span<const std::int32_t> order,
                                                             std::span<const std::int32_t> arities);

// Reads a neighbour file: the number of processes, then for each process its degree and its neighbours. Returns the
// neighbours of each process. Throws Error with file and value when the file cannot be read or has other contents.
std::vector<std::vector<std::int32_t>> read_neighbours(const std::string& path);
// Returns the text of a neighbour file.
std::string format_neighbours(std::span<const std::vector<std::int32_t>> neighbours);

}  // namespace placement::mpi
