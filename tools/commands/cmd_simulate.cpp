// SPDX-License-Identifier: GPL-2.0-or-later
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "tools/commands/command.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/simulate/simulate_options.hpp"
#include "tools/simulate/simulate_report.hpp"

namespace placement::tools {

namespace {

constexpr Option simulate_options[] = {
    {'t', "topology", "FILE",
     "the machine: Slurm's topology.conf or topology.yaml[:NAME], or what\n"
     "\"scontrol show topology\" prints; or, with --node or --slurm-conf, a tree, tleaf or torus file,\n"
     "the arities of a tree as in 4:4:4, or the sizes of a torus as in 8x8x8"},
    {0, "slurm-conf", "FILE",
     "the nodes of a topology.conf [slurm.conf in its directory], or of a file of coordinates"},
    node_option,
    threads_per_core_option,
    {'s', "strategies", "LIST",
     "strategies, separated by blanks or semicolons: SLURM, TM-A, TM-I, TM-Isub,\n"
     "TM-Isub+K, or POLICY=KEY=VALUE,.. [SLURM TM-A TM-Isub]"},
    {'p', "partition", "LIST", "only jobs of the partitions in LIST, names or numbers separated by commas"},
    {0, "from", "TIME",
     "jobs submitted at TIME or later, on the log's clock: seconds, or YYYY-MM-DD[THH:MM[:SS]] for sacct"},
    {0, "hours", "H", "jobs submitted in the first H hours"},
    {0, "jobs", "N", "the first N jobs"},
    communication_option,
    weight_option,
    {0, "share", "PERCENT", "share of jobs with a matrix [100]"},
    traffic_pattern_option,
    {0, "effort", "N[,TASKS]",
     "effort of the search, from 1 to 1000, for policies with this key and jobs of TASKS\n"
     "or more tasks [the default of each policy; TASKS 1024]"},
    {0, "full", nullptr, "start with a machine full of other jobs of the log"},
    {0, "whole-nodes", nullptr, "jobs do not share nodes"},
    {0, "stock-request", "WORD",
     "what jobs request from stock Slurm: nodes (-N and -n; a job gets more than -N nodes if\n"
     "too few have room for an even share of its tasks) or tasks (-n alone) [nodes]"},
    {0, "scale-run-times", "PERCENT", "scale the run times and requested times of all jobs [100]"},
    {0, "backfill-depth", "N", "waiting jobs that backfill considers [500]"},
    {0, "backfill", "WORD",
     "easy: a job may pass others if it does not delay the first (waits 15 to 30 % shorter\n"
     "than in Slurm). slurm[,INTERVAL[,MARGIN]]: delays no job, as Slurm's backfill plugin. It\n"
     "plans every INTERVAL seconds [30], and adds MARGIN seconds [0] to requested times [easy]"},
    {0, "release", "SECONDS", "time from the end of a job until its cores are free, as for an epilog [0]"},
    {0, "charge", "WORD",
     "time added to a job for a policy's decision: none, measured, or SECONDS[,SECONDS\n"
     "PER TASK] [0.05,0.00002]"},
    {0, "stock-charge", "SECONDS", "time added to a job for a stock decision [0]"},
    {0, "node-failures", "N", "failures of each node in 1000 hours; its jobs start again [0]"},
    {0, "outages", "FILE", "nodes with outage probabilities: nodes fail with these, and policies know them"},
    {0, "outage-hours", "H", "period of the outage probabilities [24]"},
    {0, "state", "FILE", "live state for the policies: a snapshot or its JSON"},
    {0, "repair", "HOURS", "time until a failed node is back [4]"},
    seed_option,
    {0, "threads", "N", "strategies replayed at the same time [number of cores]"},
    {'o', "output", "FOLDER", "write CSV and JSON files there"},
    {0, "free-cores", "HOURS",
     "with -o: write the free cores at this interval of simulated hours, to be read by\n"
     "placectl map --available"},
    {'j', "json", nullptr, "print JSON in place of tables"},
    {'q', "quiet", nullptr, "no progress bar"},
};

constexpr CommandHelp simulate_help{
    "placectl simulate [OPTION]... LOG",
    "Replays a job log, in the Standard Workload Format or as written by sacct --parsable2, on a machine under several\n"
    "strategies of placement. Ctrl-C stops the replays and prints the results so far. See placectl-simulate(1).\n"
    "Example: placectl simulate -t topology.conf -s 'SLURM TM-Isub+1 RANDOM' -a 50 --share 50 log.swf\n",
    simulate_options, 1, 1};

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) { interrupted = true; }

// Makes the first Ctrl-C end the replays and the second one the program.
void watch_for_interrupt() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

void scale_run_times(std::vector<sim::LogJob>& jobs, double factor) {
  if (factor == 1) return;
  for (sim::LogJob& job : jobs) {
    job.run_s = std::max<std::int64_t>(std::llround(static_cast<double>(job.run_s) * factor), 1);
    job.limit_s = std::max(std::llround(static_cast<double>(job.limit_s) * factor), static_cast<long long>(job.run_s));
  }
}

}  // namespace

int command_simulate(int argc, char** argv) {
  const CommandLine line(simulate_help, argc, argv);
  const std::vector<sim::Strategy> strategies = read_strategies(line);
  sim::ReplayOptions replay_options = read_options(line);
  const double run_scale = number_option(line, "scale-run-times", 100, 0.01, 1e6) / 100;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads = line.integer("threads", 1, std::size_t{1024}).value_or(cores);
  const sim::PatternSource patterns(
      from_command_line([&] { return sim::parse_pattern(line.value_or("pattern", "random")); }, "--pattern: "),
      weight_given(line));
  const sim::Machine machine = read_machine(line, replay_options);
  check_strategies(strategies, line, machine.view().torus != nullptr);
  if (replay_options.whole_nodes && !machine.regular())
    throw Error("--whole-nodes requires nodes with equal numbers of cores");

  sim::LogNotes notes;
  sim::JobSelection selection = read_selection(line);
  selection.per_core = read_processors_per_core(line, machine);
  sim::JobList list = sim::select_jobs(line.operands()[0], selection, notes);
  std::int64_t too_large_line = 0;
  const auto too_large = std::erase_if(list.jobs, [&](const sim::LogJob& job) {
    if (job.tasks <= machine.cores()) return false;
    too_large_line = too_large_line == 0 ? job.line : std::min(too_large_line, job.line);
    return true;
  });
  if (list.jobs.empty())
    throw Error(line.operands()[0] + ": all " + std::to_string(too_large) +
                " jobs selected are larger than the machine, which has " + std::to_string(machine.cores()) +
                " cores (first in line " + std::to_string(too_large_line) + ")");
  scale_run_times(list.jobs, run_scale);
  if (const auto folder = line.value("output")) make_report_folder(*folder);

  // Each decision allocates and frees some megabytes. These settings keep the memory for the next decision.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  watch_for_interrupt();
  const bool show_progress = !line.has("quiet") && isatty(STDERR_FILENO) == 1;
  const std::vector<sim::Replay> replays =
      run_strategies({machine, list.jobs, patterns, replay_options}, strategies, threads, interrupted, show_progress);

  Report report{line.operands()[0],
                &machine,
                list.jobs,
                &notes,
                list.not_selected,
                static_cast<std::int64_t>(too_large),
                too_large_line,
                replay_options,
                replays,
                {},
                selection,
                line.value_or("pattern", "random"),
                run_scale,
                machine_options(line)};
  for (const sim::Replay& each : replays) report.summaries.push_back(sim::summarise(machine, list.jobs, each));
  write_output("", line.has("json") ? report_json(report) : report_text(report));
  if (const auto folder = line.value("output")) write_report(report, *folder);
  return exit_ok;
}

}  // namespace placement::tools
