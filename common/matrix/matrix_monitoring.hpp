// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the files of Open MPI's monitoring component (pml_monitoring_filename), one file per rank of MPI_COMM_WORLD.
// common/matrix/matrix_read.hpp says which lines count. Only matrix_read.cpp uses this file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/matrix_read.hpp"
#include "common/matrix/traffic_table.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// Collects the traffic of one run from its files.
class MonitoringReader {
 public:
  // `options` must outlive the reader.
  explicit MonitoringReader(const MatrixReadOptions& options);

  // Adds all lines of the text, from the scanner's current line on. When `only_source` is a rank, the file must be that
  // rank's own: each line must tell what this rank sent. Throws Error on a line that is wrong.
  void add_lines(TextScanner& in, std::int32_t only_source = -1);

  // Returns the number of ranks: the highest rank that any line names, plus 1.
  std::int32_t ranks() const { return ranks_; }
  // Returns the matrix of all lines that were added, and fills `info`. `name` stands for the files in errors. Throws
  // Error when no line names a rank, or when the traffic is too large for a matrix.
  CommMatrix finish(std::string_view name, MatrixInfo& info) &&;

 private:
  void add_line(TextScanner& in, std::int32_t only_source);
  void add_communicator(TextScanner& in);
  std::int64_t rank(TextScanner& in);
  std::int64_t source(TextScanner& in, std::int32_t only_source);

  const MatrixReadOptions& options_;
  TrafficTable table_;
  std::int32_t ranks_ = 0;
  std::vector<bool> reported_;  // by rank: whether some line tells what it sent
};

// Returns whether `line` looks like a line of a monitoring file: one of the known kinds, then a tab.
bool is_monitoring_line(std::string_view line);

// Returns the paths of the files NAME.RANK.prof in `directory`, in the order of ranks. Throws Error when there are no
// such files, when they have more than one NAME, or when they are not exactly those of ranks 0..n-1.
std::vector<std::string> monitoring_files_in(const std::string& directory);
// Returns the paths of the files PREFIX.RANK.prof in the order of ranks; `prefix` is DIR/NAME or NAME. Returns nothing
// when there are no such files. Throws Error when they are not exactly those of ranks 0..n-1.
std::vector<std::string> monitoring_files_of(const std::string& prefix);

}  // namespace placement
