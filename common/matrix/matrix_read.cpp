// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/matrix/matrix_read.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "common/matrix/matrix_text.hpp"
#include "common/util/error.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"

namespace placement {

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
