// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_format.hpp"

#include "common/util/error.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

const char* to_string(MatrixFormat format) {
  switch (format) {
    case MatrixFormat::dense: return "dense";
    case MatrixFormat::edge_list: return "edges";
    case MatrixFormat::np_list: return "np";
    case MatrixFormat::matrix_market: return "mtx";
    case MatrixFormat::edge_table: return "table";
    case MatrixFormat::metis_graph: return "metis";
    case MatrixFormat::scotch_graph: return "scotch";
    case MatrixFormat::open_mpi_monitoring: return "prof";
  }
  return "";
}

MatrixFormat writable_format(std::string_view name) {
  for (const MatrixFormat format :
       {MatrixFormat::dense, MatrixFormat::edge_list, MatrixFormat::np_list, MatrixFormat::matrix_market})
    if (name == to_string(format)) return format;
  throw Error("matrix format " + in_quotes(name) + ": want dense, edges, np or mtx");
}

}  // namespace placement
