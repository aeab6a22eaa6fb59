// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/output/text_table.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

// Returns which jobs were replayed, and the assumptions about them.
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

static std::string mean_of(const sim::Summary& summary, sim::Measure measure) {
  return shown_seconds(summary.measures[static_cast<int>(measure)].mean);
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
      {{"Policy"},
       {"Jobs ended", true},
       {"With a matrix", true},
       {"Mean wait, stock", true},
       {"Mean wait", true},
       {"Stock, submission to end", true},
       {"Stock, run time", true},
       {"Interval", true},
       {"From 0 to 2"}});
  std::string notes;
  for (const PolicyReplay& one : facts.replay->policies) {
    if (!one.why_not.empty()) {
      notes += paragraph(one.policy + " is not replayed: " + one.why_not + ".");
      continue;
    }
    const bool any = one.run.count > 0;  // false: every job ran as under stock Slurm
    table.add({one.policy, std::to_string(one.own.ended), std::to_string(one.own.with_matrix),
               mean_of(one.stock, sim::Measure::wait), mean_of(one.own, sim::Measure::wait),
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
