// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <span>

#include "tools/output/text_table.hpp"
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

// Returns what of the jobs is assumed, and what is missing where it gives none of them a matrix.
std::string assumptions(const SiteReplay& replay) {
  const std::int64_t ended = replay.replayed.summaries.front().ended,
                     matrices = replay.replayed.summaries.front().with_matrix;
  const std::string share = shown_number(100 * replay.communication, 0) + " % of ";
  std::string text = "What a log does not tell is assumed: a job is one task for each core, and " +
                     (matrices == ended ? "every job communicates for " + share + "its"
                                        : std::to_string(matrices) + " of the " + std::to_string(ended) +
                                              " jobs communicate for " + share + "their") +
                     " run time (--communication), by a made-up matrix (--pattern " + replay.pattern + ").";
  if (matrices < ended)
    text +=
        " The others are of one task, or of a number of tasks that the pattern does not fit: strategies that go by a "
        "matrix place them as stock Slurm does.";
  text +=
      " Jobs of one replay share a queue and are not independent, so that the intervals are narrower than what another "
      "month would show.";
  return paragraph(text) + (matrices > 0
                                ? ""
                                : missing("what strategies that go by a matrix do to these jobs.",
                                          "no job has two tasks or more that --pattern " + replay.pattern + " fits.",
                                          "give --pattern another word, such as random, which fits all."));
}

// The columns of a comparison with stock Slurm; add_comparison() fills a row.
HtmlTable comparison_table() {
  return HtmlTable(
      "Stock over each strategy, geometric means over the jobs with 90 % intervals; above 1.00 the strategy is better. In the picture the dashes are at 1.00",
      {{"Strategy"}, {"Time"}, {"Stock over it", true}, {"Interval", true}, {"From 0 to 2"}});
}

// Compares strategy `k` with stock Slurm. Run times are those of the group `runs`, times from submission to end those
// of all jobs.
void add_comparison(HtmlTable& table, const ReplayedJobs& replayed, std::size_t k, sim::JobGroup runs) {
  const sim::Replay &stock = replayed.replays.front(), &other = replayed.replays[k];
  for (const sim::Measure measure : {sim::Measure::run, sim::Measure::flow}) {
    const bool run = measure == sim::Measure::run;
    const sim::MeanInterval ratio =
        sim::compare(replayed.jobs, stock, other, measure, run ? runs : sim::JobGroup::all).ratio;
    table.add({other.strategy,
               !run                         ? "from submission to end"
               : runs == sim::JobGroup::all ? "of the run"
                                            : "of the run, jobs with a matrix",
               shown_number(ratio.mean), shown_interval(ratio)});
    table.add_drawing(interval_drawing(ratio.mean, ratio.low, ratio.high, 2));
  }
}

// Returns what is said of the jobs that a strategy left to stock Slurm; empty if there are none.
std::string left_to_stock(const sim::Summary& sum) {
  if (sum.refused == 0) return {};
  return paragraph(sum.strategy + " left " + std::to_string(sum.refused) + " jobs to stock Slurm, the first because " +
                   sum.first_refusal + ".");
}

// The comparisons with stock Slurm, if any job has a matrix: without one all jobs run as under stock.
std::string against_stock(const ReplayedJobs& replayed) {
  if (replayed.summaries.front().with_matrix == 0) return {};
  HtmlTable pairs = comparison_table();
  for (std::size_t k = 1; k < replayed.replays.size(); ++k)
    add_comparison(pairs, replayed, k, sim::JobGroup::with_matrix);
  return "<h3>Against stock Slurm</h3>\n" + pairs.html();
}

// The replays of the policies that go by the state of the cluster.
std::string by_state(const SiteReplay& site) {
  std::string text =
      "<h3>By the state of one moment</h3>\n" +
      paragraph(
          "A log does not tell the load, the network and the failures of its time, by which these policies go. "
          "They are replayed as if the state were all the time as it is told here, and beside stock Slurm in that state: "
          "at most the last " +
          std::to_string(most_state_replay_jobs) + " jobs.");
  HtmlTable sums("Each strategy", {{"State"},
                                   {"Strategy"},
                                   {"Jobs ended", true},
                                   {"Mean wait", true},
                                   {"Mean run", true},
                                   {"Starts after a failure", true},
                                   {"Core hours lost", true}});
  HtmlTable pairs = comparison_table();
  bool any = false;
  for (const StateReplay& one : site.by_state) {
    if (one.replayed.replays.empty()) {
      text += paragraph(one.policy + " is not replayed: " + one.why_not + ".");
      continue;
    }
    any = true;
    text += left_to_stock(one.replayed.summaries.back());
    for (const sim::Summary& sum : one.replayed.summaries)
      sums.add({one.state, sum.strategy, std::to_string(sum.ended),
                shown_seconds(sum.measures[static_cast<int>(sim::Measure::wait)].mean),
                shown_seconds(sum.measures[static_cast<int>(sim::Measure::run)].mean), std::to_string(sum.restarts),
                shown_number(sum.lost_core_hours, 1)});
    add_comparison(pairs, one.replayed, 1, sim::JobGroup::all);
  }
  return any ? text + sums.html() + pairs.html() : text;
}

}  // namespace

HtmlSection replay_section(const ReportFacts& facts) {
  HtmlSection section{"replay", "The site's jobs under each policy", {}};
  section.has_data = facts.replay.has_value();
  if (!facts.replay) {
    section.body = missing(
        "the replay of the site's jobs.", facts.why_no_replay,
        "accounting by slurmdbd, so that sacct tells the jobs; or give a log by --sacct: sacct --allusers --parsable2 --allocations --noconvert "
        "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition,State,Start,NodeList.");
    return section;
  }
  const SiteReplay& replay = *facts.replay;
  std::string which = std::to_string(replay.replayed.jobs.size()) + " jobs of " + replay.log +
                      " replayed under each strategy on " + std::to_string(replay.cores) + " cores";
  if (std::ssize(replay.replayed.jobs) < replay.jobs)
    which += ": the last of " + std::to_string(replay.jobs) +
             ", from a machine full of other jobs (--replay-jobs 0 takes all, and longer)";
  section.body += paragraph(which + ".") + assumptions(replay);
  if (replay.too_large > 0)
    section.body +=
        paragraph(std::to_string(replay.too_large) + " jobs are larger than the machine and left out.", "quiet");
  if (!replay.notes.empty()) section.body += paragraph("Of the log: " + replay.notes + ".", "quiet");
  HtmlTable sums("Each strategy", {{"Strategy"},
                                   {"What it is"},
                                   {"Jobs ended", true},
                                   {"Mean wait", true},
                                   {"Mean run", true},
                                   {"Used cores", true},
                                   {"Leaf switches beyond need", true},
                                   {"Decision", true}});
  for (const sim::Summary& one : replay.replayed.summaries)
    sums.add({one.strategy, meaning(one.strategy), std::to_string(one.ended),
              shown_seconds(one.measures[static_cast<int>(sim::Measure::wait)].mean),
              shown_seconds(one.measures[static_cast<int>(sim::Measure::run)].mean),
              shown_number(100 * one.utilisation, 1) + " %", shown_number(one.extra_switches),
              shown_microseconds(one.decision_ms * 1000)});
  section.body += sums.html();
  for (const sim::Summary& one : replay.replayed.summaries) section.body += left_to_stock(one);
  section.body += against_stock(replay.replayed) + by_state(replay);
  return section;
}

}  // namespace placement::tools
