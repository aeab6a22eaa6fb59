// SPDX-License-Identifier: GPL-2.0-or-later
// placectl nodes and placectl pairs: the live state of the nodes, and of the network between them.
#include <algorithm>
#include <array>
#include <cmath>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/util/text.hpp"
#include "tools/commands/command.hpp"
#include "tools/input/controller_input.hpp"
#include "tools/input/monitor_input.hpp"
#include "tools/pictures/heatmap.hpp"

namespace placement::tools {

constexpr Option nodes_options[] = {
    state_option,
    nodes_option,
    {'s', "sort", "FIELD", "sort by a numeric field of --json, largest first [order of the snapshot]"},
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
  return table.text() + "# P(OUTAGE): probability of an outage in the next " + shown_seconds(state.outage_horizon_s) +
         "\n";
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

namespace {

constexpr Option pairs_options[] = {
    state_option,
    nodes_option,
    {'b', "by", "WHAT", "worst pairs by: bandwidth (default), missing (bandwidth short of the peak),\nlatency or age"},
    {'m', "most", "N", "number of pairs to show, 0: all [10; with --json all]"},
    {0, "heatmap", "PICTURE", "draw the values of --by for all pairs into a file that ends in .svg"},
    json_option,
};

constexpr CommandHelp pairs_help{
    "placectl pairs [OPTION]...",
    "Prints the network between all pairs of nodes: latency, the bandwidth of a new flow and of an idle network, the age and\n"
    "source of the values, and how they were forecast. The worst pairs come first.\n",
    pairs_options};

struct Pair {
  std::int32_t a, b;  // indices of the nodes
  PairArrays::Cell cell;
  PairArrays::CellForecast forecast;  // without a predictor if the cell stands for several pairs
};

// A value of pairs, by which they are sorted and drawn. NaN: not known.
struct Order {
  std::string_view name;
  const char* unit;
  double (*value)(const PairArrays::Cell&);
  std::string (*shown)(double);
};
constexpr Order orders[] = {
    {"bandwidth", "bytes/s", [](const PairArrays::Cell& cell) { return double{cell.bandwidth_Bps}; }, shown_bytes},
    {"missing", "bytes/s",
     [](const PairArrays::Cell& cell) {
       const double short_of = static_cast<double>(cell.peak_bandwidth_Bps) - cell.bandwidth_Bps;
       return short_of < 0 ? 0 : short_of;
     },
     shown_bytes},
    {"latency", "us", [](const PairArrays::Cell& cell) { return double{cell.latency_us}; }, shown_microseconds},
    {"age", "s", [](const PairArrays::Cell& cell) { return double{cell.age_s}; }, shown_seconds},
};

const Order& order_of(const CommandLine& line) {
  const std::string name = line.value_or("by", "bandwidth");
  const auto found = std::ranges::find(orders, name, &Order::name);
  if (found == std::end(orders))
    throw UsageError("--by " + shown(name) + ": expected bandwidth, missing, latency or age");
  return *found;
}

// Returns whether `x` comes before `y`. The least bandwidth or the largest other value is first, an unknown one last.
bool worse(const Pair& x, const Pair& y, const Order& order) {
  const double a = order.value(x.cell), b = order.value(y.cell);
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return &order == orders ? a < b : a > b;
}

std::vector<Pair> pairs_of(const LiveState& state, const std::vector<std::int32_t>& nodes) {
  constexpr std::size_t most_nodes = 4000;
  if (nodes.size() > most_nodes)
    throw Error(
        formatted("pairs of %zu nodes are too many to list: name at most %zu with --nodes", nodes.size(), most_nodes));
  const PairTable& table = state.pairs;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = i + 1; j < nodes.size(); ++j) {
      pairs.push_back({nodes[i], nodes[j], node_pair(table, nodes[i], nodes[j]), {}});
      if (table.groups > 0)
        pairs.back().forecast = pair_forecast(table, table.group_of_node[nodes[i]], table.group_of_node[nodes[j]]);
    }
  return pairs;
}

std::string shown_small_us(double us) { return std::isnan(us) ? "-" : shown_number(us, 1) + "us"; }

// Returns a predictor with its error, such as "median 0.2us"; "-" without a predictor.
std::string shown_forecast(Predictor predictor, const std::string& error) {
  return predictor == Predictor::none ? "-" : std::string(to_string(predictor)) + " " + error;
}

std::array<std::int64_t, pair_source_names.size()> count_sources(const std::vector<Pair>& pairs) {
  std::array<std::int64_t, pair_source_names.size()> count{};
  for (const Pair& pair : pairs) ++count[static_cast<std::size_t>(pair.cell.source)];
  return count;
}

std::string summary(const std::vector<Pair>& pairs, const Order& order) {
  const std::string text = std::to_string(pairs.size()) + " pairs: " + shown_sources(count_sources(pairs)) + "\n";
  std::vector<double> values;
  for (const Pair& pair : pairs)
    if (const double value = order.value(pair.cell); !std::isnan(value)) values.push_back(value);
  if (values.empty()) return text;
  std::sort(values.begin(), values.end());
  return text + std::string(order.name) + ": least " + order.shown(values.front()) + ", median " +
         order.shown(values[values.size() / 2]) + ", most " + order.shown(values.back()) + "\n";
}

std::string table(const LiveState& state, const std::vector<Pair>& pairs) {
  const bool forecasts = !state.pairs.latency_predictor.empty();
  std::vector<std::string> columns = {"NODE", "<NODE", "LATENCY", "BANDWIDTH/s", "PEAK/s", "AGE", "<SOURCE"};
  if (forecasts) columns.insert(columns.end(), {"<LATENCY_BY", "<BANDWIDTH_BY"});
  TextTable out(columns);
  for (const Pair& pair : pairs) {
    std::vector<std::string> row = {state.nodes[pair.a].name,
                                    state.nodes[pair.b].name,
                                    shown_microseconds(pair.cell.latency_us),
                                    shown_bytes(pair.cell.bandwidth_Bps),
                                    shown_bytes(pair.cell.peak_bandwidth_Bps),
                                    shown_seconds(pair.cell.age_s),
                                    std::string(to_string(pair.cell.source))};
    const PairArrays::CellForecast& told = pair.forecast;
    if (forecasts) {
      row.push_back(shown_forecast(told.latency, shown_small_us(told.latency_error_us)));
      row.push_back(shown_forecast(told.bandwidth, shown_bytes(told.bandwidth_error_Bps)));
    }
    out.add(row);
  }
  return out.empty() ? "" : out.text();
}

std::string as_json(const StateInput& input, const std::vector<Pair>& all, std::size_t most) {
  const auto count = count_sources(all);
  JsonWriter json;
  json.begin_object().member("file", input.path, "published_at_s", input.state.published_at_s, "age_s", input.age_s);
  json.member("groups", input.state.pairs.groups).key("sources").begin_object();
  for (std::size_t s = 0; s < count.size(); ++s) json.member(pair_source_names[s], count[s]);
  json.end_object().objects("pairs", std::span(all).first(most), [&](const Pair& pair) {
    const auto& [a, b, cell, forecast] = pair;
    json.member("a", input.state.nodes[a].name, "b", input.state.nodes[b].name, "latency_us", cell.latency_us);
    json.member("bandwidth_Bps", cell.bandwidth_Bps, "peak_bandwidth_Bps", cell.peak_bandwidth_Bps);
    json.member("age_s", cell.age_s, "source", to_string(cell.source), "latency_predictor",
                to_string(forecast.latency));
    json.member("latency_error_us", forecast.latency_error_us, "bandwidth_predictor", to_string(forecast.bandwidth));
    json.member("bandwidth_error_Bps", forecast.bandwidth_error_Bps);
  });
  return json.end_object().take();
}

void draw(const std::string& file, const LiveState& state, const std::vector<std::int32_t>& nodes, const Order& order) {
  if (nodes.empty()) throw Error("no node to draw");
  const auto value = [&](std::int32_t row, std::int32_t column) {
    return row == column ? unknown_value : order.value(node_pair(state.pairs, nodes[row], nodes[column]));
  };
  HeatMapStyle style;
  style.title = std::string(order.name) + " between " + std::to_string(nodes.size()) + " nodes, " +
                shown_time(static_cast<double>(state.published_at_s));
  style.axis = "node";
  style.unit = order.unit;
  style.logarithmic = order.name == "latency";
  for (const std::int32_t node : nodes) style.names.push_back(state.nodes[node].name);
  write_heat_map(file, heat_map_of(static_cast<std::int32_t>(nodes.size()), value), style);
}

}  // namespace

int command_pairs(int argc, char** argv) {
  const CommandLine line(pairs_help, argc, argv);
  const Order& order = order_of(line);
  const std::size_t wanted = line.integer("most", 0, std::size_t{INT32_MAX}).value_or(line.has("json") ? 0 : 10);
  const Config config = config_for_records();
  const StateInput input = read_state(line, config);
  const std::vector<std::int32_t> nodes = chosen_nodes(line, input.state);
  if (line.has("nodes") && nodes.size() < 2)
    throw UsageError("--nodes " + shown(*line.value("nodes")) + ": expected at least two nodes");
  std::vector<Pair> pairs = pairs_of(input.state, nodes);  // throws for too many nodes, before there is a picture
  if (const auto file = line.value("heatmap")) draw(*file, input.state, nodes, order);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) { return worse(a, b, order); });
  const std::size_t most = wanted == 0 ? pairs.size() : std::min(wanted, pairs.size());
  if (line.has("json")) return write_output("", as_json(input, pairs, most));
  const std::string counted = summary(pairs, order);
  pairs.resize(most);
  return write_output("", table(input.state, pairs) + counted + "# " + input.described(config) + "\n");
}

}  // namespace placement::tools
