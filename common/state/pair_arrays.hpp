// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/state/live_state.hpp"

namespace placement {

// A PairTable under construction, for who measures, reads a text, or tests.
struct PairArrays {
  // Nothing is known of any pair; each node is in the group given.
  PairArrays(std::int32_t groups, std::vector<std::int32_t> group_of_node);

  // Both halves of the table.
  struct Cell {
    float latency_us = static_cast<float>(unknown_value);
    float bandwidth_Bps = static_cast<float>(unknown_value);
    float peak_bandwidth_Bps = static_cast<float>(unknown_value);
    PairSource source = PairSource::none;
    float age_s = static_cast<float>(unknown_value);
  };
  void set(std::int32_t a, std::int32_t b, const Cell& cell);

  // The predictors behind a cell's values, and their errors.
  struct CellForecast {
    Predictor latency = Predictor::none;
    Predictor bandwidth = Predictor::none;
    float latency_error_us = static_cast<float>(unknown_value);
    float bandwidth_error_Bps = static_cast<float>(unknown_value);
  };
  void set_forecast(std::int32_t a, std::int32_t b, const CellForecast& forecast);

  std::int32_t groups = 0;
  std::vector<std::int32_t> group_of_node;
  std::vector<float> latency_us;
  std::vector<float> bandwidth_Bps;
  std::vector<float> peak_bandwidth_Bps;
  std::vector<PairSource> source;
  std::vector<float> age_s;
  std::vector<Predictor> latency_predictor, bandwidth_predictor;  // these four empty before the first set_forecast()
  std::vector<float> latency_error_us, bandwidth_error_Bps;
  std::vector<float> node_latency_us;     // empty, or one per node
  std::vector<float> node_bandwidth_Bps;  // likewise
};

// One cell of a table.
PairArrays::Cell pair_cell(const PairTable& table, std::int32_t a, std::int32_t b);

// Nothing in it where the table has no forecasts.
PairArrays::CellForecast pair_forecast(const PairTable& table, std::int32_t a, std::int32_t b);

// The finished arrays as a table that keeps them.
PairTable pair_table(PairArrays arrays);

}  // namespace placement
