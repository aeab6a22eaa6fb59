// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/compute_load.hpp"

#include <algorithm>
#include <cmath>

#include "common/state/live_state.hpp"

namespace placement::netload {

namespace {

constexpr double most_cores = 1 << 24;

// Adds the weighted, normalised values of one attribute to the load of each node.
void add_attribute(const std::vector<double>& column, bool maximise, double weight, std::vector<double>& load) {
  double largest = 0;
  for (const double value : column)
    if (value > largest) largest = value;
  if (!(largest > 0)) return;  // the sum is 0, or no value is known
  // Values are divided by the largest one, so that no sum overflows.
  double sum = 0;
  double least = 1;
  std::size_t known = 0;
  for (const double value : column) {
    if (std::isnan(value)) continue;
    sum += value / largest;
    least = std::min(least, value / largest);
    ++known;
  }
  if (known < column.size()) sum *= static_cast<double>(column.size()) / static_cast<double>(known);
  const double worst = maximise ? least : 1;
  for (std::size_t n = 0; n < column.size(); ++n) {
    const double share = (std::isnan(column[n]) ? worst : column[n] / largest) / sum;
    load[n] += weight * (maximise ? 1 / sum - share : share);
  }
}

// Replaces unknown values by the worst known value, or by 1 if no value is known.
std::vector<double> worst_or_one(std::vector<double> values) {
  values = worst_where_unknown(std::move(values));
  for (double& value : values)
    if (std::isnan(value)) value = 1;
  return values;
}

}  // namespace

std::vector<double> compute_load(const NodeTable& table, const NlaWeights& weights) {
  std::vector<double> load(table.nodes, 0.0);
  for (std::size_t a = 0; a < node_attribute_count; ++a)
    if (weights.attribute[a] > 0 && !table.columns[a].empty())
      add_attribute(table.columns[a], node_attributes()[a].maximise, weights.attribute[a], load);
  return load;
}

std::vector<double> worst_where_unknown(std::vector<double> values, double bound) {
  double worst = unknown_value;
  for (const double value : values)
    if (!std::isnan(value) && !(value <= worst)) worst = value;
  for (double& value : values)
    if (std::isnan(value)) value = std::min(worst, bound);
  return values;
}

std::int32_t effective_processors(double cores, double load, std::int32_t least, ProcessorFormula formula) {
  if (!(cores >= 1)) return least;
  cores = std::min(std::floor(cores), most_cores);
  const double busy = load > 0 ? std::ceil(load) : 0;
  const double left = formula == ProcessorFormula::printed ? cores - std::fmod(busy, cores) : cores - busy;
  return static_cast<std::int32_t>(std::max(left, static_cast<double>(least)));
}

std::vector<double> slowdown_of_nodes(const NodeTable& table, std::span<const double> cores,
                                      std::span<const double> load, std::span<const std::int32_t> processors) {
  const std::vector<double>& frequency = table[NodeAttribute::frequency];
  std::vector<double> clock(processors.size(), NAN), crowd(processors.size(), NAN);
  for (std::size_t n = 0; n < processors.size(); ++n) {
    if (n < frequency.size() && frequency[n] > 0) clock[n] = 1 / frequency[n];
    if (n < cores.size() && n < load.size() && cores[n] > 0 && !std::isnan(load[n]))
      crowd[n] = std::max(1.0, (load[n] + std::max(processors[n], 1)) / cores[n]);
  }
  clock = worst_or_one(std::move(clock));
  crowd = worst_or_one(std::move(crowd));
  for (std::size_t n = 0; n < clock.size(); ++n) clock[n] *= crowd[n];
  return clock;
}

}  // namespace placement::netload
