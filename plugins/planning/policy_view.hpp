// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/policy/config.hpp"
#include "common/policy/policy.hpp"
#include "common/topology/cluster_view.hpp"
#include "plugins/planning/candidate_nodes.hpp"
#include "plugins/planning/decision_types.h"
#include "plugins/planning/job_request.hpp"
#include "plugins/planning/live_feed.hpp"
#include "plugins/planning/machine.hpp"

// The input of a policy: the job's request, and the view of the nodes that the job may have.

namespace placement::planning {

// Returns the smaller of `value` and the largest int32_t.
std::int32_t clamped(std::uint64_t value);

// Returns the job's request as its policy takes it. The job's own parameters come first. Parameters that it does not
// give are taken from the policy of its partition, then from the site's configuration.
Request policy_request(const CandidateNodes& candidates, const placement_request& request,
                       const JobRequest& job_request, const Config& config);

// Returns the view of `nodes`, indices into the offer, with `leaves_per_core` leaves per core, all free.
ClusterView view_of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                    std::span<const std::uint32_t> nodes, std::uint32_t leaves_per_core);

// Keeps the view of one decision for the next one. The next view mostly differs by the nodes that a job got in between,
// so only nodes whose free cores changed are filled in again.
class PolicyViews {
 public:
  // Returns the view of the nodes of `candidates`; a leaf is free if tasks may be planned on it. The reference is valid
  // until the next call. After an exception nothing is kept.
  const ClusterView& of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                        const CandidateNodes& candidates);

 private:
  void change_nodes(const Machine& machine, const placement_offer& offer, const CandidateNodes& candidates);
  void change_cores(const CandidateNodes& candidates);

  const Machine* machine_ = nullptr;
  std::uint32_t leaves_per_core_ = 0;
  std::vector<std::int32_t> node_;                // for each node of the view, its index in the machine
  std::vector<std::vector<std::uint8_t>> cores_;  // for each node of the view, the free cores from which it was filled
  ClusterView view_;
};

}  // namespace placement::planning
