// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <string>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement::tools {

// Returns statistics of `matrix`, with at most `heaviest` of its heaviest pairs, as lines for people or as JSON. They
// show how regular the traffic is: regular traffic has few differences of rank numbers, or few pairs.
std::string matrix_facts(const CommMatrix& matrix, const MatrixInfo& info, std::size_t heaviest, bool json);

}  // namespace placement::tools
