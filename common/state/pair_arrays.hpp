// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// The arrays of a PairTable while it is built: from measurements, from a text, or in a test.
struct PairArrays {
  // Makes arrays for `groups` groups, no pair known. `group_of_node` has the group of each node, 0 to groups - 1.
  PairArrays(std::int32_t groups, std::vector<std::int32_t> group_of_node);

  // The values of one cell.
  struct Cell {
    float latency_us = static_cast<float>(unknown_value);
    float bandwidth_Bps = static_cast<float>(unknown_value);
    float peak_bandwidth_Bps = static_cast<float>(unknown_value);
    PairSource source = PairSource::none;
    float age_s = static_cast<float>(unknown_value);
  };
  // Sets the cell of the groups `a` and `b` in both halves of the tables.
  void set(std::int32_t a, std::int32_t b, const Cell& cell);

  // The predictors that give the values of a cell, and their mean absolute errors.
  struct CellForecast {
    Predictor latency = Predictor::none;
    Predictor bandwidth = Predictor::none;
    float latency_error_us = static_cast<float>(unknown_value);
    float bandwidth_error_Bps = static_cast<float>(unknown_value);
  };
  // Sets the forecast of the groups `a` and `b` in both halves of the tables.
  void set_forecast(std::int32_t a, std::int32_t b, const CellForecast& forecast);

  std::int32_t groups = 0;
  std::vector<std::int32_t> group_of_node;
  std::vector<float> latency_us;
  std::vector<float> bandwidth_Bps;
  std::vector<float> peak_bandwidth_Bps;
  std::vector<PairSource> source;
  std::vector<float> age_s;
  std::vector<Predictor> latency_predictor, bandwidth_predictor;  // empty before set_forecast(), as the errors are
  std::vector<float> latency_error_us, bandwidth_error_Bps;
  std::vector<float> node_latency_us;     // empty, or one per node
  std::vector<float> node_bandwidth_Bps;  // empty, or one per node
};

// Returns whether no value of the cell is known.
bool nothing_known(const PairArrays::Cell& cell);

// Returns `count`, the number of pairs by PairSource, as text: "3 measured, 1 modelled, 2 not known", or "none".
std::string shown_sources(std::span<const std::int64_t> count);

// Returns the names of the nodes of each group, in the order of the nodes.
std::vector<std::vector<std::string>> names_of_groups(const LiveState& state);

// Returns the cell of the groups `a` and `b`.
PairArrays::Cell pair_cell(const PairTable& table, std::int32_t a, std::int32_t b);

// Returns the cell of the groups of two nodes, corrected by the values of the nodes. Returns an empty cell if the table
// has no groups. `a` and `b` are indices into the nodes of the LiveState.
PairArrays::Cell node_pair(const PairTable& table, std::int32_t a, std::int32_t b);

// Returns the forecast of the groups `a` and `b`. It is empty when the table has no forecasts.
PairArrays::CellForecast pair_forecast(const PairTable& table, std::int32_t a, std::int32_t b);

// Returns the finished arrays as a table, which owns them.
PairTable pair_table(PairArrays arrays);

}  // namespace placement
