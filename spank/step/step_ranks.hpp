// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.hpp"
#include "common/topology/step_view.hpp"
#include "spank/request/options.hpp"

namespace placement::spank {

// The placement of the ranks of a step on its nodes and cores. The base class Placement holds the policy's answer.
struct StepPlacement : Placement {
  std::vector<std::vector<std::uint32_t>> ranks_of_node;  // of each node, ascending, as pmix and pmi2 need them
  std::vector<std::int32_t> slot_of_rank;                 // as in BindPlan; empty if tasks share hardware threads
  std::vector<std::vector<std::int32_t>> cores_of_rank;  // cores within the node; empty if tasks share hardware threads
  bool whole_cores = true;                               // false: tasks have hardware threads, and may share a core
  // Hop-bytes of the order that the policy prefers, if MPI cannot read its map; see MapLength.
  std::optional<Cost> cost_of_best_order;
  // ln(m / p): the policy's objective is m for this placement, and p for the order that the policy prefers. Nothing if
  // the policy compares by hop-bytes, or if MPI can read the map of that order.
  std::optional<double> worse_by;
};

// Returns the length of the map of ranks that MPI reads (process_map.hpp), divided by the largest length that MPI can
// read. A null function stands for an MPI that can read all maps.
using MapLength = std::function<double(const std::vector<std::vector<std::uint32_t>>& ranks_of_node)>;

// Limit of a policy's processor time, because srun and the nodes wait for its answer. The wall time is up to
// Deadline::wall_factor times as long. Policies limit their own work; this deadline is for an overloaded machine.
inline constexpr std::chrono::seconds policy_patience{4};

// Returns by how much the placement is worse than the order that the policy prefers, such as ", 12 % worse for the
// objective of NLA". Returns an empty text if the policy compares by hop-bytes.
std::string worse_text(const StepPlacement& placement, const std::string& policy);

// Returns the placement of the step's ranks by the policy of the request. `view` has the nodes of the step, in the
// step's order. The policy gets a deadline of policy_patience. Throws Error if the policy fails, or if its answer does
// not fit the step. If MPI cannot read the map of the placement, the result is the best order that was found with a
// shorter map (doc/mpi.md); if none fits, all ranks are in natural order.
StepPlacement place_step(const PlacementRequest& placement_request, const StepShape& step, const ClusterView& view,
                         const MapLength& map_length = nullptr);

}  // namespace placement::spank
