// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/util/text.hpp"

namespace placement {

namespace {

std::string_view next_name(TextScanner& in) { return in.word("name of a column"); }

// Returns the fields of a header in lower case, without the ending "_rank".
std::vector<std::string> header_names(TextScanner in) {
  constexpr std::string_view ending = "_rank";
  std::vector<std::string> names;
  while (!in.at_line_end()) {
    names.push_back(lower_case(next_name(in)));
    if (names.back().ends_with(ending)) names.back().resize(names.back().size() - ending.size());
  }
  return names;
}

// Returns whether the line has this number of fields. The last one may be empty.
bool has_fields(const TextScanner& in, std::size_t count) {
  const std::size_t fields = in.count_fields();
  return fields == count || (fields + 1 == count && in.ends_in_comma());
}

// Returns whether the first field of a header stands above the names of the rows. This field is empty, or it is the
// name that pandas writes for the index. If it is a name, the rows must have the names of the columns, in their order.
bool has_corner(TextScanner in) {
  const std::string_view corner = next_name(in);
  if (corner.empty() || parse_real(corner)) return corner.empty();
  std::vector<std::string_view> names;
  while (!in.at_line_end()) names.push_back(next_name(in));
  std::size_t row = 0;
  for (; in.next_line(); ++row)
    if (row == names.size() || !has_fields(in, names.size() + 1) || next_name(in) != names[row]) return false;
  return row == names.size();
}

constexpr std::size_t most_columns = 1000;  // of an edge list
constexpr std::size_t absent = static_cast<std::size_t>(-1);

std::size_t column_of(const std::vector<std::string>& names, std::initializer_list<std::string_view> wanted) {
  for (const std::string_view name : wanted)
    if (const auto found = std::ranges::find(names, name); found != names.end())
      return static_cast<std::size_t>(found - names.begin());
  return absent;
}

std::size_t source_column(const std::vector<std::string>& names) {
  return column_of(names, {"source", "src", "from", "sender", "rank", "row", "i"});
}
std::size_t target_column(const std::vector<std::string>& names) {
  return column_of(names, {"target", "dst", "dest", "destination", "to", "receiver", "peer", "column", "col", "j"});
}

}  // namespace

bool is_dense_header(TextScanner in) {
  std::size_t names = 0, words = 0;
  const bool corner = has_corner(in);
  if (corner) next_name(in);
  for (; !in.at_line_end(); ++names) {
    const std::string_view name = next_name(in);
    const bool word = !parse_real(name);
    words += word;
    if (word ? words != names + 1 : words > 0 || name != std::to_string(names)) return false;
  }
  if (names < 2 || !in.next_line()) return false;
  const TextScanner body = in;
  const std::size_t fields = in.count_fields();
  const bool named = corner ? has_fields(in, names + 1) : fields == names + 1;
  std::size_t rows = 1;
  while (in.next_line()) ++rows;
  if (rows != names || (!named && (corner || fields != names))) return false;
  return named || words > 0 || !could_be_edge_list(body);
}

bool is_edge_header(TextScanner in) {
  if (in.count_fields() > most_columns) return false;
  const std::vector<std::string> names = header_names(in);
  return source_column(names) != absent && target_column(names) != absent;
}

CommMatrix parse_dense_with_header(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  const bool corner = has_corner(in);
  const std::size_t ranks = in.count_fields() - corner;
  in.next_line();
  return parse_dense_rows(in, static_cast<std::int64_t>(ranks), corner || in.count_fields() != ranks, options, info);
}

CommMatrix parse_edge_table(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  info.format = MatrixFormat::edge_table;
  const std::vector<std::string> names = header_names(in);
  const std::size_t source = source_column(names), target = target_column(names);
  const std::size_t bytes = column_of(names, {"bytes", "total_bytes", "weight", "traffic", "volume", "size", "value"});
  if (bytes == absent) in.fail("no column is named bytes, weight, traffic, volume, size or value");
  TrafficTable table(options.max_entries);
  const bool commas = in.line().find(',') != std::string_view::npos;
  std::int64_t lowest = options.max_ranks, highest = -1;
  while (in.next_line()) {
    std::int64_t from = 0, to = 0;
    long double value = 0;
    const bool named = in.count_fields() == names.size() + 1;
    if (named && !commas && in.line().find(',') != std::string_view::npos)
      in.fail("a comma, which the header does not have: write fractions with a point, as in 2.5");
    if (named) in.word("name of the row");
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (column == source)
        from = in.count("rank", options.max_ranks - 1);
      else if (column == target)
        to = in.count("rank", options.max_ranks - 1);
      else if (column == bytes)
        value = in.amount("traffic");
      else
        in.word("'" + printable(names[column]) + "'");
    }
    in.end_line(std::to_string(names.size()) + " values as in the header");
    add_traffic(table, in, from, to, value);
    lowest = std::min({lowest, from, to});
    highest = std::max({highest, from, to});
  }
  if (highest < 0) in.fail_whole("has no line after the names of its columns");
  if (lowest > 0)
    info.notes.push_back("no line has rank 0: ranks count from 0, and the highest is " + std::to_string(highest));
  return std::move(table).finish(static_cast<std::int32_t>(highest + 1), false, in.name(), info);
}

}  // namespace placement
