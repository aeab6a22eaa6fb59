// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "tools/output/text_table.hpp"
#include "tools/report/drawing.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t most_points = 240;

std::string now(const sim::Occupancy& occupancy) {
  const auto cell = [](const std::string& name, const std::string& value) {
    return "<div><dt>" + name + "</dt><dd>" + value + "</dd></div>";
  };
  return "<h3>Now</h3>\n<dl class=\"facts\">" +
         cell("Free cores", std::to_string(occupancy.free_cores) + " of " + std::to_string(occupancy.usable_cores)) +
         cell("Largest below one leaf switch", std::to_string(occupancy.largest_in_switch) + " cores") +
         cell("Largest in one subtree", std::to_string(occupancy.largest_in_subtree) + " cores") +
         cell("Running jobs", std::to_string(occupancy.jobs)) +
         cell("On more switches than needed", std::to_string(occupancy.spread_jobs)) +
         cell("Leaf switches beyond need, mean", shown_number(occupancy.extra_switches)) + "</dl>\n";
}

// One measure of the replay, as per cent of the cores.
struct Line {
  const char* name;
  double (*value)(const sim::MachineSample&, double cores);
};
constexpr Line lines[] = {
    {"free cores",
     [](const sim::MachineSample& s, double cores) { return 100 * (1 - static_cast<double>(s.busy_cores) / cores); }},
    {"in one subtree",
     [](const sim::MachineSample& s, double cores) { return 100 * static_cast<double>(s.largest_in_subtree) / cores; }},
    {"below one switch",
     [](const sim::MachineSample& s, double cores) { return 100 * static_cast<double>(s.largest_in_switch) / cores; }},
};

// Returns the samples in at most most_points groups of equal length; a point is the mean of its group.
std::vector<std::pair<double, double>> points_of(const std::vector<sim::MachineSample>& samples, const Line& line,
                                                 double cores) {
  const std::size_t step = (samples.size() + most_points - 1) / most_points;
  std::vector<std::pair<double, double>> points;
  for (std::size_t k = 0; k < samples.size(); k += step) {
    const std::size_t end = std::min(samples.size(), k + step);
    double sum = 0;
    for (std::size_t i = k; i < end; ++i) sum += line.value(samples[i], cores);
    points.emplace_back(static_cast<double>(samples[k].time_us) / 86400e6, sum / static_cast<double>(end - k));
  }
  return points;
}

// One drawing of the room over time.
struct History {
  std::string title, label, caption;
  std::vector<sim::MachineSample> samples;
  std::function<std::string(double day)> day_name;  // of a time in days from the begin of the log
};

HtmlTable table_of(const History& history, double cores) {
  HtmlTable table(history.label + ", per cent of the " + shown_number(cores, 0) + " cores, means of a day",
                  {{"Day"}, {lines[0].name, true}, {lines[1].name, true}, {lines[2].name, true}});
  const std::vector<sim::MachineSample>& samples = history.samples;
  for (std::size_t k = 0; k < samples.size();) {
    const std::int64_t day = samples[k].time_us / 86400000000;
    double sums[3] = {0, 0, 0};
    const std::size_t begin = k;
    for (; k < samples.size() && samples[k].time_us / 86400000000 == day; ++k)
      for (int line = 0; line < 3; ++line) sums[line] += lines[line].value(samples[k], cores);
    const auto count = static_cast<double>(k - begin);
    table.add({history.day_name(static_cast<double>(day)), shown_number(sums[0] / count, 1),
               shown_number(sums[1] / count, 1), shown_number(sums[2] / count, 1)});
  }
  return table;
}

std::string over_time(const History& history, std::int64_t machine_cores) {
  const auto cores = static_cast<double>(machine_cores);
  LineChart chart;
  chart.label = history.label;
  chart.y_title = "per cent of the cores";
  for (const Line& line : lines) chart.lines.push_back({line.name, points_of(history.samples, line, cores)});
  double most = 0;
  for (const ChartLine& line : chart.lines)
    for (const auto& [day, value] : line.points) most = std::max(most, value);
  chart.most = most > 50 ? 100 : most > 20 ? 50 : most > 8 ? 20 : most > 4 ? 8 : 4;
  const double first = chart.lines.front().points.front().first, days = chart.lines.front().points.back().first - first;
  const double step = days > 3 ? std::ceil(days / 10) : std::max(days / 4, 1 / 86400.0);
  for (double day = first; day <= first + days + 1e-9; day += step)
    chart.ticks.emplace_back(day, history.day_name(day));
  return "<h3>" + history.title + "</h3>\n<figure>\n" + line_chart(chart) + "<figcaption>" +
         html_text(history.caption) + "</figcaption>\n" + folded("Table: " + history.title, table_of(history, cores)) +
         "</figure>\n";
}

std::string what_happened(const SiteReplay& replay) {
  if (replay.past.samples.empty())
    return missing("free cores over time, as they were.",
                   replay.log + " does not tell on which of these nodes its jobs ran, and when.",
                   "give a log of sacct that has the columns Start and NodeList, and the machine on which they ran.");
  History history{"Over time, as it was",
                  "Free cores, and the largest job that would have fitted together",
                  {},
                  replay.past.samples,
                  {}};
  history.caption =
      "By the nodes, begins and ends of " + std::to_string(replay.past.jobs) + " jobs of " + replay.log + "." +
      (replay.past.unknown > 0 ? " Of " + std::to_string(replay.past.unknown) + " more jobs they are not known." : "") +
      " Between the first line and the others are cores that were free and too scattered to hold one job together. How many cores of each node a job had is not recorded: they count "
      "in equal parts. Nodes that were down, drained or reserved count as free.";
  const double span_days =
      static_cast<double>(history.samples.back().time_us - history.samples.front().time_us) / 86400e6;
  history.day_name = [&replay, span_days](double day) {
    const auto time = static_cast<std::time_t>(static_cast<double>(replay.begin_s) + day * 86400);
    std::tm parts{};
    char text[32];
    replay.local_clock ? localtime_r(&time, &parts) : gmtime_r(&time, &parts);
    std::strftime(text, sizeof text, span_days > 3 ? "%m-%d" : "%m-%d %H:%M", &parts);
    return std::string(text);
  };
  return over_time(history, replay.cores);
}

std::string replayed(const SiteReplay& replay) {
  History history{"The same jobs, replayed",
                  "Free cores and the largest job that still fits together, by day of the replay",
                  {},
                  replay.month.samples,
                  {}};
  std::erase_if(history.samples, [&](const sim::MachineSample& sample) {
    return sample.time_us > replay.last_submit_us;
  });  // the machine drains afterwards
  if (history.samples.empty()) return "";
  history.caption =
      "All " + std::to_string(replay.jobs) + " jobs of " + replay.log +
      " replayed under stock Slurm, from an empty machine to the last submission. It is the replay's state and not a record of the cluster's.";
  history.day_name = [](double day) { return "day " + shown_number(day, day == std::floor(day) ? 0 : 2); };
  return over_time(history, replay.cores);
}

}  // namespace

HtmlSection room_section(const ReportFacts& facts) {
  HtmlSection section{"room", "Room for large jobs", {}};
  section.has_data = facts.occupancy || facts.replay;
  section.body += paragraph(
      "How scattered the free cores are: the largest job that still fits below one leaf switch, or in one subtree just below the root.");
  section.body +=
      facts.occupancy
          ? now(*facts.occupancy)
          : missing("how the running jobs lie now.", facts.why_no_occupancy,
                    "run the report on a host where slurmctld answers; placectl metrics records it from now on.");
  section.body +=
      facts.replay
          ? what_happened(*facts.replay) + replayed(*facts.replay)
          : missing(
                "free cores over time.", facts.why_no_replay,
                "accounting by slurmdbd, so that sacct tells the jobs, or a log of sacct --parsable2 given by --sacct.");
  return section;
}

}  // namespace placement::tools
