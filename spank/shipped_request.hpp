// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spank/options.hpp"

namespace placement {

// A wish on its way from the submitting command, through Slurm's job control environment, to
// slurmctld and to every srun of the job. Names are those of the variables there; in the
// environment of a batch script or of salloc's shell Slurm puts SLURM_SPANK_ before them.
struct ShippedRequest {
  std::vector<std::pair<std::string, std::string>> variables;  // each below 128 KiB, 1 MiB in all
  std::string note;  // for the user: what the matrix lost on the way; mostly empty
};

inline constexpr const char* job_environment_prefix = "SLURM_SPANK_";

// `component` is that of a heterogeneous job, 0 in any other. A matrix that is too large is packed
// as one of groups of ranks, of `ranks_per_node` or a multiple of that (below 2: of some size).
ShippedRequest pack_request(const PlacementRequest& placement_request, std::int32_t component, std::int32_t ranks_per_node);

struct ReceivedRequest {
  PlacementRequest placement_request;
  std::int32_t component = 0;
};

// The parcel in an environment; nothing when there is none. A matrix of groups comes back as one of
// ranks, expanded as by expand_groups. Throws Error when it is damaged.
using Getenv = std::function<const char*(const std::string& name)>;
std::optional<ReceivedRequest> unpack_request(const Getenv& get);

// Every name that a parcel may use, whether this one does or not.
std::vector<std::string> request_variable_names();

}  // namespace placement
