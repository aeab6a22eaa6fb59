// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/job_log.hpp"

namespace placement::sim {

// Which jobs of a log are replayed.
struct JobSelection {
  ProcessorsPerCore per_core;
  std::vector<std::string> partitions;  // names or numbers; empty: all
  std::optional<std::int64_t> from_s;   // first submit time, on the log's clock
  std::optional<std::int64_t> to_s;     // the first that is too late
  std::int64_t window_s = std::numeric_limits<std::int64_t>::max();
  std::int32_t least_tasks = 1;
  std::int32_t most_tasks = std::numeric_limits<std::int32_t>::max();
  std::int64_t most_jobs = std::numeric_limits<std::int64_t>::max();  // the first ones submitted
};

struct JobList {
  std::vector<LogJob> jobs;      // by submit time, which counts from the begin of the window
  std::int64_t not_selected = 0; // usable, but outside the selection
};

// Reads the log and keeps what is selected. The window begins at from_s, or without it at the first job
// selected. Jobs submitted out of order are sorted, with a note. Throws Error when
// nothing is left.
JobList select_jobs(const std::string& path, const JobSelection& selection, LogNotes& notes);

}  // namespace placement::sim
