// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <ostream>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement {

// Writes the matrix as text, from which read_matrix() gives an equal matrix. The dense format takes ranks^2 numbers.
// Throws Error for a matrix without ranks, and for the format of Open MPI's monitoring, which only Open MPI writes. The
// caller checks the stream for errors.
void write_matrix(std::ostream& out, const CommMatrix& matrix, MatrixFormat format);

}  // namespace placement
