// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/switch_tree.hpp"
#include "sim/metrics.hpp"
#include "sim/occupancy.hpp"
#include "sim/past_occupancy.hpp"
#include "tools/input/command_line.hpp"
#include "tools/input/decision_input.hpp"
#include "tools/input/state_input.hpp"
#include "tools/report/html.hpp"

namespace placement::tools {

// The machine of a report.
struct ReportMachine {
  std::string source;                 // where it comes from, such as "slurmctld"
  ClusterView view;                   // cores are free where Slurm would start jobs
  std::vector<SwitchShape> switches;  // with their names; nodes are indices into view.nodes. Empty: none are known
  bool live = false;                  // slurmctld reported it, so that a node without a free core takes no jobs now
};

// The replay of the site's jobs under one policy and under stock Slurm, both with the same load, network and outages.
struct PolicyReplay {
  std::string policy;
  std::string state;    // source of the load, network or outage probabilities; empty: not used
  std::string why_not;  // why the policy was not replayed; empty: it was
  sim::Summary stock, own;
  sim::MeanInterval run, flow;  // time under stock divided by the time under the policy: run time, submission to end
};

// The log of the site's jobs. Jobs that are larger than the machine are left out.
struct SiteReplay {
  std::string log;             // source of the jobs
  std::int64_t jobs = 0;       // jobs of the log that fit the machine
  std::int64_t replayed = 0;   // number of the last jobs that were replayed; others fill the machine at the start
  std::int64_t too_large = 0;  // jobs larger than the machine
  std::string notes;           // what the reader left out or corrected
  std::int64_t cores = 0;      // of the machine
  double communication = 0;    // assumed share of communication in the run time, 0 to 1
  std::string pattern;         // assumed matrices
  std::int64_t begin_s = 0;    // start of the log; seconds since 1970 in a log of sacct. Times of `past` count from it
  bool local_clock = false;    // begin_s is a time of this host; a log with written dates has its own time zone
  sim::PastOccupancy past;     // the machine over the time of the log
  std::vector<PolicyReplay> policies;
};

// Options of the replay.
struct ReplayRequest {
  sim::ReplayOptions options;
  std::int64_t most_jobs = 0;  // replayed for each policy; 0: all
  std::string pattern;         // the word of --pattern
  sim::PatternSource patterns;
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

// Reads -a, --pattern, --replay-jobs and --seed. Throws UsageError, and Error if matrices of --pattern cannot be read.
ReplayRequest read_replay_request(const CommandLine& line);

// Replays the log of --sacct, or the output of sacct since facts.since_s, on the machine of `facts`. TREEMATCH uses
// only the topology, NLA the load and network of facts.state, and TOFA its outage probabilities. Nodes also fail at
// random by these, on the torus of TorusFile or on the switches. One state holds for the whole replay. Throws Error if
// there is no log, and sim::NoJobs if no job in it can be replayed.
SiteReplay replay_site(const CommandLine& line, const ReplayRequest& request, const ReportFacts& facts,
                       const Config& config);

// The sections of a report, with their numbers as tables. One without data states how to get them.

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
