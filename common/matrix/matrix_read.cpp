// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_read.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>

#include "common/matrix/matrix_text.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

namespace {

// A small square of numbers, row by row.
struct Square {
  std::size_t n = 0;
  std::vector<double> values = {};

  double at(std::size_t row, std::size_t column) const { return values[row * n + column]; }
};

// Returns all lines of the text as a square of `n` rows; nothing if they are not a square.
std::optional<Square> read_square(TextScanner& in, std::size_t n) {
  Square square{n};
  do {
    if (in.count_fields() != n || square.values.size() == n * n) return std::nullopt;
    while (!in.at_line_end()) {
      const std::optional<double> value = parse_real(in.word("a value"));
      if (!value || std::signbit(*value)) return std::nullopt;
      square.values.push_back(*value);
    }
  } while (in.next_line());
  if (square.values.size() != n * n) return std::nullopt;
  return square;
}

// Counts of a square's lines when they are read as lines of an edge list.
struct EdgeLines {
  bool possible = true;     // the first two numbers of each line are ranks; no line has bytes without a message
  std::size_t traffic = 0;  // lines with traffic between two ranks
  std::size_t self = 0;     // lines of a rank with itself
  double highest = 0;       // the highest rank
};

EdgeLines edge_lines(const Square& square) {
  EdgeLines lines;
  for (std::size_t row = 0; row < square.n; ++row) {
    const double from = square.at(row, 0), to = square.at(row, 1);
    for (const double rank : {from, to}) {
      lines.possible &= rank == std::floor(rank) && rank < CommMatrix::max_ranks;
      lines.highest = std::max(lines.highest, rank);
    }
    const bool bytes = square.n == 2 || square.at(row, 2) != 0;
    if (square.n == 4) {
      const double messages = square.at(row, 3);
      lines.possible &= messages == std::floor(messages) && (!bytes || messages != 0);
    }
    lines.self += from == to;
    lines.traffic += bytes && from != to;
  }
  return lines;
}

}  // namespace

bool could_be_edge_list(TextScanner in) {
  const std::size_t n = in.count_fields();
  if (n < 2 || n > 4) return false;
  const std::optional<Square> square = read_square(in, n);
  if (!square) return false;
  bool symmetric = true, diagonal = false;
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < row; ++column)
      symmetric &= square->at(row, column) == square->at(column, row);
    diagonal |= square->at(row, row) != 0;
  }
  const EdgeLines lines = edge_lines(*square);
  if (!lines.possible || (symmetric && !diagonal)) return false;
  // An edge list of n lines names at most 2n different ranks, so ranks of 2n or more are unlikely in it.
  const bool few_ranks = lines.highest < static_cast<double>(2 * n);
  if (lines.traffic == n) return n > 2 || few_ranks;
  return n > 2 && few_ranks && !symmetric && lines.traffic > 0 && (diagonal || lines.self == 0);
}

// Reads a text that has only numbers: a graph, a dense matrix or an edge list. Two numbers in the first line start an
// edge list, unless the second line also has two. A single line of two numbers is an edge list without pairs.
static CommMatrix parse_numbers(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  if (is_scotch_graph(in)) return parse_scotch_graph(in, options, info);
  if (is_metis_graph(in)) return parse_metis_graph(in, options, info);
  if (is_dense_header(in)) return parse_dense_with_header(in, options, info);
  if (could_be_edge_list(in)) {
    const std::string n = std::to_string(in.count_fields());
    in.fail(n + " lines of " + n + " numbers are a dense matrix or an edge list: put a line '" + n +
            "' above the rows of a dense matrix, or a line 'np RANKS' above lines 'source target bytes'");
  }
  if (in.count_fields() != 2) return parse_dense(in, options, info);
  TextScanner ahead = in;
  const bool dense = ahead.next_line() && ahead.count_fields() == 2;
  return dense ? parse_dense(in, options, info) : parse_edge_list(in, options, info);
}

static CommMatrix parse_text(std::string_view text, const std::string& name, const MatrixReadOptions& options,
                             MatrixInfo& info) {
  TextScanner in(text, name);
  if (!in.next_line()) in.fail_whole("is empty: expected a communication matrix");
  if (in.line().find('\0') != std::string_view::npos)
    in.fail(in_quotes(in.line()) + " is not text: expected a communication matrix in text form");
  if (equal_any_case(in.line().substr(0, 14), "%%MatrixMarket")) return parse_matrix_market(in, options, info);
  if (is_monitoring_line(in.line())) return parse_monitoring(in, options, info);
  if (in.line().starts_with('%')) {
    in.set_comment('%');
    if (!in.next_line()) in.fail_whole("has comments only: expected a communication matrix");
  }
  TextScanner ahead = in;
  const std::string_view first = ahead.word("a value");
  if (first == "np") return parse_np_list(in, options, info);
  const bool digits = first.find_first_of("0123456789") != first.npos;
  const bool number = digits || first.find_first_not_of("-+.naifNAIF") == first.npos;
  if (!digits && is_edge_header(in)) return parse_edge_table(in, options, info);
  if (!number && is_dense_header(in)) return parse_dense_with_header(in, options, info);
  if (!number)
    in.fail(in_quotes(first) +
            " does not start a matrix: expected rows of numbers, 'ranks pairs', 'np ranks', 'source target bytes', "
            "'%%MatrixMarket matrix coordinate ..', a METIS or SCOTCH graph, or the monitoring files of Open MPI");
  return parse_numbers(in, options, info);
}

CommMatrix parse_matrix(std::string_view text, const std::string& name, const MatrixReadOptions& options,
                        MatrixInfo* info) {
  if (text.size() > options.max_bytes)
    throw Error(name + ": more than " + std::to_string(options.max_bytes) + " bytes, which is the limit");
  MatrixInfo found;
  CommMatrix matrix = parse_text(text, name, options, found);
  if (options.weight == TrafficWeight::messages && !found.has_messages && found.entries > 0)
    throw Error(name + ": weight=messages requires numbers of messages, as in a profile of placement-profile");
  if (info) *info = std::move(found);
  return matrix;
}

CommMatrix read_matrix(const std::string& path, const MatrixReadOptions& options, MatrixInfo* info) {
  struct stat status {};
  const bool there = stat(path.c_str(), &status) == 0;
  std::vector<std::string> files;
  if (there && S_ISDIR(status.st_mode)) {
    files = monitoring_files_in(path);
  } else if (!there && errno == ENOENT) {
    files = monitoring_files_of(path);
  }
  if (files.empty()) return parse_matrix(read_input_file(path, options.max_bytes), path, options, info);
  MatrixInfo found;
  CommMatrix matrix = read_monitoring(files, path, options, found);
  if (info) *info = std::move(found);
  return matrix;
}

}  // namespace placement
