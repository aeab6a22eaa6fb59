// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "common/policy/policy_spec.hpp"
#include "common/state/controller_state.hpp"
#include "common/topology/cluster_view.hpp"
#include "common/topology/step_view.hpp"
#include "spank/request/options.hpp"
#include "spank/step/step_ranks.hpp"

namespace placement::spank {

// The Slurm allocation in which this process runs, described as a step that has all tasks of the allocation.
struct Allocation {
  StepShape step;                   // its cores_per_task are CPUs
  ClusterView view;                 // the nodes of the step; the free cores are those of the job
  ControllerState controller;       // with the mode of the partition
  std::string configuration;        // the output of "scontrol show config"
  bool has_returned_nodes = false;  // the job has returned nodes, so variables of this process are outdated
};

// Returns the allocation of this process, from the environment that Slurm gives to a job and from slurmctld, without
// nodes that the job has returned to Slurm. `component`, from 0, is required for a heterogeneous job and not allowed
// for other jobs. If `kept` has nodes, the allocation is that of the job after it has returned all others. Throws Error
// if this process has no allocation, if `component` does not fit, or if slurmctld does not answer.
Allocation current_allocation(std::optional<std::uint32_t> component = {}, const std::set<std::string>& kept = {});

// Returns the variable `name` that slurmctld has set for the job, or for its component `component` if that has its own.
std::string variable_of_job(const char* name, std::optional<std::uint32_t> component);

// Adds the state of the cluster by which slurmctld chose the job's nodes (PLACEMENT_STATE) to the view, and the planned
// ranks (PLACEMENT_RANKS) to the step. A variable that is not set, or belongs to another job, is ignored. Returns a
// message for the user if a variable cannot be read; else an empty string.
std::string take_plan_of_job(StepShape& step, ClusterView& view, std::optional<std::uint32_t> component = {});

// Returns the request that the job, or its component `component`, was submitted with; nothing if it asked for no
// policy. Throws Error if the shipped request is damaged.
std::optional<PlacementRequest> request_of_allocation(std::optional<std::uint32_t> component = {});

// Returns the step with the cores that Slurm gives to each task. In `step`, cores_per_task counts CPUs instead.
StepShape with_cores(StepShape step, const ClusterView& view);

// Returns the placement of the allocation's ranks by place_step(), as in srun, by the matrix or the pattern of the
// request. Throws Error if the matrix has another number of ranks than the allocation has tasks, or if the policy
// fails.
StepPlacement place_in(const Allocation& allocation, PlacementRequest placement_request,
                       const MapLength& map_length = nullptr);

// Adds the state of `nodes` to the view, if the policy uses live data and the view has no torus, live data or outage
// probabilities. slurmctld sends them only with a job whose own policy uses them. Asks placement-monitor on each
// controller for up to 2 s; `controller` has its address. Returns an empty text, or the reason why the policy has only
// Slurm's topology.
std::string add_missing_state(const PolicySpec& spec, ClusterView& view, std::uint32_t job,
                              std::span<const std::string> nodes, const ControllerState& controller);

}  // namespace placement::spank
