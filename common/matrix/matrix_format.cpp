// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_format.hpp"

#include "common/util/error.hpp"
#include "common/util/text_scanner.hpp"

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
  for (const auto& [a, b, weight] : matrix.edges())
    out << std::to_string((swapped ? b : a) + base) + " " + std::to_string((swapped ? a : b) + base) + " " +
               std::to_string(weight) + "\n";
}

struct FormatName {
  MatrixFormat format;
  const char* name;
  bool writable;
};

constexpr FormatName formats[] = {
    {MatrixFormat::dense, "dense", true},          {MatrixFormat::edge_list, "edges", true},
    {MatrixFormat::np_list, "np", true},           {MatrixFormat::matrix_market, "mtx", true},
    {MatrixFormat::edge_table, "table", false},    {MatrixFormat::metis_graph, "metis", false},
    {MatrixFormat::scotch_graph, "scotch", false}, {MatrixFormat::open_mpi_monitoring, "prof", false},
};

}  // namespace

void write_matrix(std::ostream& out, const CommMatrix& matrix, MatrixFormat format) {
  if (matrix.ranks() < 1) throw Error("a matrix without ranks cannot be written");
  switch (format) {
    case MatrixFormat::dense: return write_dense(out, matrix);
    case MatrixFormat::edge_list:
      out << std::to_string(matrix.ranks()) + " " + std::to_string(matrix.pairs()) + "\n";
      return write_pairs(out, matrix, 0, false);
    case MatrixFormat::np_list:
      out << "np " << std::to_string(matrix.ranks()) << '\n';
      return write_pairs(out, matrix, 0, false);
    case MatrixFormat::matrix_market:
      out << "%%MatrixMarket matrix coordinate integer symmetric\n"
          << std::to_string(matrix.ranks()) << ' ' << std::to_string(matrix.ranks()) << ' '
          << std::to_string(matrix.pairs()) << '\n';
      return write_pairs(out, matrix, 1, true);
    default:
      throw Error(std::string("a matrix cannot be written in the format ") + to_string(format) +
                  ": expected dense, edges, np or mtx");
  }
}

const char* to_string(MatrixFormat format) { return formats[static_cast<std::size_t>(format)].name; }

TrafficWeight traffic_weight(std::string_view word) {
  if (word == "bytes") return TrafficWeight::bytes;
  if (word == "messages") return TrafficWeight::messages;
  throw Error("weight=" + in_quotes(word) + ": expected bytes or messages");
}

MatrixFormat writable_format(std::string_view name) {
  for (const FormatName& format : formats)
    if (format.writable && name == format.name) return format.format;
  throw Error("matrix format " + in_quotes(name) + ": expected dense, edges, np or mtx");
}

}  // namespace placement
