// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement {

// Limits on the size of a matrix that is read; a larger one is refused.
struct MatrixReadOptions {
  std::size_t max_bytes = std::size_t{1} << 30;  // of decompressed text, all files together
  std::int32_t max_ranks = CommMatrix::max_ranks;
  std::int64_t max_entries = std::int64_t{1} << 26;  // values other than 0
  TrafficWeight weight = TrafficWeight::bytes;       // with messages, a file without numbers of messages is an Error
};

// Reads a communication matrix from the file, pipe, or zstd file `path`. The content decides the format; placectl(1)
// lists them in MATRIX FORMATS. `path` may also be a directory of NAME.RANK.prof files, or their prefix DIR/NAME. The
// values of both directions and of duplicates of a pair are added. In a symmetric dense matrix, each value is already
// the traffic of the pair. Fractions are multiplied by a power of ten (MatrixInfo::scale_power). Returns the matrix and
// fills `info` unless it is null. Throws Error, with file, line and value, if the text is wrong or exceeds `options`.
CommMatrix read_matrix(const std::string& path, const MatrixReadOptions& options = {}, MatrixInfo* info = nullptr);

// Reads a communication matrix from `text`, in each format of read_matrix(). `name` stands for the file in errors.
// Returns the matrix and fills `info` unless it is null. Throws Error when the text is wrong or exceeds `options`.
CommMatrix parse_matrix(std::string_view text, const std::string& name, const MatrixReadOptions& options = {},
                        MatrixInfo* info = nullptr);

}  // namespace placement
