// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "tools/output/output.hpp"
#include "tools/pictures/heatmap.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

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

// The pairs by where their values come from.
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
