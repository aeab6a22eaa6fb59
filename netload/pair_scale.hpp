// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>

#include "common/util/deadline.hpp"
#include "netload/pair_columns.hpp"

namespace placement::netload {

// The scale of the measurements of all pairs [NLA §3], required for NL of any pair. It reads each cell of the table
// once.
struct PairScale {
  // Larger values are limited to these bounds, so an extreme report of one node does not change the scale.
  double latency_bound = 0;
  double bandwidth_bound = 0;

  std::int64_t known_pairs = 0;  // pairs with latency or bandwidth
  double mean_latency_us = 0;
  double worst_latency_us = 0;
  double mean_missing_Bps = 0;  // peak minus available bandwidth
  double peak_Bps = 0;          // the largest bandwidth of a pair
  double least_Bps = 0;         // the least bandwidth of a pair
};

// Returns the scale of all pairs. Throws Error at the deadline.
PairScale measure_pairs(const PairColumns& columns, const Deadline& deadline);

}  // namespace placement::netload
