// SPDX-License-Identifier: GPL-2.0-or-later
// The parsers behind common/matrix/matrix_read.hpp for formats that are one text; used by it alone.
#pragma once
#include "common/matrix/matrix_read.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// Each begins with the scanner on the first line that says something, and reads to the end.
CommMatrix parse_dense(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_edge_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_np_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_matrix_market(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);

}  // namespace placement
