// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/matrix/comm_matrix.hpp"
#include "common/matrix/matrix_format.hpp"

namespace placement {

// What a matrix may cost to read.
struct MatrixReadOptions {
  std::size_t max_bytes = std::size_t{1} << 30;  // of text, all files together, unpacked
  std::int32_t max_ranks = CommMatrix::max_ranks;
  std::int64_t max_entries = std::int64_t{1} << 26;  // values other than 0
};

// Reads a communication matrix. The content decides the format, never the name; zstd-compressed
// files are unpacked. Path is a file, a pipe, or for Open MPI's monitoring also a directory that
// holds NAME.RANK.prof files of one run, or the prefix DIR/NAME of them.
//
//   dense       n rows of n numbers, perhaps after a line with n; apart by blanks, commas or
//               semicolons. Exactly symmetric: m[i][j] is the traffic of the pair; any other
//               matrix is directed traffic, both directions are added.
//   edge list   "ranks pairs", then that many "rank rank bytes" lines; both directions and
//               duplicates are added
//   np list     "np ranks", then "source target bytes [messages]" lines, added likewise
//   MatrixMarket  coordinate; general (as dense) or symmetric; integer, real or pattern
//   monitoring  E and I lines (messages of the application and of the library below it, so
//               collectives are in), S and R lines (one-sided put and get). C, A2A, O2A and A2O lines
//               count collectives once more and are left out. Where Open MPI carries one-sided calls
//               by messages (osc/pt2pt) they are in the E lines too, which the files do not tell.
//
// The diagonal is dropped. Values are exact integers up to 2^63 - 1; fractions scale the whole
// matrix (MatrixInfo::scale_power). Throws Error naming file, line and value.
CommMatrix read_matrix(const std::string& path, const MatrixReadOptions& options = {},
                       MatrixInfo* info = nullptr);

// The same from memory; name stands for the file in errors.
CommMatrix parse_matrix(std::string_view text, const std::string& name,
                        const MatrixReadOptions& options = {}, MatrixInfo* info = nullptr);

}  // namespace placement
