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

// The data with which slurmctld chose the nodes of a job. They travel with the job, because srun cannot read the
// controller's files and must place the ranks of the job's steps with equal data.
struct JobState {
  // The torus; null: the view had none. Nodes that are not the job's are named by their position, such as "@17".
  std::shared_ptr<const TorusTopology> torus;
  std::shared_ptr<const NodeOutages> outages;  // null: the view had neither outages nor live data
  std::shared_ptr<const LiveState> live;       // live data of the job's nodes; null: the view had none
};

// Returns the state of a job as text of at most `max_bytes` bytes, for an environment variable. `nodes` are the job's
// nodes, as indices into view.nodes. The text has their coordinates, and their live data as a snapshot (network values
// up to 0.4 % too low). It also has the outage probability of every node of the torus. Probabilities from the snapshot
// are converted to a job of `job_seconds` seconds (0: not converted); those from OutageFile are not. A text that is too
// long gets less detail, in the order of `details` in job_state.cpp. After the deadline, the network and the nodes
// outside the job are omitted. Returns an empty text when there is nothing to send, or nothing fits.
std::string pack_job_state(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes,
                           double job_seconds, std::size_t max_bytes, const Deadline& deadline);

// Returns the number of the job of this state. Throws Error when the text does not start with a number.
std::uint32_t job_of_state(std::string_view text);

// Returns the state from a text of pack_job_state(). Users can change the text. Throws Error for a text of another form
// or with values out of range. Needs at most some MiB of memory for any text.
JobState unpack_job_state(std::string_view text);

// Replaces the torus, the outages and the live data of the view by those of the state. Nodes are matched by name. A
// node that is missing from the state then has no coordinates or live data.
void attach_job_state(ClusterView& view, const JobState& state);

}  // namespace placement
