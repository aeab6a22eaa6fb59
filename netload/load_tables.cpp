// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/load_tables.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>

#include "common/state/live_state.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::netload {

namespace {

constexpr double most_value = 1e30;  // sums over all pairs of nodes stay finite

// A text as rows of fields. The first row has the names of the columns.
class Table {
 public:
  Table(std::string_view text, const std::string& file) : file_(file), lines_(text_lines(text, true)) {
    if (lines_.empty()) throw Error(file + ": the table is empty: expected a line with the names of its columns");
    tabs_ = lines_[0].text.find('\t') != std::string_view::npos;
    header_ = fields(lines_[0]);
  }

  // Returns the index in `known` of the name of each column. Throws Error on an unknown or repeated name.
  std::vector<std::size_t> columns(std::span<const std::string_view> known) const {
    std::vector<std::size_t> places;
    for (const std::string_view name : header_) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end())
        fail_at(file_, lines_[0].number,
                "unknown column '" + shown(name) + "': " + suggested(name, known, "the columns are"));
      const auto place = static_cast<std::size_t>(found - known.begin());
      if (std::find(places.begin(), places.end(), place) != places.end())
        fail_at(file_, lines_[0].number, "column " + std::string(name) + " appears twice");
      places.push_back(place);
    }
    return places;
  }

  std::size_t rows() const { return lines_.size() - 1; }
  std::vector<std::string_view> row(std::size_t r) const {
    std::vector<std::string_view> row = fields(lines_[r + 1]);
    if (row.size() != header_.size())
      fail(r, std::to_string(row.size()) + " fields, but the first line names " + std::to_string(header_.size()) +
                  " columns");
    return row;
  }

  double number(std::size_t r, std::string_view field, std::string_view column, int least = 0) const {
    if (field.empty() || field == "-" || equal_any_case(field, "na") || equal_any_case(field, "nan"))
      return unknown_value;
    const std::optional<double> value = parse_real(field);
    if (!value || *value < least)
      fail(r, std::string(column) + " '" + shown(field) + "': expected a number of at least " + std::to_string(least) +
                  ", or - for an unknown value");
    if (*value > most_value) fail(r, std::string(column) + " '" + shown(field) + "': more than 1e+30");
    return *value;
  }

  [[noreturn]] void fail(std::size_t r, const std::string& message) const {
    fail_at(file_, lines_[r + 1].number, message);
  }

 private:
  std::vector<std::string_view> fields(const TextLine& line) const {
    if (!tabs_) return split_words(line.text);
    std::vector<std::string_view> fields = split_at(line.text, '\t');
    for (std::string_view& field : fields) field = trimmed(field);
    return fields;
  }

  const std::string& file_;
  std::vector<TextLine> lines_;
  bool tabs_ = false;
  std::vector<std::string_view> header_;
};

// Returns whether the name can be an element of a host list without quoting.
bool is_plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c > ' ' && c < 0x7f && c != '[' && c != ']' && c != ','; });
}

// Returns the least accepted value. 0 cores are rejected, because 0 could also mean an unknown number.
int least_of(NodeAttribute which) { return which == NodeAttribute::cores ? 1 : 0; }

// Sets used memory to total minus available memory if the table has only these two.
void derive_used_memory(NodeTable& table) {
  std::vector<double>& used = table[NodeAttribute::memory_used];
  const std::vector<double>& memory = table[NodeAttribute::memory];
  const std::vector<double>& available = table[NodeAttribute::memory_available];
  if (!used.empty() || memory.empty() || available.empty()) return;
  for (std::size_t n = 0; n < memory.size(); ++n)
    used.push_back(std::isnan(memory[n]) || std::isnan(available[n]) ? unknown_value
                                                                     : std::max(memory[n] - available[n], 0.0));
}

}  // namespace

NamedNodes read_node_table(std::string_view text, const std::string& file) {
  std::vector<std::string_view> known{"node"};
  for (const AttributeInfo& attribute : node_attributes()) known.push_back(attribute.name);
  const Table rows(text, file);
  const std::vector<std::size_t> columns = rows.columns(known);
  const auto name_column = std::find(columns.begin(), columns.end(), 0U);
  if (name_column == columns.end()) throw Error(file + ": no column is named node");
  const auto name_at = static_cast<std::size_t>(name_column - columns.begin());

  NamedNodes nodes;
  std::unordered_map<std::string_view, std::size_t> row_of_name;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::vector<std::string_view> row = rows.row(r);
    if (row[name_at].empty()) rows.fail(r, "the node has no name");
    if (!is_plain_name(row[name_at]))
      rows.fail(r, "node '" + shown(row[name_at]) + "': expected the name of one node, without brackets and commas");
    if (!row_of_name.emplace(row[name_at], r).second) rows.fail(r, "node " + shown(row[name_at]) + " appears twice");
    if (nodes.names.size() == max_table_nodes) rows.fail(r, "more than " + std::to_string(max_table_nodes) + " nodes");
    nodes.names.emplace_back(row[name_at]);
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c] > 0)
        nodes.table.columns[columns[c] - 1].push_back(
            rows.number(r, row[c], known[columns[c]], least_of(static_cast<NodeAttribute>(columns[c] - 1))));
  }
  if (nodes.names.empty()) throw Error(file + ": the table has no nodes");
  nodes.table.nodes = static_cast<std::int32_t>(nodes.names.size());
  derive_used_memory(nodes.table);
  return nodes;
}

DensePairs read_pair_table(std::string_view text, const std::string& file, const std::vector<std::string>& names) {
  constexpr std::string_view known[] = {
      "u", "v", "latency_us", "bandwidth_Bps", "bandwidth_missing_Bps", "measured_at_s"};
  const Table rows(text, file);
  const std::vector<std::size_t> columns = rows.columns(known);
  const auto place_of = [&](std::size_t column) {
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) throw Error(file + ": no column is named " + std::string(known[column]));
    return static_cast<std::size_t>(found - columns.begin());
  };
  const std::size_t u_at = place_of(0);
  const std::size_t v_at = place_of(1);
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t n = 0; n < names.size(); ++n) index.emplace(names[n], n);

  DensePairs pairs;
  pairs.nodes = static_cast<std::int32_t>(names.size());
  std::vector<double>* const targets[] = {
      nullptr, nullptr, &pairs.latency_us, &pairs.bandwidth_Bps, &pairs.bandwidth_missing_Bps, nullptr};
  for (const std::size_t column : columns)
    if (targets[column] != nullptr) targets[column]->assign(names.size() * names.size(), unknown_value);
  std::vector<bool> given(names.size() * names.size(), false);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::vector<std::string_view> row = rows.row(r);
    const auto node = [&](std::size_t at) {
      const auto found = index.find(row[at]);
      if (found == index.end()) rows.fail(r, "node '" + shown(row[at]) + "' is not in the table of nodes");
      return found->second;
    };
    const std::size_t u = node(u_at);
    const std::size_t v = node(v_at);
    if (u == v) rows.fail(r, "the pair " + names[u] + " " + names[v] + ": expected two different nodes");
    if (given[u * names.size() + v]) rows.fail(r, "the pair " + names[u] + " " + names[v] + " appears twice");
    given[u * names.size() + v] = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (targets[columns[c]] == nullptr) continue;
      const double value = rows.number(r, row[c], known[columns[c]]);
      if (std::isnan(value)) continue;
      std::vector<double>& target = *targets[columns[c]];
      const double other = target[v * names.size() + u];
      target[u * names.size() + v] = target[v * names.size() + u] = std::isnan(other) ? value : other / 2 + value / 2;
    }
  }
  return pairs;
}

}  // namespace placement::netload
