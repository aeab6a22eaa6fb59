// SPDX-License-Identifier: GPL-2.0-or-later
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include "core/error.hpp"
#include "core/snapshot_input.hpp"
#include "core/text.hpp"
#include "core/topology_read.hpp"
#include "core/torus_topology.hpp"
#include "sim/site.hpp"
#include "tools/command.hpp"
#include "tools/command_line.hpp"
#include "tools/output.hpp"
#include "tools/simulate_report.hpp"

namespace placement {

namespace {

constexpr Option options[] = {
    {'t', "topology", "FILE", "the machine: Slurm's topology.conf; or a tree or tleaf file with --node"},
    {0, "slurm-conf", "FILE", "the nodes of a topology.conf [slurm.conf beside it]"},
    {0, "switches", "A:B:..", "a regular machine in place of a file: switches below each switch from\n"
                              "the root, and last the nodes of a leaf switch"},
    {0, "torus", "WORD", "a torus in place of a tree: its sizes, as in 8x8x8, or a file of coordinates"},
    {0, "node", "SxC", "sockets and cores per socket of its nodes [2x8]"},
    {'s', "strategies", "LIST", "what to replay, apart by blanks or semicolons: SLURM, TM-A, TM-I, TM-Isub,\n"
                                "TM-Isub+K, or POLICY=KEY=VALUE,.. [SLURM TM-A TM-Isub]"},
    {'p', "partition", "LIST", "jobs of these partitions only, apart by commas"},
    {0, "from", "SECONDS", "jobs submitted from then on, on the log's clock"},
    {0, "hours", "H", "jobs submitted in the first H hours"},
    {0, "jobs", "N", "the first N jobs"},
    {0, "min-tasks", "N", "no smaller jobs"},
    {0, "max-tasks", "N", "no larger jobs"},
    {'a', "communication", "PERCENT", "share of the run time spent communicating [30]"},
    {0, "share", "PERCENT", "of the jobs have a matrix [100]"},
    {0, "pattern", "WORD", "the matrices: random, random=DEGREE, stencil2d, stencil3d, alltoall, dt, or\n"
                           "a folder of recorded ones, for jobs of as many tasks [random]"},
    {0, "effort", "N[,TASKS]", "how long policies that have such a key look for a good mapping, for jobs of so many\n"
                               "tasks or more, from 1 to 1000 [as each does; TASKS 1024]"},
    {0, "reference", "WORD", "the stock placement that a job is held against: now (in the same state of\n"
                             "the machine) or stock-run (where the replay of SLURM put it) [now]"},
    {0, "full", nullptr, "begin with a machine full of other jobs of the log"},
    {0, "whole-nodes", nullptr, "jobs do not share nodes"},
    {0, "stock-request", "WORD", "what jobs ask stock Slurm for: nodes (-N and -n, evenly filled) or tasks\n"
                                 "(-n alone) [nodes]"},
    {0, "scale-run-times", "PERCENT", "of all jobs, requested times too [100]"},
    {0, "backfill-depth", "N", "waiting jobs looked at for backfill [500]"},
    {0, "backfill", "WORD", "easy: a job may pass others if it does not delay the first; or slurm: as the backfill\n"
                            "plugin does it by default, none is delayed, every 30 s, planned by minutes [easy]"},
    {0, "charge", "WORD", "a policy's decision on the job's time: none, measured, or SECONDS[,SECONDS\n"
                          "PER TASK] [0.05,0.00002]"},
    {0, "stock-charge", "SECONDS", "the same of a stock decision [0]"},
    {0, "node-failures", "N", "failures of each node in 1000 hours; its jobs start again [0]"},
    {0, "outages", "FILE", "nodes and their outage probabilities, which policies know and by which nodes fail"},
    {0, "outage-hours", "H", "the time within which these are [24]"},
    {0, "failure-trace", "FILE", "failures to come: lines of seconds since the begin, nodes, hours until back"},
    {0, "state", "FILE", "live state that policies know: a snapshot or its text, or random for a made-up one"},
    {0, "repair", "HOURS", "until a failed node is back [4]"},
    {0, "seed", "N", "of all random choices [1]"},
    {0, "threads", "N", "strategies replayed at the same time [cores there are]"},
    {'o', "output", "FOLDER", "write CSV, JSON and SVG files there"},
    {'j', "json", nullptr, "print JSON in place of tables"},
    {'q', "quiet", nullptr, "no progress bar"},
};

constexpr CommandHelp help{
    "placectl simulate",
    "[OPTION]... LOG",
    "Replays a job log, in the Standard Workload Format (perhaps gzip) or as written by sacct\n"
    "--parsable2, on a machine under several strategies of placement, with the scheduling of Slurm\n"
    "(first come, first served, EASY backfill) and the policies that run in slurmctld. Ctrl-C ends it\n"
    "with what there is. See placectl-simulate(1).\n\n"
    "  placectl simulate --switches 14:20:18 --node 2x8 --hours 100 curie.swf.gz\n"
    "  placectl simulate -t /etc/slurm/topology.conf --partition batch -o report sacct.txt\n"
    "  placectl simulate -t topology.conf -s 'SLURM TM-Isub+1 RANDOM' -a 50 --share 50 log.swf\n",
    options,
    1,
    1};

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) { interrupted = true; }

// Ctrl-C ends the replays, a second one the program.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    struct sigaction action{};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_{};
};

double number_option(const CommandLine& line, const char* option, double otherwise, double least, double most) {
  const auto text = line.value(option);
  if (!text) return otherwise;
  double value = 0;
  const auto [stop, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failure != std::errc{} || stop != text->data() + text->size() || !(value >= least && value <= most)) {
    char range[80];
    std::snprintf(range, sizeof range, "%g to %g", least, most);
    throw UsageError("--" + std::string(option) + " " + shown(*text) + ": a number from " + range + " is wanted");
  }
  return value;
}

std::vector<std::string> words_of(std::string list, const char* separators) {
  std::vector<std::string> words;
  for (char& c : list)
    if (std::string_view(separators).find(c) != std::string_view::npos) c = ' ';
  for (const std::string_view word : split_words(list)) words.emplace_back(word);
  return words;
}

// One of the words, by number.
int choice(const CommandLine& line, const char* option, std::initializer_list<const char*> words) {
  const auto text = line.value(option);
  if (!text) return 0;
  std::string list;
  int number = 0;
  for (const char* word : words) {
    if (*text == word) return number;
    list += (number++ > 0 ? " or " : "") + std::string(word);
  }
  throw UsageError("--" + std::string(option) + " " + shown(*text) + ": " + list + " is wanted");
}

// ---- the machine

NodeShape node_shape(const CommandLine& line) {
  const std::string text = line.value_or("node", "2x8");
  const auto parts = split_at(text, 'x');
  const auto sockets = parse_integer(parts[0]);
  const auto cores = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!sockets || !cores || *sockets < 1 || *cores < 1 || *sockets > 1024 || *cores > 4096)
    throw UsageError("--node " + shown(text) + ": SOCKETSxCORES is wanted, as in 2x8");
  return {"", static_cast<std::int32_t>(*sockets), static_cast<std::int32_t>(*cores), 1};
}

ClusterView regular_machine(const CommandLine& line) {
  const std::string text = *line.value("switches");
  const NodeShape shape = node_shape(line);
  std::vector<SwitchShape> switches{{"root", -1, {}}};
  std::vector<NodeShape> nodes;
  std::vector<std::int32_t> level{0};
  const auto parts = split_at(text, ':');
  for (std::size_t depth = 0; depth < parts.size(); ++depth) {
    const auto count = parse_integer(parts[depth]);
    if (!count || *count < 1 || *count * std::ssize(level) > (1 << 20))
      throw UsageError("--switches " + shown(text) + ": numbers from 1 on are wanted, at most 2^20 nodes");
    std::vector<std::int32_t> below;
    for (const std::int32_t above : level)
      for (std::int64_t k = 0; k < *count; ++k)
        if (depth + 1 < parts.size()) {
          below.push_back(static_cast<std::int32_t>(switches.size()));
          switches.push_back({"s" + std::to_string(switches.size()), above, {}});
        } else {
          switches[above].nodes.push_back(static_cast<std::int32_t>(nodes.size()));
          nodes.push_back(shape);
          nodes.back().name = "n" + std::to_string(nodes.size() - 1);
        }
    level = std::move(below);
  }
  return view_of_switches(switches, nodes);
}

// Nodes on a torus, and for stock Slurm in a row.
ClusterView torus_machine(const CommandLine& line) {
  const std::string word = *line.value("torus");
  std::shared_ptr<const TorusTopology> torus;
  if (word.find_first_not_of("0123456789x") == std::string::npos) {
    std::vector<TorusDimension> dimensions;
    for (const std::string_view part : split_at(word, 'x')) {
      const auto size = parse_integer(part);
      if (!size || *size < 1 || *size > TorusTopology::max_positions)
        throw UsageError("--torus " + shown(word) + ": sizes are wanted, as in 8x8x8, or a file");
      dimensions.push_back({static_cast<std::int32_t>(*size), true});
    }
    torus = std::make_shared<const TorusTopology>(TorusTopology::full(std::move(dimensions)));
  } else {
    torus = std::make_shared<const TorusTopology>(std::move(read_torus(word).torus));
  }
  std::vector<SwitchShape> row{{"row", -1, {}}};
  std::vector<NodeShape> nodes;
  for (std::int32_t n = 0; n < torus->nodes(); ++n) {
    row[0].nodes.push_back(n);
    nodes.push_back(node_shape(line));
    nodes.back().name = torus->name(n);
  }
  ClusterView view = view_of_switches(row, nodes);
  for (std::int32_t n = 0; n < torus->nodes(); ++n) view.nodes[n].torus_node = n;
  view.torus = std::move(torus);
  return view;
}

ClusterView read_shape(const CommandLine& line) {
  if (line.has("topology") + line.has("switches") + line.has("torus") != 1)
    throw UsageError("one of --topology, --switches and --torus is needed: the machine");
  if (line.has("switches")) return regular_machine(line);
  if (line.has("torus")) return torus_machine(line);
  const std::string path = *line.value("topology");
  ClusterView view = read_topology(path, line.value_or("slurm-conf", ""));
  if (view.nodes.empty())
    throw Error(path + ": gives no nodes, only a tree; take Slurm's topology.conf, or --switches and --node");
  return view;
}

// What is known of the machine goes into its view, and into the options what will happen to it.
Machine read_machine(const CommandLine& line, ReplayOptions& replay_options) {
  ClusterView view = read_shape(line);
  if (const auto state = line.value("state"))
    attach_state(view, *state == "random" ? random_state(view, replay_options.seed) : read_live_state(*state), *state);
  if (const auto outages = line.value("outages")) {
    attach_outages(view, read_outages(*outages), number_option(line, "outage-hours", 24, 1e-3, 1e5) * 3600, *outages);
    if (line.has("node-failures")) throw UsageError("--node-failures and --outages both say how often nodes fail");
    replay_options.failures_per_hour_of_node = failure_rates(view);
  } else if (line.has("outage-hours")) {
    throw UsageError("--outage-hours is for the probabilities of --outages");
  }
  if (const auto trace = line.value("failure-trace")) replay_options.planned_failures = read_failures(*trace, view);
  return Machine(std::move(view));
}

// ---- what is replayed

JobSelection read_selection(const CommandLine& line) {
  JobSelection selection;
  selection.partitions = words_of(line.value_or("partition", ""), ",");
  constexpr std::int64_t most = std::int64_t{1} << 40;
  selection.from_s = line.integer("from", 0, most).value_or(0);
  if (line.has("hours"))
    selection.window_s = std::llround(number_option(line, "hours", 0, 1e-3, 1e7) * 3600);
  selection.most_jobs = line.integer("jobs", 1, most).value_or(selection.most_jobs);
  selection.least_tasks = static_cast<std::int32_t>(line.integer("min-tasks", 1, TreeTopology::max_leaves).value_or(1));
  selection.most_tasks = static_cast<std::int32_t>(
      line.integer("max-tasks", 1, TreeTopology::max_leaves).value_or(selection.most_tasks));
  return selection;
}

void read_charge(const CommandLine& line, ReplayOptions& replay_options) {
  const auto text = line.value("charge");
  if (!text) return;
  replay_options.charge_measured = *text == "measured";
  replay_options.charge_policy_s = replay_options.charge_policy_task_s = 0;
  if (*text == "none" || replay_options.charge_measured) return;
  const auto parts = split_at(*text, ',');
  double* const targets[] = {&replay_options.charge_policy_s, &replay_options.charge_policy_task_s};
  bool good = parts.size() <= 2;
  for (std::size_t k = 0; good && k < parts.size(); ++k) {
    const auto [stop, failure] = std::from_chars(parts[k].data(), parts[k].data() + parts[k].size(), *targets[k]);
    good = failure == std::errc{} && stop == parts[k].data() + parts[k].size() && *targets[k] >= 0 && *targets[k] <= 1e6;
  }
  if (!good) throw UsageError("--charge " + shown(*text) + ": none, measured, or SECONDS[,SECONDS PER TASK] is wanted");
}

void read_effort(const CommandLine& line, ReplayOptions& replay_options) {
  const auto text = line.value("effort");
  if (!text) return;
  const auto parts = split_at(*text, ',');
  const auto effort = parse_integer(parts[0]);
  const auto tasks = parts.size() == 2 ? parse_integer(parts[1]) : replay_options.effort_tasks;
  if (parts.size() > 2 || !effort || *effort < 1 || *effort > 1000 || !tasks || *tasks < 1 || *tasks > TreeTopology::max_leaves)
    throw UsageError("--effort " + shown(*text) + ": N or N,TASKS is wanted, N from 1 to 1000");
  replay_options.effort = static_cast<std::int32_t>(*effort);
  replay_options.effort_tasks = static_cast<std::int32_t>(*tasks);
}

ReplayOptions read_options(const CommandLine& line) {
  ReplayOptions result;
  result.communication = number_option(line, "communication", 30, 0, 100) / 100;
  result.share = number_option(line, "share", 100, 0, 100) / 100;
  result.stock_request = choice(line, "stock-request", {"nodes", "tasks"}) == 0 ? StockRequest::nodes : StockRequest::tasks;
  result.whole_nodes = line.has("whole-nodes");
  result.full_start = line.has("full");
  result.backfill_depth = static_cast<std::int32_t>(line.integer("backfill-depth", 0, 1 << 24).value_or(500));
  if (choice(line, "backfill", {"easy", "slurm"}) == 1) {
    result.reservations = std::numeric_limits<std::int32_t>::max();
    result.backfill_interval_s = 30;
    result.plan_margin_s = 60;
  }
  read_charge(line, result);
  read_effort(line, result);
  result.charge_stock_s = number_option(line, "stock-charge", 0, 0, 1e6);
  result.node_failures_per_hour = number_option(line, "node-failures", 0, 0, 1000) / 1000;
  result.repair_hours = number_option(line, "repair", 4, 1e-3, 1e5);
  result.seed = static_cast<std::uint64_t>(line.integer("seed", 0, INT64_MAX).value_or(1));
  return result;
}

void scale_run_times(std::vector<LogJob>& jobs, double factor) {
  if (factor == 1) return;
  for (LogJob& job : jobs) {
    job.run_s = std::max<std::int64_t>(std::llround(static_cast<double>(job.run_s) * factor), 1);
    job.limit_s = std::max(std::llround(static_cast<double>(job.limit_s) * factor), static_cast<long long>(job.run_s));
  }
}

// ---- running

// A bar with the estimated end, on standard error and on a terminal only.
class Progress {
 public:
  Progress(bool shown, std::int64_t jobs, const std::vector<std::unique_ptr<ReplayControl>>& controls)
      : shown_(shown), total_(static_cast<double>(jobs) * static_cast<double>(controls.size())), controls_(controls) {}
  ~Progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

  void draw() {
    if (!shown_ || total_ <= 0) return;
    double done = 0;
    for (const auto& control : controls_) done += static_cast<double>(control->ended_jobs);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double part = done / total_;
    constexpr int width = 40;
    std::string bar(static_cast<std::size_t>(part * width), '#');
    bar.resize(width, '.');
    std::fprintf(stderr, "\r[%s] %3.0f %%", bar.c_str(), 100 * part);
    if (part > 0) std::fprintf(stderr, "  %.0f s left ", elapsed * (1 - part) / part);
    std::fflush(stderr);
    drawn_ = true;
  }

 private:
  const bool shown_;
  const double total_;
  const std::vector<std::unique_ptr<ReplayControl>>& controls_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool drawn_ = false;
};

// All strategies, some at the same time; the order of the results is that of the strategies.
class Runner {
 public:
  Runner(const Machine& machine, std::span<const LogJob> jobs, const std::vector<Strategy>& strategies,
         const PatternSource& patterns, const ReplayOptions& replay_options)
      : machine_(machine), jobs_(jobs), strategies_(strategies), patterns_(patterns), options_(replay_options),
        replays_(strategies.size()), failures_(strategies.size()) {
    for (std::size_t k = 0; k < strategies.size(); ++k) {
      controls_.push_back(std::make_unique<ReplayControl>());
      controls_.back()->stop = &interrupted;
    }
  }

  std::vector<Replay> run(std::size_t threads, const Replay* reference, bool show_progress) {
    reference_ = reference;
    Progress progress(show_progress, std::ssize(jobs_), controls_);
    std::vector<std::thread> workers;
    for (std::size_t k = 0; k < std::min(threads, strategies_.size()); ++k) workers.emplace_back([this] { work(); });
    while (finished_ < strategies_.size()) {
      progress.draw();
      std::this_thread::sleep_for(std::chrono::milliseconds(show_progress ? 200 : 20));
    }
    for (std::thread& worker : workers) worker.join();
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    return std::move(replays_);
  }

 private:
  void work() {
    for (;;) {
      const std::size_t k = next_++;
      if (k >= strategies_.size()) return;
      try {
        replays_[k] = replay(machine_, jobs_, strategies_[k], patterns_, options_, reference_, controls_[k].get());
      } catch (...) {
        failures_[k] = std::current_exception();
        interrupted = true;
      }
      ++finished_;
    }
  }

  const Machine& machine_;
  const std::span<const LogJob> jobs_;
  const std::vector<Strategy>& strategies_;
  const PatternSource& patterns_;
  const ReplayOptions& options_;
  const Replay* reference_ = nullptr;
  std::vector<Replay> replays_;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::unique_ptr<ReplayControl>> controls_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> finished_{0};
};

std::vector<Strategy> read_strategies(const CommandLine& line) {
  std::vector<Strategy> strategies;
  for (const std::string& word : words_of(line.value_or("strategies", "SLURM TM-A TM-Isub"), ";")) {
    strategies.push_back(parse_strategy(word));
    for (std::size_t k = 0; k + 1 < strategies.size(); ++k)
      if (equal_any_case(strategies[k].name, word)) throw UsageError("--strategies: " + shown(word) + " is given twice");
  }
  if (strategies.empty()) throw UsageError("--strategies: none given");
  return strategies;
}

}  // namespace

int command_simulate(int argc, char** argv) {
  const CommandLine line(help, argc, argv);
  if (line.wants_help()) {
    write_output("", help_text(help));
    return exit_ok;
  }
  const std::vector<Strategy> strategies = read_strategies(line);
  ReplayOptions replay_options = read_options(line);
  const bool against_stock_run = choice(line, "reference", {"now", "stock-run"}) == 1;
  const double run_scale = number_option(line, "scale-run-times", 100, 0.01, 1e6) / 100;
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const auto threads = static_cast<std::size_t>(line.integer("threads", 1, 1024).value_or(cores));
  const PatternSource patterns(parse_pattern(line.value_or("pattern", "random")));
  const Machine machine = read_machine(line, replay_options);
  for (const Strategy& strategy : strategies)
    if (machine.view().torus && equal_any_case(strategy.policy.policy, "TREEMATCH"))
      throw UsageError("--strategies: " + shown(strategy.name) + " maps to trees: on a torus take TOFA");
  if (replay_options.whole_nodes && !machine.regular())
    throw Error("--whole-nodes: wants nodes that all have the same number of cores");

  LogNotes notes;
  JobList list = select_jobs(line.operands()[0], read_selection(line), notes);
  const auto too_large = std::erase_if(list.jobs, [&](const LogJob& job) { return job.tasks > machine.cores(); });
  if (list.jobs.empty()) throw Error(line.operands()[0] + ": all jobs selected are larger than the machine");
  scale_run_times(list.jobs, run_scale);

  // Each decision needs and frees some megabytes: they are kept for the next one.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  const InterruptGuard guard;
  const bool show_progress = !line.has("quiet") && isatty(STDERR_FILENO) == 1;
  Replay reference;
  if (against_stock_run)
    reference = replay(machine, list.jobs, parse_strategy("SLURM"), patterns, replay_options);
  const std::vector<Replay> replays =
      Runner(machine, list.jobs, strategies, patterns, replay_options)
          .run(threads, against_stock_run ? &reference : nullptr, show_progress);

  Report report{line.operands()[0], &machine, list.jobs, &notes, list.not_selected, static_cast<std::int64_t>(too_large),
                replay_options, replays, {}};
  for (const Replay& each : replays) report.summaries.push_back(summarise(machine, list.jobs, each));
  if (const auto folder = line.value("output")) write_report(report, *folder);
  write_output("", line.has("json") ? report_json(report) : report_text(report));
  return exit_ok;
}

}  // namespace placement
