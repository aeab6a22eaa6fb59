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

// Reads a communication matrix from a file. The content decides the format, never the name. `path` is a file or a pipe,
// which zstd may have compressed. For Open MPI's monitoring it may also be a directory with the NAME.RANK.prof files of
// one run, or their common prefix DIR/NAME.
//
//   dense         n rows of n numbers, separated by blanks, commas or semicolons. A line with n may come first, or
//                 names of the columns; rows may then begin with a name. In an exactly symmetric matrix, m[i][j] is the
//                 traffic of the pair; in any other, both directions are added. Without the line n, up to four
//                 rows that can also be an edge list are an error
//   edge list     a line "ranks pairs", then this number of lines "rank rank bytes"
//   np list       a line "np ranks", then lines "source target bytes [messages]"
//   MatrixMarket  the coordinate or the array form; integer, real or (coordinate) pattern; symmetric, or general, which
//                 is read as a dense matrix
//   table         a line with the names of columns, then a line of values per pair. The columns read are source (src,
//                 from, sender, rank, row, i), target (dst, dest, destination, to, receiver, peer, column, col, j) and
//                 bytes (weight, traffic, volume, size, value). The highest rank plus 1 is the number of ranks
//   METIS graph   a line "vertices edges [format [weights]]", then a line per vertex. A vertex is a rank. The weight of
//                 an edge is the traffic of the pair
//   SCOTCH graph  "0", "vertices arcs", "base flags", then the vertices, with the meaning of a METIS graph
//   monitoring    E and I lines are messages of the application and of the library below it, including collectives. S
//                 and R lines are one-sided put and get. Other lines count collectives again and are left out.
//                 One-sided calls carried by messages (osc/pt2pt) count twice, which the files do not show
//
// Edge lists, np lists and tables add both directions and duplicates. The diagonal is dropped. Values are exact
// integers up to 2^63 - 1; a matrix with fractions is multiplied by a power of ten (MatrixInfo::scale_power). Returns
// the matrix and fills `info` unless it is null. Throws Error, with file, line and value, when the text is wrong or
// exceeds `options`.
CommMatrix read_matrix(const std::string& path, const MatrixReadOptions& options = {}, MatrixInfo* info = nullptr);

// Reads a communication matrix from `text`, in each format of read_matrix(). `name` stands for the file in errors.
// Returns the matrix and fills `info` unless it is null. Throws Error when the text is wrong or exceeds `options`.
CommMatrix parse_matrix(std::string_view text, const std::string& name, const MatrixReadOptions& options = {},
                        MatrixInfo* info = nullptr);

}  // namespace placement
