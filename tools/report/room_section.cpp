// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>

#include "tools/output/text_table.hpp"
#include "tools/report/drawing.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t most_points = 240;

std::string now(const sim::Occupancy& occupancy) {
  const auto cell = [](const std::string& name, const std::string& value) { return "<div><dt>" + name + "</dt><dd>" + value + "</dd></div>"; };
  return "<h3>Now</h3>\n<dl class=\"facts\">" + cell("Free cores", std::to_string(occupancy.free_cores) + " of " + std::to_string(occupancy.usable_cores)) +
         cell("Largest below one leaf switch", std::to_string(occupancy.largest_in_switch) + " cores") +
         cell("Largest in one subtree", std::to_string(occupancy.largest_in_subtree) + " cores") + cell("Running jobs", std::to_string(occupancy.jobs)) +
         cell("On more switches than needed", std::to_string(occupancy.spread_jobs)) + cell("Leaf switches beyond need, mean", shown_number(occupancy.extra_switches)) +
         "</dl>\n";
}

// One measure of the replay, as per cent of the cores.
struct Line {
  const char* name;
  double (*value)(const sim::MachineSample&, double cores);
};
constexpr Line lines[] = {
    {"free cores", [](const sim::MachineSample& s, double cores) { return 100 * (1 - static_cast<double>(s.busy_cores) / cores); }},
    {"in one subtree", [](const sim::MachineSample& s, double cores) { return 100 * static_cast<double>(s.largest_in_subtree) / cores; }},
    {"below one switch", [](const sim::MachineSample& s, double cores) { return 100 * static_cast<double>(s.largest_in_switch) / cores; }},
};

// Returns the samples while jobs were submitted; the machine drains afterwards.
std::vector<sim::MachineSample> samples_of(const SiteReplay& replay) {
  std::vector<sim::MachineSample> samples = replay.month.samples;
  std::erase_if(samples, [&](const sim::MachineSample& sample) { return sample.time_us > replay.last_submit_us; });
  return samples;
}

// Returns the samples in at most most_points groups of equal length; a point is the mean of its group.
std::vector<std::pair<double, double>> points_of(const std::vector<sim::MachineSample>& samples, const Line& line, double cores) {
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

std::string over_time(const SiteReplay& replay) {
  const auto cores = static_cast<double>(replay.cores);
  const std::vector<sim::MachineSample> samples = samples_of(replay);
  LineChart chart;
  chart.label = "Free cores and the largest job that still fits together, by day of the replay";
  chart.y_title = "per cent of the cores";
  for (const Line& line : lines) chart.lines.push_back({line.name, points_of(samples, line, cores)});
  double most = 0, days = 0;
  for (const ChartLine& line : chart.lines)
    for (const auto& [day, value] : line.points) most = std::max(most, value), days = std::max(days, day);
  chart.most = most > 50 ? 100 : most > 20 ? 50 : most > 8 ? 20 : most > 4 ? 8 : 4;
  const double step = std::max(1.0, std::ceil(days / 10));
  for (double day = 0; day <= days; day += step) chart.ticks.emplace_back(day, "day " + shown_number(day, 0));
  HtmlTable table(chart.label + ", per cent of the " + std::to_string(replay.cores) + " cores, means of a day", {{"Day", true}, {lines[0].name, true}, {lines[1].name, true}, {lines[2].name, true}});
  for (std::size_t k = 0; k < samples.size();) {
    const std::int64_t day = samples[k].time_us / 86400000000;
    double sums[3] = {0, 0, 0};
    const std::size_t begin = k;
    for (; k < samples.size() && samples[k].time_us / 86400000000 == day; ++k)
      for (int line = 0; line < 3; ++line) sums[line] += lines[line].value(samples[k], cores);
    const auto count = static_cast<double>(k - begin);
    table.add({std::to_string(day), shown_number(sums[0] / count, 1), shown_number(sums[1] / count, 1), shown_number(sums[2] / count, 1)});
  }
  return "<h3>Over time</h3>\n<figure>\n" + line_chart(chart) + "<figcaption>" +
         html_text("All " + std::to_string(replay.jobs) + " jobs of " + replay.log + " replayed under stock Slurm, from an empty machine to the last submission. Between the first line and the others are cores "
                   "that are free and too scattered to hold one job together. It is the replay's state and not a record of the cluster's.") +
         "</figcaption>\n" + folded("Table: free cores by day", table) + "</figure>\n";
}

}  // namespace

HtmlSection room_section(const ReportFacts& facts) {
  HtmlSection section{"room", "Room for large jobs", {}};
  section.body += paragraph("How scattered the free cores are: the largest job that still fits below one leaf switch, or in one subtree just below the root.");
  section.body += facts.occupancy ? now(*facts.occupancy)
                                  : missing("how the running jobs lie now.", facts.why_no_occupancy, "run the report on a host where slurmctld answers; placectl metrics records it from now on.");
  section.body += facts.replay && !facts.replay->month.samples.empty()
                      ? over_time(*facts.replay)
                      : missing("free cores over time.", facts.why_no_replay, "accounting by slurmdbd, so that sacct tells the jobs, or a log of sacct --parsable2 given by --sacct.");
  return section;
}

}  // namespace placement::tools
