// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <ctime>

#include "tools/output/decision_text.hpp"
#include "tools/output/output.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

namespace {

std::string now(const sim::Occupancy& occupancy) {
  return "<h3>Now</h3>\n<dl class=\"facts\">" +
         fact("Free cores", std::to_string(occupancy.free_cores) + " of " + std::to_string(occupancy.usable_cores)) +
         fact("Largest below one leaf switch", std::to_string(occupancy.largest_in_switch) + " cores") +
         fact("Largest in one subtree", std::to_string(occupancy.largest_in_subtree) + " cores") +
         fact("Running jobs", std::to_string(occupancy.jobs)) +
         fact("Jobs on more switches than needed", std::to_string(occupancy.spread_jobs)) +
         fact("Leaf switches of a job beyond its need, mean", shown_number(occupancy.extra_switches)) + "</dl>\n";
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
                  {"Day from", "Free", "In one subtree", "Below one switch", "<Free cores"});
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
    return missing("free cores over time.", replay.log + " has no start times or nodes of jobs on this machine.",
                   "use a log of sacct with the columns Start and NodeList, and the machine on which the jobs ran.");
  const std::string caption =
      "Computed from the nodes and times of " + std::to_string(replay.past.jobs) + " jobs of " + replay.log + "." +
      (replay.past.unknown > 0 ? " " + std::to_string(replay.past.unknown) + " more jobs have unknown nodes or times."
                               : "") +
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

constexpr std::size_t most_reasons = 30;

static std::string meaning(const std::string& outcome) {
  if (outcome.starts_with("stock")) return "Slurm's own choice";
  if (outcome.starts_with("nodes+cores")) return "the policy's nodes and cores";
  if (outcome.starts_with("nodes")) return "the policy's nodes";
  if (outcome.starts_with("advice")) return "computed and not used (Mode=observe or advise)";
  return "the job waits";
}

HtmlSection decisions_section(const ReportFacts& facts) {
  HtmlSection section{"decisions", "Decisions", {}};
  const DecisionInput& input = facts.decisions;
  if (!input.told_by.empty()) section.body += paragraph("Reported by " + input.told_by + ".", "quiet");
  for (const std::string& note : input.notes) section.body += paragraph("Not read: " + note, "quiet");
  if (input.decisions.empty())
    return section.without_data(missing(
        "decisions of slurmctld since " + shown_time(facts.since_s) + ".",
        input.notes.empty() ? "none is on record." : "none could be read, or none is on record.",
        "jobs that ask for a policy (srun -m TREEMATCH), or Mode=observe in placement.conf; placement-monitor keeps the "
        "decisions for longer than slurmctld's ring of the latest 1024."));
  const std::vector<DecisionSum> sums = sums_of(input.decisions);
  std::int64_t most = 1;
  for (const DecisionSum& sum : sums) most = std::max(most, sum.count);
  const StartSum starts = starts_of(input.decisions);
  const double share =
      starts.starts == 0 ? 0 : 100.0 * static_cast<double>(starts.stock) / static_cast<double>(starts.starts);
  section.body +=
      paragraph(std::to_string(input.decisions.size()) + " decisions, the first of " +
                shown_time(input.decisions.front().at_s) + ", the last of " + shown_time(input.decisions.back().at_s) +
                ". " + std::to_string(starts.starts) + " concern the start of a job; " + std::to_string(starts.stock) +
                " (" + shown_number(share, 1) + " % of the starts) left the job to stock Slurm.");
  HtmlTable table(
      "By policy and outcome; \"ahead\" means that the backfill scheduler asked where the job could run",
      {"Policy", "<Outcome", "<Meaning", "Median time", "Longest", "Decisions", "<Share of the most frequent"});
  for (const DecisionSum& sum : sums) {
    table.add({sum.policy, sum.outcome, meaning(sum.outcome), shown_microseconds(sum.median_us),
               shown_microseconds(sum.most_us), std::to_string(sum.count)});
    table.add_drawing(bar(static_cast<double>(sum.count) / static_cast<double>(most)));
  }
  section.body += table.html();
  const auto reasons = stock_reasons(input.decisions, most_reasons);
  if (reasons.empty()) return section;
  HtmlTable why("Reasons for which jobs ran as stock, the most frequent first",
                {"Reason", "Decisions", "<Share of the most frequent"});
  for (const auto& [reason, count] : reasons) {
    why.add({reason, std::to_string(count)});
    why.add_drawing(bar(static_cast<double>(count) / static_cast<double>(reasons.front().second)));
  }
  section.body += "<h3>Why jobs ran as stock</h3>\n" + why.html();
  return section;
}

static std::string jobs_and_assumptions(const SiteReplay& site) {
  std::string text = std::to_string(site.replayed) + " jobs of " + site.log + " on " + std::to_string(site.cores) +
                     " cores, under each policy and under stock Slurm.";
  if (site.replayed < site.jobs)
    text += " These are the last of " + std::to_string(site.jobs) +
            " jobs; the machine is full at the start (--replay-jobs 0 replays all).";
  if (site.too_large > 0) text += " " + std::to_string(site.too_large) + " jobs are larger than the machine.";
  if (!site.notes.empty()) text += " Reader of the log: " + site.notes + ".";
  return paragraph(text) +
         paragraph(
             "Assumptions: a job is one task per core and communicates for " +
                 shown_number(100 * site.communication, 0) +
                 " % of its run time (--communication), by a matrix of --pattern " + site.pattern +
                 ". A log has no load, network and failures: NLA and TOFA use the state of one moment. Jobs of one "
                 "replay share a queue, so the intervals are too narrow. placectl simulate has more options.",
             "quiet");
}

HtmlSection replay_section(const ReportFacts& facts) {
  HtmlSection section{"replay", "The site's jobs under each policy", {}};
  if (!facts.replay)
    return section.without_data(missing(
        "the replay of the site's jobs.", facts.why_no_replay,
        "accounting by slurmdbd, so that sacct has the jobs; or a log by --sacct: sacct --allusers --parsable2 --allocations --noconvert "
        "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition,State,Start,NodeList."));
  section.body += jobs_and_assumptions(*facts.replay);
  HtmlTable table(
      "Stock: time under stock Slurm divided by the time under the policy, geometric means with 90 % intervals. Above 1.00 the policy is better; "
      "the dashes of the picture are at 1.00",
      {"Policy", "Jobs ended", "With a matrix", "Mean wait, stock", "Mean wait", "Stock, submission to end",
       "Stock, run time", "Interval", "<From 0 to 2"});
  std::string notes;
  for (const PolicyReplay& one : facts.replay->policies) {
    if (!one.why_not.empty()) {
      notes += paragraph(one.policy + " is not replayed: " + one.why_not + ".");
      continue;
    }
    const bool any = one.run.count > 0;  // false: every job ran as under stock Slurm
    table.add({one.policy, std::to_string(one.own.ended), std::to_string(one.own.with_matrix),
               shown_seconds(one.stock.of(sim::Measure::wait).mean), shown_seconds(one.own.of(sim::Measure::wait).mean),
               any ? shown_number(one.flow.mean) + " (" + shown_interval(one.flow) + ")" : "-",
               any ? shown_number(one.run.mean) : "-", shown_interval(one.run)});
    if (any) table.add_drawing(interval_drawing(one.run.mean, one.run.low, one.run.high, 2));
    if (!one.state.empty()) notes += paragraph(one.policy + ": " + one.state + ".", "quiet");
    if (one.own.restarts > 0)
      notes += paragraph(one.policy + ": " + std::to_string(one.own.restarts) + " starts after a failure, " +
                         std::to_string(one.stock.restarts) + " under stock Slurm.");
    if (one.own.refused > 0)
      notes += paragraph(one.policy + " left " + std::to_string(one.own.refused) +
                         " jobs to stock Slurm, the first because " + one.own.first_refusal + ".");
  }
  section.body += table.html() + notes;
  return section;
}

}  // namespace placement::tools
