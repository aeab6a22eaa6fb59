// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <ctime>

#include "common/policy/config.hpp"
#include "common/policy/policy_spec.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "netload/live_input.hpp"
#include "netload/load_tables.hpp"
#include "netload/profile_weights.hpp"
#include "netload/selection.hpp"
#include "policies/nla.hpp"
#include "policies/table.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/snapshot_json.hpp"
#include "tools/input/monitor_input.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t max_table_bytes = std::size_t{1} << 30;

constexpr Option select_options[] = {
    {'p', "policy", "WORD",
     "nla, nla-paper, load-aware, random or sequential, with\n=KEY=VALUE,.. as for srun -m [nla]"},
    {'n', "tasks", "N", "number of processes"},
    {0, "ntasks-per-node", "N", "processes on each node\n[cores of the node minus its load]"},
    {0, "set", "LIST",
     "KEY=VALUE,..: the weights alpha (compute load), beta (network load),\n"
     "latency and bandwidth, and of attributes, as cpu_load=0.5;\n"
     "profile=FILE derives the first four from a profile of\n"
     "placement-profile; processors=printed uses the paper's formula"},
    {0, "state", "FILE", "a snapshot, or its JSON (placectl export)\n[SnapshotFile of placement.conf]"},
    {0, "nodes", "FILE",
     "table of nodes: node, and any of cpu_load, cpu_utilisation,\n"
     "flow_rate_Bps, memory_used_MiB, cores, frequency_MHz, memory_MiB,\n"
     "memory_available_MiB, users"},
    {0, "pairs", "FILE", "table of pairs: u, v, and any of latency_us, bandwidth_Bps,\nbandwidth_missing_Bps"},
    {'s', "seed", "N",
     "seed of policy random [1]; for sequential, the seed of a random\nstart node, or 0 for the first node [0]"},
    {0, "runners-up", "N", "number of other groups to show, at most 5 [3]"},
    {'j', "json", nullptr, "report in JSON"},
};

constexpr CommandHelp select_help{
    "placectl select --tasks N [--state FILE | --nodes FILE [--pairs FILE]] [OPTION]...",
    "Chooses a group of nodes by their load and the network between them. Prints its hostlist, its\n"
    "compute load, network load and total load, and the loads of the runners-up.\n",
    select_options};

// The data about the nodes, and the request.
struct Selection {
  std::vector<std::string> names;
  netload::NodeTable table;
  LiveState live;  // `network` may point into it
  netload::NetworkLoad network;
  netload::NlaWeights weights;
  PolicySpec spec;
  netload::SelectionRule rule = netload::SelectionRule::nla;
  std::optional<netload::ShareRange> shares;
  std::int32_t tasks = 0;
  std::vector<std::int32_t> processors;
  std::vector<double> cores;  // empty: not known
  std::vector<double> load;   // the part of the load that counts against cores; empty: not known
  double wait_s = 0;          // longest time that a job would wait while the cluster is overloaded
};

// Returns the policy with its parameters. Those of --set replace parameters in the policy's own word.
PolicySpec selection_spec(const CommandLine& line) {
  PolicySpec spec = parse_policy_spec(line.value_or("policy", "nla"));
  if (const auto set = line.value("set")) {
    for (const auto& [key, value] : parse_policy_spec(spec.policy + "=" + *set).parameters) {
      // The parser takes a word without a value for the name of a matrix.
      if (key == "matrix") throw UsageError("--set " + shown(value) + ": expected KEY=VALUE,.. without a matrix");
      spec.parameters[key] = value;
    }
  }
  if (const auto matrix = spec.parameters.find("matrix"); matrix != spec.parameters.end())
    throw UsageError("--policy " + shown(lower_case(spec.policy)) + "=matrix=" + shown(matrix->second) +
                     ": select does not use a matrix, because it chooses nodes and does not place ranks");
  if (const auto seed = line.integer("seed", 0, INT64_MAX)) spec.parameters["seed"] = std::to_string(*seed);
  return spec;
}

netload::SelectionRule rule_of(const PolicySpec& spec) {
  const policies::Policy* policy = policies::find_policy(spec.policy);
  if (policy != nullptr && policy->selection_rule) return *policy->selection_rule;
  throw UsageError("--policy " + shown(lower_case(spec.policy)) + ": expected " +
                   lower_case(policies::policy_names(
                       [](const policies::Policy& known) { return known.selection_rule.has_value(); })));
}

void set_weights(Selection& selection, const netload::TypicalLink& link) {
  Parameters parameters = selection.spec.parameters;
  netload::replace_network_use(parameters, link);
  selection.weights = netload::nla_weights(parameters);
  if (selection.rule == netload::SelectionRule::nla)
    selection.shares = netload::share_range(selection.spec.parameters, link);
}

void read_tables(const CommandLine& line, Selection& selection) {
  const std::string nodes = *line.value("nodes");
  netload::NamedNodes read = netload::read_node_table(read_input_file(nodes, max_table_bytes), nodes);
  selection.names = std::move(read.names);
  selection.table = std::move(read.table);
  selection.cores = selection.table[netload::NodeAttribute::cores];
  selection.load = netload::worst_where_unknown(selection.table[netload::NodeAttribute::cpu_load]);
  netload::DensePairs dense{
      .nodes = selection.table.nodes, .latency_us = {}, .bandwidth_Bps = {}, .bandwidth_missing_Bps = {}};
  if (const auto pairs = line.value("pairs"))
    dense = netload::read_pair_table(read_input_file(*pairs, max_table_bytes), *pairs, selection.names);
  set_weights(selection, netload::typical_link(dense));
  selection.network = line.has("pairs")
                          ? netload::NetworkLoad(dense, selection.weights,
                                                 netload::pair_measure(selection.rule, selection.spec.parameters))
                          : netload::NetworkLoad(selection.table.nodes);
}

// Returns the latest snapshot, of this host or of a monitor. Throws Error without one that slurmctld would use.
LiveState current_state(const CommandLine& line) {
  const Config config = read_config(placement_conf_path(), MissingFile::defaults);
  StateInput input;
  try {
    input = read_state(line, config);
  } catch (const Error& error) {
    throw Error(std::string("no live snapshot (use --state, or --nodes and --pairs): ") + error.what());
  }
  if (const auto age_s = static_cast<std::int64_t>(input.age_s); age_s > config.snapshot_max_age_s)
    throw Error(input.path + ": published " + std::to_string(age_s) + " s ago, older than SnapshotMaxAgeS=" +
                std::to_string(config.snapshot_max_age_s) + "; use --state to read it anyway");
  return std::move(input.state);
}

// Takes the nodes from the live state. Nodes that are down are not candidates. A node that is suspect, or silent for
// too long, counts as not known, as it does for a job.
void take_live(const CommandLine& line, Selection& selection) {
  selection.live = line.has("state") ? read_live_state(*line.value("state")) : current_state(line);
  // A file may be old. For it, only the age of a node's data at the time of publication counts.
  const double published_s =
      line.has("state") ? 0 : std::max(0.0, static_cast<double>(std::time(nullptr) - selection.live.published_at_s));
  const double max_age = policies::max_age_s(selection.spec.parameters);
  std::vector<std::int32_t> state_of;
  for (std::size_t n = 0; n < selection.live.nodes.size(); ++n) {
    const NodeState& node = selection.live.nodes[n];
    if (node.liveness == Liveness::down) continue;
    const bool known = node.liveness != Liveness::suspect && !(node.age_s + published_s > max_age);
    state_of.push_back(known ? static_cast<std::int32_t>(n) : -1);
    selection.names.push_back(node.name);
    selection.cores.push_back(node.cores);
  }
  if (state_of.empty()) throw Error("the snapshot has no node that is up");
  selection.load = netload::loads_beyond_slurm(selection.live, state_of);
  selection.table = netload::live_attributes(selection.live, state_of);
  set_weights(selection, netload::link_of_profile(selection.spec.parameters, selection.live, state_of));
  selection.network = netload::NetworkLoad(selection.live.pairs, state_of, selection.weights, Deadline::never(),
                                           netload::within_error(selection.rule),
                                           netload::pair_measure(selection.rule, selection.spec.parameters));
}

void count_processors(const CommandLine& line, Selection& selection) {
  const auto nodes = static_cast<std::size_t>(selection.table.nodes);
  if (const auto per_node = line.integer("ntasks-per-node", 1, INT32_MAX))
    return selection.processors.assign(nodes, *per_node);
  if (std::none_of(selection.cores.begin(), selection.cores.end(), [](double cores) { return cores >= 1; }))
    throw Error("the number of cores of the nodes is unknown: use --ntasks-per-node");
  const netload::ProcessorFormula formula = netload::processor_formula(selection.spec.parameters);
  for (std::size_t n = 0; n < nodes; ++n)
    selection.processors.push_back(netload::effective_processors(
        selection.cores[n], selection.load.empty() ? unknown_value : selection.load[n], 1, formula));
}

std::vector<std::string> names_of(const Selection& selection, const netload::Group& group) {
  std::vector<std::string> names;
  for (const std::int32_t node : group.nodes) names.push_back(selection.names[node]);
  return names;
}

std::vector<std::int32_t> tasks_of(const Selection& selection, const netload::Group& group) {
  std::vector<std::int32_t> processors;
  for (const std::int32_t node : group.nodes) processors.push_back(selection.processors[node]);
  return netload::processes_per_node(processors, selection.tasks);
}

void write_group(JsonWriter& json, const Selection& selection, const netload::Group& group) {
  const std::vector<std::string> names = names_of(selection, group);
  json.list("nodes", names).member("hostlist", compress_hostlist(names), "compute_load", group.compute_load);
  json.member("network_load", group.network_load, "total_load", group.total_load);
}

std::string format_select_json(const Selection& selection, const netload::GroupChoice& choice,
                               const netload::Overload& overload) {
  const netload::NlaWeights& weights = selection.weights;
  JsonWriter json;
  json.begin_object().member("policy", selection.spec.policy, "tasks", selection.tasks);
  write_group(json, selection, choice.best);
  json.list("tasks_of_node", tasks_of(selection, choice.best)).key("weights").begin_object();
  json.member("alpha", weights.alpha, "beta", weights.beta, "latency", weights.latency, "bandwidth", weights.bandwidth);
  for (std::size_t a = 0; a < netload::node_attribute_count; ++a)
    json.member(netload::node_attributes()[a].name, weights.attribute[a]);
  json.end_object().member("candidate_nodes", selection.names.size());
  json.member("measured_pairs", selection.network.known_pairs(), "short_of_processors", choice.short_of_processors);
  if (overload.known) {
    json.key("overload").begin_object().member("idle_processors", overload.idle, "wanted_processors", overload.wanted);
    json.member("overloaded", overload.overloaded(), "would_wait", overload.overloaded() && selection.wait_s > 0);
    json.end_object();
  }
  json.objects("runners_up", choice.runners_up,
               [&](const netload::Group& group) { write_group(json, selection, group); });
  return json.end_object().take();
}

std::string format_row(const Selection& selection, const char* label, const netload::Group& group) {
  return formatted("%-12s %12.6g %12.6g %12.6g  ", label, group.compute_load, group.network_load, group.total_load) +
         compress_hostlist(names_of(selection, group)) + "\n";
}

// Returns for example "; a job with wait=60 waits for at most 60 s before it starts on a group".
std::string wait_of(const Selection& selection) {
  if (!(selection.wait_s > 0)) return "";
  return "; a job with wait=" + selection.spec.parameters.at("wait") + " waits for at most " +
         std::to_string(std::llround(selection.wait_s)) + " s before it starts on a group";
}

std::string format_select_text(const Selection& selection, const netload::GroupChoice& choice,
                               const netload::Overload& overload) {
  std::string text = compress_hostlist(names_of(selection, choice.best)) + "\n\n";
  text += "             compute load network load   total load  nodes\n";
  text += format_row(selection, "chosen", choice.best);
  for (const netload::Group& group : choice.runners_up) text += format_row(selection, "runner-up", group);
  if (choice.short_of_processors)
    text += "\nfewer processors than processes: the remaining processes are distributed round robin over the nodes\n";
  if (overload.overloaded()) text += "\n" + netload::to_string(overload, selection.cores) + wait_of(selection) + "\n";
  if (!overload.known && selection.wait_s > 0) text += "\nno node reports both its cores and its load: no job waits\n";
  return text;
}

// Warns if all nodes together have fewer cores than there are processes. Slurm counts busy cores, too.
void warn_of_few_cores(const Selection& selection) {
  double cores = 0;
  for (const double of_node : selection.cores) cores += of_node;
  if (selection.cores.empty() || !(cores < selection.tasks)) return;
  notify("select",
         formatted("warning: --tasks asks for %d processes, and all nodes together have %.0f cores: "
                   "Slurm starts this job only if it counts threads as CPUs or shares cores (srun --overcommit)",
                   selection.tasks, cores));
}

}  // namespace

int command_select(int argc, char** argv) {
  const CommandLine line(select_help, argc, argv);
  Selection selection;
  selection.spec = from_command_line([&] { return selection_spec(line); });
  selection.rule = rule_of(selection.spec);
  PolicySpec checked = selection.spec;
  checked.policy = "NLA";  // the other rules accept the keys of NLA, and ignore some
  from_command_line([&] { policies::check_policy_spec(checked, "matrix"); });
  netload::replace_profile(selection.spec.parameters);
  selection.wait_s = policies::wait_s(selection.spec.parameters);
  const auto tasks = line.integer("tasks", 1, INT32_MAX);
  if (!tasks) throw UsageError("--tasks is missing");
  selection.tasks = *tasks;
  const std::size_t runners_up = line.integer("runners-up", 0, std::size_t{5}).value_or(3);
  if (line.has("state") && (line.has("nodes") || line.has("pairs")))
    throw UsageError("--state already has nodes and pairs: remove --nodes and --pairs, or --state");
  if (line.has("pairs") && !line.has("nodes")) throw UsageError("--pairs requires --nodes");
  if (line.has("nodes"))
    read_tables(line, selection);
  else
    take_live(line, selection);
  count_processors(line, selection);
  warn_of_few_cores(selection);

  const std::vector<double> compute = netload::compute_load(selection.table, selection.weights);
  std::vector<double> slowdown;
  if (selection.shares)
    slowdown = netload::slowdown_of_nodes(selection.table, selection.cores, selection.load, selection.processors);
  const netload::GroupInput input{compute,
                                  &selection.network,
                                  selection.processors,
                                  selection.weights.alpha,
                                  selection.weights.beta,
                                  slowdown,
                                  selection.shares.value_or(netload::ShareRange())};
  netload::GroupRequest request;
  request.processes = selection.tasks;
  Request seeded;
  seeded.parameters = selection.spec.parameters;
  const std::int64_t first_seed = selection.rule == netload::SelectionRule::sequential ? 0 : 1;
  const auto seed = static_cast<std::uint64_t>(number_parameter(seeded, "seed", first_seed, INT64_MAX));
  netload::GroupChoice choice = netload::select_group(input, request, selection.rule, seed);
  choice.runners_up.resize(std::min(runners_up, choice.runners_up.size()));
  const netload::Overload overload = netload::overload_of(selection.cores, selection.load, selection.tasks);
  return write_output("", line.has("json") ? format_select_json(selection, choice, overload)
                                           : format_select_text(selection, choice, overload));
}

}  // namespace placement::tools
