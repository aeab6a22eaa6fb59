// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/state/live_state.hpp"

namespace placement::tools {

// The JSON of a LiveState, for people, for tools like jq, and for test cases. tools/input/snapshot_json_read.hpp reads
// it. Each node, group and pair has a line. Units are in the names; null is what is not known. A number has
// the fewest digits from which it can be read back exactly.
//
//   {"slurm-placement-snapshot": 3,       1 and 2 are the versions of the text that was written before
//    "published_at_s": 1700000000,        seconds since 1970
//    "outage_horizon_s": 86400,
//    "nodes": [{"name": "n1", "liveness": "up", "outages": 0, ..}, ..],    the names of common/state/node_fields.hpp
//    "groups": ["n1", "n[2-4]", ..],      the nodes of each group, which is numbered from 0 by its place in this list
//    "pairs": [{"groups": [0, 1], "latency_us": 50, "bandwidth_Bps": 1e+08, "peak_bandwidth_Bps": 1.25e+08,
//               "source": "measured", "age_s": 30}, ..]}
//
// A node has network_latency_us or network_bandwidth_Bps when the nodes add something to their pairs. A pair has
// latency_predictor, latency_error_us, bandwidth_predictor and bandwidth_error_Bps when values are forecasts. A pair of
// which nothing is known is left out.
inline constexpr const char* snapshot_json_version_name = "slurm-placement-snapshot";
inline constexpr int snapshot_json_version = 3;

// Returns the JSON of a state; equal states give equal texts. Throws Error on a state that check_live_state() refuses.
std::string format_snapshot_json(const LiveState& state);

}  // namespace placement::tools
