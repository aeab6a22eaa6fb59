// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <unordered_map>

#include "common/state/node_fields.hpp"
#include "tools/output/output.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t most_rows = 1000;
constexpr std::size_t most_nodes_without_state = 64;

const NodeState not_known;  // of a node that the monitor does not know

struct ReportNode {
  std::string name;
  const NodeState* state = &not_known;
  bool closed = false;  // Slurm starts no jobs on it

  double load() const { return state->cores > 0 ? state->cpu_load.minutes_1 / state->cores : unknown_value; }
};

// Counts and loads of some nodes.
struct NodeSum {
  std::int64_t nodes = 0, up = 0, in_trouble = 0, closed = 0, outages = 0, loaded = 0;
  double load = 0;  // sum over the `loaded` nodes

  void add(const ReportNode& node) {
    ++nodes;
    up += node.state->liveness == Liveness::up;
    in_trouble += node.state->silent();
    closed += node.closed;
    outages += node.state->outages;
    if (std::isnan(node.load())) return;
    ++loaded;
    load += node.load();
  }
  double mean_load() const { return loaded > 0 ? load / static_cast<double>(loaded) : unknown_value; }
};

struct ReportCluster {
  std::vector<ReportNode> nodes;
  std::vector<SwitchShape> switches;
};

ReportCluster cluster_of(const ReportFacts& facts) {
  ReportCluster cluster;
  std::unordered_map<std::string, const NodeState*> states;
  if (facts.state)
    for (const NodeState& node : facts.state->state.nodes) states.emplace(node.name, &node);
  if (facts.machine) {
    cluster.switches = facts.machine->switches;
    for (const NodeView& node : facts.machine->view.nodes) {
      const auto found = states.find(node.name);
      const bool open = std::find(node.core_free.begin(), node.core_free.end(), true) != node.core_free.end();
      cluster.nodes.push_back(
          {node.name, found == states.end() ? &not_known : found->second, facts.machine->live && !open});
    }
  } else if (facts.state) {
    for (const NodeState& node : facts.state->state.nodes) cluster.nodes.push_back({node.name, &node, false});
  }
  std::vector<bool> attached(cluster.nodes.size(), false);
  for (const SwitchShape& one : cluster.switches)
    for (const std::int32_t node : one.nodes) attached[node] = true;
  SwitchShape rest{cluster.switches.empty() ? "all nodes" : "on no switch", -1, {}};
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
    if (!attached[n]) rest.nodes.push_back(static_cast<std::int32_t>(n));
  if (!rest.nodes.empty()) cluster.switches.push_back(std::move(rest));
  return cluster;
}

std::vector<NodeSum> sums_below(const ReportCluster& cluster) {
  const std::vector<SwitchShape>& switches = cluster.switches;
  std::vector<NodeSum> sums(switches.size());
  for (std::size_t s = 0; s < switches.size(); ++s)
    for (const std::int32_t node : switches[s].nodes)
      for (auto above = static_cast<std::int32_t>(s); above >= 0; above = switches[above].parent)
        sums[above].add(cluster.nodes[node]);
  return sums;
}

std::string switch_table(const ReportCluster& cluster, bool with_states) {
  const std::size_t rows = std::min(cluster.switches.size(), most_rows);
  std::vector<std::string> columns{"Switch", "<Below", "Nodes", "Closed to jobs"};
  if (with_states) columns.insert(columns.end(), {"Up", "Down or suspect", "Mean load", "Outages"});
  HtmlTable table(rows == cluster.switches.size() ? "The nodes below each switch"
                                                  : "The nodes below the first " + std::to_string(rows) + " of " +
                                                        std::to_string(cluster.switches.size()) + " switches",
                  columns);
  const std::vector<NodeSum> sums = sums_below(cluster);
  for (std::size_t s = 0; s < rows; ++s) {
    const SwitchShape& one = cluster.switches[s];
    const NodeSum& sum = sums[s];
    std::vector<std::string> row{one.name, one.parent < 0 ? "" : cluster.switches[one.parent].name,
                                 std::to_string(sum.nodes), std::to_string(sum.closed)};
    if (with_states)
      row.insert(row.end(), {std::to_string(sum.up), std::to_string(sum.in_trouble), shown_percent(sum.mean_load(), 0),
                             std::to_string(sum.outages)});
    table.add(row);
  }
  return table.html();
}

std::string node_table(const ReportCluster& cluster) {
  std::vector<const ReportNode*> order;
  for (const ReportNode& node : cluster.nodes) order.push_back(&node);
  const bool all = order.size() <= most_rows;
  // Nodes that are down come first, then suspects; among equals those with most outages.
  if (!all)
    std::ranges::stable_sort(order, std::greater<>(), [](const ReportNode* node) {
      const NodeState& state = *node->state;
      return std::tuple(state.liveness == Liveness::down, state.liveness == Liveness::suspect, state.outages);
    });
  order.resize(std::min(order.size(), most_rows));
  std::vector<std::string> on(cluster.nodes.size());
  for (const SwitchShape& one : cluster.switches)
    for (const std::int32_t node : one.nodes) on[node] = one.name;
  HtmlTable table(all ? "Each node"
                      : "The " + std::to_string(most_rows) + " nodes with the most trouble, of " +
                            std::to_string(cluster.nodes.size()),
                  {"Node", "<Switch", "<State", "<Jobs", "Cores", "Load", "Load of cores", "Outages", "P(outage)"});
  for (const ReportNode* node : order) {
    const NodeState& state = *node->state;
    table.add({node->name, on[node - cluster.nodes.data()], std::string(to_string(state.liveness)),
               node->closed ? "none start" : "", shown_number(state.cores, 0), shown_number(state.cpu_load.minutes_1),
               shown_percent(node->load(), 0), &state == &not_known ? "-" : std::to_string(state.outages),
               shown_number(state.outage_probability, 4)});
  }
  return folded("Table: state, load and outages of the nodes", table);
}

std::string summary(const ReportCluster& cluster, bool with_states, bool named) {
  NodeSum sum;
  for (const ReportNode& node : cluster.nodes) sum.add(node);
  const auto leaves = std::count_if(cluster.switches.begin(), cluster.switches.end(),
                                    [](const SwitchShape& one) { return !one.nodes.empty(); });
  std::string out = "<dl class=\"facts\">" + fact("Nodes", std::to_string(sum.nodes)) +
                    (named ? fact("Leaf switches", std::to_string(leaves)) : "");
  if (with_states)
    out += fact("Up", std::to_string(sum.up)) + fact("Down or suspect", std::to_string(sum.in_trouble)) +
           fact("Mean load of cores", shown_percent(sum.mean_load(), 0)) +
           fact("Outages on record", std::to_string(sum.outages));
  return out + "</dl>\n";
}

}  // namespace

HtmlSection cluster_section(const ReportFacts& facts) {
  HtmlSection section{"cluster", "The cluster", {}, facts.state.has_value()};
  if (facts.state)
    section.body += paragraph("Load, liveness and outages are those of " + facts.state_described + ".", "quiet");
  else
    section.body += missing(
        "whether nodes are up, their load and their outages.", facts.why_no_state,
        "run placement-agent on the nodes and placement-monitor on the controllers (doc/install.md), or name a snapshot with --state.");
  if (facts.machine)
    section.body += paragraph("Switches and nodes are those of " + facts.machine->source + ".", "quiet");
  else
    section.body +=
        missing("the switches above the nodes.", facts.why_no_machine,
                "run the report where slurmctld answers, or use --topology with a topology.conf and its slurm.conf.");
  const ReportCluster cluster = cluster_of(facts);
  if (cluster.nodes.empty()) return section;
  const bool with_states = facts.state.has_value();
  section.body += summary(cluster, with_states, facts.machine && !facts.machine->switches.empty()) +
                  switch_table(cluster, with_states);
  if (with_states || cluster.nodes.size() <= most_nodes_without_state) section.body += node_table(cluster);
  return section;
}

}  // namespace placement::tools
