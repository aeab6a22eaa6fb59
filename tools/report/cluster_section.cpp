// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "common/state/node_fields.hpp"
#include "tools/output/text_table.hpp"
#include "tools/report/sections.hpp"

namespace placement::tools {

namespace {

constexpr std::size_t most_tiles = 20000;
constexpr std::size_t most_named = 64;
constexpr std::size_t most_large = 512;
constexpr std::size_t most_rows = 1000;

// A node of the map. Its state may be null: the monitor does not know it.
struct MapNode {
  std::string name;
  const NodeState* state = nullptr;
  bool closed = false;  // Slurm starts no jobs on it

  double load() const {
    return state != nullptr && state->cores > 0 ? state->cpu_load.minutes_1 / state->cores : unknown_value;
  }
  Liveness liveness() const { return state != nullptr ? state->liveness : Liveness::unknown; }
  std::int64_t outages() const { return state != nullptr ? state->outages : 0; }
};

struct Map {
  std::vector<MapNode> nodes;
  std::vector<SwitchShape> switches;
  std::vector<std::vector<std::size_t>> below;  // the switches below each switch
};

Map map_of(const ReportFacts& facts) {
  Map map;
  std::unordered_map<std::string, const NodeState*> states;
  if (facts.state)
    for (const NodeState& node : facts.state->state.nodes) states.emplace(node.name, &node);
  if (facts.machine) {
    map.switches = facts.machine->switches;
    for (const NodeView& node : facts.machine->view.nodes) {
      const auto found = states.find(node.name);
      const bool open = std::find(node.core_free.begin(), node.core_free.end(), true) != node.core_free.end();
      map.nodes.push_back({node.name, found == states.end() ? nullptr : found->second, facts.machine->live && !open});
    }
  } else if (facts.state) {
    for (const NodeState& node : facts.state->state.nodes) map.nodes.push_back({node.name, &node, false});
  }
  std::vector<bool> attached(map.nodes.size(), false);
  for (const SwitchShape& one : map.switches)
    for (const std::int32_t node : one.nodes) attached[static_cast<std::size_t>(node)] = true;
  SwitchShape rest{map.switches.empty() ? "all nodes" : "on no switch", -1, {}};
  for (std::size_t n = 0; n < map.nodes.size(); ++n)
    if (!attached[n]) rest.nodes.push_back(static_cast<std::int32_t>(n));
  if (!rest.nodes.empty()) map.switches.push_back(std::move(rest));
  map.below.resize(map.switches.size());
  for (std::size_t s = 0; s < map.switches.size(); ++s)
    if (map.switches[s].parent >= 0) map.below[static_cast<std::size_t>(map.switches[s].parent)].push_back(s);
  return map;
}

std::string percent(double share) { return std::isnan(share) ? "not known" : shown_number(100 * share, 0) + "\u00a0%"; }

// Counts and loads of some nodes.
struct NodeSum {
  std::map<Liveness, std::int64_t> of;
  std::int64_t nodes = 0, closed = 0, outages = 0, loaded = 0;
  std::int64_t switches = 0;  // below the switch that the sum is of
  double load = 0;            // sum over the `loaded` nodes

  void add(const NodeSum& other) {
    for (const auto& [liveness, count] : other.of) of[liveness] += count;
    nodes += other.nodes;
    closed += other.closed;
    outages += other.outages;
    loaded += other.loaded;
    load += other.load;
    switches += other.switches + 1;
  }
  void add(const MapNode& node) {
    const bool known = !std::isnan(node.load());
    add({{{node.liveness(), 1}}, 1, node.closed, node.outages(), known, -1, known ? node.load() : 0});
  }
  double mean_load() const { return loaded > 0 ? load / static_cast<double>(loaded) : unknown_value; }
};

std::string counted(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string sentence(const NodeSum& sum, bool with_states) {
  std::string text = counted(sum.nodes, "node");
  if (with_states)
    for (const auto& [liveness, count] : sum.of)
      text += ", " + std::to_string(count) + " " +
              (liveness == Liveness::unknown ? "not heard of" : std::string(to_string(liveness)));
  if (sum.closed > 0) text += ", " + std::to_string(sum.closed) + " closed to jobs";
  if (sum.loaded > 0) text += ", mean load " + percent(sum.mean_load());
  if (sum.outages > 0) text += ", " + counted(sum.outages, "outage");
  return text;
}

std::string tile(const MapNode& node, bool named) {
  std::string kind = node.liveness() == Liveness::up ? "" : " " + std::string(to_string(node.liveness()));
  if (node.closed) kind += " closed";
  std::string sign = node.liveness() == Liveness::down      ? "×"
                     : node.liveness() == Liveness::suspect ? "?"
                     : node.closed                          ? "/"
                                                            : "";
  if (sign.empty() && node.outages() > 0) sign = std::to_string(std::min<std::int64_t>(node.outages(), 99));
  if (named) sign = html_text(node.name) + (sign.empty() ? "" : " " + sign);
  const double load = std::isnan(node.load()) ? 0 : std::clamp(node.load(), 0.0, 1.0);
  const std::string fill = load > 0 ? "<i style=\"height:" + shown_number(100 * load, 0) + "%\"></i>" : "";
  return "<span class=\"tile" + kind + (named ? " named" : "") + "\" title=\"" + html_text(node.name) + "\">" + fill +
         "<b>" + sign + "</b></span>";
}

// Returns the sums below each switch. There is no recursion, because a chain may have all switches.
std::vector<NodeSum> sums_below(const Map& map) {
  std::vector<std::size_t> top_down;
  for (std::size_t s = 0; s < map.switches.size(); ++s)
    if (map.switches[s].parent < 0) top_down.push_back(s);
  for (std::size_t at = 0; at < top_down.size(); ++at)
    top_down.insert(top_down.end(), map.below[top_down[at]].begin(), map.below[top_down[at]].end());
  std::vector<NodeSum> sums(map.switches.size());
  for (auto s = top_down.rbegin(); s != top_down.rend(); ++s) {
    for (const std::int32_t node : map.switches[*s].nodes) sums[*s].add(map.nodes[static_cast<std::size_t>(node)]);
    if (map.switches[*s].parent >= 0) sums[static_cast<std::size_t>(map.switches[*s].parent)].add(sums[*s]);
  }
  return sums;
}

// Adds the switch `number` on the level `level`, from 0, with its nodes and the switches below it, as nested lists.
void draw(const Map& map, const std::vector<NodeSum>& sums, bool with_states, std::size_t number, std::size_t level,
          std::string& out) {
  constexpr std::size_t most_levels = 32;
  const SwitchShape& one = map.switches[number];
  const std::string said = sentence(sums[number], with_states);
  out += "<li><strong>" + html_text(one.name) + "</strong> <span class=\"quiet\">" + html_text(said) + "</span>\n";
  if (!one.nodes.empty() && map.nodes.size() <= (with_states ? most_tiles : most_named)) {
    out += std::string("<div class=\"tiles") + (map.nodes.size() > most_large ? " small" : "") +
           "\" role=\"img\" aria-label=\"" + html_text(one.name + ": " + said) + "\">";
    for (const std::int32_t node : one.nodes)
      out += tile(map.nodes[static_cast<std::size_t>(node)], map.nodes.size() <= most_named);
    out += "</div>\n";
  }
  const std::vector<std::size_t>& below = map.below[number];
  if (!below.empty() && level + 1 == most_levels) {
    out += "<ul>\n<li><span class=\"quiet\">switches below it that are not drawn: " +
           std::to_string(sums[number].switches) + "</span></li>\n</ul>\n";
  } else if (!below.empty()) {
    const bool leaves = std::ranges::all_of(below, [&](std::size_t s) { return map.below[s].empty(); });
    out += leaves ? "<ul class=\"leaves\">\n" : "<ul>\n";
    for (const std::size_t s : below) draw(map, sums, with_states, s, level + 1, out);
    out += "</ul>\n";
  }
  out += "</li>\n";
}

std::string legend(bool with_states) {
  std::string out = "<ul class=\"legend\" aria-label=\"Signs of the map\">";
  if (with_states)
    out +=
        "<li><span class=\"tile\"><i style=\"height:60%\"></i></span>filled by the load of its cores</li>"
        "<li><span class=\"tile\"><b>2</b></span>up, with the number of unplanned outages on record</li>"
        "<li><span class=\"tile down\"><b>×</b></span>down</li><li><span class=\"tile suspect\"><b>?</b></span>suspect: heartbeats are missing</li>"
        "<li><span class=\"tile unknown\"></span>not heard of</li>";
  return out + "<li><span class=\"tile closed\"><b>/</b></span>Slurm starts no jobs on it</li></ul>\n";
}

std::string node_table(const Map& map) {
  std::vector<const MapNode*> order;
  for (const MapNode& node : map.nodes) order.push_back(&node);
  const bool all = order.size() <= most_rows;
  // Nodes that are down come first, then suspects; among equals those with most outages.
  if (!all)
    std::ranges::stable_sort(order, std::greater<>(), [](const MapNode* node) {
      return std::tuple(node->liveness() == Liveness::down, node->liveness() == Liveness::suspect, node->outages());
    });
  order.resize(std::min(order.size(), most_rows));
  std::vector<std::string> on(map.nodes.size());
  for (const SwitchShape& one : map.switches)
    for (const std::int32_t node : one.nodes) on[static_cast<std::size_t>(node)] = one.name;
  HtmlTable table(
      all ? "Each node"
          : "The " + std::to_string(most_rows) + " nodes with the most trouble, of " + std::to_string(map.nodes.size()),
      {{"Node"},
       {"Switch"},
       {"State"},
       {"Jobs"},
       {"Cores", true},
       {"Load", true},
       {"Load of cores", true},
       {"Outages", true},
       {"P(outage)", true}});
  for (const MapNode* node : order) {
    const NodeState none, &state = node->state != nullptr ? *node->state : none;
    table.add({node->name, on[static_cast<std::size_t>(node - map.nodes.data())],
               std::string(to_string(node->liveness())), node->closed ? "none start" : "", shown_number(state.cores, 0),
               shown_number(state.cpu_load.minutes_1), std::isnan(node->load()) ? "-" : percent(node->load()),
               node->state != nullptr ? std::to_string(node->outages()) : "-",
               shown_number(state.outage_probability, 4)});
  }
  return folded("Table: state, load and outages of the nodes", table);
}

std::string fact(const std::string& name, const std::string& value) {
  return "<div><dt>" + html_text(name) + "</dt><dd>" + html_text(value) + "</dd></div>";
}

std::string summary(const Map& map, bool with_states, bool named) {
  NodeSum sum;
  for (const MapNode& node : map.nodes) sum.add(node);
  const auto leaves = std::count_if(map.switches.begin(), map.switches.end(),
                                    [](const SwitchShape& one) { return !one.nodes.empty(); });
  std::string out = "<dl class=\"facts\">" + fact("Nodes", std::to_string(sum.nodes)) +
                    (named ? fact("Leaf switches", std::to_string(leaves)) : "");
  if (with_states)
    out += fact("Up", std::to_string(sum.of[Liveness::up])) +
           fact("Down or suspect", std::to_string(sum.of[Liveness::down] + sum.of[Liveness::suspect])) +
           fact("Mean load of cores", percent(sum.mean_load())) +
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
  const Map map = map_of(facts);
  if (map.nodes.empty()) return section;
  const bool with_states = facts.state.has_value();
  section.body +=
      summary(map, with_states, facts.machine && !facts.machine->switches.empty()) + "<ul class=\"switches\">\n";
  const std::vector<NodeSum> sums = sums_below(map);
  for (std::size_t s = 0; s < map.switches.size(); ++s)
    if (map.switches[s].parent < 0) draw(map, sums, with_states, s, 0, section.body);
  section.body += "</ul>\n";
  if (with_states || map.nodes.size() <= most_named) section.body += legend(with_states) + node_table(map);
  return section;
}

}  // namespace placement::tools
