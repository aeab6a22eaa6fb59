// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/cluster_view.hpp"

namespace placement {

// The variable of the job's environment in which it travels.
inline constexpr const char* job_state_variable = "PLACEMENT_STATE";

// What slurmctld knew when it chose a job's nodes, as far as the ranks of its steps are concerned. It
// travels with the job, so that srun places ranks by the same facts without a way to the controller's files.
struct JobState {
  std::shared_ptr<const TorusTopology> torus;  // null: the view had none
  std::shared_ptr<const NodeOutages> outages;  // null: the view had neither outages nor live data
  std::shared_ptr<const LiveState> live;       // of the job's nodes; null: the view had none
};

// The state as text that fits one environment variable: the coordinates and outage probabilities of
// the job's nodes, of those likelier to fail than most (routes may cross them) and of as many ordinary ones to
// hold these against, and the network between the job's nodes, to three digits. `nodes` are indices into view.nodes. What does not fit into
// max_bytes is left out, first the network, then other nodes than the job's; empty when there is nothing
// to tell or not even that fits.
std::string pack_job_state(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes,
                           std::size_t max_bytes);

// The number of the job that the text is for. Throws Error when it tells none.
std::uint32_t job_of_state(std::string_view text);

// Throws Error on whatever pack_job_state() would not have written, before memory beyond some MiB is spent.
JobState unpack_job_state(std::string_view text);

// Gives the view the state: nodes are found by their names. Those that the state does not have stay
// without coordinates or data.
void attach_job_state(ClusterView& view, const JobState& state);

}  // namespace placement
