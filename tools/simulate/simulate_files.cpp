// SPDX-License-Identifier: GPL-2.0-or-later
// The files of a report: CSV and JSON for programs.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "common/util/error.hpp"
#include "tools/output/output.hpp"
#include "tools/simulate/simulate_report.hpp"

namespace placement::tools {

namespace {

// Return a field of CSV (RFC 4180). The name of a strategy may contain commas; a number that is not known is empty.
std::string field(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}
std::string field(double value) { return std::isnan(value) ? std::string() : formatted("%.10g", value); }
template <std::integral Number>
std::string field(Number number) {
  return std::to_string(number);
}

// Returns a line of CSV.
template <typename... Values>
std::string row(const Values&... values) {
  std::string line;
  ((line += field(values) + ","), ...);
  line.back() = '\n';
  return line;
}

double seconds(std::int64_t time_us) { return static_cast<double>(time_us) / 1e6; }

std::string summary_csv(const Report& report) {
  std::string out =
      "strategy,jobs,ended,with_matrix,refused,node_failures,restarts,lost_core_hours,makespan_s,utilisation,wait_s,flow_s,run_s,stretch,ratio,gain,"
      "decision_ms,longest_decision_ms,extra_switches,largest_in_switch,largest_in_subtree,replay_s,interrupted,given_up\n";
  for (const sim::Summary& s : report.summaries)
    out += row(s.strategy, s.jobs, s.ended, s.with_matrix, s.refused, s.node_failures, s.restarts, s.lost_core_hours,
               s.makespan_s, s.utilisation, of(s, sim::Measure::wait).mean, of(s, sim::Measure::flow).mean,
               of(s, sim::Measure::run).mean, of(s, sim::Measure::stretch).mean, s.mean_ratio, s.mean_gain,
               s.decision_ms, s.longest_decision_ms, s.extra_switches, s.largest_in_switch, s.largest_in_subtree,
               s.replay_s, s.interrupted, s.given_up);
  return out;
}

std::string jobs_csv(const Report& report, const sim::Replay& replay) {
  std::string out =
      "job,submit_s,tasks,log_run_s,start_s,end_s,run_s,nodes,switches,matrix,ratio,refused,restarts,line,cost\n";
  for (std::size_t k = 0; k < report.jobs.size(); ++k) {
    const sim::LogJob& job = report.jobs[k];
    const sim::JobOutcome& o = replay.outcomes[k];
    if (o.start_us >= 0)
      out += row(job.id, job.submit_s, job.tasks, job.run_s, seconds(o.start_us),
                 o.end_us >= 0 ? seconds(o.end_us) : sim::of_no_job, seconds(o.run_us), o.nodes, o.switches,
                 o.has_matrix, o.ratio, o.refused, o.restarts, job.line, o.cost);
  }
  return out;
}

std::string fill_csv(const sim::Replay& replay) {
  std::string out = "tasks,end_s,requested_end_s\n";
  for (const sim::FillJob& job : replay.fill) out += row(job.tasks, seconds(job.end_us), seconds(job.expected_us));
  return out;
}

std::string machine_csv(const sim::Replay& replay) {
  std::string out = "time_s,busy_cores,waiting_jobs,largest_in_switch,largest_in_subtree\n";
  for (const sim::MachineSample& s : replay.samples)
    out +=
        row(std::llround(seconds(s.time_us)), s.busy_cores, s.waiting_jobs, s.largest_in_switch, s.largest_in_subtree);
  return out;
}

}  // namespace

void make_report_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder + ": " + failure.message());
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw Error("cannot write in " + folder + ": " + std::strerror(errno));
}

void write_report(const Report& report, const std::string& folder) {
  make_report_folder(folder);
  const auto write = [&](const std::string& name, const std::string& text) { write_output(folder + "/" + name, text); };
  write("summary.csv", summary_csv(report));
  write("summary.json", report_json(report));
  if (report.options.full_start && !report.replays.empty()) write("fill.csv", fill_csv(report.replays.front()));
  for (const sim::Replay& replay : report.replays) {
    std::string name = replay.strategy;
    std::replace(name.begin(), name.end(), '/', '_');
    write("jobs-" + name + ".csv", jobs_csv(report, replay));
    write("machine-" + name + ".csv", machine_csv(replay));
    for (std::size_t k = 0; k < replay.free_leaves.size(); ++k) {
      const std::string number = std::to_string(k + 1);
      write("free-" + name + "-" + std::string(4 - std::min<std::size_t>(4, number.size()), '0') + number + ".leaves",
            free_leaves_text(replay.free_leaves[k], report.machine->cores()));
    }
  }
}

}  // namespace placement::tools
