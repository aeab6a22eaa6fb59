// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <unordered_map>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "tools/output/output.hpp"
#include "tools/pictures/heatmap.hpp"
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
  HtmlTable table(rows == cluster.switches.size()
                      ? "The nodes below each switch"
                      : formatted("The nodes below the first %zu of %zu switches", rows, cluster.switches.size()),
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
  // Nodes that are down come first, then suspects. Nodes of equal liveness are sorted by outages, most first.
  if (!all)
    std::ranges::stable_sort(order, std::greater<>(), [](const ReportNode* node) {
      const NodeState& state = *node->state;
      return std::tuple(state.liveness == Liveness::down, state.liveness == Liveness::suspect, state.outages);
    });
  order.resize(std::min(order.size(), most_rows));
  std::vector<std::string> on(cluster.nodes.size());
  for (const SwitchShape& one : cluster.switches)
    for (const std::int32_t node : one.nodes) on[node] = one.name;
  HtmlTable table(
      all ? "Each node" : formatted("The %zu nodes with the most trouble, of %zu", most_rows, cluster.nodes.size()),
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

namespace {

// Larger clusters are drawn as this number of bundles of successive nodes.
constexpr std::size_t most_groups = 48;

enum class Which { bandwidth, latency };

// The nodes in the order of the switches, so that near nodes are near in the picture, in bundles of equal size.
std::vector<std::vector<std::int32_t>> bundles_of(const ReportFacts& facts) {
  const std::vector<NodeState>& nodes = facts.state->state.nodes;
  std::vector<std::int32_t> order;
  for (std::size_t n = 0; n < nodes.size(); ++n) order.push_back(static_cast<std::int32_t>(n));
  if (facts.machine) {
    std::unordered_map<std::string_view, std::int32_t> first_leaf;
    for (const NodeView& node : facts.machine->view.nodes) first_leaf.emplace(node.name, node.first_leaf);
    std::ranges::stable_sort(order, {}, [&](std::int32_t n) {
      const auto found = first_leaf.find(nodes[n].name);
      return found == first_leaf.end() ? INT32_MAX : found->second;
    });
  }
  const std::size_t size = (order.size() + most_groups - 1) / most_groups;
  std::vector<std::vector<std::int32_t>> bundles;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k % size == 0) bundles.emplace_back();
    bundles.back().push_back(order[k]);
  }
  return bundles;
}

double value_of(const PairTable& pairs, std::int32_t a, std::int32_t b, Which which) {
  const PairArrays::Cell cell = node_pair(pairs, a, b);
  return which == Which::bandwidth ? cell.bandwidth_Bps : cell.latency_us;
}

// Returns the worst value between two bundles: the least bandwidth or the longest latency. NaN if none is known. Reads
// only some nodes of a large bundle, because all pairs of many thousand nodes would take minutes.
double worst_between(const PairTable& pairs, const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b,
                     Which which) {
  constexpr std::size_t most_looked_at = 16;
  double worst = unknown_value;
  const std::size_t step_a = (a.size() + most_looked_at - 1) / most_looked_at,
                    step_b = (b.size() + most_looked_at - 1) / most_looked_at;
  for (std::size_t i = 0; i < a.size(); i += step_a)
    for (std::size_t j = 0; j < b.size(); j += step_b) {
      if (a[i] == b[j]) continue;
      const double value = value_of(pairs, a[i], b[j], which);
      if (std::isnan(value)) continue;
      if (std::isnan(worst) || (which == Which::bandwidth ? value < worst : value > worst)) worst = value;
    }
  return worst;
}

std::string shown_value(Which which, double value) {
  if (std::isnan(value)) return "-";
  return which == Which::bandwidth ? shown_bytes(value) + "B/s" : shown_microseconds(value);
}

std::string picture(const ReportFacts& facts, const std::vector<std::vector<std::int32_t>>& bundles,
                    const std::vector<std::string>& names, Which which) {
  const bool bandwidth = which == Which::bandwidth;
  const std::string label = std::string(bandwidth ? "Bandwidth" : "Latency") + " between " +
                            (bundles.size() == facts.state->state.nodes.size() ? "nodes" : "groups of nodes");
  const auto value = [&](std::int32_t row, std::int32_t column) {
    return worst_between(facts.state->state.pairs, bundles[row], bundles[column], which);
  };
  const auto count = static_cast<std::int32_t>(names.size());
  std::vector<std::string> titles{"Node"};
  titles.insert(titles.end(), names.begin(), names.end());
  HtmlTable table(label, titles);
  for (std::int32_t row = 0; row < count; ++row) {
    std::vector<std::string> cells{names[row]};
    for (std::int32_t column = 0; column < count; ++column) cells.push_back(shown_value(which, value(row, column)));
    table.add(cells);
  }
  const HeatMapStyle style{
      .axis = "node", .unit = bandwidth ? "bytes/s" : "us", .logarithmic = !bandwidth, .names = names};
  return figure(label, to_svg(heat_map_of(count, value), style),
                bandwidth ? "What a new flow would get." : "The time of a small message.", table);
}

// Returns the number of pairs with each source of values.
std::string sources(const LiveState& state) {
  std::array<std::int64_t, pair_source_names.size()> cells{};
  std::vector<std::int64_t> nodes(static_cast<std::size_t>(state.pairs.groups), 0);
  for (const std::int32_t group : state.pairs.group_of_node) ++nodes[group];
  for (std::int32_t a = 0; a < state.pairs.groups; ++a)
    for (std::int32_t b = a; b < state.pairs.groups; ++b)
      if (a != b || nodes[a] > 1) ++cells[static_cast<std::size_t>(pair_cell(state.pairs, a, b).source)];
  return "Cells between " + std::to_string(state.pairs.groups) + " groups of nodes: " + shown_sources(cells) + ".";
}

}  // namespace

HtmlSection pairs_section(const ReportFacts& facts) {
  HtmlSection section{"network", "The network between nodes", {}};
  if (!facts.state || facts.state->state.pairs.groups == 0 || facts.state->state.nodes.empty())
    return section.without_data(missing(
        "latency and bandwidth between the nodes.",
        facts.state ? "the snapshot has no pairs: none was measured yet." : facts.why_no_state,
        "placement-monitor measures them when agents run on the nodes (doc/live-state.md), or name a snapshot with --state."));
  const auto bundles = bundles_of(facts);
  const std::vector<NodeState>& nodes = facts.state->state.nodes;
  std::vector<std::string> names;
  for (const auto& bundle : bundles) {
    const std::string first = nodes[bundle.front()].name, last = nodes[bundle.back()].name;
    names.push_back(bundle.size() == 1 ? first : first + ".." + last);
  }
  section.body += paragraph(sources(facts.state->state));
  if (bundles.size() < nodes.size())
    section.body += paragraph(
        "Each row and column stands for up to " + std::to_string(bundles.front().size()) +
        " successive nodes, and each cell for the worst pair between two groups (at most 16 evenly spread nodes of each).");
  section.body += "<div class=\"pictures\">\n<div>" + picture(facts, bundles, names, Which::bandwidth) +
                  "</div>\n<div>" + picture(facts, bundles, names, Which::latency) + "</div>\n</div>\n";
  return section;
}

}  // namespace placement::tools
