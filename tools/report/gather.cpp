// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/sections.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_set>

#include "common/slurm/slurm_command.hpp"
#include "common/state/outage_file.hpp"
#include "common/topology/scontrol_topology.hpp"
#include "common/topology/slurm_hosts.hpp"
#include "common/topology/topology_read.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "sim/machine.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/output/output.hpp"
#include "tools/simulate/simulate_options.hpp"
#include "tools/simulate/simulate_report.hpp"

namespace placement::tools {

namespace {

std::vector<NodeShape> shapes_of(const ClusterView& view) {
  std::vector<NodeShape> shapes;
  for (const NodeView& node : view.nodes)
    shapes.push_back({node.name, node.sockets, node.cores_per_socket, node.threads_per_core});
  return shapes;
}

ReportMachine named_machine(const CommandLine& line) {
  ReportMachine machine;
  machine.view = read_machine_view(line);
  machine.source = *line.value("topology");
  if (!machine.view.torus)
    machine.switches = parse_switches(read_machine_file(machine.source), shapes_of(machine.view));
  return machine;
}

ReportMachine live_machine() {
  ReportMachine machine;
  machine.view = machine_of_slurmctld();
  machine.switches = parse_scontrol_topology(shown_topology(), shapes_of(machine.view));
  machine.source = "slurmctld";
  machine.live = true;
  return machine;
}

// Options of the replay.
struct ReplayRequest {
  sim::ReplayOptions options;
  std::int64_t most_jobs = 0;  // replayed for each policy; 0: all
  std::string pattern;         // the word of --pattern
  sim::PatternSource patterns;
};

// Returns the jobs of --sacct, or of sacct since `since_s`. Throws Error without slurmctld, or if sacct fails.
sim::JobList jobs_of(const CommandLine& line, const sim::JobSelection& selection, double since_s, std::string& log,
                     sim::LogNotes& notes) {
  if (const auto path = line.value("sacct")) {
    log = base_name(*path);
    return sim::select_jobs(*path, selection, notes);
  }
  if (!slurmctld_answers()) throw Error("no slurmctld answers on this host, so sacct is not asked");
  const bool own = hides_other_jobs(config_for_records());
  log = own ? "sacct (only this user's jobs, because of PrivateData=jobs)" : "sacct";
  setenv("SLURM_TIME_FORMAT", "%s", 1);  // times in seconds since 1970, in any time zone
  SlurmCommand sacct(
      {"sacct", own ? "--user=" + std::to_string(geteuid()) : "--allusers", "--parsable2", "--allocations",
       "--noconvert", "--starttime=uts" + std::to_string(std::llround(since_s)),
       "--format=JobID,Submit,Eligible,ElapsedRaw,AllocCPUS,TimelimitRaw,Partition,State,Start,NodeList"});
  const FileDescriptor file(file_in_memory(sacct.text(), false));
  if (file < 0) throw Error("no memory for the output of sacct");
  const std::string path = "/proc/self/fd/" + std::to_string(static_cast<int>(file));
  try {
    return sim::select_jobs(path, selection, notes);
  } catch (const Error& error) {
    std::string text = error.what();
    if (text.starts_with(path)) text.replace(0, path.size(), "sacct");
    throw Error(text);
  }
}

// Returns the occupancy in the past. sacct has all jobs until now, including those that started before `since_s` and
// ended later. A file has the jobs until the start of its last one.
sim::PastOccupancy past_of(bool from_file, const sim::Machine& machine, const sim::JobList& list, double since_s) {
  std::int64_t from_s = 0, to_s = 0;
  if (from_file) {
    for (const sim::LogJob& job : list.jobs) to_s = std::max(to_s, job.submit_s + job.wait_s);
  } else {
    from_s = std::max<std::int64_t>(0, static_cast<std::int64_t>(since_s) - list.begin_s);
    to_s = static_cast<std::int64_t>(std::time(nullptr)) - list.begin_s;
  }
  return sim::past_occupancy(machine, list.jobs, from_s, to_s);
}

// Removes jobs that were submitted before `since_s` and ran after it. Otherwise the replay would start long before
// `since_s`, on a machine without the other jobs of that time.
void leave_out_before(sim::JobList& list, double since_s) {
  std::erase_if(list.jobs,
                [&](const sim::LogJob& job) { return static_cast<double>(list.begin_s + job.submit_s) < since_s; });
  if (list.jobs.empty()) throw sim::NoJobs("sacct has no job that was submitted since then");
}

void put_on_torus(ClusterView& view, const std::string& path) {
  auto torus = std::make_shared<const TorusTopology>(std::move(read_torus(path).torus));
  for (NodeView& node : view.nodes)
    if (node.torus_node = torus->find(node.name); node.torus_node < 0)
      throw Error(path + " has no coordinates of node " + node.name);
  view.torus = std::move(torus);
}

// Adds the outage probabilities of `live` to the view, and returns the failures per hour of each node.
std::vector<double> add_outages(ClusterView& view, const LiveState& live, const std::string& source) {
  if (!outages_known(live) || !(live.outage_horizon_s > 0)) throw Error("the live data have no outage probabilities");
  std::unordered_set<std::string_view> names;
  for (const NodeView& node : view.nodes) names.insert(node.name);
  NodeOutages outages;
  for (const NodeState& node : live.nodes)
    if (node.outage_probability > 0 && names.contains(node.name))
      outages.set(node.name, std::min(node.outage_probability, 1.0));
  if (outages.size() == 0) throw Error("no node has an outage probability above 0");
  sim::attach_outages(view, outages, live.outage_horizon_s, source);
  return sim::failure_rates(view);
}

void add_state(ClusterView& view, const ReportFacts& facts, const Config& config, sim::ReplayOptions& options,
               PolicyReplay& result) {
  if (result.policy == "TREEMATCH") return;
  if (!facts.state) throw Error(facts.why_no_state);
  const LiveState& live = facts.state->state;
  const std::string source = facts.state->path + ", " + shown_seconds(facts.state->age_s) + " old";
  if (result.policy == "NLA") {
    result.state = "load and network of " + source;
    if (live.pairs.groups == 0) throw Error("the live data have no network: no probes were made");
    return sim::attach_state(view, live, source);
  }
  result.state = "outage probabilities of " + source;
  options.failures_per_hour_of_node = add_outages(view, live, source);
  if (config.torus_file.empty()) return;
  put_on_torus(view, config.torus_file);
  result.state += ", torus of " + config.torus_file;
}

PolicyReplay replay_policy(const char* policy, std::span<const sim::LogJob> jobs, ClusterView view,
                           const ReplayRequest& request, sim::ReplayOptions options, const ReportFacts& facts,
                           const Config& config) {
  PolicyReplay result;
  result.policy = policy;
  try {
    add_state(view, facts, config, options, result);
    const sim::Machine machine(std::move(view));
    std::atomic<bool> stop{false};
    const auto replays = run_strategies({machine, jobs, request.patterns, options},
                                        {sim::parse_strategy("SLURM"), sim::parse_strategy(policy)}, 2, stop, false);
    result.stock = sim::summarise(machine, jobs, replays[0]);
    result.own = sim::summarise(machine, jobs, replays[1]);
    const auto ratio = [&](sim::Measure measure, sim::JobGroup group) {
      return sim::compare(jobs, replays[0], replays[1], measure, group).ratio;
    };
    result.run = ratio(sim::Measure::run, result.state.empty() ? sim::JobGroup::with_matrix : sim::JobGroup::all);
    result.flow = ratio(sim::Measure::flow, sim::JobGroup::all);
  } catch (const Error& error) {
    result.why_not = error.what();
  }
  return result;
}

// Returns the machine for a replay of past jobs. A node that slurmctld gives to no job now had jobs then.
ClusterView past_view(const ReportMachine& machine) {
  ClusterView view = machine.view;
  if (machine.live)
    for (NodeView& node : view.nodes) node.core_free.assign(node.core_free.size(), true);
  return view;
}

ReplayRequest read_replay_request(const CommandLine& line) {
  const std::string pattern = line.value_or("pattern", "random");
  const sim::PatternSpec spec = from_command_line([&] { return sim::parse_pattern(pattern); }, "--pattern: ");
  return {read_options(line), line.integer("replay-jobs", 0, INT32_MAX).value_or(500), pattern,
          sim::PatternSource(spec)};
}

// Replays the log of --sacct, or the output of sacct since facts.since_s, on the machine of `facts`. TREEMATCH uses
// only the topology, NLA the load and network of facts.state, and TOFA its outage probabilities. Nodes also fail at
// random with these probabilities, on the torus of TorusFile or on the switches. One state holds for the whole replay.
// Throws Error if there is no log, and sim::NoJobs if no job in it can be replayed.
SiteReplay replay_site(const CommandLine& line, const ReplayRequest& request, const ReportFacts& facts,
                       const Config& config) {
  SiteReplay site;
  site.communication = request.options.communication;
  site.pattern = request.pattern;
  const bool from_file = line.has("sacct");
  const ClusterView view = past_view(*facts.machine);
  const sim::Machine machine(view);
  site.cores = machine.cores();
  sim::JobSelection selection;
  const bool conf_of_host = facts.machine->live && !line.has("threads-per-core") && may_exist(slurm_conf_path());
  selection.per_core =
      conf_of_host ? processors_per_core_of(slurm_conf_path(), machine) : read_processors_per_core(line, machine);
  sim::LogNotes notes;
  sim::JobList list = jobs_of(line, selection, facts.since_s, site.log, notes);
  site.notes = notes.text(true);
  site.begin_s = list.begin_s;
  site.local_clock = !from_file;
  site.past = past_of(from_file, machine, list, facts.since_s);
  if (!from_file) leave_out_before(list, facts.since_s);
  site.too_large = static_cast<std::int64_t>(
      std::erase_if(list.jobs, [&](const sim::LogJob& job) { return job.tasks > machine.cores(); }));
  site.jobs = std::ssize(list.jobs);
  if (site.jobs == 0)
    throw sim::NoJobs(site.log + ": all its jobs are larger than the machine, which has " +
                      std::to_string(machine.cores()) + " cores");
  site.replayed = request.most_jobs == 0 ? site.jobs : std::min(request.most_jobs, site.jobs);
  list.jobs.erase(list.jobs.begin(), list.jobs.end() - site.replayed);
  const std::int64_t first_s = list.jobs.front().submit_s;
  for (sim::LogJob& job : list.jobs) job.submit_s -= first_s;
  sim::ReplayOptions options = request.options;
  options.full_start = site.replayed < site.jobs;
  for (const char* policy : {"TREEMATCH", "NLA", "TOFA"})
    site.policies.push_back(replay_policy(policy, list.jobs, view, request, options, facts, config));
  return site;
}

// Sets `part` to what `read` returns, or `why` to the reason for which it fails.
template <typename Part, typename Read>
void try_to(std::optional<Part>& part, std::string& why, Read read) {
  try {
    part = read();
  } catch (const Error& error) {
    why = error.what();
  }
}

void add_replay(ReportFacts& facts, const CommandLine& line, const ReplayRequest& request, const Config& config) {
  if (!facts.machine) {
    facts.why_no_replay = facts.why_no_machine;
    return;
  }
  const auto read = [&] { return replay_site(line, request, facts, config); };
  if (!line.has("sacct")) return try_to(facts.replay, facts.why_no_replay, read);
  try {
    facts.replay = read();
  } catch (const sim::NoJobs& none) {
    facts.why_no_replay = none.what();
  }
}

}  // namespace

ReportFacts gather_facts(const CommandLine& line, double since_s) {
  const ReplayRequest request =
      read_replay_request(line);  // before all else: a mistake in it is one of the command line
  ReportFacts facts;
  facts.since_s = since_s;
  const Config config = config_for_records();
  if (line.has("state"))
    facts.state = read_state(line, config);
  else
    try_to(facts.state, facts.why_no_state, [&] { return read_state(line, config); });
  if (facts.state) facts.state_described = facts.state->described(config);
  if (line.has("topology")) {
    facts.machine = named_machine(line);
  } else if (slurmctld_answers()) {
    try_to(facts.machine, facts.why_no_machine, [] { return live_machine(); });
    if (facts.machine)
      try_to(facts.occupancy, facts.why_no_occupancy,
             [&] { return sim::occupancy_of(facts.machine->view, leaves_of_running_jobs(facts.machine->view)); });
  } else {
    facts.why_no_machine = "no slurmctld answers on this host.";
  }
  if (!facts.occupancy && facts.why_no_occupancy.empty())
    facts.why_no_occupancy = line.has("topology") ? "the machine is from a file, and only slurmctld knows running jobs."
                                                  : facts.why_no_machine;
  facts.decisions = read_decisions(line, config, 0, since_s);
  facts.seed = static_cast<std::uint64_t>(line.integer("seed", 0, INT64_MAX).value_or(1));
  if (const ControllerInput controller = read_controller(); controller.state) facts.mode = controller.state->mode;
  add_replay(facts, line, request, config);
  return facts;
}

}  // namespace placement::tools
