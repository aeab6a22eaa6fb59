// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/util/error.hpp"
#include "sim/job_log.hpp"

namespace placement::sim {

// Says which jobs of a log are replayed.
struct JobSelection {
  ProcessorsPerCore per_core;
  std::vector<std::string> partitions;  // names or numbers; empty: all
  std::optional<std::int64_t> from_s;   // jobs submitted before this time on the log's clock are left out
  std::int64_t window_s = std::numeric_limits<std::int64_t>::max();   // length of the window
  std::int64_t most_jobs = std::numeric_limits<std::int64_t>::max();  // the first ones submitted
};

// The selected jobs of a log.
struct JobList {
  std::vector<LogJob> jobs;       // sorted by submit time; submit times count from the start of the window
  std::int64_t begin_s = 0;       // of the window, on the log's clock
  std::int64_t not_selected = 0;  // number of usable jobs that are not selected
};

// A log that can be read, and has no job to replay.
class NoJobs : public Error {
 public:
  using Error::Error;
};

// Reads the log at `path` and returns the selected jobs. The window begins at from_s if it is given, otherwise at the
// first selected job. Jobs that are out of order are sorted, with a note. Throws Error when the log cannot be read,
// and NoJobs when no job is selected.
JobList select_jobs(const std::string& path, const JobSelection& selection, LogNotes& notes);

}  // namespace placement::sim
