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

// The data of slurmctld that matter for the ranks of a job's steps, at the time when the job's nodes were chosen. They
// travel with the job, because srun cannot read the files of the controller and must place ranks by these data.
struct JobState {
  // The torus; null: the view had none. Nodes that are not the job's are named by their position, such as "@17".
  std::shared_ptr<const TorusTopology> torus;
  std::shared_ptr<const NodeOutages> outages;  // null: the view had neither outages nor live data
  std::shared_ptr<const LiveState> live;       // live data of the job's nodes; null: the view had none
};

// Returns the state of a job as text of at most `max_bytes` bytes, for an environment variable. `nodes` are the job's
// nodes, as indices into view.nodes. The text has their coordinates, and their live data as a snapshot (network values
// up to 0.4 % too low). It also has the outage probability of every node of the torus during a job of `job_seconds`
// seconds (0: as published). The site's own probabilities are never converted. If the text is too long, it is made
// again with less detail, in the order of `details` in job_state.cpp. After the deadline, the network and the nodes
// outside the job are left out at once. Returns an empty text when the view has nothing to send, or when nothing fits.
std::string pack_job_state(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes,
                           double job_seconds, std::size_t max_bytes, const Deadline& deadline);

// Returns the number of the job to which the state in the text belongs. Throws Error when the text does not begin with
// a number.
std::uint32_t job_of_state(std::string_view text);

// Returns the state that pack_job_state() wrote. Users can change the text. Throws Error on a text of another form or
// with values out of range. No text makes it take more than some MiB of memory.
JobState unpack_job_state(std::string_view text);

// Replaces the torus, the outages and the live data of the view by those of the state. Nodes are matched by name. A
// node that is missing there has no coordinates or live data afterwards.
void attach_job_state(ClusterView& view, const JobState& state);

}  // namespace placement
