// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/simulate/simulate_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <thread>

#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/text.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

// Two replays compared, by the jobs of a group.
struct Comparison {
  sim::JobGroup group;
  sim::Measure measure;
  const sim::Replay& first;
  const sim::Replay& second;
  sim::PairedComparison result;
};

// Returns the comparisons of all pairs of replays by group and measure. The report must outlive them.
std::vector<Comparison> all_comparisons(const Report& report) {
  std::vector<Comparison> all;
  for (const sim::JobGroup group : {sim::JobGroup::all, sim::JobGroup::with_matrix, sim::JobGroup::without_matrix})
    for (const sim::Measure measure : sim::all_measures)
      for (std::size_t a = 0; a < report.replays.size(); ++a)
        for (std::size_t b = a + 1; b < report.replays.size(); ++b) {
          const sim::Replay &first = report.replays[a], &second = report.replays[b];
          all.push_back({group, measure, first, second, sim::compare(report.jobs, first, second, measure, group)});
        }
  return all;
}

// ---- tables for people

std::string shape_of(const TorusTopology& torus) {
  const bool wraps = std::ranges::all_of(torus.dimensions(), &TorusDimension::wraps);
  return (wraps ? "torus " : "torus and mesh ") +
         joined(torus.dimensions(), "x", [](const TorusDimension& one) { return std::to_string(one.size); });
}

std::int64_t jobs_with_matrix(const Report& report) {
  std::int64_t count = 0;
  for (std::size_t k = 0; k < report.jobs.size(); ++k)
    count += std::any_of(report.replays.begin(), report.replays.end(),
                         [&](const sim::Replay& replay) { return replay.outcomes[k].has_matrix; });
  return count;
}

std::string input_text(const Report& report) {
  const sim::ReplayOptions& options = report.options;
  std::string out = formatted("%zu jobs of %s; %ld usable jobs not selected\n", report.jobs.size(), report.log.c_str(),
                              report.not_selected);
  for (const sim::LogNotes::Note& note : report.notes->notes()) out += "  " + note.text() + "\n";
  if (report.too_large > 0)
    out += formatted("  skipped %ld: larger than the machine (first in line %ld)\n", report.too_large,
                     report.too_large_line);
  const std::string shape = report.machine->view().torus
                                ? shape_of(*report.machine->view().torus)
                                : std::to_string(report.machine->switches()) + " leaf switches";
  const std::int64_t matrices = jobs_with_matrix(report);
  out += formatted(
      "machine: %d nodes, %ld cores, %s; %s at the start; communication %g %%, %ld of %zu jobs with a matrix\n",
      report.machine->nodes(), report.machine->cores(), shape.c_str(), options.full_start ? "full" : "empty",
      100 * options.communication, matrices, report.jobs.size());
  if (matrices == 0)
    out += formatted(
        "warning: --pattern %s with --share %g gives no job a matrix: policies that require one use the stock placement for all jobs\n",
        report.pattern.c_str(), 100 * options.share);
  return out + "\n";
}

std::string mean_text(const sim::Summary& summary, sim::Measure measure, int digits) {
  return shown_number(summary.of(measure).mean, digits);
}

std::string strategies_text(const Report& report) {
  std::string out = formatted("%-14s %8s %11s %6s %9s %9s %9s %8s %6s %6s %9s %8s\n", "strategy", "jobs", "makespan s",
                              "util", "wait s", "flow s", "run s", "stretch", "R", "gain", "decide ms", "replay s");
  for (const sim::Summary& s : report.summaries)
    out += formatted("%-14s %8ld %11.0f %5.1f%% %9s %9s %9s %8s %6s %6s %9.2f %8.1f%s\n", s.strategy.c_str(), s.ended,
                     s.makespan_s, 100 * s.utilisation, mean_text(s, sim::Measure::wait, 0).c_str(),
                     mean_text(s, sim::Measure::flow, 0).c_str(), mean_text(s, sim::Measure::run, 0).c_str(),
                     mean_text(s, sim::Measure::stretch, 2).c_str(), shown_number(s.mean_ratio, 3).c_str(),
                     shown_percent(s.mean_gain, 1).c_str(), s.decision_ms, s.replay_s,
                     s.interrupted ? "  interrupted" : "");
  for (const sim::Summary& s : report.summaries) {
    if (s.refused > 0)
      out += formatted("%s: %ld jobs used the stock choice because the policy could not serve them; first reason: %s\n",
                       s.strategy.c_str(), s.refused, s.first_refusal.c_str());
    if (s.node_failures > 0)
      out += formatted("%s: %ld node failures, %ld restarts, %.1f core hours of repeated work\n", s.strategy.c_str(),
                       s.node_failures, s.restarts, s.lost_core_hours);
    if (s.given_up > 0)
      out += formatted("%s: %ld jobs were given up after %d restarts or with too many nodes down\n", s.strategy.c_str(),
                       s.given_up, sim::most_restarts);
  }
  return out + "R and gain cover the jobs with a matrix; \"-\": no jobs\n";
}

// Returns the interval of a difference and whether it leaves open which side is better.
std::string interval_text(const sim::MeanInterval& difference) {
  if (!difference.has_interval()) return "- open";
  return formatted("[%.2f, %.2f]%s", difference.low, difference.high,
                   difference.low > 0 || difference.high < 0 ? "" : " open");
}

// Returns comparisons of all strategies for all jobs, and of the first strategy with each other for groups of jobs.
std::string comparisons_text(const Report& report) {
  std::string out;
  for (const auto& [group, measure, first, second, c] : all_comparisons(report)) {
    if (c.difference.count == 0 || measure == sim::Measure::wait ||
        (group != sim::JobGroup::all && &first != &report.replays.front()))
      continue;
    out += formatted("%-15s %-8s %-10s - %-10s %10.2f  %s  %s\n", sim::to_string(group).c_str(),
                     sim::to_string(measure).c_str(), first.strategy.c_str(), second.strategy.c_str(),
                     c.difference.mean, interval_text(c.difference).c_str(), shown_number(c.ratio.mean, 3).c_str());
  }
  if (out.empty()) return out;
  return "\nPaired by job: mean difference (flow and run in seconds), its 90 % confidence interval by Student's t (open: the\n"
         "interval contains 0, or is unknown because there is one job), and the geometric mean of the ratios\n" +
         out;
}

std::string sizes_text(const Report& report) {
  std::string out = "\nLeaf switches per job, and the least possible number, by tasks\n" +
                    formatted("%8s %8s %7s", "up to", "jobs", "least");
  for (const sim::Summary& s : report.summaries) out += formatted(" %14s", s.strategy.c_str());
  out += "\n";
  if (report.summaries.empty()) return out;
  for (const sim::SizeClass& first : report.summaries[0].sizes) {
    out += formatted("%8d %8ld %7.2f", first.tasks, first.jobs, first.least_switches);
    for (const sim::Summary& s : report.summaries) {
      const auto same =
          std::find_if(s.sizes.begin(), s.sizes.end(), [&](const sim::SizeClass& c) { return c.tasks == first.tasks; });
      out += same == s.sizes.end() ? formatted(" %14s", "-") : formatted(" %14.2f", same->switches);
    }
    out += "\n";
  }
  out += "Largest job that one leaf switch, or one subtree below the root, could take (cores, mean over time)\n";
  for (const sim::Summary& s : report.summaries)
    out += formatted("  %-14s %8.0f %8.0f\n", s.strategy.c_str(), s.largest_in_switch, s.largest_in_subtree);
  return out;
}

// ---- JSON

// Writes a mean with its interval. The interval of fewer than two values is null.
void put_interval(JsonWriter& json, std::string_view name, const sim::MeanInterval& interval) {
  const bool known = interval.has_interval();
  json.key(name).begin_object().member("mean", interval.mean, "low90", known ? interval.low : sim::of_no_job, "high90",
                                       known ? interval.high : sim::of_no_job);
  json.end_object();
}

// Writes which jobs were replayed. A selection that does not exclude any jobs is left out.
void put_selection(JsonWriter& json, const sim::JobSelection& selection) {
  const sim::JobSelection all;
  json.key("selection").begin_object();
  if (!selection.partitions.empty()) json.list("partition", selection.partitions);
  if (selection.from_s) json.member("from", *selection.from_s);
  if (selection.window_s != all.window_s) json.member("hours", static_cast<double>(selection.window_s) / 3600);
  if (selection.most_jobs != all.most_jobs) json.member("jobs", selection.most_jobs);
  json.member("processors_per_core_of_sacct", selection.per_core.sacct, "processors_per_core_of_swf",
              selection.per_core.swf);
  json.end_object();
}

void put_options(JsonWriter& json, const Report& report) {
  const sim::ReplayOptions& o = report.options;
  json.key("options").begin_object();
  json.member("communication", o.communication, "share", o.share, "pattern", report.pattern);
  json.member("scale_run_times", report.run_time_scale, "whole_nodes", o.whole_nodes, "full_start", o.full_start);
  json.member("stock_request", o.stock_request == sim::StockRequest::nodes ? "nodes" : "tasks");
  json.member("backfill", o.backfill == sim::Backfill::slurm ? "slurm" : "easy", "backfill_depth", o.backfill_depth);
  json.member("backfill_interval_s", o.backfill_interval_s, "plan_margin_s", o.plan_margin_s);
  json.member("release_s", o.release_s, "charge_measured", o.charge_measured, "charge_stock_s", o.charge_stock_s);
  json.member("charge_policy_s", o.charge_policy_s, "charge_policy_task_s", o.charge_policy_task_s);
  if (o.effort > 0) json.member("effort", o.effort, "effort_tasks", o.effort_tasks);
  json.member("node_failures_per_hour", o.node_failures_per_hour, "repair_hours", o.repair_hours);
  json.member("seed", o.seed);
  put_selection(json, report.selection);
  json.key("machine").begin_object();
  for (const auto& [option, value] : report.machine_options) json.member(option, value);
  json.end_object().end_object();
}

void put_summary(JsonWriter& json, const sim::Summary& s) {
  json.member("strategy", s.strategy, "jobs", s.jobs, "ended", s.ended, "with_matrix", s.with_matrix);
  json.member("refused", s.refused, "first_refusal", s.first_refusal, "restarts", s.restarts, "given_up", s.given_up);
  json.member("node_failures", s.node_failures, "lost_core_hours", s.lost_core_hours, "makespan_s", s.makespan_s);
  json.member("utilisation", s.utilisation);
  for (const sim::Measure measure : sim::all_measures)
    put_interval(json, sim::to_string(measure) + (measure == sim::Measure::stretch ? "" : "_s"), s.of(measure));
  json.member("ratio", s.mean_ratio, "gain", s.mean_gain, "decision_ms", s.decision_ms, "longest_decision_ms",
              s.longest_decision_ms, "replay_s", s.replay_s, "extra_switches", s.extra_switches);
  json.member("largest_in_switch", s.largest_in_switch, "largest_in_subtree", s.largest_in_subtree);
  json.member("interrupted", s.interrupted).objects("sizes", s.sizes, [&](const sim::SizeClass& c) {
    json.member("tasks_up_to", c.tasks, "jobs", c.jobs, "switches", c.switches, "least_switches", c.least_switches);
    json.member("ratio", c.ratio);
  });
}

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
               s.makespan_s, s.utilisation, s.of(sim::Measure::wait).mean, s.of(sim::Measure::flow).mean,
               s.of(sim::Measure::run).mean, s.of(sim::Measure::stretch).mean, s.mean_ratio, s.mean_gain, s.decision_ms,
               s.longest_decision_ms, s.extra_switches, s.largest_in_switch, s.largest_in_subtree, s.replay_s,
               s.interrupted, s.given_up);
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

std::string report_text(const Report& report) {
  return input_text(report) + strategies_text(report) + comparisons_text(report) + sizes_text(report);
}

std::string report_json(const Report& report) {
  JsonWriter json;
  json.begin_object().member("log", report.log, "selected", report.jobs.size(), "not_selected", report.not_selected);
  json.member("larger_than_machine", report.too_large, "nodes", report.machine->nodes());
  json.member("cores", report.machine->cores());
  json.objects("notes", report.notes->notes(), [&](const sim::LogNotes::Note& note) {
    json.member("what", note.what, "count", note.count, "first", note.first_line, "skipped", note.skipped);
  });
  put_options(json, report);
  json.objects("strategies", report.summaries, [&](const sim::Summary& summary) { put_summary(json, summary); });
  json.key("comparisons").begin_array();
  for (const auto& [group, measure, first, second, result] : all_comparisons(report)) {
    if (result.difference.count == 0) continue;
    json.begin_object().member("group", sim::to_string(group), "measure", sim::to_string(measure));
    json.member("first", first.strategy, "second", second.strategy, "jobs", result.difference.count);
    put_interval(json, "difference", result.difference);
    put_interval(json, "ratio", result.ratio);
    json.end_object();
  }
  json.end_array();
  return json.end_object().take();
}

// Draws a bar with the estimated end on standard error. `part` of the work is done, 0 to 1.
static void draw_progress(double part, double elapsed_s) {
  constexpr int width = 40;
  std::string bar(static_cast<std::size_t>(part * width), '#');
  bar.resize(width, '.');
  std::fprintf(stderr, "\r[%s] %3.0f %%", bar.c_str(), 100 * part);
  if (part > 0) std::fprintf(stderr, "  %.0f s left ", elapsed_s * (1 - part) / part);
  std::fflush(stderr);
}

std::vector<sim::Replay> run_strategies(const ReplayInput& input, const std::vector<sim::Strategy>& strategies,
                                        std::size_t threads, std::atomic<bool>& stop, bool show_progress) {
  const std::size_t count = strategies.size();
  std::vector<sim::Replay> replays(count);
  std::vector<sim::ReplayControl> controls(count);
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next{0}, finished{0};
  const auto work = [&] {
    for (std::size_t k; (k = next++) < count; ++finished) try {
        controls[k].stop = &stop;
        replays[k] = sim::replay(input.machine, input.jobs, strategies[k], input.patterns, input.options, &controls[k]);
      } catch (...) {
        failures[k] = std::current_exception();
        stop = true;
      }
  };
  std::vector<std::thread> workers;
  for (std::size_t k = 0; k < std::min(threads, count); ++k) workers.emplace_back(work);
  const auto start = std::chrono::steady_clock::now();
  while (finished < count) {
    double ended = 0;
    for (const sim::ReplayControl& control : controls) ended += static_cast<double>(control.ended_jobs);
    if (show_progress && !input.jobs.empty())
      draw_progress(ended / static_cast<double>(input.jobs.size() * count),
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(show_progress ? 200 : 20));
  }
  if (show_progress) std::fputs("\r\033[K", stderr);
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return replays;
}

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
