// SPDX-License-Identifier: GPL-2.0-or-later
// The parsers of the formats of matrix_read.hpp that are a single text. Only matrix_read.cpp uses this file.
#pragma once
#include "common/matrix/matrix_read.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// Each function parses one format. The scanner `in` stands on the first line that is neither blank nor a comment, and
// is read to the end. Each returns the matrix and fills `info`. Each throws Error, with file, line and value, when the
// text is wrong or exceeds `options`.
CommMatrix parse_dense(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_edge_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_np_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_matrix_market(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);

}  // namespace placement
