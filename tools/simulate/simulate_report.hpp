// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine.hpp"
#include "sim/metrics.hpp"

namespace placement::tools {

// The results of replays, for the reports below.
struct Report {
  std::string log;  // path of the job log
  const sim::Machine* machine = nullptr;
  std::span<const sim::LogJob> jobs;
  const sim::LogNotes* notes = nullptr;
  std::int64_t not_selected = 0;    // number of usable jobs that are not selected
  std::int64_t too_large = 0;       // number of jobs larger than the machine
  std::int64_t too_large_line = 0;  // line of the first of them in the log
  sim::ReplayOptions options;
  std::span<const sim::Replay> replays;
  std::vector<sim::Summary> summaries;  // one per replay
  sim::JobSelection selection;
  std::string pattern = "random";                                    // source of the communication matrices
  double run_time_scale = 1;                                         // factor of run times and requested times
  std::vector<std::pair<std::string, std::string>> machine_options;  // the result of machine_options()
};

// Returns tables for a terminal: input, a line per strategy, paired comparisons, and leaf switches by job size.
std::string report_text(const Report& report);

// Returns the report as one JSON object.
std::string report_json(const Report& report);

// Creates the folder unless it exists. Throws Error when it cannot be created or written.
void make_report_folder(const std::string& folder);

// Writes files into the folder, which is created if it does not exist: summary.csv, summary.json, and for each strategy
// jobs-NAME.csv and machine-NAME.csv. Throws Error when a file cannot be written.
void write_report(const Report& report, const std::string& folder);

// The input that is common to all replays of a run.
struct ReplayInput {
  const sim::Machine& machine;
  std::span<const sim::LogJob> jobs;
  const sim::PatternSource& patterns;
  const sim::ReplayOptions& options;
};

// Replays all strategies, at most `threads` at a time, and returns the results in the order of the strategies. Once
// `stop` is set, the replays end soon, with partial results. An error in one replay sets `stop` and is thrown at the
// end. With `show_progress` a bar with the estimated end is shown on standard error.
std::vector<sim::Replay> run_strategies(const ReplayInput& input, const std::vector<sim::Strategy>& strategies,
                                        std::size_t threads, std::atomic<bool>& stop, bool show_progress);

}  // namespace placement::tools
