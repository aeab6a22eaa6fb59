// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/switch_tree.hpp"
#include "sim/metrics.hpp"
#include "sim/occupancy.hpp"
#include "tools/input/command_line.hpp"
#include "tools/input/monitor_input.hpp"
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
  std::int64_t cores = 0;      // number of cores of the machine
  double communication = 0;    // assumed share of communication in the run time, 0 to 1
  std::string pattern;         // assumed matrices
  std::int64_t begin_s = 0;    // start of the log; seconds since 1970 in a log of sacct. Times of `past` count from it
  bool local_clock = false;    // begin_s is a time of this host; a log with written dates has its own time zone
  sim::PastOccupancy past;     // the machine over the time of the log
  std::vector<PolicyReplay> policies;
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
  DecisionInput decisions;  // made at since_s or later; the notes name missing sources
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

// The sections of a report, with their numbers as tables. One without data states how to get them.

// The switches with their nodes: load, liveness, outages.
HtmlSection cluster_section(const ReportFacts& facts);

// Bandwidth and latency between nodes as heat maps.
HtmlSection pairs_section(const ReportFacts& facts);

// Decisions by policy and outcome, and the reasons why jobs ran as stock.
HtmlSection decisions_section(const ReportFacts& facts);

// The gains of policies by their own records, with confidence intervals.
HtmlSection gains_section(const ReportFacts& facts);

// How large a job still fits together: now, and over time in the replay.
HtmlSection room_section(const ReportFacts& facts);

// The site's jobs under each strategy.
HtmlSection replay_section(const ReportFacts& facts);

// What to switch on, and why.
HtmlSection advice_section(const ReportFacts& facts);

// Returns an interval for a table: "0.80 to 0.95"; "not known" for fewer than two values.
std::string shown_interval(const sim::MeanInterval& interval);

// The gain of a policy by its own records: the cost of the placement divided by that of natural order on Slurm's own
// nodes, or else on the first nodes offered. Below 1 the policy is better. Means are geometric, intervals are of 90 %.
struct PolicyGain {
  std::string policy;
  bool used = true;           // false: the placements were computed and not used (Mode=observe or advise)
  std::size_t users = 0;      // number of users whose jobs these are
  sim::MeanInterval by_jobs;  // Student's t over the jobs
  std::optional<sim::MeanInterval> by_users;  // bootstrap over the users, if there are gain_users or more
};
inline constexpr std::size_t gain_users = 5;

// Returns the gains by policy. If there are several decisions about one start of a job, the last one counts. Decisions
// without a start, without a cost or with a cost of 0 are left out. Equal seeds give equal intervals.
std::vector<PolicyGain> gains_of(std::span<const Decision> decisions, std::uint64_t seed);

// Returns the wider of the two intervals of a gain, for conclusions.
const sim::MeanInterval& cautious(const PolicyGain& gain);

enum class Verdict { yes, no, open };

// A conclusion, with the numbers behind it. `open`: the records allow no conclusion.
struct Advice {
  std::string subject;
  Verdict verdict = Verdict::open;
  std::string conclusion;
  std::vector<std::string> reasons;
};

inline constexpr const char* starts_subject = "Do policies decide most starts?";

// Returns the advice about starts_subject, TREEMATCH, NLA and TOFA, by three rules:
//   1. If more than a fifth of 30 or more starts ended as stock, the reasons come first.
//   2. With 30 jobs of gain_users users: "no" for a policy whose whole 90 % interval is 1 % or more above stock.
//   3. "yes" if the whole interval is 1 % or more below stock. Otherwise the policy is observed for longer.
std::vector<Advice> advice_of(const ReportFacts& facts);

}  // namespace placement::tools
