// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/replay.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <span>
#include <thread>

#include "common/state/node_outage.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/memory_file.hpp"
#include "common/util/text.hpp"
#include "sim/site_data.hpp"
#include "spank/step/scontrol.hpp"
#include "tools/input/decision_input.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/simulate/simulate_machine.hpp"
#include "tools/simulate/simulate_options.hpp"
#include "tools/simulate/simulate_run.hpp"

namespace placement::tools {

namespace {

// Returns the descriptor of a file in memory with what sacct prints. Throws Error if there is no slurmctld, or if sacct
// fails.
int sacct_log(double since_s, bool all_users) {
  if (!slurmctld_answers()) throw Error("no slurmctld answers on this host, so that sacct is not asked");
  setenv("SLURM_TIME_FORMAT", "%s", 1);  // times in seconds since 1970, in any time zone
  const std::vector<std::string> words{
      "sacct",
      all_users ? "--allusers" : "--user=" + std::to_string(geteuid()),
      "--parsable2",
      "--allocations",
      "--noconvert",
      "--starttime=uts" + std::to_string(std::llround(since_s)),
      "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition,State,Start,NodeList"};
  const spank::CommandOutput said = spank::SlurmCommand(words).output();  // its warnings are no lines of the log
  if (said.exit_code != 0) {
    const std::string why = spank::SlurmCommand(words, true).output().text;
    throw Error("sacct fails: " + why.substr(0, why.find('\n')));
  }
  const int file = file_in_memory(said.text, false);
  if (file < 0) throw Error("what sacct prints finds no room in memory");
  return file;
}

sim::JobList jobs_of(const CommandLine& line, const sim::JobSelection& selection, double since_s, std::string& log,
                     sim::LogNotes& notes) {
  if (const auto path = line.value("sacct")) {
    log = base_name(*path);
    return sim::select_jobs(*path, selection, notes);
  }
  const bool own = hides_other_jobs(config_for_records());
  log = own ? "sacct, of this user alone (PrivateData=jobs)," : "sacct";
  const FileDescriptor file(sacct_log(since_s, !own));
  const std::string path = "/proc/self/fd/" + std::to_string(static_cast<int>(file));
  try {
    return sim::select_jobs(path, selection, notes);
  } catch (const Error& error) {
    std::string text = error.what();
    if (text.starts_with(path)) text.replace(0, path.size(), "sacct");
    throw Error(text);
  }
}

// Returns what the jobs tell of the past. sacct tells all jobs until now, and those that began before `since_s` and
// ended later; a file tells the jobs until the start of the last one.
sim::PastOccupancy past_of(const CommandLine& line, const sim::Machine& machine, const sim::JobList& list,
                           double since_s) {
  std::int64_t from_s = 0, to_s = 0;
  if (line.has("sacct")) {
    for (const sim::LogJob& job : list.jobs) to_s = std::max(to_s, job.submit_s + job.wait_s);
  } else {
    from_s = std::max<std::int64_t>(0, static_cast<std::int64_t>(since_s) - list.begin_s);
    to_s = static_cast<std::int64_t>(std::time(nullptr)) - list.begin_s;
  }
  return sim::past_occupancy(machine, list.jobs, from_s, to_s);
}

// sacct also tells jobs that were submitted before `since_s` and ran after it. A replay of them would begin long
// before, on a machine without the other jobs of that time.
void leave_out_before(sim::JobList& list, double since_s) {
  std::erase_if(list.jobs,
                [&](const sim::LogJob& job) { return static_cast<double>(list.begin_s + job.submit_s) < since_s; });
  if (list.jobs.empty()) throw sim::NoJobs("sacct tells no job that was submitted since then");
}

// Throws UsageError for a strategy that would leave all jobs to stock Slurm, for want of a live state or a torus.
void refuse_unserved(std::span<const sim::Strategy> strategies) {
  for (const sim::Strategy& strategy : strategies) {
    if (strategy.stock) continue;
    const policies::Policy& policy = *policies::find_policy(strategy.policy.policy);
    if (policy.needs_live || policy.needs_torus)
      throw UsageError(
          "--strategies: " + shown(strategy.name) +
          " requires live data or a torus: placectl simulate replays it, and a report always has NLA and TOFA");
  }
}

// Returns the strategies of the command line with stock Slurm as the first.
std::vector<sim::Strategy> strategies_of(const CommandLine& line) {
  std::vector<sim::Strategy> strategies = read_strategies(line);
  refuse_unserved(strategies);
  const auto stock =
      std::find_if(strategies.begin(), strategies.end(), [](const sim::Strategy& one) { return one.stock; });
  if (stock == strategies.end())
    strategies.insert(strategies.begin(), sim::parse_strategy("SLURM"));
  else
    std::rotate(strategies.begin(), stock, stock + 1);
  return strategies;
}

// The state of a replay, in which a policy is held against stock Slurm.
struct Conditions {
  ClusterView view;
  sim::ReplayOptions options;
  std::string state;
};

// Returns the outage probabilities of those nodes of the view for which `live` has an estimate.
NodeOutages estimated_outages(const ClusterView& view, const LiveState& live) {
  NodeOutages outages;
  for (const NodeState& node : live.nodes)
    if (node.outage_probability > 0 &&
        std::ranges::any_of(view.nodes, [&](const NodeView& other) { return other.name == node.name; }))
      outages.set(node.name, std::min(node.outage_probability, 1.0));
  return outages;
}

// Gives the nodes of the view their coordinates on the torus of the file `path`.
void put_on_torus(ClusterView& view, const std::string& path) {
  auto torus = std::make_shared<const TorusTopology>(std::move(read_torus(path).torus));
  for (NodeView& node : view.nodes)
    if (node.torus_node = torus->find(node.name); node.torus_node < 0)
      throw Error(path + " has no coordinates of node " + node.name);
  view.torus = std::move(torus);
}

Conditions load_and_network(const ReplayInput& input, const LiveState& live, const std::string& source) {
  Conditions found{input.machine.view(), input.options, "the load and network of " + source};
  if (live.pairs.groups == 0) throw Error("the live data have no network: no probes were made");
  sim::attach_state(found.view, live, source);
  return found;
}

Conditions outages(const ReplayInput& input, const LiveState& live, const std::string& source, const Config& config) {
  Conditions found{input.machine.view(), input.options, "the outage probabilities of " + source};
  if (!outages_known(live) || !(live.outage_horizon_s > 0)) throw Error("the live data have no outage probabilities");
  const NodeOutages known = estimated_outages(found.view, live);
  if (known.size() == 0) throw Error("no node has an outage probability above 0");
  if (!config.torus_file.empty()) {
    put_on_torus(found.view, config.torus_file);
    found.state += ", on the torus of " + config.torus_file;
  }
  sim::attach_outages(found.view, known, live.outage_horizon_s, source);
  found.options.failures_per_hour_of_node = sim::failure_rates(found.view);
  found.options.node_failures_per_hour = 0;
  return found;
}

// Replays the last `most` jobs of `input`, or all if it is 0, from a machine full of other jobs if some are left out.
ReplayedJobs replay_last(const ReplayInput& input, std::int64_t most, const std::vector<sim::Strategy>& strategies) {
  const bool all = most == 0 || most >= std::ssize(input.jobs);
  const auto last = all ? input.jobs : input.jobs.last(static_cast<std::size_t>(most));
  ReplayedJobs result;
  result.jobs.assign(last.begin(), last.end());
  const std::int64_t begin_s = last.front().submit_s;
  for (sim::LogJob& job : result.jobs) job.submit_s -= begin_s;
  sim::ReplayOptions options = input.options;
  options.full_start = options.full_start || !all;
  std::atomic<bool> stop{false};
  result.replays = run_strategies({input.machine, result.jobs, input.patterns, options}, strategies,
                                  std::max(1u, std::thread::hardware_concurrency()), stop, false);
  for (const sim::Replay& replay : result.replays)
    result.summaries.push_back(sim::summarise(input.machine, result.jobs, replay));
  return result;
}

StateReplay replay_by_state(const ReplayInput& input, const char* policy, const StateOfCluster& state,
                            const Config& config) {
  StateReplay one{policy, {}, {}, {}};
  try {
    if (!state.live) throw Error(state.source);
    Conditions found = one.policy == "NLA" ? load_and_network(input, *state.live, state.source)
                                           : outages(input, *state.live, state.source, config);
    one.state = found.state;
    const sim::Machine machine(std::move(found.view));
    one.replayed = replay_last({machine, input.jobs, input.patterns, found.options}, most_state_replay_jobs,
                               {sim::parse_strategy("SLURM"), sim::parse_strategy(policy)});
  } catch (const Error& error) {
    one.why_not = error.what();
  }
  return one;
}

}  // namespace

ReplayRequest read_replay_request(const CommandLine& line) {
  const std::string pattern = line.value_or("pattern", "random");
  const sim::PatternSpec spec = from_command_line([&] { return sim::parse_pattern(pattern); }, "--pattern: ");
  return {strategies_of(line), read_options(line), line.integer("replay-jobs", 0, INT32_MAX).value_or(4000), pattern,
          sim::PatternSource(spec)};
}

SiteReplay replay_site(const CommandLine& line, const ReplayRequest& request, const ClusterView& view,
                       const std::string& conf, double since_s, const StateOfCluster& state, const Config& config) {
  const auto& [strategies, options, wanted, pattern, patterns] = request;
  SiteReplay site;
  site.communication = options.communication;
  site.pattern = pattern;
  const sim::Machine machine(view);
  site.cores = machine.cores();
  sim::JobSelection selection;
  if (line.has("threads-per-core"))
    selection.per_core = read_processors_per_core(line, machine);
  else if (!conf.empty())
    selection.per_core = processors_per_core_of(conf, machine);
  sim::LogNotes notes;
  sim::JobList list = jobs_of(line, selection, since_s, site.log, notes);
  site.notes = notes.text(true);
  site.begin_s = list.begin_s;
  site.local_clock = !line.has("sacct");
  site.past = past_of(line, machine, list, since_s);
  if (!line.has("sacct")) leave_out_before(list, since_s);
  site.too_large = static_cast<std::int64_t>(
      std::erase_if(list.jobs, [&](const sim::LogJob& job) { return job.tasks > machine.cores(); }));
  if (list.jobs.empty())
    throw sim::NoJobs(site.log + ": all its jobs are larger than the machine, which has " +
                      std::to_string(machine.cores()) + " cores");
  site.jobs = std::ssize(list.jobs);
  site.replayed = replay_last({machine, list.jobs, patterns, options}, wanted, strategies);
  sim::ReplayOptions by_state = options;
  by_state.full_start = std::ssize(site.replayed.jobs) < site.jobs;
  for (const char* policy : {"NLA", "TOFA"})
    site.by_state.push_back(replay_by_state({machine, site.replayed.jobs, patterns, by_state}, policy, state, config));
  return site;
}

}  // namespace placement::tools
