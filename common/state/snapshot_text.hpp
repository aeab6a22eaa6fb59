// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/state/live_state.hpp"

namespace placement {

// A LiveState as a text to read, edit and keep as a test case. Fields are apart by one tab, "-" is what is
// not known, numbers have just the digits that give the same number again, '#' starts a comment line:
//
//   slurm-placement-snapshot  1 or 2
//   published                 1700000000              seconds since 1970
//   outage-horizon            86400                   seconds; the line may be missing
//   node-columns              name  liveness  cpu_load_1  ..
//   node                      n1    up        0.5     ..
//   group                     0     n[1-4]            nodes of a group of pairs, "-" none; from 0 up
//   pair                      0  1  LATENCY_US  BANDWIDTH_BPS  PEAK_BANDWIDTH_BPS  SOURCE  AGE_S
//   node-network              n1    LATENCY_US  BANDWIDTH_BPS
//   forecast                  0  1  PREDICTOR  LATENCY_ERROR_US  PREDICTOR  BANDWIDTH_ERROR_BPS
//   estimators                NODE_HOURS  OUTAGES  SENTENCE
//   estimator                 beta  USE  LOG_LOSS  ADVANTAGE  ERROR  FORETOLD    USE: used,wanted or one of them or "-"
//   calibration               beta  WEIGHT/FORETOLD/SEEN  ..                     calibration_bins of these
//
// A text with any of the last four is version 2.
// node-columns may leave out and reorder any column but `name`; what is left out is not known. A pair
// of which nothing is known needs no line. Names of columns are those of common/state/node_fields.hpp.

// The text of a state that check_live_state() takes; the same state gives the same text.
std::string format_snapshot(const LiveState& state);

// The state again, exactly. Throws Error "name:line: ..", or "name: .." for what check_live_state() refuses.
LiveState parse_snapshot(std::string_view text, const std::string& name);

}  // namespace placement
