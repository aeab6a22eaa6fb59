// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "tools/map/map_run.hpp"
#include "tools/map/node_gpus.hpp"

namespace placement::tools {

// The output formats of `placectl map`.

// Returns lines "rank node cores". Cores are numbered within the node and separated by commas; "-" means that ranks
// share cores.
std::string format_places(const ClusterView& view, const std::vector<RankPlace>& places);

// Returns lines with hop-bytes, busiest link, abort probability and expected time. `job_seconds` is the run time; 0:
// not known.
std::string format_assessment(const tofa::Assessment& assessment, double job_seconds);

// Returns a summary for people: the cost, compared with the baselines, and the time of the decision.
std::string format_summary(const MapTask& task, const MapOutcome& outcome);

// Returns all results as JSON. The mapping itself is included only if `with_mapping` is set. `gpu` and `gpus` are null,
// or say how ranks have the GPUs of their nodes.
std::string format_json(const MapTask& task, const MapOutcome& outcome, bool with_mapping, const GpuTask* gpu = nullptr,
                        const GpuOutcome* gpus = nullptr);

}  // namespace placement::tools
