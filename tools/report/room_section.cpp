// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctime>

#include "tools/output/text_table.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

namespace {

std::string now(const sim::Occupancy& occupancy) {
  return "<h3>Now</h3>\n<dl class=\"facts\">" +
         fact("Free cores", std::to_string(occupancy.free_cores) + " of " + std::to_string(occupancy.usable_cores)) +
         fact("Largest below one leaf switch", std::to_string(occupancy.largest_in_switch) + " cores") +
         fact("Largest in one subtree", std::to_string(occupancy.largest_in_subtree) + " cores") +
         fact("Running jobs", std::to_string(occupancy.jobs)) +
         fact("On more switches than needed", std::to_string(occupancy.spread_jobs)) +
         fact("Leaf switches beyond need, mean", shown_number(occupancy.extra_switches)) + "</dl>\n";
}

std::string time_in_log(const SiteReplay& replay, std::int64_t time_us) {
  const auto time = static_cast<std::time_t>(replay.begin_s + time_us / 1000000);
  std::tm parts{};
  char text[32];
  replay.local_clock ? localtime_r(&time, &parts) : gmtime_r(&time, &parts);
  std::strftime(text, sizeof text, "%m-%d %H:%M", &parts);
  return text;
}

HtmlTable table_of(const SiteReplay& replay, const std::vector<sim::MachineSample>& samples) {
  HtmlTable table("Free cores and the largest job that would have fitted, in percent of the " +
                      std::to_string(replay.cores) + " cores, means of a day",
                  {{"Day from"}, {"Free", true}, {"In one subtree", true}, {"Below one switch", true}, {"Free cores"}});
  for (std::size_t k = 0; k < samples.size();) {
    const std::int64_t day = samples[k].time_us / 86400000000;
    double free = 0, in_subtree = 0, in_switch = 0, one_percent = 0;
    for (; k < samples.size() && samples[k].time_us / 86400000000 == day; ++k) {
      free += static_cast<double>(replay.cores - samples[k].busy_cores);
      in_subtree += static_cast<double>(samples[k].largest_in_subtree);
      in_switch += static_cast<double>(samples[k].largest_in_switch);
      one_percent += static_cast<double>(replay.cores) / 100;
    }
    table.add({time_in_log(replay, day * 86400000000), shown_number(free / one_percent, 1),
               shown_number(in_subtree / one_percent, 1), shown_number(in_switch / one_percent, 1)});
    table.add_drawing(bar(free / one_percent / 100));
  }
  return table;
}

std::string over_time(const SiteReplay& replay) {
  const std::vector<sim::MachineSample>& samples = replay.past.samples;
  if (samples.empty())
    return missing("free cores over time.",
                   replay.log + " does not have the nodes and start times of its jobs, or not on this machine.",
                   "use a log of sacct with the columns Start and NodeList, and the machine on which the jobs ran.");
  const std::string caption =
      "By the nodes and times of " + std::to_string(replay.past.jobs) + " jobs of " + replay.log + "." +
      (replay.past.unknown > 0 ? " They are not known of " + std::to_string(replay.past.unknown) + " more jobs." : "") +
      " A job counts in equal parts on its nodes. Nodes that were down, drained or reserved count as free.";
  return "<h3>Over time</h3>\n" + paragraph(caption) + table_of(replay, samples).html();
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
          : missing("how compactly the running jobs are placed.", facts.why_no_occupancy,
                    "run the report on a host where slurmctld answers; placectl metrics records it from now on.");
  section.body +=
      facts.replay
          ? over_time(*facts.replay)
          : missing(
                "free cores over time.", facts.why_no_replay,
                "accounting by slurmdbd, so that sacct has the jobs, or a log of sacct --parsable2 given by --sacct.");
  return section;
}

}  // namespace placement::tools
