// SPDX-License-Identifier: GPL-2.0-or-later
// The parsers of the formats of matrix_read.hpp that are a single text. Only the parsers use this file.
#pragma once
#include "common/matrix/matrix_read.hpp"
#include "common/matrix/traffic_table.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// Adds the traffic from rank `from` to rank `to`. Throws Error, with file and line, when the table is full.
void add_traffic(TrafficTable& table, const TextScanner& in, std::int64_t from, std::int64_t to, const Decimal& value);

// Each function parses one format. The scanner `in` stands on the first line that is neither blank nor a comment, and
// is read to the end. Each returns the matrix and fills `info`. Each throws Error, with file, line and value, when the
// text is wrong or exceeds `options`.
CommMatrix parse_dense(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
// Parses the `ranks` rows of a dense matrix, each after a name if they are `named`.
CommMatrix parse_dense_rows(TextScanner& in, std::int64_t ranks, bool named, const MatrixReadOptions& options,
                            MatrixInfo& info);
CommMatrix parse_edge_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_np_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_matrix_market(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);

}  // namespace placement
