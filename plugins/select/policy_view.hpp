// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "common/topology/cluster_view.hpp"
#include "plugins/select/candidate_nodes.hpp"
#include "plugins/select/decide.h"
#include "plugins/select/live_feed.hpp"
#include "plugins/select/machine.hpp"

namespace placement {

// The nodes of an offer (indices into it) as a policy sees them, with leaves_per_core leaves for each core, all of
// them free.
ClusterView view_of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                    std::span<const std::uint32_t> nodes, std::uint32_t leaves_per_core);

// The view of one decision is kept for the next one, which mostly differs by the nodes that a job got in between: only
// nodes whose free cores changed are filled in anew.
class PolicyViews {
 public:
  // The candidates with the leaves that tasks may be planned on. Valid until the next call.
  const ClusterView& of(const Machine& machine, const LiveNow& live, const placement_offer& offer,
                        const CandidateNodes& candidates);

 private:
  void change_nodes(const Machine& machine, const placement_offer& offer, const CandidateNodes& candidates);
  void change_cores(const CandidateNodes& candidates);

  const Machine* machine_ = nullptr;
  std::uint32_t leaves_per_core_ = 0;
  std::vector<std::int32_t> node_;                // of the machine, for each node of the view
  std::vector<std::vector<std::uint8_t>> cores_;  // from which core_free of each node of the view was filled
  ClusterView view_;
};

}  // namespace placement
