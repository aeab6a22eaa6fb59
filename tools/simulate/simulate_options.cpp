// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/simulate/simulate_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "common/topology/slurm_conf.hpp"
#include "common/topology/topology_read.hpp"
#include "common/topology/torus_topology.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "policies/fabric_choice.hpp"
#include "policies/table.hpp"
#include "sim/machine.hpp"
#include "tools/input/snapshot_json.hpp"
#include "tools/input/torus_machine.hpp"
#include "tools/output/output.hpp"

namespace placement::tools {

namespace {

std::vector<std::string> words_of(std::string list, const char* separators) {
  std::vector<std::string> words;
  for (char& c : list)
    if (std::string_view(separators).find(c) != std::string_view::npos) c = ' ';
  for (const std::string_view word : split_words(list)) words.emplace_back(word);
  return words;
}

// Reads each part into an element of `seconds`; further elements keep their values. Returns false unless each part is a
// number from 0 to 1e6 and there are not too many parts.
bool parse_seconds(std::span<const std::string_view> parts, std::span<double> seconds) {
  if (parts.size() > seconds.size()) return false;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto value = parse_real(parts[k]);
    if (!value || *value < 0 || *value > 1e6) return false;
    seconds[k] = *value;
  }
  return true;
}

void read_backfill(const CommandLine& line, sim::ReplayOptions& replay_options) {
  const std::string text = line.value_or("backfill", "easy");
  if (text == "easy") return;
  const auto parts = split_at(text, ',');
  double seconds[] = {30, 0};
  if (parts[0] != "slurm" || !parse_seconds(std::span(parts).subspan(1), seconds) || (seconds[0] > 0 && seconds[0] < 1))
    throw UsageError("--backfill " + shown(text) +
                     ": expected easy or slurm[,INTERVAL[,MARGIN]] in seconds, INTERVAL 0 or at least 1");
  replay_options.backfill = sim::Backfill::slurm;
  replay_options.backfill_interval_s = seconds[0];
  replay_options.plan_margin_s = seconds[1];
}

void read_charge(const CommandLine& line, sim::ReplayOptions& replay_options) {
  const auto text = line.value("charge");
  if (!text) return;
  replay_options.charge_measured = *text == "measured";
  replay_options.charge_policy_s = replay_options.charge_policy_task_s = 0;
  if (*text == "none" || replay_options.charge_measured) return;
  const auto parts = split_at(*text, ',');
  double seconds[] = {0, 0};
  if (!parse_seconds(parts, seconds))
    throw UsageError("--charge " + shown(*text) + ": expected none, measured, or SECONDS[,SECONDS PER TASK]");
  replay_options.charge_policy_s = seconds[0];
  replay_options.charge_policy_task_s = seconds[1];
}

void read_effort(const CommandLine& line, sim::ReplayOptions& replay_options) {
  const auto text = line.value("effort");
  if (!text) return;
  const auto parts = split_at(*text, ',');
  const auto effort = parse_integer(parts[0]);
  const auto tasks = parts.size() == 2 ? parse_integer(parts[1]) : replay_options.effort_tasks;
  if (parts.size() > 2 || !effort || *effort < 1 || *effort > 1000 || !tasks || *tasks < 1 ||
      *tasks > TreeTopology::max_leaves)
    throw UsageError("--effort " + shown(*text) + ": expected N or N,TASKS with N from 1 to 1000");
  replay_options.effort = static_cast<std::int32_t>(*effort);
  replay_options.effort_tasks = static_cast<std::int32_t>(*tasks);
}

constexpr int default_outage_hours = 24;

NodeShape node_shape(const CommandLine& line) {
  const auto given = line.value("node");
  if (!given)
    throw UsageError("--topology " + shown(*line.value("topology")) + ": it has no nodes: use --node or --slurm-conf");
  const std::string& text = *given;
  const auto parts = split_at(text, 'x');
  const auto sockets = parse_integer(parts[0]);
  const auto cores = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
  if (!sockets || !cores || *sockets < 1 || *cores < 1 || *sockets > 1024 || *cores > 4096)
    throw UsageError("--node " + shown(text) + ": expected SOCKETSxCORES, as in 2x8");
  return {"", static_cast<std::int32_t>(*sockets), static_cast<std::int32_t>(*cores), 1};
}

// Returns the nodes of a tree: its leaves, or parts of this shape at the lowest levels of a tree of a file.
std::vector<NodeShape> nodes_of_tree(const TreeTopology& tree, const NodeShape& shape, bool of_file) {
  const std::int32_t cores = shape.sockets * shape.cores_per_socket;
  std::int32_t vertex = tree.leaf_vertex(0);
  while (vertex != 0 && tree.leaf_count(vertex) < cores) vertex = tree.parent(vertex);
  const std::int32_t count = of_file && tree.leaf_count(vertex) == cores ? tree.leaves() / cores : tree.leaves();
  std::vector<NodeShape> nodes(static_cast<std::size_t>(count), shape);
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n].name = "n" + std::to_string(n);
  return nodes;
}

ClusterView read_shape(const CommandLine& line) {
  if (!line.has("topology")) throw UsageError("the machine is missing: use --topology");
  if (line.has("node") && line.has("slurm-conf"))
    throw UsageError("use only one of --node and --slurm-conf: both describe the nodes");
  const MachineFile file = read_machine_file(*line.value("topology"));
  const bool torus = is_torus_text(file.text);
  MapFaults of_map_alone;
  ClusterView view = read_machine(file, line.value_or("slurm-conf", ""), of_map_alone, {},
                                  torus && !line.has("slurm-conf") ? std::optional(node_shape(line)) : std::nullopt);
  std::vector<std::string> outside;  // another topology of a topology.yaml may have these nodes
  std::erase_if(view.nodes, [&](const NodeView& node) {
    const bool is_outside = torus ? node.torus_node < 0 : node.fabric == no_fabric;
    if (is_outside && !torus) outside.push_back(node.name);
    return is_outside;
  });
  if (!outside.empty())
    std::fprintf(stderr, "placectl: %s is on no switch of %s, and runs no job\n",
                 shown(compress_hostlist(outside)).c_str(), line.value("topology")->c_str());
  if (torus) return view;
  if (view.nodes.empty())
    return parse_topology_of(file,
                             nodes_of_tree(*view.tree, node_shape(line), file.path == "-" || may_exist(file.path)));
  if (line.has("node")) throw UsageError("use --node without a topology.conf, because slurm.conf describes its nodes");
  return view;
}

// Returns the path of the slurm.conf with the nodes of the machine; empty if there is none.
std::string slurm_conf_of(const CommandLine& line) {
  if (line.has("slurm-conf") || line.has("node") || !line.has("topology")) return line.value_or("slurm-conf", "");
  return std::filesystem::path(*line.value("topology")).replace_filename("slurm.conf").string();
}

}  // namespace

double number_option(const CommandLine& line, const char* option, double otherwise, double least, double most) {
  const auto text = line.value(option);
  if (!text) return otherwise;
  const auto value = parse_real(*text);
  if (!value || *value < least || *value > most)
    throw UsageError("--" + std::string(option) + " " + shown(*text) +
                     formatted(": expected a number from %g to %g", least, most));
  return *value;
}

sim::JobSelection read_selection(const CommandLine& line) {
  sim::JobSelection selection;
  selection.partitions = words_of(line.value_or("partition", ""), ",");
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (const auto text = line.value("from")) {
    selection.from_s = sim::time_point(*text);
    if (*selection.from_s < 0 || *selection.from_s > most)
      throw UsageError("--from " + shown(*text) +
                       ": expected seconds on the log's clock, or YYYY-MM-DD[THH:MM[:SS]] for a log of sacct");
  }
  if (line.has("hours")) selection.window_s = std::llround(number_option(line, "hours", 0, 1e-3, 1e7) * 3600);
  selection.most_jobs = line.integer("jobs", 1, most).value_or(selection.most_jobs);
  return selection;
}

sim::ReplayOptions read_options(const CommandLine& line) {
  sim::ReplayOptions result;
  result.communication = number_option(line, "communication", 30, 0, 100) / 100;
  result.share = number_option(line, "share", 100, 0, 100) / 100;
  const std::string request = line.value_or("stock-request", "nodes");
  if (request != "nodes" && request != "tasks")
    throw UsageError("--stock-request " + shown(request) + ": expected nodes or tasks");
  result.stock_request = request == "nodes" ? sim::StockRequest::nodes : sim::StockRequest::tasks;
  result.whole_nodes = line.has("whole-nodes");
  result.full_start = line.has("full");
  result.backfill_depth = line.integer("backfill-depth", 0, 1 << 24).value_or(500);
  read_backfill(line, result);
  result.release_s = number_option(line, "release", 0, 0, 1e6);
  read_charge(line, result);
  read_effort(line, result);
  result.charge_stock_s = number_option(line, "stock-charge", 0, 0, 1e6);
  result.node_failures_per_hour = number_option(line, "node-failures", 0, 0, 1000) / 1000;
  result.repair_hours = number_option(line, "repair", 4, 1e-3, 1e5);
  if (line.has("free-cores")) {
    if (!line.has("output")) throw UsageError("--free-cores requires --output");
    result.free_leaves_interval_s = number_option(line, "free-cores", 0, 1e-3, 1e6) * 3600;
  }
  result.seed = static_cast<std::uint64_t>(line.integer("seed", 0, INT64_MAX).value_or(1));
  return result;
}

std::vector<sim::Strategy> read_strategies(const CommandLine& line) {
  std::vector<sim::Strategy> strategies;
  for (const std::string& word : words_of(line.value_or("strategies", "SLURM TM-A TM-Isub"), ";")) {
    strategies.push_back(from_command_line([&] { return sim::parse_strategy(word); }, "--strategies: "));
    for (std::size_t k = 0; k + 1 < strategies.size(); ++k)
      if (equal_any_case(strategies[k].name, word))
        throw UsageError("--strategies: " + shown(word) + " is given twice");
  }
  if (strategies.empty()) throw UsageError("--strategies: none given");
  return strategies;
}

void check_strategies(std::span<const sim::Strategy> strategies, const CommandLine& line, bool on_torus) {
  for (const sim::Strategy& strategy : strategies) {
    if (strategy.stock) continue;
    const policies::Policy& policy = *policies::find_policy(strategy.policy.policy);
    const auto refuse = [&](const char* why) { throw UsageError("--strategies: " + shown(strategy.name) + " " + why); };
    if (on_torus && policy.needs_tree) refuse("maps to trees: use TOFA on a torus");
    if (!on_torus && policy.needs_torus) refuse("requires a torus in --topology");
    if (!line.has("state") && policy.needs_live) refuse("requires a live state: use --state FILE");
  }
}

std::vector<std::pair<std::string, std::string>> machine_options(const CommandLine& line) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const char* option : {"topology", "slurm-conf", "node", "state", "outages", "outage-hours"})
    if (const auto value = line.value(option)) given.emplace_back(option, *value);
  if (line.has("outages") && !line.has("outage-hours"))
    given.emplace_back("outage-hours", std::to_string(default_outage_hours));
  for (auto& [option, value] : given) std::replace(option.begin(), option.end(), '-', '_');
  return given;
}

sim::ProcessorsPerCore processors_per_core_of(const std::string& conf, const sim::Machine& machine) {
  std::unordered_map<std::string, std::int32_t> cpus;
  for (const NodeShape& shape : read_node_shapes(conf)) cpus.emplace(shape.name, shape.cpus_per_core);
  std::set<std::int32_t> found;
  for (const NodeView& node : machine.view().nodes)
    if (const auto known = cpus.find(node.name); known != cpus.end()) found.insert(known->second);
  return {found.size() == 1 ? *found.begin() : found.empty() ? 1 : 0, 1};
}

sim::ProcessorsPerCore read_processors_per_core(const CommandLine& line, const sim::Machine& machine) {
  if (const auto given = line.integer("threads-per-core", 1, 64)) return {*given, *given};
  const std::string conf = slurm_conf_of(line);
  return conf.empty() ? sim::ProcessorsPerCore{} : processors_per_core_of(conf, machine);
}

ClusterView read_machine_view(const CommandLine& line) {
  ClusterView view = read_shape(line);
  if (!policies::is_one_fabric(view))
    throw Error("--topology " + shown(*line.value("topology")) +
                ": no switch connects all nodes, so no job can use all of them; "
                "replay each connected part with its own topology.conf");
  return view;
}

sim::Machine read_machine(const CommandLine& line, sim::ReplayOptions& replay_options) {
  ClusterView view = read_machine_view(line);
  if (const auto state = line.value("state")) sim::attach_state(view, read_live_state(*state), *state);
  if (const auto outages = line.value("outages")) {
    sim::attach_outages(view, read_outages(*outages),
                        number_option(line, "outage-hours", default_outage_hours, 1e-3, 1e5) * 3600, *outages);
    if (line.has("node-failures"))
      throw UsageError("use only one of --node-failures and --outages: both set how often nodes fail");
    replay_options.failures_per_hour_of_node = sim::failure_rates(view);
  } else if (line.has("outage-hours")) {
    throw UsageError("--outage-hours requires --outages");
  }
  return sim::Machine(std::move(view));
}

}  // namespace placement::tools
