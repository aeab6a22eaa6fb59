// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_write.hpp"

#include <string>

#include "common/util/error.hpp"

namespace placement {

namespace {

void write_dense(std::ostream& out, const CommMatrix& matrix) {
  std::string line;
  for (std::int32_t row = 0; row < matrix.ranks(); ++row) {
    line.clear();
    std::int32_t column = 0;
    const auto zeros_to = [&](std::int32_t end) {
      for (; column < end; ++column) line += "0 ";
    };
    for (std::size_t k = 0; k < matrix.neighbours(row).size(); ++k) {
      zeros_to(matrix.neighbours(row)[k]);
      line += std::to_string(matrix.weights(row)[k]);
      line += ' ';
      ++column;
    }
    zeros_to(matrix.ranks());
    line.back() = '\n';
    out << line;
  }
}

// Writes one line per pair. The smaller rank comes first, or second with `swapped`. Ranks are numbered from `base`.
void write_pairs(std::ostream& out, const CommMatrix& matrix, std::int32_t base, bool swapped) {
  std::string line;
  for (std::int32_t a = 0; a < matrix.ranks(); ++a) {
    line.clear();
    for (std::size_t k = 0; k < matrix.neighbours(a).size(); ++k) {
      const std::int32_t b = matrix.neighbours(a)[k];
      if (b < a) continue;
      line += std::to_string((swapped ? b : a) + base);
      line += ' ';
      line += std::to_string((swapped ? a : b) + base);
      line += ' ';
      line += std::to_string(matrix.weights(a)[k]);
      line += '\n';
    }
    out << line;
  }
}

}  // namespace

void write_matrix(std::ostream& out, const CommMatrix& matrix, MatrixFormat format) {
  if (matrix.ranks() < 1) throw Error("a matrix without ranks cannot be written");
  switch (format) {
    case MatrixFormat::dense: return write_dense(out, matrix);
    case MatrixFormat::edge_list:
      out << std::to_string(matrix.ranks()) << ' ' << std::to_string(matrix.pairs()) << '\n';
      return write_pairs(out, matrix, 0, false);
    case MatrixFormat::np_list:
      out << "np " << std::to_string(matrix.ranks()) << '\n';
      return write_pairs(out, matrix, 0, false);
    case MatrixFormat::matrix_market:
      out << "%%MatrixMarket matrix coordinate integer symmetric\n"
          << std::to_string(matrix.ranks()) << ' ' << std::to_string(matrix.ranks()) << ' '
          << std::to_string(matrix.pairs()) << '\n';
      return write_pairs(out, matrix, 1, true);
    case MatrixFormat::edge_table:
    case MatrixFormat::metis_graph:
    case MatrixFormat::scotch_graph:
    case MatrixFormat::open_mpi_monitoring:
      throw Error("a matrix cannot be written in the format " + std::string(to_string(format)) +
                  ": expected dense, edges, np or mtx");
  }
}

}  // namespace placement
