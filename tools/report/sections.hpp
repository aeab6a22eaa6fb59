// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "common/topology/cluster_view.hpp"
#include "common/topology/switch_tree.hpp"
#include "sim/occupancy.hpp"
#include "tools/input/decision_input.hpp"
#include "tools/input/state_input.hpp"
#include "tools/report/html.hpp"
#include "tools/report/replay.hpp"

namespace placement::tools {

// The machine of a report.
struct ReportMachine {
  std::string source;                 // where it comes from, such as "slurmctld"
  ClusterView view;                   // cores are free where Slurm would start jobs
  std::vector<SwitchShape> switches;  // with their names; nodes are indices into view.nodes. Empty: none are known
  bool live = false;                  // slurmctld reported it, so that a node without a free core takes no jobs now
};

// The data of a report. If a part could not be read, it has a reason, which its section prints.
struct ReportFacts {
  double since_s = 0;  // start of the period of the report, in seconds since 1970
  std::optional<StateInput> state;
  std::string state_described;  // where it comes from, and how old it is
  std::string why_no_state;
  std::optional<ReportMachine> machine;
  std::string why_no_machine;
  std::optional<sim::Occupancy> occupancy;  // of the running jobs that the caller may see
  std::string why_no_occupancy;
  DecisionInput decisions;  // since since_s; its notes say what is missing
  std::optional<SiteReplay> replay;
  std::string why_no_replay;
  std::string mode;        // Mode in force in slurmctld; empty: not known
  std::uint64_t seed = 1;  // of all random choices
};

// Reads and replays the parts of a report, as the options of the command line say. Without --state, --history, --ring,
// --topology or --sacct the source is the monitor's files, slurmctld or sacct. A part that cannot be read is omitted,
// with the reason. Throws UsageError, and Error for a file that the command line names.
//   since_s  in seconds since 1970
ReportFacts gather_facts(const CommandLine& line, double since_s);

// The sections of a report. Each also has its numbers as tables. A section without data states what is missing and how
// to get it.

// The switches with their nodes: load, liveness, outages.
HtmlSection cluster_section(const ReportFacts& facts);

// Bandwidth and latency between nodes as heat maps.
HtmlSection pairs_section(const ReportFacts& facts);

// Decisions by policy and outcome, and the reasons why jobs ran as stock.
HtmlSection decisions_section(const ReportFacts& facts);

// What policies gained by their own records, with confidence intervals.
HtmlSection gains_section(const ReportFacts& facts);

// How large a job still fits together: now, and over time in the replay.
HtmlSection room_section(const ReportFacts& facts);

// The site's jobs under each strategy.
HtmlSection replay_section(const ReportFacts& facts);

// What to switch on, and why.
HtmlSection advice_section(const ReportFacts& facts);

// Returns an interval for a table: "0.80 to 0.95"; "not known" of fewer than two values.
std::string shown_interval(const sim::MeanInterval& interval);

}  // namespace placement::tools
