// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/snapshot_text.hpp"

#include <cmath>
#include <initializer_list>
#include <span>
#include <vector>

#include "common/state/live_check.hpp"
#include "common/state/node_fields.hpp"
#include "common/state/pair_arrays.hpp"
#include "common/state/snapshot_extra.hpp"
#include "common/state/snapshot_text_form.hpp"
#include "common/util/hostlist.hpp"

namespace placement {

namespace {

const auto written = [](auto value) { return snapshot_number(value); };

void put_line(std::string& text, std::span<const std::string> fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) text += (f > 0 ? "\t" : "") + fields[f];
  text += '\n';
}

void put_line(std::string& text, std::initializer_list<std::string> fields) {
  put_line(text, std::span(fields.begin(), fields.size()));
}

void put_nodes(std::string& text, const LiveState& state) {
  std::vector<std::string> fields = {"node-columns", "name", "liveness", "outages"};
  for (const NodeField& field : node_fields) fields.emplace_back(field.name);
  put_line(text, fields);
  for (const NodeState& node : state.nodes) {
    fields = {"node", node.name, std::string(to_string(node.liveness)), written(node.outages)};
    for (const NodeField& field : node_fields) fields.push_back(written(field.get(node)));
    put_line(text, fields);
  }
}

void put_groups(std::string& text, const LiveState& state) {
  std::vector<std::vector<std::string>> members(static_cast<std::size_t>(state.pairs.groups));
  for (std::size_t n = 0; n < state.pairs.group_of_node.size(); ++n)
    members[static_cast<std::size_t>(state.pairs.group_of_node[n])].push_back(state.nodes[n].name);
  for (std::size_t g = 0; g < members.size(); ++g)
    put_line(text, {"group", written(g),
                    members[g].empty() ? std::string(snapshot_not_known) : compress_hostlist(members[g])});
}

bool nothing_known(const PairArrays::Cell& cell) {
  return cell.source == PairSource::none && std::isnan(cell.latency_us) && std::isnan(cell.bandwidth_Bps) &&
         std::isnan(cell.peak_bandwidth_Bps) && std::isnan(cell.age_s);
}

void put_pairs(std::string& text, const PairTable& pairs) {
  for (std::int32_t a = 0; a < pairs.groups; ++a)
    for (std::int32_t b = a; b < pairs.groups; ++b) {
      const PairArrays::Cell cell = pair_cell(pairs, a, b);
      if (nothing_known(cell)) continue;
      put_line(text, {"pair", written(a), written(b), written(cell.latency_us), written(cell.bandwidth_Bps),
                      written(cell.peak_bandwidth_Bps), std::string(to_string(cell.source)), written(cell.age_s)});
    }
}

void put_node_network(std::string& text, const LiveState& state) {
  const PairTable& pairs = state.pairs;
  if (pairs.node_latency_us.empty() && pairs.node_bandwidth_Bps.empty()) return;
  std::vector<std::string> columns = {"node-network-columns", "name"};
  if (!pairs.node_latency_us.empty()) columns.push_back("latency_us");
  if (!pairs.node_bandwidth_Bps.empty()) columns.push_back("bandwidth_Bps");
  put_line(text, columns);
  for (std::size_t n = 0; n < state.nodes.size(); ++n) {
    std::vector<std::string> fields = {"node-network", state.nodes[n].name};
    if (!pairs.node_latency_us.empty()) fields.push_back(written(pairs.node_latency_us[n]));
    if (!pairs.node_bandwidth_Bps.empty()) fields.push_back(written(pairs.node_bandwidth_Bps[n]));
    put_line(text, fields);
  }
}

void put_forecasts(std::string& text, const PairTable& pairs) {
  if (pairs.latency_predictor.empty()) return;
  for (std::int32_t a = 0; a < pairs.groups; ++a)
    for (std::int32_t b = a; b < pairs.groups; ++b) {
      const PairArrays::CellForecast told = pair_forecast(pairs, a, b);
      if (told.latency == Predictor::none && told.bandwidth == Predictor::none) continue;
      put_line(text, {"forecast", written(a), written(b), std::string(to_string(told.latency)),
                      written(told.latency_error_us), std::string(to_string(told.bandwidth)),
                      written(told.bandwidth_error_Bps)});
    }
}

void put_estimators(std::string& text, const OutageEstimators& estimators) {
  if (estimators.scores.empty()) return;
  put_line(text, {"estimators", written(estimators.scored_node_hours), written(estimators.seen_outages),
                  estimators.sentence});
  for (const EstimatorScore& score : estimators.scores) {
    const std::string use = score.in_use ? score.wanted ? "used,wanted" : "used" : score.wanted ? "wanted" : "-";
    put_line(text, {"estimator", score.name, use, written(score.log_loss), written(score.advantage),
                    written(score.advantage_error), written(score.foretold)});
    std::vector<std::string> fields = {"calibration", score.name};
    for (const CalibrationBin& bin : score.calibration)
      fields.push_back(written(bin.weight) + "/" + written(bin.foretold) + "/" + written(bin.seen));
    put_line(text, fields);
  }
}

}  // namespace

std::string format_snapshot(const LiveState& state) {
  check_live_state(state);
  std::string text;
  put_line(text, {std::string(snapshot_first_word),
                  std::string(has_extra(state) ? snapshot_extra_version : snapshot_plain_version)});
  put_line(text, {"published", written(state.published_at_s)});
  if (!std::isnan(state.outage_horizon_s)) put_line(text, {"outage-horizon", written(state.outage_horizon_s)});
  put_nodes(text, state);
  put_groups(text, state);
  put_pairs(text, state.pairs);
  put_node_network(text, state);
  put_forecasts(text, state.pairs);
  put_estimators(text, state.estimators);
  return text;
}

}  // namespace placement
