// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/slowdown.hpp"

#include <algorithm>
#include <cmath>

#include "netload/profile_weights.hpp"

namespace placement::netload {

namespace {

constexpr double share_error = 0.1;  // of a profile's share of communication

// Replaces unknown values by the worst known value, or by 1 if no value is known.
std::vector<double> worst_or_one(std::vector<double> values) {
  values = worst_where_unknown(std::move(values));
  for (double& value : values)
    if (std::isnan(value)) value = 1;
  return values;
}

}  // namespace

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

std::optional<ShareRange> share_range(const Parameters& parameters, const TypicalLink& link) {
  if (parameters.contains("alpha") || parameters.contains("beta")) return std::nullopt;
  ShareRange range;
  if (const auto use = parameters.find("network-use"); use != parameters.end()) {
    const double share = network_share(parse_network_use(use->second), link);
    range = {std::max(share - share_error, 0.0), std::min(share + share_error, 1.0)};
  }
  return range;
}

}  // namespace placement::netload
