// SPDX-License-Identifier: GPL-2.0-or-later
// placectl report: the cluster, its network and its decisions as one page.
#include <algorithm>

#include "common/util/text.hpp"
#include "sim/job_log.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/report/sections.hpp"
#include "tools/simulate/simulate_options.hpp"

namespace placement::tools {

constexpr Option report_options[] = {
    {0, "since", "DATE", "decisions and jobs since DATE: YYYY-MM-DD[THH:MM[:SS]] in local time [30 days ago]"},
    {'o', "output", "FILE", "the page; \"-\" is standard output [report.html]"},
    state_option,
    history_option,
    ring_option,
    {'t', "topology", "FILE",
     "the switches: a topology.conf, a topology.yaml[:NAME], or what\n"
     "\"scontrol show topology\" prints [slurmctld]"},
    {0, "slurm-conf", "FILE", "the nodes of that topology.conf [slurm.conf in its directory]"},
    node_option,
    {0, "sacct", "FILE", "the jobs to replay, a log of sacct --parsable2 or in the Standard Workload Format [sacct]"},
    {0, "replay-jobs", "N", "the last N jobs are replayed under each policy, 0: all [500]"},
    threads_per_core_option,
    communication_option,
    traffic_pattern_option,
    seed_option,
};

constexpr CommandHelp report_help{
    "placectl report [OPTION]...",
    "Writes one HTML file with the state of the cluster, decisions and gains, which a browser shows without a server or\n"
    "network. It contains the jobs that the caller may see: share it only with users who may see them. See placectl-report(1).\n",
    report_options};

static double since_of(const CommandLine& line, double now_s) {
  const auto text = line.value("since");
  if (!text) return now_s - 30 * 86400;
  const std::int64_t point = sim::time_point(*text);
  if (point < 0 || point > std::int64_t{1} << 40)
    throw UsageError("--since " + shown(*text) +
                     ": expected a date, YYYY-MM-DD[THH:MM[:SS]] in local time, or seconds since 1970");
  std::time_t seconds = point;
  if (!parse_integer(*text)) {  // time_point() takes a date for one of UTC
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    parts.tm_isdst = -1;
    seconds = std::mktime(&parts);
  }
  if (static_cast<double>(seconds) > now_s)
    throw UsageError("--since " + shown(*text) + ": expected a time in the past");
  return static_cast<double>(seconds);
}

int command_report(int argc, char** argv) {
  const CommandLine line(report_help, argc, argv);
  if (line.has("slurm-conf") && !line.has("topology")) throw UsageError("--slurm-conf requires --topology");
  if (line.has("sacct") && !line.has("topology") && !slurmctld_answers())
    throw UsageError("--sacct requires --topology, because no slurmctld answers");
  const auto now_s = static_cast<double>(std::time(nullptr));
  const double since_s = since_of(line, now_s);
  const ReportFacts facts = gather_facts(line, since_s);
  if (!facts.state && !facts.machine && !facts.replay && facts.decisions.decisions.empty())
    throw Error("no data to report: " + facts.why_no_state + "; " + facts.why_no_machine +
                (facts.decisions.notes.empty() ? "" : "; " + joined(facts.decisions.notes, "; ")));
  std::vector<HtmlSection> sections = {advice_section(facts),    cluster_section(facts), pairs_section(facts),
                                       decisions_section(facts), gains_section(facts),   room_section(facts),
                                       replay_section(facts)};
  std::stable_partition(sections.begin(), sections.end(), [](const HtmlSection& section) { return section.has_data; });
  const std::string lead =
      paragraph("Made " + shown_time(now_s) + " from records since " + shown_time(since_s) + ".", "quiet");
  const std::string file = line.value_or("output", "report.html"), page = html_page("Placement report", lead, sections);
  write_output(file, page);
  if (file != "-")
    write_output("", "wrote " + file + " (" + std::to_string(page.size()) + " bytes); open it in a browser\n");
  return exit_ok;
}

}  // namespace placement::tools
