// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "tools/output/text_table.hpp"
#include "tools/report/drawing.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

namespace {

std::string meaning(const std::string& strategy) {
  if (strategy == "SLURM") return "stock Slurm with topology/tree";
  if (strategy == "TM-A") return "stock's nodes, ranks by the matrix";
  if (strategy == "TM-I") return "nodes, cores and ranks of the whole machine by the matrix";
  if (strategy == "TM-Isub")
    return "nodes, cores and ranks by the matrix, in the smallest subtree with room: -m TREEMATCH";
  return "the policy of this name";
}

std::string assumptions(const SiteReplay& replay) {
  std::string text =
      "What a log does not tell is assumed: every job communicates for " + shown_number(100 * replay.communication, 0) +
      " % of its run time (--communication), by a made-up matrix (--pattern " + replay.pattern +
      "), and is one task for each core. Jobs of one replay share a queue and are not independent, so that the intervals are narrower "
      "than what another month would show. Policies that go by the state of the cluster at each moment, as NLA by load and network and TOFA by outages, "
      "are not replayed here, because a log does not have that state: placectl simulate --state or --outages replays them by a state of one moment.";
  return text;
}

}  // namespace

HtmlSection replay_section(const ReportFacts& facts) {
  HtmlSection section{"replay", "The site's jobs under each policy", {}};
  if (!facts.replay) {
    section.body = missing(
        "the replay of the site's jobs.", facts.why_no_replay,
        "accounting by slurmdbd, so that sacct tells the jobs; or give a log by --sacct: sacct --allusers --parsable2 --allocations --noconvert "
        "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition,State,Start,NodeList.");
    return section;
  }
  const SiteReplay& replay = *facts.replay;
  std::string which = std::to_string(replay.sample.size()) + " jobs of " + replay.log +
                      " replayed under each strategy on " + std::to_string(replay.cores) + " cores";
  if (std::ssize(replay.sample) < replay.jobs)
    which += ": the last of " + std::to_string(replay.jobs) +
             ", from a machine full of other jobs (--replay-jobs 0 takes all, and longer)";
  section.body += paragraph(which + ".") + paragraph(assumptions(replay));
  if (replay.too_large > 0)
    section.body +=
        paragraph(std::to_string(replay.too_large) + " jobs are larger than the machine and left out.", "quiet");
  if (!replay.skipped.empty()) section.body += paragraph("Of the log: " + replay.skipped, "quiet");
  HtmlTable sums("Each strategy", {{"Strategy"},
                                   {"What it is"},
                                   {"Jobs ended", true},
                                   {"Mean wait", true},
                                   {"Mean run", true},
                                   {"Used cores", true},
                                   {"Leaf switches beyond need", true},
                                   {"Decision", true}});
  for (const sim::Summary& one : replay.summaries)
    sums.add({one.strategy, meaning(one.strategy), std::to_string(one.ended),
              shown_seconds(one.measures[static_cast<int>(sim::Measure::wait)].mean),
              shown_seconds(one.measures[static_cast<int>(sim::Measure::run)].mean),
              shown_number(100 * one.utilisation, 1) + " %", shown_number(one.extra_switches),
              shown_microseconds(one.decision_ms * 1000)});
  section.body += sums.html();
  HtmlTable pairs(
      "Stock over each strategy, geometric means over the jobs with 90 % intervals; above 1.00 the strategy is better. In the picture the dashes are at 1.00",
      {{"Strategy"}, {"Time"}, {"Stock over it", true}, {"Interval", true}, {"From 0 to 2"}});
  for (std::size_t k = 1; k < replay.replays.size(); ++k)
    for (const sim::Measure measure : {sim::Measure::run, sim::Measure::flow}) {
      const sim::MeanInterval ratio =
          sim::compare(replay.sample, replay.replays.front(), replay.replays[k], measure, sim::JobGroup::all).ratio;
      pairs.add({replay.replays[k].strategy, measure == sim::Measure::run ? "of the run" : "from submission to end",
                 shown_number(ratio.mean), shown_interval(ratio)});
      pairs.add_drawing(interval_drawing(ratio.mean, ratio.low, ratio.high, 2));
    }
  section.body += "<h3>Against stock Slurm</h3>\n" + pairs.html();
  return section;
}

}  // namespace placement::tools
