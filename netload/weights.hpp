// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/policy/policy.hpp"

namespace placement {

// What may be known of a node [NLA §1]. The order is that of the table below.
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

struct AttributeInfo {
  std::string_view name;  // in tables and reports; in lower case the key of the policy that sets its weight
  std::string_view key;
  bool maximise;          // the more the better
  double weight;          // the paper's, 0 for what it does not use [NLA §2]
};

const std::array<AttributeInfo, node_attribute_count>& node_attributes();

// What counts how much. Attributes that nobody knows count nothing, and the others not more for it.
struct NlaWeights {
  double alpha = 0.3;       // of compute load; alpha + beta = 1 [NLA §6]
  double beta = 0.7;        // of network load
  double latency = 0.25;    // [NLA §3]
  double bandwidth = 0.75;
  std::array<double, node_attribute_count> attribute{};

  NlaWeights();
  double of(NodeAttribute which) const { return attribute[static_cast<std::size_t>(which)]; }
};

// The parameters alpha, beta, latency, bandwidth and those named as attributes, on top of the paper's
// weights; others are passed over. Of alpha and beta one is enough. Throws Error on what is no number of
// 0 or more, an alpha or beta above 1, or both when they do not add up to 1.
NlaWeights nla_weights(const Parameters& parameters);

// A parameter as a number from 0 to `most`, fractions allowed. Throws Error that says so.
double fraction_parameter(const Parameters& parameters, std::string_view key, double otherwise, double most);

}  // namespace placement
