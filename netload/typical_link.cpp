// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/typical_link.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "common/util/text.hpp"

namespace placement::netload {

namespace {

constexpr std::size_t most_pairs = 65536;
constexpr std::size_t part_left_out = 20;  // LinkRank::slow: one of this number of pairs is slower

double at(std::span<const float> values, std::size_t cell) {
  return cell < values.size() ? static_cast<double>(values[cell]) : unknown_value;
}

// Latencies and bandwidths of pairs with values of one source.
struct PairValues {
  std::vector<double> latency_us, bandwidth_Bps;
};

// Sets `target` to the positive, finite value at `rank`, and `target_source` to `source`; leaves both unchanged if
// there is none. `slower` orders the slow values first.
template <typename Slower>
void set_value(std::vector<double>& values, LinkSource source, LinkRank rank, Slower slower, double& target,
               LinkSource& target_source) {
  std::erase_if(values, [](double value) { return !(value > 0 && std::isfinite(value)); });
  if (values.empty()) return;
  const auto at = values.begin() + values.size() / (rank == LinkRank::median ? 2 : part_left_out);
  if (rank == LinkRank::median)
    std::nth_element(values.begin(), at, values.end());
  else
    std::nth_element(values.begin(), at, values.end(), slower);
  target = *at;
  target_source = source;
}

void set_values(PairValues values, LinkSource source, LinkRank rank, TypicalLink& link) {
  set_value(values.latency_us, source, rank, std::greater<>(), link.latency_us, link.latency_source);
  set_value(values.bandwidth_Bps, source, rank, std::less<>(), link.bandwidth_Bps, link.bandwidth_source);
}

std::string_view word_of(LinkSource source) {
  switch (source) {
    case LinkSource::assumed: return "assumed ";
    case LinkSource::modelled: return "modelled ";
    case LinkSource::measured: return "measured ";
    case LinkSource::of_run: return "its run's ";
  }
  return "";
}

}  // namespace

TypicalLink typical_link(const PairTable& table, std::span<const std::int32_t> state_of, LinkRank rank) {
  std::map<std::int32_t, std::int32_t> nodes_of_group;
  for (const std::int32_t state : state_of)
    if (state >= 0 && static_cast<std::size_t>(state) < table.group_of_node.size())
      if (const std::int32_t group = table.group_of_node[static_cast<std::size_t>(state)];
          group >= 0 && group < table.groups)
        ++nodes_of_group[group];
  const std::size_t groups = nodes_of_group.size();
  const std::size_t step = std::max<std::size_t>(1, groups * (groups + 1) / 2 / most_pairs);
  PairValues measured, modelled;
  std::size_t pair = 0;
  for (auto a = nodes_of_group.begin(); a != nodes_of_group.end(); ++a)
    for (auto b = a; b != nodes_of_group.end(); ++b, ++pair) {
      if (pair % step != 0 || (a == b && a->second < 2)) continue;
      const std::size_t cell = cell_index(table.groups, a->first, b->first);
      const PairSource source = cell < table.source.size() ? table.source[cell] : PairSource::measured;
      if (source == PairSource::assumed) continue;
      PairValues& values = source == PairSource::modelled ? modelled : measured;
      values.latency_us.push_back(at(table.latency_us, cell));
      const double peak = at(table.peak_bandwidth_Bps, cell);
      values.bandwidth_Bps.push_back(peak > 0 ? peak : at(table.bandwidth_Bps, cell));
    }
  TypicalLink link;
  set_values(std::move(modelled), LinkSource::modelled, rank, link);
  set_values(std::move(measured), LinkSource::measured, rank, link);
  return link;
}

TypicalLink typical_link(const DensePairs& pairs) {
  PairValues values;
  const auto nodes = static_cast<std::size_t>(pairs.nodes);
  for (std::size_t u = 0; u < nodes; ++u)
    for (std::size_t v = u + 1; v < nodes; ++v) {
      if (!pairs.latency_us.empty()) values.latency_us.push_back(pairs.latency_us[u * nodes + v]);
      if (!pairs.bandwidth_Bps.empty()) values.bandwidth_Bps.push_back(pairs.bandwidth_Bps[u * nodes + v]);
    }
  TypicalLink link;
  set_values(std::move(values), LinkSource::measured, LinkRank::median, link);
  return link;
}

std::string to_string(const TypicalLink& link) {
  const std::string bandwidth = short_number(link.bandwidth_Bps * 8e-6, 4) + " Mbit/s",
                    latency = short_number(link.latency_us) + " us";
  if (link.bandwidth_source != link.latency_source)
    return std::string(word_of(link.bandwidth_source)) + bandwidth + ", " + std::string(word_of(link.latency_source)) +
           latency;
  const std::string both = bandwidth + ", " + latency;
  if (link.latency_source == LinkSource::of_run) return both + ", the slowest between the nodes of its run";
  return link.latency_source == LinkSource::measured ? both : std::string(word_of(link.latency_source)) + both;
}

}  // namespace placement::netload
