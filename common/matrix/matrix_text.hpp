// SPDX-License-Identifier: GPL-2.0-or-later
// The parsers of the formats of matrix_read.hpp. Only they and matrix_read.cpp use this file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/matrix_read.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// Collects the values of a matrix while it is read, before both directions of a pair become one amount.
class TrafficTable {
 public:
  // The table takes up to `max_entries` values.
  explicit TrafficTable(std::int64_t max_entries) : max_entries_(max_entries) {}

  // Adds the traffic from rank `from` to rank `to`. Drops zeros and traffic with itself. Returns false when it is full.
  bool add(std::int32_t from, std::int32_t to, long double value);
  std::int64_t max_entries() const { return max_entries_; }
  std::int64_t entries() const { return static_cast<std::int64_t>(entries_.size()); }
  void reserve(std::size_t entries) { entries_.reserve(entries); }

  // Returns the matrix of `ranks` ranks, with both directions of each pair added. `full` states that the text has both
  // directions of every pair. If they are then equal for all pairs, each amount counts once and nothing is added. If
  // there are fractions, all values are multiplied by one power of ten: the smallest that makes them integers, or the
  // largest that keeps their sum below 2^62; values are then rounded. Fills the fields of `info` except format and
  // notes. Throws Error, whose text starts with `name`, when the traffic is too large for a matrix.
  CommMatrix finish(std::int32_t ranks, bool full, std::string_view name, MatrixInfo& info) &&;

 private:
  void scale(MatrixInfo& info);
  void sort_and_merge();
  bool drop_lower_half_if_equal(std::int32_t ranks);

  std::int64_t max_entries_;
  std::vector<CommEdge> entries_;    // a: from, b: to, weight: the value, or its integer part
  std::vector<long double> values_;  // of each entry; empty as long as all are integers
};

// Adds the traffic from rank `from` to rank `to`. Throws Error, with file and line, when the table is full.
void add_traffic(TrafficTable& table, const TextScanner& in, std::int64_t from, std::int64_t to, long double value);

// The following functions return whether the text, from the scanner's current line on, has the format described here.

// A METIS graph: a line "vertices edges [format [weights]]", then a line for each vertex, which may be blank, with two
// entries per edge in all. Blank lines at the end may be missing. Lines that start with '%' are comments.
bool is_metis_graph(TextScanner in);
// A SCOTCH graph: a line "0", then a line with two numbers.
bool is_scotch_graph(TextScanner in);
// A dense matrix with a header: a name for each column, preceded by an empty field if the rows have names. One row per
// column must follow. Numbers as names must be 0, 1, 2 and so on. Lines that could also be an edge list do not count.
bool is_dense_header(TextScanner in);
// An edge list with a header, which names columns of ranks that send and ranks that receive.
bool is_edge_header(TextScanner in);
// A line of Open MPI's monitoring: one of the known kinds, then a tab.
bool is_monitoring_line(std::string_view line);
// Lines of numbers that could be an edge list or a dense matrix: n lines of n numbers, n = 2 to 4. Two numbers of a
// line can be ranks, the third bytes, and the fourth messages. A symmetric matrix without a diagonal counts as dense.
bool could_be_edge_list(TextScanner in);

// The following functions parse one format. The scanner `in` is at the first line that is neither blank nor a comment,
// and is read to the end. They fill `info`. They throw Error with file, line and value for a wrong text or one above
// the limits of `options`.
CommMatrix parse_dense(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
// The `ranks` rows of a dense matrix, each after a name if they are `named`.
CommMatrix parse_dense_rows(TextScanner& in, std::int64_t ranks, bool named, const MatrixReadOptions& options,
                            MatrixInfo& info);
CommMatrix parse_dense_with_header(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_edge_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_edge_table(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_np_list(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_matrix_market(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_metis_graph(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_scotch_graph(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);
CommMatrix parse_monitoring(TextScanner& in, const MatrixReadOptions& options, MatrixInfo& info);

// Reads the files of Open MPI's monitoring, one per rank in the order of ranks. `path` is their name in errors.
CommMatrix read_monitoring(const std::vector<std::string>& files, const std::string& path,
                           const MatrixReadOptions& options, MatrixInfo& info);
// Returns the paths of the files NAME.RANK.prof in `directory`, in the order of ranks. Throws Error when there are
// none, when they have more than one NAME, or unless there is one for each of the ranks 0..n-1.
std::vector<std::string> monitoring_files_in(const std::string& directory);
// Returns the paths of the files PREFIX.RANK.prof in the order of ranks; `prefix` is DIR/NAME or NAME. Returns nothing
// when there are none. Throws Error unless there is one for each of the ranks 0..n-1.
std::vector<std::string> monitoring_files_of(const std::string& prefix);

}  // namespace placement
