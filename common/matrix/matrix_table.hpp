// SPDX-License-Identifier: GPL-2.0-or-later
// The parsers of tables with a header line, as pandas and R write them. Only matrix_read.cpp uses this file.
#pragma once
#include "common/matrix/matrix_read.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// Returns whether the scanner's current line is the header of a dense matrix: a name for each column, and in front of
// them an empty field if the rows have names. As many rows must follow. Names that are numbers must be 0, 1, 2 and so
// on, and lines that could also be an edge list are none.
bool is_dense_header(TextScanner in);
// Returns whether the scanner's current line names columns of ranks that send and ranks that receive.
bool is_edge_header(TextScanner in);

// Parses a dense matrix with a header line. Rows may begin with a name. Returns the matrix and fills `info`. Throws
// Error, with file, line and value, when the text is wrong or exceeds `options`.
CommMatrix parse_dense_with_header(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
// Parses an edge list whose columns are named in a header line; other columns are ignored. The number of ranks is the
// highest rank plus 1. Both directions and duplicates are added. Returns the matrix and fills `info`. Throws Error,
// with file, line and value, when the text is wrong or exceeds `options`.
CommMatrix parse_edge_table(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);

}  // namespace placement
