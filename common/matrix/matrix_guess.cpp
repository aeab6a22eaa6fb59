// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "common/matrix/comm_matrix.hpp"
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
  double highest = 0;       // rank
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

}  // namespace placement
