// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/pair_arrays.hpp"

#include <cmath>
#include <utility>

#include "common/state/node_fields.hpp"

namespace placement {

PairArrays::PairArrays(std::int32_t count, std::vector<std::int32_t> of_node)
    : groups(count),
      group_of_node(std::move(of_node)) {
  const auto cells = static_cast<std::size_t>(groups) * static_cast<std::size_t>(groups);
  for (std::vector<float>* table : {&latency_us, &bandwidth_Bps, &peak_bandwidth_Bps, &age_s})
    table->assign(cells, static_cast<float>(unknown_value));
  source.assign(cells, PairSource::none);
}

void PairArrays::set(std::int32_t a, std::int32_t b, const Cell& cell) {
  for (const std::size_t at : {cell_index(groups, a, b), cell_index(groups, b, a)}) {
    latency_us[at] = cell.latency_us;
    bandwidth_Bps[at] = cell.bandwidth_Bps;
    peak_bandwidth_Bps[at] = cell.peak_bandwidth_Bps;
    source[at] = cell.source;
    age_s[at] = cell.age_s;
  }
}

void PairArrays::set_forecast(std::int32_t a, std::int32_t b, const CellForecast& forecast) {
  if (latency_predictor.empty()) {
    latency_predictor.assign(source.size(), Predictor::none);
    bandwidth_predictor = latency_predictor;
    latency_error_us.assign(source.size(), static_cast<float>(unknown_value));
    bandwidth_error_Bps = latency_error_us;
  }
  for (const std::size_t at : {cell_index(groups, a, b), cell_index(groups, b, a)}) {
    latency_predictor[at] = forecast.latency;
    bandwidth_predictor[at] = forecast.bandwidth;
    latency_error_us[at] = forecast.latency_error_us;
    bandwidth_error_Bps[at] = forecast.bandwidth_error_Bps;
  }
}

PairArrays::CellForecast pair_forecast(const PairTable& table, std::int32_t a, std::int32_t b) {
  if (table.latency_predictor.empty()) return {};
  const std::size_t at = cell_index(table.groups, a, b);
  return {table.latency_predictor[at], table.bandwidth_predictor[at], table.latency_error_us[at],
          table.bandwidth_error_Bps[at]};
}

bool nothing_known(const PairArrays::Cell& cell) {
  return cell.source == PairSource::none && std::isnan(cell.latency_us) && std::isnan(cell.bandwidth_Bps) &&
         std::isnan(cell.peak_bandwidth_Bps) && std::isnan(cell.age_s);
}

std::string shown_sources(std::span<const std::int64_t> count) {
  std::string text;
  for (std::size_t i = 1; i <= count.size(); ++i) {
    const std::size_t source = i % count.size();  // puts PairSource::none last
    if (count[source] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count[source]) + " " +
            (source == 0 ? "not known" : std::string(pair_source_names[source]));
  }
  return text.empty() ? "none" : text;
}

std::vector<std::vector<std::string>> names_of_groups(const LiveState& state) {
  std::vector<std::vector<std::string>> names(static_cast<std::size_t>(state.pairs.groups));
  for (std::size_t n = 0; n < state.pairs.group_of_node.size(); ++n)
    names[state.pairs.group_of_node[n]].push_back(state.nodes[n].name);
  return names;
}

PairArrays::Cell pair_cell(const PairTable& table, std::int32_t a, std::int32_t b) {
  const std::size_t at = cell_index(table.groups, a, b);
  return {table.latency_us[at], table.bandwidth_Bps[at], table.peak_bandwidth_Bps[at], table.source[at],
          table.age_s[at]};
}

PairTable pair_table(PairArrays arrays) {
  const auto kept = std::make_shared<const PairArrays>(std::move(arrays));
  return {kept->groups,
          kept->group_of_node,
          kept->latency_us,
          kept->bandwidth_Bps,
          kept->peak_bandwidth_Bps,
          kept->source,
          kept->age_s,
          kept->latency_predictor,
          kept->bandwidth_predictor,
          kept->latency_error_us,
          kept->bandwidth_error_Bps,
          kept->node_latency_us,
          kept->node_bandwidth_Bps,
          kept};
}

PairArrays::Cell node_pair(const PairTable& table, std::int32_t a, std::int32_t b) {
  if (table.groups == 0) return {};
  PairArrays::Cell cell = pair_cell(table, table.group_of_node[a], table.group_of_node[b]);
  if (!table.node_latency_us.empty()) cell.latency_us += table.node_latency_us[a] + table.node_latency_us[b];
  if (!table.node_bandwidth_Bps.empty())
    for (const std::int32_t end : {a, b})  // NaN, a node without a known bound, does not limit the bandwidth
      if (table.node_bandwidth_Bps[end] < cell.bandwidth_Bps) cell.bandwidth_Bps = table.node_bandwidth_Bps[end];
  return cell;
}

}  // namespace placement
