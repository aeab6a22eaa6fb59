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
};

// Reads a communication matrix from a file. The content decides the format, never the name. Files that are compressed
// with zstd are decompressed. `path` is a file or a pipe. For Open MPI's monitoring it may also be a directory with
// the NAME.RANK.prof files of one run, or their common beginning DIR/NAME.
//
//   dense         n rows of n numbers, optionally after a line with n, or after a line with names of the columns; rows
//                 may then begin with a name. Numbers are separated by blanks, commas or
//                 semicolons. When the matrix is exactly symmetric, m[i][j] is the traffic of the pair. Any other
//                 matrix is directed traffic, and both directions are added. Without the line n, up to four rows
//                 that can also be lines of an edge list are an error.
//   edge list     a line "ranks pairs", then this number of lines "rank rank bytes". Both directions and duplicates
//                 are added.
//   np list       a line "np ranks", then lines "source target bytes [messages]". Both directions and duplicates are
//                 added.
//   MatrixMarket  the coordinate or the array form; integer, real or (coordinate) pattern; symmetric, or general, which
//                 is read as dense is.
//   table         a line with the names of columns, then a line of values per pair. The columns source (or src, from,
//                 sender, rank, row, i), target (dst, dest, destination, to, receiver, peer, column, col, j) and bytes
//                 (weight, traffic, volume, size, value) are read. The highest rank plus 1 is the number of ranks.
//                 Both directions and duplicates are added.
//   METIS graph   a line "vertices edges [format [weights]]", then a line per vertex. SCOTCH graph: "0", "vertices
//   arcs",
//                 "base flags", then the vertices. A vertex is a rank, the weight of an edge the traffic of the pair.
//   monitoring    E, I, S and R lines are added. E and I lines are messages of the application and of the library below
//                 it, which include collectives. S and R lines are one-sided put and get. C, A2A, O2A and A2O lines
//                 count collectives a second time and are left out. Where Open MPI carries one-sided calls by messages
//                 (osc/pt2pt), their traffic counts twice, as it is in the E lines too. The files do not tell whether
//                 that is so.
//
// The diagonal is dropped. Values are exact integers up to 2^63 - 1; when there are fractions, the whole matrix is
// multiplied by a power of ten (MatrixInfo::scale_power). Returns the matrix and fills `info` unless it is null. Throws
// Error, with file, line and value, when the text is wrong or exceeds `options`.
CommMatrix read_matrix(const std::string& path, const MatrixReadOptions& options = {}, MatrixInfo* info = nullptr);

// Reads a communication matrix from `text`, in each format of read_matrix(). `name` stands for the file in errors.
// Returns the matrix and fills `info` unless it is null. Throws Error when the text is wrong or exceeds `options`.
CommMatrix parse_matrix(std::string_view text, const std::string& name, const MatrixReadOptions& options = {},
                        MatrixInfo* info = nullptr);

}  // namespace placement
