// SPDX-License-Identifier: GPL-2.0-or-later
#include "netload/weights.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "common/util/error.hpp"
#include "common/util/text.hpp"

namespace placement::netload {

namespace {

constexpr double most_weight = 1e6;
constexpr double sum_tolerance = 1e-6;

constexpr std::array<AttributeInfo, node_attribute_count> attributes{{
    {"cpu_load", "cpu_load", false, 0.3},
    {"cpu_utilisation", "cpu_utilisation", false, 0.2},
    {"flow_rate_Bps", "flow_rate_bps", false, 0.2},
    {"memory_used_MiB", "memory_used_mib", false, 0.1},
    {"cores", "cores", true, 0.1},
    {"frequency_MHz", "frequency_mhz", true, 0.05},
    {"memory_MiB", "memory_mib", true, 0.05},
    {"memory_available_MiB", "memory_available_mib", true, 0},
    {"users", "users", false, 0},
}};

}  // namespace

const std::array<AttributeInfo, node_attribute_count>& node_attributes() { return attributes; }

NlaWeights::NlaWeights() {
  for (std::size_t a = 0; a < node_attribute_count; ++a) attribute[a] = attributes[a].weight;
}

double fraction_parameter(const Parameters& parameters, std::string_view key, double otherwise, double most) {
  const auto found = parameters.find(std::string(key));
  if (found == parameters.end()) return otherwise;
  const std::string& text = found->second;
  const std::optional<double> value = parse_real(text);
  if (!value || *value < 0 || *value > most)
    throw Error(std::string(key) + "=" + shown(text) + ": expected a number from 0 to " + exact_number(most));
  return *value;
}

NlaWeights nla_weights(const Parameters& parameters) {
  NlaWeights weights;
  const bool alpha = parameters.contains("alpha");
  const bool beta = parameters.contains("beta");
  weights.alpha = fraction_parameter(parameters, "alpha", weights.alpha, 1);
  weights.beta = fraction_parameter(parameters, "beta", weights.beta, 1);
  if (alpha && !beta) weights.beta = 1 - weights.alpha;
  if (beta && !alpha) weights.alpha = 1 - weights.beta;
  if (std::abs(weights.alpha + weights.beta - 1) > sum_tolerance)
    throw Error("alpha=" + exact_number(weights.alpha) + " and beta=" + exact_number(weights.beta) + " add up to " +
                exact_number(std::round(1e9 * (weights.alpha + weights.beta)) / 1e9) + ": they must add up to 1");
  weights.latency = fraction_parameter(parameters, "latency", weights.latency, most_weight);
  weights.bandwidth = fraction_parameter(parameters, "bandwidth", weights.bandwidth, most_weight);
  for (std::size_t a = 0; a < node_attribute_count; ++a)
    weights.attribute[a] = fraction_parameter(parameters, attributes[a].key, weights.attribute[a], most_weight);
  return weights;
}

}  // namespace placement::netload
