// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/comm_matrix.hpp"

namespace placement {

// The traffic that the weight of a pair of ranks counts: G_v (bytes) or G_m (messages) of [TOFA §1].
enum class TrafficWeight { bytes, messages };

// Returns the weight of the word "bytes" or "messages". Throws Error for any other word.
TrafficWeight traffic_weight(std::string_view word);

// The text formats of a communication matrix.
enum class MatrixFormat {
  dense,                // a row of numbers per rank, optionally after a line with the number of ranks
  edge_list,            // "ranks pairs", then "rank rank bytes" lines
  np_list,              // "np ranks", then "source target bytes [messages]" lines
  matrix_market,        // "%%MatrixMarket matrix coordinate ..."
  edge_table,           // lines of columns named source, target and bytes, after a line with these names
  metis_graph,          // METIS: "vertices edges [format]", then the neighbours of each vertex
  scotch_graph,         // SCOTCH: "0", "vertices arcs", "base flags", then the arcs of each vertex
  open_mpi_monitoring,  // the .prof files of Open MPI's monitoring component
};

// Returns the name of a format for users: dense, edges, np, mtx, table, metis, scotch or prof.
const char* to_string(MatrixFormat format);
// Returns the format with this name, for writing. Throws an Error that lists the valid names for any other name.
MatrixFormat writable_format(std::string_view name);

// Facts about a matrix that was read.
struct MatrixInfo {
  MatrixFormat format = MatrixFormat::dense;
  std::int64_t entries = 0;        // values in the text, except zeros and the diagonal
  bool has_messages = false;       // each line also has a number of messages
  bool symmetric = false;          // true: m[i][j] = m[j][i] is the traffic of a pair; false: both were added
  std::int32_t scale_power = 0;    // each value was multiplied by 10^scale_power, to turn fractions into integers
  bool rounded = false;            // some values were still no integers and were rounded
  std::vector<std::string> notes;  // for the user: suspicious facts that are no errors, one per note
};

// Writes the matrix as text, from which read_matrix() gives an equal matrix. The dense format takes ranks^2 numbers.
// Throws Error for a matrix without ranks, and for Open MPI's own format. The caller checks the stream.
void write_matrix(std::ostream& out, const CommMatrix& matrix, MatrixFormat format);

}  // namespace placement
