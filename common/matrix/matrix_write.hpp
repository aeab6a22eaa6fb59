// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <ostream>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement {

// Writes the matrix so that read_matrix gives exactly the same one again. Dense text takes ranks^2
// numbers. Throws Error for a matrix without ranks and for the monitoring format, which is Open MPI's
// alone; errors of the stream are left to the caller.
void write_matrix(std::ostream& out, const CommMatrix& matrix, MatrixFormat format);

}  // namespace placement
