// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/input/snapshot_json.hpp"

#include <filesystem>
#include <fstream>

#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/state/snapshot.hpp"
#include "common/util/error.hpp"
#include "common/util/hostlist.hpp"
#include "common/util/input_file.hpp"
#include "config.h"
#include "tools/output/output.hpp"

namespace placement::tools {

constexpr int lines_within = 2;  // nesting depth down to which each element has a line: one per node, group and pair

static void put_nodes(JsonWriter& json, const LiveState& state) {
  const PairTable& pairs = state.pairs;
  json.objects("nodes", state.nodes, [&](const NodeState& node) {
    const auto n = static_cast<std::size_t>(&node - state.nodes.data());
    json.member("name", node.name, "liveness", to_string(node.liveness), "outages", node.outages);
    for (const NodeField& field : node_fields) json.exact_member(field.name, field.get(node));
    if (!pairs.node_latency_us.empty()) json.exact_member("network_latency_us", pairs.node_latency_us[n]);
    if (!pairs.node_bandwidth_Bps.empty()) json.exact_member("network_bandwidth_Bps", pairs.node_bandwidth_Bps[n]);
  });
}

static void put_pair(JsonWriter& json, const PairTable& pairs, std::int32_t a, std::int32_t b) {
  const bool foretold = !pairs.latency_predictor.empty();
  const PairArrays::Cell cell = pair_cell(pairs, a, b);
  const PairArrays::CellForecast forecast = pair_forecast(pairs, a, b);
  // A pair without data is left out. Pair (0, 0) is written if the table has forecasts, to show that.
  if (nothing_known(cell) && forecast.latency == Predictor::none && forecast.bandwidth == Predictor::none &&
      !(foretold && b == 0))
    return;
  json.begin_object().list("groups", std::array{a, b});
  json.exact_member("latency_us", cell.latency_us).exact_member("bandwidth_Bps", cell.bandwidth_Bps);
  json.exact_member("peak_bandwidth_Bps", cell.peak_bandwidth_Bps);
  json.member("source", to_string(cell.source)).exact_member("age_s", cell.age_s);
  if (foretold) {
    json.member("latency_predictor", to_string(forecast.latency));
    json.exact_member("latency_error_us", forecast.latency_error_us);
    json.member("bandwidth_predictor", to_string(forecast.bandwidth));
    json.exact_member("bandwidth_error_Bps", forecast.bandwidth_error_Bps);
  }
  json.end_object();
}

std::string format_snapshot_json(const LiveState& state) {
  check_live_state(state);
  JsonWriter json(lines_within);
  json.begin_object().member(snapshot_json_name, snapshot_json_version);
  json.member("published_at_s", state.published_at_s).exact_member("outage_horizon_s", state.outage_horizon_s);
  put_nodes(json, state);
  json.key("groups").begin_array();
  for (const std::vector<std::string>& names : names_of_groups(state))
    json.value(names.empty() ? "" : compress_hostlist(names));
  json.end_array().key("pairs").begin_array();
  for (std::int32_t a = 0; a < state.pairs.groups; ++a)
    for (std::int32_t b = a; b < state.pairs.groups; ++b) put_pair(json, state.pairs, a, b);
  json.end_array();
  return json.end_object().take();
}

#ifndef HAVE_JSON_C
LiveState parse_snapshot_json(std::string_view, const std::string& name) {
  throw Error(name + ": this build reads no JSON, because configure found no json-c");
}
#endif

LiveState read_live_state(const std::string& path) {
  // Only a regular file is looked at for this, because the first bytes of a pipe would then be lost.
  char first[5] = {};
  if (std::error_code unreadable; std::filesystem::is_regular_file(path, unreadable))
    std::ifstream(path, std::ios::binary).read(first, sizeof first);
  return std::string_view(first, sizeof first) == "SPLIV"
             ? read_snapshot(path)
             : parse_snapshot_json(read_input_file(path, max_state_bytes), path);
}

}  // namespace placement::tools
