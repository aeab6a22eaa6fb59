// SPDX-License-Identifier: GPL-2.0-or-later
// The files of Open MPI's monitoring component (pml_monitoring_filename), one per rank of
// MPI_COMM_WORLD; common/matrix/matrix_read.hpp says which lines count. Used by it alone.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/matrix/matrix_read.hpp"
#include "common/matrix/traffic_table.hpp"
#include "common/util/text_scanner.hpp"

namespace placement {

// One run's traffic, gathered from its files.
class MonitoringReader {
 public:
  explicit MonitoringReader(const MatrixReadOptions& options);

  // Adds all lines from the one where the scanner stands. only_source >= 0: each line must speak of what
  // that rank sent, as a file of its own does.
  void add_lines(TextScanner& in, std::int32_t only_source = -1);

  // Ranks seen anywhere, 0..n-1.
  std::int32_t ranks() const { return ranks_; }
  CommMatrix finish(std::string_view name, MatrixInfo& info) &&;

 private:
  void add_line(TextScanner& in, std::int32_t only_source);
  void add_communicator(TextScanner& in);
  std::int64_t rank(TextScanner& in);
  std::int64_t source(TextScanner& in, std::int32_t only_source);

  const MatrixReadOptions& options_;
  TrafficTable table_;
  std::int32_t ranks_ = 0;
  std::vector<bool> reported_;  // by rank: some line tells what it sent
};

// The line is one of such a file.
bool is_monitoring_line(std::string_view line);

// The files DIR/NAME.RANK.prof, by rank. Throws Error unless they are those of ranks 0..n-1.
// directory: those of the only NAME that is there.
std::vector<std::string> monitoring_files_in(const std::string& directory);
// prefix: DIR/NAME; empty when there are none.
std::vector<std::string> monitoring_files_of(const std::string& prefix);

}  // namespace placement
