// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/job_selection.hpp"
#include "sim/metrics.hpp"

namespace placement {

// A replay as people and programs read it.
struct Report {
  std::string log;
  const sim::Machine* machine = nullptr;
  std::span<const sim::LogJob> jobs;
  const sim::LogNotes* notes = nullptr;
  std::int64_t not_selected = 0;
  std::int64_t too_large = 0;  // jobs larger than the machine
  std::int64_t too_large_line = 0;  // the first of them
  sim::ReplayOptions options;
  std::span<const sim::Replay> replays;
  std::vector<sim::Summary> summaries;  // one per replay
  sim::JobSelection selection;
  std::string pattern = "random";
  bool against_stock_run = false;
  double run_time_scale = 1;
  std::vector<std::pair<std::string, std::string>> machine_options;  // what made the machine: see machine_options()
};

// Tables for a terminal: what was read, a line per strategy, paired comparisons, switches by size.
std::string report_text(const Report& report);

std::string report_json(const Report& report);

// Writes into the folder, which is made when it does not exist: summary.csv, comparisons.csv,
// windows.csv, sizes.csv, summary.json, for each strategy jobs-NAME.csv and machine-NAME.csv, and the
// plots flow.svg, stretch.svg, run.svg and size.svg; where some jobs have a matrix and some have none, also
// flow-with-matrix.svg and flow-without-matrix.svg. Throws Error when a file cannot be written.
void write_report(const Report& report, const std::string& folder);

}  // namespace placement
