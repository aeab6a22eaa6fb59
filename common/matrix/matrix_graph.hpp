// SPDX-License-Identifier: GPL-2.0-or-later
// The parsers of graph files. Only matrix_read.cpp uses this file.
#pragma once
#include "common/matrix/matrix_read.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// Returns whether the text from the scanner's current line on has the shape of a METIS graph: a line "vertices edges
// [format [weights]]", then a line for each vertex, which may be blank, with two entries for each edge in all. Blank
// lines at the end may be missing. Lines that begin with '%' are comments.
bool is_metis_graph(TextScanner in);
// Returns whether the text from the scanner's current line on begins as a SCOTCH graph: a line "0", then a line with
// two numbers.
bool is_scotch_graph(TextScanner in);

// Each function parses one format, from the scanner's current line to the end. A vertex is a rank. The weight of an
// edge is the traffic of the two ranks, 1 without weights. Sizes and weights of vertices are ignored. Each returns the
// matrix and fills `info`. Each throws Error, with file, line and value, when the text is wrong or exceeds `options`.
CommMatrix parse_metis_graph(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_scotch_graph(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);

}  // namespace placement
