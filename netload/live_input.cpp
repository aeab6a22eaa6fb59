// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/live_input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace placement::netload {

namespace {

constexpr double noise = 0.2;           // load that daemons may cause, in processors
constexpr double disbelief = 4;         // factor on the 90th percentile
constexpr double believed_share = 0.5;  // lower limit, as a share of the load that jobs cause on the median node
constexpr std::size_t fewest = 3;       // with fewer nodes, no value counts as implausible

double sane(double value) { return value >= 0 && std::isfinite(value) ? value : unknown_value; }

// Returns the largest plausible value: `disbelief` times the 90th percentile, but at least `floor`. Infinite when only
// few nodes have a value.
double believed(const std::vector<double>& column, double floor) {
  std::vector<double> known;
  for (const double value : column)
    if (!std::isnan(value)) known.push_back(value);
  if (known.size() < fewest) return std::numeric_limits<double>::infinity();
  // With fewer than ten nodes the largest value is omitted.
  const std::size_t out = std::max<std::size_t>(known.size() / 10, 1);
  const auto at = known.end() - out - 1;
  std::nth_element(known.begin(), at, known.end());
  return std::max(disbelief * *at, floor);
}

void cut_off(std::vector<double>& column, double floor) {
  const double bound = believed(column, floor);
  for (double& value : column)
    if (value > bound) value = bound;
}

// Raises values that are implausibly low for the processors that Slurm's jobs hold. `held` has these processors for
// each candidate, in units of the column.
void raise_to_jobs(std::vector<double>& column, std::span<const double> held) {
  std::vector<double> caused;  // load per held processor
  for (std::size_t c = 0; c < column.size(); ++c)
    if (held[c] > 0 && !std::isnan(column[c])) caused.push_back(column[c] / held[c]);
  if (caused.size() < fewest) return;
  const auto middle = caused.begin() + (caused.size() - 1) / 2;
  std::nth_element(caused.begin(), middle, caused.end());
  for (std::size_t c = 0; c < column.size(); ++c)
    if (held[c] > 0 && column[c] < believed_share * *middle * held[c]) column[c] = believed_share * *middle * held[c];
}

// Returns the held processors in units of the attribute; empty if jobs do not affect the attribute.
std::vector<double> held_in_units(NodeAttribute which, std::span<const double> busy, std::span<const double> cores) {
  if (busy.empty() || cores.empty()) return {};
  std::vector<double> held(busy.begin(), busy.end());
  if (which == NodeAttribute::cpu_load) return held;
  if (which != NodeAttribute::cpu_utilisation) return {};
  for (std::size_t c = 0; c < held.size(); ++c) held[c] = cores[c] >= 1 ? held[c] / cores[c] : 0;
  return held;
}

double attribute_of(const NodeState& state, NodeAttribute which) {
  switch (which) {
    case NodeAttribute::cpu_load: return mean_of(state.cpu_load);
    // std::min in this order keeps NaN
    case NodeAttribute::cpu_utilisation: return std::min(mean_of(state.cpu_utilisation), 1.0);
    case NodeAttribute::flow_rate: return mean_of(state.flow_rate_Bps);
    case NodeAttribute::memory_used: {
      const double memory = sane(state.memory_MiB);
      return std::clamp(memory - mean_of(state.memory_available_MiB), 0.0, memory);
    }
    case NodeAttribute::cores: return sane(state.cores);
    case NodeAttribute::frequency: return sane(state.frequency_MHz);
    case NodeAttribute::memory: return sane(state.memory_MiB);
    case NodeAttribute::memory_available: return std::min(mean_of(state.memory_available_MiB), sane(state.memory_MiB));
    case NodeAttribute::users: return mean_of(state.users);
  }
  return unknown_value;
}

// Returns the value below which an attribute is always plausible.
double floor_of(NodeAttribute which) {
  switch (which) {
    case NodeAttribute::cpu_load: return 16;        // processes
    case NodeAttribute::cpu_utilisation: return 1;  // all of the node
    case NodeAttribute::flow_rate: return 125e6;    // a gigabit per second
    case NodeAttribute::users: return 16;
    default: return 0;
  }
}

}  // namespace

double mean_of(const RunningMeans& means) {
  double sum = 0;
  int known = 0;
  for (const double value : {means.minutes_1, means.minutes_5, means.minutes_15}) {
    if (std::isnan(sane(value))) continue;
    sum += value;
    ++known;
  }
  return known > 0 ? sum / known : unknown_value;
}

double load_beyond_slurm(const NodeState& state) {
  const double load = mean_of(state.cpu_load);
  const double of_slurm = mean_of(state.slurm_load);
  return std::isnan(load) ? unknown_value : std::max(0.0, load - (std::isnan(of_slurm) ? 0 : of_slurm) - noise);
}

std::vector<double> loads_beyond_slurm(const LiveState& live, std::span<const std::int32_t> state_of) {
  std::vector<double> loads;
  for (const std::int32_t state : state_of)
    loads.push_back(state < 0 ? unknown_value : load_beyond_slurm(live.nodes[static_cast<std::size_t>(state)]));
  const double bound = believed(loads, floor_of(NodeAttribute::cpu_load));
  return worst_where_unknown(std::move(loads), bound);
}

NodeTable live_attributes(const LiveState& live, std::span<const std::int32_t> state_of, std::span<const double> cores,
                          std::span<const double> busy) {
  NodeTable table;
  table.nodes = static_cast<std::int32_t>(state_of.size());
  for (std::size_t a = 0; a < node_attribute_count; ++a) {
    const auto which = static_cast<NodeAttribute>(a);
    std::vector<double>& column = table.columns[a];
    column.assign(state_of.size(), unknown_value);
    for (std::size_t c = 0; c < state_of.size(); ++c)
      if (state_of[c] >= 0) column[c] = attribute_of(live.nodes[state_of[c]], which);
    if (which == NodeAttribute::cores && !cores.empty())
      column.assign(cores.begin(), cores.end());
    else
      cut_off(column, floor_of(which));
    if (const std::vector<double> held = held_in_units(which, busy, cores); !held.empty()) raise_to_jobs(column, held);
  }
  return table;
}

LiveCoverage live_coverage(const LiveState& live, std::span<const std::int32_t> state_of) {
  LiveCoverage coverage;
  coverage.candidates = static_cast<std::int32_t>(state_of.size());
  for (const std::int32_t index : state_of) {
    if (index < 0) continue;
    const NodeState& state = live.nodes[index];
    if (std::isnan(mean_of(state.cpu_load)) && std::isnan(mean_of(state.cpu_utilisation))) continue;
    ++coverage.reporting;
    if (state.age_s > coverage.oldest_s) coverage.oldest_s = state.age_s;
  }
  return coverage;
}

}  // namespace placement::netload
