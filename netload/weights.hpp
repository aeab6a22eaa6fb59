// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/policy/policy.hpp"

namespace placement::netload {

// The attributes of a node [NLA §1]. The order is that of node_attributes().
enum class NodeAttribute : std::uint8_t {
  cpu_load,
  cpu_utilisation,
  flow_rate,
  memory_used,
  cores,
  frequency,
  memory,
  memory_available,
  users,
};
inline constexpr std::size_t node_attribute_count = 9;

// Name, direction and default weight of an attribute.
struct AttributeInfo {
  std::string_view name;  // in tables and reports
  std::string_view key;   // parameter of the policy for the weight: the name in lower case
  bool maximise;          // true: a larger value is better
  double weight;          // the paper's weight; 0 for an attribute that the paper does not use [NLA §2]
};

// Returns the table of all attributes.
const std::array<AttributeInfo, node_attribute_count>& node_attributes();

// The weights of NLA. An attribute that is unknown for all nodes contributes 0; the other weights do not change.
struct NlaWeights {
  double alpha = 0.3;       // weight of the compute load; alpha + beta = 1 [NLA §6]
  double beta = 0.7;        // weight of the network load
  double latency = 0.25;    // weight of the latency within the network load [NLA §3]
  double bandwidth = 0.75;  // weight of the missing bandwidth within the network load
  std::array<double, node_attribute_count> attribute{};

  NlaWeights();
  double of(NodeAttribute which) const { return attribute[static_cast<std::size_t>(which)]; }
};

// Returns the paper's weights, changed by the parameters alpha, beta, latency, bandwidth and the keys of attributes.
// Other parameters are ignored. When only one of alpha and beta is given, the other is 1 minus it. Throws Error when a
// value is not a number of 0 or more, alpha or beta is above 1, or their sum is not 1.
NlaWeights nla_weights(const Parameters& parameters);

// Returns the parameter `key` as a number from 0 to `most`, fractions allowed; `otherwise` if it is not given. Throws
// Error when the value is not a number in this range.
double fraction_parameter(const Parameters& parameters, std::string_view key, double otherwise, double most);

// The shares (0..1) of a job's run time that communication may take, on the best nodes.
struct ShareRange {
  double least = 0.05;
  double most = 0.95;
};

}  // namespace placement::netload
