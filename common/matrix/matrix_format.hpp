// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// The text forms of a communication matrix.
enum class MatrixFormat {
  dense,                // a row of numbers per rank, perhaps after a line with the number of ranks
  edge_list,            // "ranks pairs", then "rank rank bytes" lines
  np_list,              // "np ranks", then "source target bytes [messages]" lines
  matrix_market,        // "%%MatrixMarket matrix coordinate ..."
  open_mpi_monitoring,  // the .prof files of Open MPI's monitoring component
};

// The name that tools show and take: dense, edges, np, mtx, prof.
const char* to_string(MatrixFormat format);
// Throws Error that lists the names that can be written (all but prof).
MatrixFormat writable_format(std::string_view name);

// What reading a matrix found out besides the matrix.
struct MatrixInfo {
  MatrixFormat format = MatrixFormat::dense;
  std::int64_t entries = 0;  // values that were there, without zeros and the diagonal
  bool symmetric = false;    // both directions were equal and stand for one amount; else they were added
  std::int32_t scale_power =
      0;                 // fractions: each value was multiplied by 10^scale_power to become an integer
  bool rounded = false;  // and even so some had to be rounded
  std::vector<std::string> notes;  // for people: what looks odd but is no error, one fact each
};

}  // namespace placement
