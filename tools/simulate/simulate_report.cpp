// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/simulate/simulate_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "sim/svg_plot.hpp"
#include "tools/output/json.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

__attribute__((format(printf, 1, 2))) std::string line(const char* format, ...) {
  va_list values;
  va_start(values, format);
  char* text = nullptr;
  const int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) throw std::bad_alloc();
  std::string out(text, static_cast<std::size_t>(length));
  std::free(text);
  return out;
}

const sim::MeanInterval& of(const sim::Summary& summary, sim::Measure measure) {
  return summary.measures[static_cast<int>(measure)];
}

// ---- tables for people

std::string shape_of(const TorusTopology& torus) {
  std::string sizes;
  bool wraps = true;
  for (const TorusDimension& dimension : torus.dimensions()) {
    sizes += (sizes.empty() ? "" : "x") + std::to_string(dimension.size);
    wraps = wraps && dimension.wraps;
  }
  return (wraps ? "torus " : "torus and mesh ") + sizes;
}

std::string input_text(const Report& report) {
  const sim::ReplayOptions& options = report.options;
  std::string out = line("%zu jobs of %s; %lld usable jobs not selected\n", report.jobs.size(), report.log.c_str(),
                         static_cast<long long>(report.not_selected));
  for (const sim::LogNotes::Note& note : report.notes->notes())
    out += line("  %s %lld: %s (first in line %lld)\n", note.skipped ? "skipped" : "put right",
                static_cast<long long>(note.count), note.what.c_str(), static_cast<long long>(note.first_line));
  if (report.too_large > 0)
    out += line("  skipped %lld: larger than the machine (first in line %lld)\n", static_cast<long long>(report.too_large),
                static_cast<long long>(report.too_large_line));
  const std::string shape = report.machine->view().torus ? shape_of(*report.machine->view().torus)
                                                         : std::to_string(report.machine->switches()) + " leaf switches";
  out += line("machine: %d nodes, %lld cores, %s; %s at the begin; communication %g %%, %g %% of the jobs "
              "with a matrix\n\n",
              report.machine->nodes(), static_cast<long long>(report.machine->cores()), shape.c_str(),
              options.full_start ? "full" : "empty", 100 * options.communication, 100 * options.share);
  return out;
}

std::string strategies_text(const Report& report) {
  std::string out = line("%-14s %8s %11s %6s %9s %9s %9s %8s %6s %6s %9s %8s\n", "strategy", "jobs", "makespan s", "util",
                         "wait s", "flow s", "run s", "stretch", "R", "gain", "decide ms", "replay s");
  for (const sim::Summary& s : report.summaries)
    out += line("%-14s %8lld %11.0f %5.1f%% %9.0f %9.0f %9.0f %8.2f %6.3f %5.1f%% %9.2f %8.1f%s\n", s.strategy.c_str(),
                static_cast<long long>(s.ended), s.makespan_s, 100 * s.utilisation, of(s, sim::Measure::wait).mean,
                of(s, sim::Measure::flow).mean, of(s, sim::Measure::run).mean, of(s, sim::Measure::stretch).mean,
                s.mean_ratio, 100 * s.mean_gain, s.decision_ms, s.replay_s, s.interrupted ? "  interrupted" : "");
  for (const sim::Summary& s : report.summaries) {
    if (s.refused > 0)
      out += line("%s: %lld jobs took the stock choice because the policy could not serve them\n", s.strategy.c_str(),
                  static_cast<long long>(s.refused));
    if (s.node_failures > 0)
      out += line("%s: %lld node failures, %lld restarts, %.1f core hours of work begun anew\n", s.strategy.c_str(),
                  static_cast<long long>(s.node_failures), static_cast<long long>(s.restarts), s.lost_core_hours);
    if (s.given_up > 0)
      out += line("%s: %lld jobs were given up: ended by failures after %d restarts too, or too many nodes down for them\n",
                  s.strategy.c_str(), static_cast<long long>(s.given_up), sim::most_restarts);
  }
  return out + "R and gain are of the jobs with a matrix\n";
}

// Compares all pairs of strategies for all jobs. For a group of jobs, compares only the first strategy with the others.
std::string comparisons_text(const Report& report) {
  std::string out;
  for (const sim::JobGroup group : {sim::JobGroup::all, sim::JobGroup::with_matrix, sim::JobGroup::without_matrix})
    for (const sim::Measure measure : {sim::Measure::flow, sim::Measure::run, sim::Measure::stretch})
      for (std::size_t a = 0; a < report.replays.size() && (a == 0 || group == sim::JobGroup::all); ++a)
        for (std::size_t b = a + 1; b < report.replays.size(); ++b) {
          const sim::PairedComparison c =
              sim::compare(report.jobs, report.replays[a], report.replays[b], measure, group);
          if (c.difference.count == 0) continue;
          const bool sure = c.difference.low > 0 || c.difference.high < 0;
          out += line("%-15s %-8s %-10s - %-10s %10.2f  [%.2f, %.2f]%s  %.3f\n", sim::to_string(group).c_str(),
                      sim::to_string(measure).c_str(), report.replays[a].strategy.c_str(),
                      report.replays[b].strategy.c_str(), c.difference.mean, c.difference.low, c.difference.high,
                      sure ? "" : " open", c.ratio.mean);
        }
  if (out.empty()) return out;
  return "\nPaired by job: mean difference (flow and run in seconds), its 90 % confidence interval by Student's t (open: it\n"
         "holds 0), and the geometric mean of the ratios\n" + out;
}

std::string sizes_text(const Report& report) {
  std::string out = "\nLeaf switches a job spans, and the least that could hold it, by tasks\n" + line("%8s %8s %7s", "up to", "jobs", "least");
  for (const sim::Summary& s : report.summaries) out += line(" %14s", s.strategy.c_str());
  out += "\n";
  if (report.summaries.empty()) return out;
  for (const sim::SizeClass& first : report.summaries[0].sizes) {
    out += line("%8d %8lld %7.2f", first.tasks, static_cast<long long>(first.jobs), first.least_switches);
    for (const sim::Summary& s : report.summaries) {
      const auto same =
          std::find_if(s.sizes.begin(), s.sizes.end(), [&](const sim::SizeClass& c) { return c.tasks == first.tasks; });
      out += same == s.sizes.end() ? line(" %14s", "-") : line(" %14.2f", same->switches);
    }
    out += "\n";
  }
  out += "Largest job that one leaf switch, or one subtree below the root, could take (cores, mean over time)\n";
  for (const sim::Summary& s : report.summaries)
    out += line("  %-14s %8.0f %8.0f\n", s.strategy.c_str(), s.largest_in_switch, s.largest_in_subtree);
  return out;
}

// ---- files for programs

// Returns a name as a field of CSV (RFC 4180). The name of a strategy may contain commas.
std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string summary_csv(const Report& report) {
  std::string out =
      "strategy,jobs,ended,with_matrix,refused,node_failures,restarts,lost_core_hours,makespan_s,utilisation,wait_s,flow_s,run_s,stretch,ratio,gain,"
      "decision_ms,longest_decision_ms,extra_switches,largest_in_switch,largest_in_subtree,replay_s,interrupted,given_up\n";
  for (const sim::Summary& s : report.summaries)
    out += line(
        "%s,%lld,%lld,%lld,%lld,%lld,%lld,%.3f,%.3f,%.6f,%.3f,%.3f,%.3f,%.4f,%.5f,%.5f,%.3f,%.3f,%.4f,%.1f,%.1f,%.2f,%"
        "d,%lld\n",
        csv_field(s.strategy).c_str(), static_cast<long long>(s.jobs), static_cast<long long>(s.ended),
        static_cast<long long>(s.with_matrix), static_cast<long long>(s.refused),
        static_cast<long long>(s.node_failures), static_cast<long long>(s.restarts), s.lost_core_hours, s.makespan_s,
        s.utilisation, of(s, sim::Measure::wait).mean, of(s, sim::Measure::flow).mean, of(s, sim::Measure::run).mean,
        of(s, sim::Measure::stretch).mean, s.mean_ratio, s.mean_gain, s.decision_ms, s.longest_decision_ms,
        s.extra_switches, s.largest_in_switch, s.largest_in_subtree, s.replay_s, s.interrupted ? 1 : 0,
        static_cast<long long>(s.given_up));
  return out;
}

std::string comparisons_csv(const Report& report) {
  std::string out = "group,measure,first,second,jobs,difference,difference_low90,difference_high90,ratio,ratio_low90,ratio_high90\n";
  for (const sim::JobGroup group : {sim::JobGroup::all, sim::JobGroup::with_matrix, sim::JobGroup::without_matrix})
    for (const sim::Measure measure : sim::all_measures)
      for (std::size_t a = 0; a < report.replays.size(); ++a)
        for (std::size_t b = a + 1; b < report.replays.size(); ++b) {
          const sim::PairedComparison c =
              sim::compare(report.jobs, report.replays[a], report.replays[b], measure, group);
          out += line("%s,%s,%s,%s,%lld,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", sim::to_string(group).c_str(),
                      sim::to_string(measure).c_str(), csv_field(report.replays[a].strategy).c_str(),
                      csv_field(report.replays[b].strategy).c_str(), static_cast<long long>(c.difference.count),
                      c.difference.mean, c.difference.low, c.difference.high, c.ratio.mean, c.ratio.low, c.ratio.high);
        }
  return out;
}

std::string windows_csv(const Report& report) {
  const std::vector<double> hours = sim::window_hours(report.jobs);
  std::string out = "strategy,hours,flow_s,stretch\n";
  for (const sim::Replay& replay : report.replays) {
    const auto flow = sim::mean_by_window(report.jobs, replay, sim::Measure::flow, hours);
    const auto stretch = sim::mean_by_window(report.jobs, replay, sim::Measure::stretch, hours);
    for (std::size_t k = 0; k < hours.size(); ++k)
      out += line("%s,%.4g,%.3f,%.4f\n", csv_field(replay.strategy).c_str(), hours[k], flow[k], stretch[k]);
  }
  return out;
}

std::string sizes_csv(const Report& report) {
  std::string out = "strategy,tasks_up_to,jobs,switches,least_switches,ratio\n";
  for (const sim::Summary& s : report.summaries)
    for (const sim::SizeClass& c : s.sizes)
      out += line("%s,%d,%lld,%.4f,%.4f,%.5f\n", csv_field(s.strategy).c_str(), c.tasks, static_cast<long long>(c.jobs), c.switches,
                  c.least_switches, c.ratio);
  return out;
}

std::string jobs_csv(const Report& report, const sim::Replay& replay) {
  std::string out = "job,submit_s,tasks,log_run_s,start_s,end_s,run_s,nodes,switches,matrix,ratio,refused,restarts,line\n";
  for (std::size_t k = 0; k < report.jobs.size(); ++k) {
    const sim::LogJob& job = report.jobs[k];
    const sim::JobOutcome& o = replay.outcomes[k];
    if (o.start_us < 0) continue;
    out += line("%lld,%lld,%d,%lld,%.3f,", static_cast<long long>(job.id), static_cast<long long>(job.submit_s), job.tasks,
                static_cast<long long>(job.run_s), static_cast<double>(o.start_us) / 1e6);
    if (o.end_us >= 0) out += line("%.3f", static_cast<double>(o.end_us) / 1e6);
    out += line(",%.3f,%d,%d,%d,%.5f,%d,%d,%lld\n", static_cast<double>(o.run_us) / 1e6, o.nodes, o.switches,
                o.has_matrix ? 1 : 0, o.ratio, o.refused ? 1 : 0, o.restarts, static_cast<long long>(job.line));
  }
  return out;
}

std::string machine_csv(const sim::Replay& replay) {
  std::string out = "time_s,busy_cores,waiting_jobs,largest_in_switch,largest_in_subtree\n";
  for (const sim::MachineSample& s : replay.samples)
    out += line("%.0f,%lld,%lld,%lld,%lld\n", static_cast<double>(s.time_us) / 1e6, static_cast<long long>(s.busy_cores),
                static_cast<long long>(s.waiting_jobs), static_cast<long long>(s.largest_in_switch),
                static_cast<long long>(s.largest_in_subtree));
  return out;
}

std::string cost_csv(const Report& report) {
  std::string out = "strategy,ended,ended_tasks,processor_s\n";
  for (const sim::Replay& replay : report.replays)
    for (const sim::CostSample& s : replay.costs)
      out += line("%s,%lld,%lld,%.2f\n", csv_field(replay.strategy).c_str(), static_cast<long long>(s.ended_jobs),
                  static_cast<long long>(s.ended_tasks), s.processor_s);
  return out;
}

// ---- plots

std::string growth_plot(const Report& report, sim::Measure measure, const std::string& title, const std::string& unit,
                        sim::JobGroup group = sim::JobGroup::all) {
  sim::Plot plot;
  plot.title = title;
  plot.x_label = "jobs submitted in the first hours";
  plot.y_label = unit;
  const std::vector<double> hours = sim::window_hours(report.jobs);
  for (const sim::Replay& replay : report.replays) {
    const auto means = sim::mean_by_window(report.jobs, replay, measure, hours, group);
    sim::PlotSeries series{replay.strategy, {}};
    for (std::size_t k = 0; k < hours.size(); ++k) series.points.push_back({hours[k], means[k]});
    plot.series.push_back(std::move(series));
  }
  return sim::svg(plot);
}

std::string run_plot(const Report& report) {
  sim::Plot plot{"Run times", "seconds", "share of jobs", true, true, {}};
  std::vector<double> values;
  for (const sim::LogJob& job : report.jobs) values.push_back(static_cast<double>(job.run_s));
  plot.series.push_back(sim::ecdf("log", values));
  for (const sim::Replay& replay : report.replays) {
    values.clear();
    for (const sim::JobOutcome& o : replay.outcomes)
      if (o.end_us >= 0) values.push_back(std::round(static_cast<double>(o.run_us) / 1e6));
    plot.series.push_back(sim::ecdf(replay.strategy, values));
  }
  return sim::svg(plot);
}

std::string size_plot(const Report& report) {
  sim::Plot plot{"Sizes of jobs", "cores", "share of jobs", true, true, {}};
  std::vector<double> values;
  for (const sim::LogJob& job : report.jobs) values.push_back(job.tasks);
  plot.series.push_back(sim::ecdf("log", values));
  return sim::svg(plot);
}

// ---- JSON

void put_interval(JsonWriter& json, std::string_view name, const sim::MeanInterval& interval) {
  json.key(name).begin_object().member("mean", interval.mean).member("low90", interval.low).member("high90", interval.high);
  json.end_object();
}

// Writes which jobs were replayed. A selection that does not exclude any jobs is left out.
void put_selection(JsonWriter& json, const sim::JobSelection& selection) {
  const sim::JobSelection all;
  json.key("selection").begin_object();
  if (!selection.partitions.empty()) {
    json.key("partition").begin_array();
    for (const std::string& partition : selection.partitions) json.value(partition);
    json.end_array();
  }
  if (selection.from_s) json.member("from", *selection.from_s);
  if (selection.to_s) json.member("to", *selection.to_s);
  if (selection.window_s != all.window_s) json.member("hours", static_cast<double>(selection.window_s) / 3600);
  if (selection.most_jobs != all.most_jobs) json.member("jobs", selection.most_jobs);
  if (selection.least_tasks != all.least_tasks) json.member("min_tasks", selection.least_tasks);
  if (selection.most_tasks != all.most_tasks) json.member("max_tasks", selection.most_tasks);
  json.member("processors_per_core_of_sacct", selection.per_core.sacct).member("processors_per_core_of_swf", selection.per_core.swf);
  json.end_object();
}

void put_options(JsonWriter& json, const Report& report) {
  const sim::ReplayOptions& o = report.options;
  json.key("options").begin_object();
  json.member("communication", o.communication).member("share", o.share).member("pattern", report.pattern);
  json.member("reference", report.against_stock_run ? "stock-run" : "now").member("scale_run_times", report.run_time_scale);
  json.member("whole_nodes", o.whole_nodes).member("full_start", o.full_start);
  json.member("stock_request", o.stock_request == sim::StockRequest::nodes ? "nodes" : "tasks");
  json.member("backfill", o.reservations > 1 ? "slurm" : "easy").member("backfill_depth", o.backfill_depth);
  json.member("backfill_interval_s", o.backfill_interval_s).member("plan_margin_s", o.plan_margin_s);
  json.member("release_s", o.release_s).member("charge_measured", o.charge_measured);
  json.member("charge_stock_s", o.charge_stock_s).member("charge_policy_s", o.charge_policy_s);
  json.member("charge_policy_task_s", o.charge_policy_task_s);
  if (o.effort > 0) json.member("effort", o.effort).member("effort_tasks", o.effort_tasks);
  json.member("node_failures_per_hour", o.node_failures_per_hour).member("repair_hours", o.repair_hours);
  json.member("planned_failures", std::ssize(o.planned_failures)).member("seed", static_cast<std::int64_t>(o.seed));
  put_selection(json, report.selection);
  json.key("machine").begin_object();
  for (const auto& [option, value] : report.machine_options) json.member(option, value);
  json.end_object().end_object();
}

void put_summary(JsonWriter& json, const sim::Summary& s) {
  json.begin_object().member("strategy", s.strategy).member("jobs", s.jobs).member("ended", s.ended);
  json.member("with_matrix", s.with_matrix).member("refused", s.refused).member("restarts", s.restarts).member("given_up", s.given_up);
  json.member("node_failures", s.node_failures).member("lost_core_hours", s.lost_core_hours);
  json.member("makespan_s", s.makespan_s).member("utilisation", s.utilisation);
  for (const sim::Measure measure : sim::all_measures)
    put_interval(json, sim::to_string(measure) + (measure == sim::Measure::stretch ? "" : "_s"), of(s, measure));
  json.member("ratio", s.mean_ratio).member("gain", s.mean_gain).member("decision_ms", s.decision_ms);
  json.member("longest_decision_ms", s.longest_decision_ms).member("replay_s", s.replay_s);
  json.member("extra_switches", s.extra_switches).member("largest_in_switch", s.largest_in_switch);
  json.member("largest_in_subtree", s.largest_in_subtree).member("interrupted", s.interrupted);
  json.key("sizes").begin_array();
  for (const sim::SizeClass& c : s.sizes) {
    json.begin_object().member("tasks_up_to", c.tasks).member("jobs", c.jobs).member("switches", c.switches);
    json.member("least_switches", c.least_switches).member("ratio", c.ratio).end_object();
  }
  json.end_array().end_object();
}

void put_comparisons(JsonWriter& json, const Report& report) {
  json.key("comparisons").begin_array();
  for (const sim::JobGroup group : {sim::JobGroup::all, sim::JobGroup::with_matrix, sim::JobGroup::without_matrix})
    for (const sim::Measure measure : sim::all_measures)
      for (std::size_t a = 0; a < report.replays.size(); ++a)
        for (std::size_t b = a + 1; b < report.replays.size(); ++b) {
          const sim::PairedComparison c =
              sim::compare(report.jobs, report.replays[a], report.replays[b], measure, group);
          if (c.difference.count == 0) continue;
          json.begin_object().member("group", sim::to_string(group)).member("measure", sim::to_string(measure));
          json.member("first", report.replays[a].strategy).member("second", report.replays[b].strategy);
          json.member("jobs", c.difference.count);
          put_interval(json, "difference", c.difference);
          put_interval(json, "ratio", c.ratio);
          json.end_object();
        }
  json.end_array();
}

}  // namespace

std::string report_text(const Report& report) {
  return input_text(report) + strategies_text(report) + comparisons_text(report) + sizes_text(report);
}

std::string report_json(const Report& report) {
  JsonWriter json;
  json.begin_object().member("log", report.log).member("selected", std::ssize(report.jobs));
  json.member("not_selected", report.not_selected).member("larger_than_machine", report.too_large);
  json.member("nodes", report.machine->nodes()).member("cores", report.machine->cores());
  json.key("notes").begin_array();
  for (const sim::LogNotes::Note& note : report.notes->notes()) {
    json.begin_object().member("what", note.what).member("count", note.count).member("first", note.first_line);
    json.member("skipped", note.skipped).end_object();
  }
  json.end_array();
  put_options(json, report);
  json.key("strategies").begin_array();
  for (const sim::Summary& summary : report.summaries) put_summary(json, summary);
  json.end_array();
  put_comparisons(json, report);
  return json.end_object().take();
}

void write_report(const Report& report, const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder + ": " + failure.message());
  const auto write = [&](const std::string& name, const std::string& text) { write_output(folder + "/" + name, text); };
  write("summary.csv", summary_csv(report));
  write("comparisons.csv", comparisons_csv(report));
  write("windows.csv", windows_csv(report));
  write("sizes.csv", sizes_csv(report));
  write("cost.csv", cost_csv(report));
  write("summary.json", report_json(report));
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
  write("flow.svg", growth_plot(report, sim::Measure::flow, "Mean flow time", "seconds"));
  write("stretch.svg", growth_plot(report, sim::Measure::stretch, "Mean stretch", "flow time / run time in the log"));
  // If only some jobs have a matrix, these plots show what the other jobs gain.
  for (const sim::JobGroup group : {sim::JobGroup::with_matrix, sim::JobGroup::without_matrix}) {
    if (report.options.share >= 1 || report.options.share <= 0) continue;
    std::string name = "flow-" + sim::to_string(group) + ".svg";
    std::replace(name.begin(), name.end(), ' ', '-');
    write(name, growth_plot(report, sim::Measure::flow, "Mean flow time of the jobs " + sim::to_string(group),
                            "seconds", group));
  }
  write("run.svg", run_plot(report));
  write("size.svg", size_plot(report));
}

}  // namespace placement::tools
