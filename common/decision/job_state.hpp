// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/topology/cluster_view.hpp"
#include "common/util/deadline.hpp"

namespace placement {

// The variable of the job's environment in which it travels.
inline constexpr const char* job_state_variable = "PLACEMENT_STATE";

// What slurmctld knew when it chose a job's nodes, as far as the ranks of its steps are concerned. It
// travels with the job, so that srun places ranks by the same facts without a way to the controller's files.
struct JobState {
  // Null: the view had none. Nodes that are not the job's are called by their position, as "@17".
  std::shared_ptr<const TorusTopology> torus;
  std::shared_ptr<const NodeOutages> outages;  // null: the view had neither outages nor live data
  std::shared_ptr<const LiveState> live;       // of the job's nodes; null: the view had none
};

// The state as text that fits one environment variable: the coordinates of the job's nodes, the probability that
// each node of the torus fails while a job of job_seconds runs (0: as they are published), because routes may cross
// it, and the network between the job's nodes, to three digits. `nodes` are indices into view.nodes. What does not
// fit into max_bytes is left out: first digits of other nodes' probabilities, then the network, then all of the other
// nodes, then what is live of the job's own. Of a job that is late these are left out at once, so that what is done
// after the deadline takes some ms with thousands of nodes. Empty when there is nothing to tell or nothing fits.
std::string pack_job_state(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes,
                           double job_seconds, std::size_t max_bytes, const Deadline& deadline);

// The number of the job that the text is for. Throws Error when it tells none.
std::uint32_t job_of_state(std::string_view text);

// Throws Error on whatever pack_job_state() would not have written, before memory beyond some MiB is spent.
JobState unpack_job_state(std::string_view text);

// Gives the view the state: nodes are found by their names. Those that the state does not have stay
// without coordinates or data.
void attach_job_state(ClusterView& view, const JobState& state);

}  // namespace placement
