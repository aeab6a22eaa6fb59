// SPDX-License-Identifier: GPL-2.0-or-later
// The files of the published job assignment [JA §1, §4].
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// Hardware file: the number of levels, then the arity of each from the root. Throws Error naming file
// and value on anything else.
std::vector<std::int32_t> read_hardware(const std::string& path);
std::string format_hardware(std::span<const std::int32_t> arities);

// The neighbours of each process in the graph that the assignment makes: on each level, of each two
// neighbouring groups the pair of processes with the most traffic, the first of equals. Each list ascends.
// `order` has the processes in the order of the leaves; its size is the product of the arities.
std::vector<std::vector<std::int32_t>> assignment_neighbours(const CommMatrix& matrix,
                                                             std::span<const std::int32_t> order,
                                                             std::span<const std::int32_t> arities);

// Neighbour file: the number of processes, then for each its degree and its neighbours.
std::vector<std::vector<std::int32_t>> read_neighbours(const std::string& path);
std::string format_neighbours(std::span<const std::vector<std::int32_t>> neighbours);

}  // namespace placement
