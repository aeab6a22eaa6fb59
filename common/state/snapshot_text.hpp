// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "common/state/live_state.hpp"

namespace placement {

// Reads a LiveState from a text: that of placectl export before it wrote JSON, which is read for one more release, and
// that of a job's state (common/decision/job_live_text.hpp). Fields are separated by one tab, and "-" stands for a
// value that is not known. '#' starts a comment line.
//
//   slurm-placement-snapshot  1 or 2
//   published                 1700000000              seconds since 1970
//   outage-horizon            86400                   seconds; the line may be missing
//   node-columns              name  liveness  cpu_load_1  ..
//   node                      n1    up        0.5     ..
//   group                     0     n[1-4]            the nodes of a group, "-": none; groups are numbered from 0
//   pair                      0  1  LATENCY_US  BANDWIDTH_BPS  PEAK_BANDWIDTH_BPS  SOURCE  AGE_S
//   node-network-columns      name  latency_us  bandwidth_Bps     one or both of the values
//   node-network              n1    LATENCY_US  BANDWIDTH_BPS
//   forecast                  0  1  PREDICTOR  LATENCY_ERROR_US  PREDICTOR  BANDWIDTH_ERROR_BPS
//
// A text with a forecast line is version 2. The first column of node-columns is
// `name`. Other columns may be in any order or missing; their values are then not known. A pair of which nothing is
// known needs no line. Other names of columns are liveness, outages and those of common/state/node_fields.hpp.

// Returns exactly the state of which `text` is the text. `name` is the name of the file in errors. Throws Error
// "name:line: .." when a line is wrong, and "name: .." when check_live_state() refuses the state.
LiveState parse_snapshot(std::string_view text, const std::string& name);

}  // namespace placement
