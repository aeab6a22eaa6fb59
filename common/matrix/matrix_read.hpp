// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement {

// Limits on the size of a matrix (a larger one is rejected), and the choice of its values.
struct MatrixReadOptions {
  std::size_t max_bytes = std::size_t{1} << 30;  // of decompressed text, all files together
  std::int32_t max_ranks = CommMatrix::max_ranks;
  std::int64_t max_entries = std::int64_t{1} << 26;  // values other than 0
  TrafficWeight weight = TrafficWeight::bytes;       // messages: the file must have numbers of messages
};

// Reads a communication matrix. `path` is a file, a zstd file or a pipe. For the files DIR/NAME.RANK.prof it is DIR or
// DIR/NAME. The content determines the format; MATRIX FORMATS in placectl(1) lists them. Adds up both directions and
// duplicates of a pair. Exception: in a symmetric dense matrix, each value is the whole traffic of its pair. If values
// are fractions, multiplies all by a power of ten (MatrixInfo::scale_power). Returns the matrix and fills `info` unless
// it is null. Throws Error, with file, line and value, if the text is wrong or exceeds `options`.
CommMatrix read_matrix(const std::string& path, const MatrixReadOptions& options = {}, MatrixInfo* info = nullptr);

// Reads a communication matrix from `text`, as read_matrix() from a file. `name` is the name of the file in errors.
CommMatrix parse_matrix(std::string_view text, const std::string& name, const MatrixReadOptions& options = {},
                        MatrixInfo* info = nullptr);

}  // namespace placement
