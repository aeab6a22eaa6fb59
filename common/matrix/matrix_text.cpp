// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_text.hpp"

#include <algorithm>

#include "common/util/text.hpp"

namespace placement {

namespace {

std::int64_t read_ranks(TextScanner& in, const MatrixReadOptions& options) {
  const std::int64_t ranks = in.count("number of ranks", options.max_ranks);
  if (ranks == 0) in.fail("0 ranks: expected 1 or more");
  return ranks;
}

std::string rows_text(std::int64_t rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

// Reads row `row` of a dense matrix: `columns` values and the end of the line. If rows are `named`, an empty cell is 0.
void dense_row(TextScanner& in, TrafficTable& table, std::int64_t row, std::int64_t columns, bool named) {
  for (std::int64_t column = 0; column < columns; ++column) {
    if (named && in.at_empty_field(column + 1 == columns)) {
      if (!in.at_line_end()) in.word("empty cell");
      continue;
    }
    if (in.at_line_end())
      in.fail("row " + std::to_string(row) + " has " + std::to_string(column) + " values: expected " +
              std::to_string(columns) + " as in a square matrix");
    add_traffic(table, in, row, column, in.amount("traffic"));
  }
  in.end_line(std::to_string(columns) + " values in row " + std::to_string(row));
}

// Reads the two ranks at the start of a line. Throws Error unless both are below `ranks`.
std::pair<std::int64_t, std::int64_t> rank_pair(TextScanner& in, std::int64_t ranks) {
  const std::int64_t from = in.count("rank", ranks - 1);
  return {from, in.count("rank", ranks - 1)};
}

struct MarketBanner {
  bool array = false;  // all values, column by column, in place of lines 'row column value'
  bool symmetric = false;
  bool pattern = false;
};

MarketBanner market_banner(TextScanner& in) {
  in.word("%%MatrixMarket");
  const auto expect = [&](std::string_view what, std::initializer_list<std::string_view> known) {
    const std::string_view field = in.word(what);
    const std::string word = lower_case(field);
    if (std::ranges::find(known, word) != known.end()) return word;
    in.fail("MatrixMarket " + std::string(what) + " " + in_quotes(field) + ": expected " + joined(known, " or "));
  };
  MarketBanner banner;
  expect("object", {"matrix"});
  banner.array = expect("form", {"coordinate", "array"}) == "array";
  banner.pattern = (banner.array ? expect("field", {"integer", "unsigned-integer", "real"})
                                 : expect("field", {"integer", "unsigned-integer", "real", "pattern"})) == "pattern";
  banner.symmetric = expect("symmetry", {"general", "symmetric"}) == "symmetric";
  in.end_line("four words after %%MatrixMarket");
  return banner;
}

// Reads the values of a MatrixMarket array: column by column, from the diagonal on when the matrix is symmetric.
void market_array(TextScanner& in, TrafficTable& table, std::int64_t ranks, bool symmetric) {
  for (std::int64_t column = 0; column < ranks; ++column)
    for (std::int64_t row = symmetric ? column : 0; row < ranks; ++row) {
      if (in.at_line_end() && !in.next_line())
        in.fail_whole("ends before the value of row " + std::to_string(row + 1) + ", column " +
                      std::to_string(column + 1));
      add_traffic(table, in, row, column, in.amount("traffic"));
    }
  if (!in.at_line_end() || in.next_line()) in.fail("more values than the size line announces");
}

}  // namespace

void add_traffic(TrafficTable& table, const TextScanner& in, std::int64_t from, std::int64_t to, long double value) {
  if (!table.add(static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), value))
    in.fail("more than " + std::to_string(table.max_entries()) + " values other than 0");
}

CommMatrix parse_dense_rows(TextScanner& in, std::int64_t ranks, bool named, const MatrixReadOptions& options,
                            MatrixInfo& info) {
  info.format = MatrixFormat::dense;
  if (ranks > options.max_ranks)
    in.fail(std::to_string(ranks) + " columns: at most " + std::to_string(options.max_ranks) + " ranks are possible");
  TrafficTable table(options.max_entries);
  const char* const edges = ranks == 3 || ranks == 4 ? " (an edge list begins with a line 'np RANKS')" : "";
  std::int64_t rows = 0;
  for (bool more = !in.line().empty(); more; more = in.next_line(), ++rows) {
    if (rows == ranks)
      in.fail("a row too many: expected " + rows_text(ranks) + " of " + std::to_string(ranks) + " values" + edges);
    if (named) in.word("name of the row");
    dense_row(in, table, rows, ranks, named);
    if (rows == 0) table.reserve(static_cast<std::size_t>(std::min(table.entries() * ranks, options.max_entries)));
  }
  if (rows != ranks)
    in.fail_whole(rows_text(rows) + " of " + std::to_string(ranks) + " values: expected " + rows_text(ranks) + edges);
  return std::move(table).finish(static_cast<std::int32_t>(ranks), true, in.name(), info);
}

CommMatrix parse_dense(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  std::int64_t ranks = static_cast<std::int64_t>(in.count_fields());
  if (ranks == 1 && in.line().find_first_not_of(" \t0") != std::string_view::npos) {
    ranks = read_ranks(in, options);  // a lone 0 is not the number of ranks, but the matrix of one rank
    in.end_line("the number of ranks alone");
    in.next_line();
  }
  return parse_dense_rows(in, ranks, false, options, info);
}

CommMatrix parse_edge_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  info.format = MatrixFormat::edge_list;
  TrafficTable table(options.max_entries);
  const std::int64_t ranks = read_ranks(in, options);
  const std::int64_t announced = in.count("number of pairs", options.max_entries);
  in.end_line("'ranks pairs'");
  std::int64_t lines = 0;
  while (in.next_line()) {
    if (lines++ == announced)
      in.fail("the first line announces " + std::to_string(announced) + " pairs: this line is one more");
    const auto [from, to] = rank_pair(in, ranks);
    add_traffic(table, in, from, to, in.amount("traffic"));
    in.end_line("'rank rank bytes'");
  }
  if (lines != announced)
    in.fail_whole("ends after " + std::to_string(lines) + " pairs: the first line announces " +
                  std::to_string(announced));
  return std::move(table).finish(static_cast<std::int32_t>(ranks), false, in.name(), info);
}

CommMatrix parse_np_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  info.format = MatrixFormat::np_list;
  TrafficTable table(options.max_entries);
  in.word("np");
  const std::int64_t ranks = read_ranks(in, options);
  in.end_line("'np ranks'");
  for (info.has_messages = true; in.next_line();) {
    const auto [from, to] = rank_pair(in, ranks);
    long double amount = in.amount("traffic");
    const bool has_messages = !in.at_line_end();
    if (!has_messages && options.weight == TrafficWeight::messages)
      in.fail("no number of messages: weight=messages requires lines 'source target bytes messages'");
    if (const long double messages = has_messages ? in.amount("number of messages") : 0;
        options.weight == TrafficWeight::messages)
      amount = messages;
    info.has_messages = info.has_messages && has_messages;
    add_traffic(table, in, from, to, amount);
    in.end_line("'source target bytes messages'");
  }
  return std::move(table).finish(static_cast<std::int32_t>(ranks), false, in.name(), info);
}

CommMatrix parse_matrix_market(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  info.format = MatrixFormat::matrix_market;
  const MarketBanner banner = market_banner(in);
  in.set_comment('%');
  if (!in.next_line()) in.fail_whole("ends before the line 'rows columns entries'");
  TrafficTable table(options.max_entries);
  const std::int64_t ranks = read_ranks(in, options);
  const std::int64_t columns = in.count("number of columns", options.max_ranks);
  if (columns != ranks)
    in.fail(std::to_string(ranks) + " rows and " + std::to_string(columns) + " columns: expected a square matrix");
  const auto finish = [&] {
    CommMatrix matrix = std::move(table).finish(static_cast<std::int32_t>(ranks), !banner.symmetric, in.name(), info);
    info.symmetric |= banner.symmetric;
    return matrix;
  };
  if (banner.array) {
    in.end_line("'rows columns'");
    market_array(in, table, ranks, banner.symmetric);
    return finish();
  }
  const std::int64_t announced = in.count("number of entries", options.max_entries);
  in.end_line("'rows columns entries'");
  std::int64_t lines = 0;
  while (in.next_line()) {
    if (lines++ == announced)
      in.fail("the size line announces " + std::to_string(announced) + " entries: this line is one more");
    const std::int64_t row = in.count("row", ranks, 1);
    const std::int64_t column = in.count("column", ranks, 1);
    if (banner.symmetric && row < column)
      in.fail("row " + std::to_string(row) + ", column " + std::to_string(column) +
              " is above the diagonal: a symmetric matrix holds its lower half");
    add_traffic(table, in, row - 1, column - 1, banner.pattern ? 1 : in.amount("traffic"));
    in.end_line(banner.pattern ? "'row column'" : "'row column value'");
  }
  if (lines != announced)
    in.fail_whole("ends after " + std::to_string(lines) + " entries: the size line announces " +
                  std::to_string(announced));
  return finish();
}

}  // namespace placement
