// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "tools/map_run.hpp"

namespace placement {

// A mapping in the forms that `placectl map` prints.

// "rank node cores" lines, cores numbered within the node and apart by commas; "-" where ranks
// share cores.
std::string format_places(const ClusterView& view, const std::vector<RankPlace>& places);

// Hop-bytes, busiest link, abort probability and expected time, in lines; job_seconds 0: not known.
std::string format_assessment(const Assessment& assessment, double job_seconds);

// What it costs, beside the baselines, and what it took: for people.
std::string format_summary(const MapTask& task, const MapOutcome& outcome);

// All of it for programs; the mapping itself only when it is wanted.
std::string format_json(const MapTask& task, const MapOutcome& outcome, bool with_mapping);

}  // namespace placement
