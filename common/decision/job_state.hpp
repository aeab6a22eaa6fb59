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

// The part of slurmctld's knowledge that matters for the ranks of a job's steps, at the time when the job's nodes were
// chosen. It travels with the job, because srun has no access to the files of the controller and must place ranks by
// these facts.
struct JobState {
  // The torus; null: the view had none. Nodes that are not the job's are named by their position, such as "@17".
  std::shared_ptr<const TorusTopology> torus;
  std::shared_ptr<const NodeOutages> outages;  // null: the view had neither outages nor live data
  std::shared_ptr<const LiveState> live;       // live data of the job's nodes; null: the view had none
};

// Returns the state of a job as text that fits into an environment variable. `nodes` are the job's nodes, as indices
// into view.nodes. The text holds
// - the coordinates of the job's nodes;
// - the probability of each node of the torus, as routes may cross it, that it fails while a job of `job_seconds` runs
//   (0: the probabilities as they are published; the site's own outages are never converted to the time of the job);
// - the live data of the job's nodes and the network between them, at most 0.4 % lower, as a snapshot.
// When the text would be longer than `max_bytes`, it has less: first fewer digits of other nodes' probabilities, then
// no network and the ages of nodes in steps of 8 s, then even fewer digits, then nothing of other nodes, then no live
// data. After the deadline, the network and the other nodes are left out at once; the work after the deadline then
// takes some ms with thousands of nodes. Returns an empty text when the view has nothing of this, or when nothing fits.
std::string pack_job_state(std::uint32_t job, const ClusterView& view, std::span<const std::int32_t> nodes,
                           double job_seconds, std::size_t max_bytes, const Deadline& deadline);

// Returns the number of the job whose state the text is. Throws Error when the text does not begin with a number.
std::uint32_t job_of_state(std::string_view text);

// Returns the state that pack_job_state() wrote. Users can change the text. Throws Error on a text of another
// form or with values out of range, and takes no more than some MiB of memory for any text.
JobState unpack_job_state(std::string_view text);

// Replaces the torus, the outages and the live data of the view by those of the state, and finds each node of the view
// in them by its name. A node that the state does not have is left without coordinates or data.
void attach_job_state(ClusterView& view, const JobState& state);

}  // namespace placement
