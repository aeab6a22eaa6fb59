// SPDX-License-Identifier: GPL-2.0-or-later
// placectl nodes: the state of each node.
#include <algorithm>
#include <cmath>

#include "common/state/node_fields.hpp"
#include "common/util/text.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/monitor_input.hpp"
#include "tools/output/json.hpp"

namespace placement::tools {

constexpr Option nodes_options[] = {
    state_option,
    nodes_option,
    {'s', "sort", "FIELD", "sort by a number of --json, largest first [order of the snapshot]"},
    json_option,
};

constexpr CommandHelp nodes_help{
    "placectl nodes [OPTION]...",
    "Prints the state of each node: liveness, age of its report, load and the part that Slurm's jobs cause, memory,\n"
    "traffic, users, unplanned outages, the time of observation, and the probability of an outage that policies use.\n"
    "\"-\" is an unknown value. --json has all numbers.\n",
    nodes_options};

static const NodeField& field_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const NodeField& field : node_fields) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  throw UsageError("--sort " + shown(name) + ": unknown field: " + suggested(name, names, "the fields are"));
}

// Sorts by the field, the largest value first and unknown values last.
static void sort_by(std::vector<std::int32_t>& nodes, const LiveState& state, const NodeField& field) {
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::int32_t a, std::int32_t b) {
    const double x = field.get(state.nodes[a]), y = field.get(state.nodes[b]);
    return std::isnan(y) ? !std::isnan(x) : x > y;
  });
}

static std::string as_json(const StateInput& input, const std::vector<std::int32_t>& nodes) {
  JsonWriter json;
  json.begin_object().member("file", input.path, "published_at_s", input.state.published_at_s, "age_s", input.age_s);
  json.member("outage_horizon_s", input.state.outage_horizon_s).objects("nodes", nodes, [&](std::int32_t n) {
    const NodeState& node = input.state.nodes[n];
    json.member("name", node.name, "liveness", to_string(node.liveness), "outages", node.outages);
    for (const NodeField& field : node_fields) json.member(field.name, field.get(node));
  });
  return json.end_object().take();
}

static std::string node_table(const LiveState& state, const std::vector<std::int32_t>& nodes) {
  TextTable table({"NODE", "<STATE", "AGE", "CORES", "LOAD", "OF_SLURM", "BUSY", "MEM_FREE", "TRAFFIC/s", "USERS",
                   "OUTAGES", "OBSERVED", "P(OUTAGE)"});
  for (const std::int32_t n : nodes) {
    const NodeState& node = state.nodes[n];
    table.add({node.name, std::string(to_string(node.liveness)), shown_seconds(node.age_s), shown_number(node.cores, 0),
               shown_number(node.cpu_load.minutes_1), shown_number(node.slurm_load.minutes_1),
               shown_percent(node.cpu_utilisation.minutes_1, 0),
               shown_bytes(node.memory_available_MiB.minutes_1 * 1048576), shown_bytes(node.flow_rate_Bps.minutes_1),
               shown_number(node.users.minutes_1, 0), std::to_string(node.outages), shown_seconds(node.observed_s),
               shown_number(node.outage_probability, 5)});
  }
  return table.text() + "# P(OUTAGE) is within " + shown_seconds(state.outage_horizon_s) + "\n";
}

int command_nodes(int argc, char** argv) {
  const CommandLine line(nodes_help, argc, argv);
  const Config config = config_for_records();
  const StateInput input = read_state(line, config);
  std::vector<std::int32_t> nodes = chosen_nodes(line, input.state);
  if (const auto field = line.value("sort")) sort_by(nodes, input.state, field_of(*field));
  return write_output("", line.has("json") ? as_json(input, nodes)
                                           : node_table(input.state, nodes) + "# " + input.described(config) + "\n");
}

}  // namespace placement::tools
