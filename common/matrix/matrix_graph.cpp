// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_text.hpp"

#include <bitset>
#include <optional>
#include <string>

#include "common/util/text.hpp"

namespace placement {

namespace {

struct MetisHeader {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  std::int64_t vertex_fields = 0;  // numbers in each line before its first neighbour
  bool edge_weights = false;
};

// Reads three flags that a graph file writes as one number, such as 011.
std::optional<std::bitset<3>> parse_flags(std::string_view field) {
  if (field.empty() || field.size() > 3 || field.find_first_not_of("01") != field.npos) return std::nullopt;
  return std::bitset<3>(std::string(field));
}

// Returns the header in the current line; nothing if it is not a header.
std::optional<MetisHeader> metis_header(TextScanner& in) {
  const std::size_t fields = in.count_fields();
  if (fields < 2 || fields > 4) return std::nullopt;
  const auto vertices = parse_integer(in.word("vertices")), edges = parse_integer(in.word("edges"));
  if (!vertices || !edges || *vertices < 1 || *vertices > CommMatrix::max_ranks || *edges < 1 || *edges >= 1LL << 40)
    return std::nullopt;
  MetisHeader header{*vertices, *edges};
  if (fields == 2) return header;
  const auto flags = parse_flags(in.word("format"));
  if (!flags) return std::nullopt;
  std::int64_t weights = flags->test(1);
  if (fields == 4) {
    const auto number = parse_integer(in.word("weights"));
    if (!number || *number < 1 || *number > 1000 || weights == 0) return std::nullopt;
    weights = *number;
  }
  header.vertex_fields = flags->test(2) + weights;
  header.edge_weights = flags->test(0);
  return header;
}

// Returns the matrix of a graph that holds each edge twice. Throws Error when the two weights of an edge differ.
CommMatrix finish(TrafficTable&& table, std::int64_t ranks, const TextScanner& in, MatrixInfo& info) {
  CommMatrix matrix = std::move(table).finish(static_cast<std::int32_t>(ranks), true, in.name(), info);
  if (!info.symmetric && info.entries > 0)
    in.fail_whole("an edge is missing at one of its two vertices, or has another weight there");
  return matrix;
}

// Goes to the next field of a text in which line ends have no meaning.
void find_field(TextScanner& in, const char* what) {
  if (in.at_line_end() && !in.next_line()) in.fail_whole("ends before " + std::string(what));
}

}  // namespace

bool is_metis_graph(TextScanner in) {
  in.set_comment('%');
  const std::size_t first_fields = in.count_fields();
  const std::optional<MetisHeader> header = metis_header(in);
  if (!header) return false;
  in.keep_blank_lines();
  const std::int64_t expected =
      2 * header->edges * (header->edge_weights ? 2 : 1) + header->vertices * header->vertex_fields;
  std::int64_t entries = 0, last_line = 0;
  std::size_t full_lines = 0;
  // square: all lines have as many fields as the first line. triples: all lines have three fields.
  bool square = true, triples = true;
  for (std::int64_t line = 1; in.next_line(); ++line) {
    const std::size_t fields = in.count_fields();
    if (fields == 0) continue;
    entries += static_cast<std::int64_t>(fields);
    if (line > header->vertices || entries > expected) return false;
    square &= fields == first_fields;
    triples &= fields == 3;
    last_line = line;
    ++full_lines;
  }
  if (square && full_lines + 1 == first_fields) return false;  // a dense matrix
  if (triples && last_line < header->vertices) return false;   // an edge list that was cut off
  return entries == expected;
}

bool is_scotch_graph(TextScanner in) {
  return in.count_fields() == 1 && in.word("version") == "0" && in.next_line() && in.count_fields() == 2;
}

CommMatrix parse_metis_graph(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  info.format = MatrixFormat::metis_graph;
  in.set_comment('%');
  const MetisHeader header = metis_header(in).value_or(MetisHeader{});
  if (header.vertices > options.max_ranks)
    in.fail(std::to_string(header.vertices) + " vertices: at most " + std::to_string(options.max_ranks) +
            " ranks are possible");
  TrafficTable table(options.max_entries);
  in.keep_blank_lines();
  for (std::int64_t vertex = 0; vertex < header.vertices && in.next_line(); ++vertex) {
    for (std::int64_t k = 0; k < header.vertex_fields; ++k) in.amount("size or weight of a vertex");
    while (!in.at_line_end()) {
      const std::int64_t neighbour = in.count("neighbour", header.vertices, 1) - 1;
      add_traffic(table, in, vertex, neighbour, header.edge_weights ? in.amount("weight of an edge") : 1);
    }
  }
  return finish(std::move(table), header.vertices, in, info);
}

CommMatrix parse_scotch_graph(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info) {
  info.format = MatrixFormat::scotch_graph;
  in.word("version");
  const auto next_count = [&](const char* what, std::int64_t most, std::int64_t least = 0) {
    find_field(in, what);
    return in.count(what, most, least);
  };
  const std::int64_t vertices = next_count("number of vertices", options.max_ranks, 1);
  const std::int64_t arcs = next_count("number of arcs", options.max_entries);
  const std::int64_t base = next_count("base of the numbers of vertices", 1);
  find_field(in, "flags");
  const std::string_view field = in.word("flags");
  const auto flags = parse_flags(field);
  if (!flags) in.fail("flags " + in_quotes(field) + ": expected three digits of 0 and 1, such as 010");
  if (flags->test(2))
    in.fail("flags " + in_quotes(field) +
            ": vertex labels are not supported: remove them, and write 0 as the first digit");
  TrafficTable table(options.max_entries);
  std::int64_t seen = 0;
  for (std::int64_t vertex = 0; vertex < vertices; ++vertex) {
    if (flags->test(0)) next_count("weight of a vertex", INT64_MAX);
    const std::int64_t degree = next_count("degree", arcs);
    if ((seen += degree) > arcs) in.fail("more arcs than the " + std::to_string(arcs) + " announced");
    for (std::int64_t k = 0; k < degree; ++k) {
      long double weight = 1;
      if (flags->test(1)) {
        find_field(in, "weight of an arc");
        weight = in.amount("weight of an arc");
      }
      add_traffic(table, in, vertex, next_count("end of an arc", vertices - 1 + base, base) - base, weight);
    }
  }
  if (seen != arcs) in.fail_whole(std::to_string(seen) + " arcs: the second line announces " + std::to_string(arcs));
  if (!in.at_line_end() || in.next_line()) in.fail("more values than the graph has");
  return finish(std::move(table), vertices, in, info);
}

}  // namespace placement
