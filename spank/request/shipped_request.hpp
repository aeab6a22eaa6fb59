// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spank/request/options.hpp"

namespace placement::spank {

// A request as variables of Slurm's job control environment (common/decision/job_variables.hpp).
struct ShippedRequest {
  std::vector<std::pair<std::string, std::string>> variables;  // name and value; each below 128 KiB, 1 MiB in all
  std::string note;  // for the user, if only a sample of the pairs or no matrix is sent; mostly empty
};

// Returns the request as variables. `component` is the component of a heterogeneous job, and 0 for any other job. A
// sample of the pairs is sent if the matrix has more than 200,000 pairs, exceeds 1 MiB, or exceeds the room that the
// environment of this process, `taken` bytes of earlier components and the stack's limit leave. Without room for a
// sample, the matrix is not sent. Equal matrices give equal samples. Throws Error if no sample is below 1 MiB, as with
// more than 100,000 ranks.
ShippedRequest pack_request(const PlacementRequest& placement_request, std::int32_t component, std::size_t taken = 0);

// Returns the value of a variable of the job control environment, or null.
using Getenv = std::function<const char*(const std::string& name)>;

// Returns the shipped request in an environment; nothing if there is none, or if it does not fit the job. `get` looks
// up a variable by its name without SLURM_SPANK_. Throws Error if the request is damaged or of another version.
std::optional<PlacementRequest> unpack_request(const Getenv& get);

// Returns the names of all variables that any shipped request may have.
std::vector<std::string> request_variable_names();

}  // namespace placement::spank
