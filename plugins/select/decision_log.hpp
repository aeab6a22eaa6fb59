// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <memory>
#include <string>

#include "common/decision/decision.hpp"
#include "common/decision/decision_ring.hpp"
#include "plugins/select/job_request.hpp"
#include "plugins/select/decide.h"
#include "plugins/select/live_feed.hpp"
#include "plugins/select/machine.hpp"
#include "plugins/select/planner.hpp"

namespace placement {

// Tells decisions to whoever keeps a history, through the ring: first what was decided, then, when Slurm
// has allocated, what became of it.
class DecisionLog {
 public:
  // Opens the ring. Throws Error when that is not possible.
  DecisionLog(const std::string& path, RingReaders readers) : ring_(path, readers) {}

  // What the policy was offered and wanted; a plan that is null means that there is none.
  void decided(const Machine& machine, const placement_offer& offer, const JobRequest& job_request, const LiveNow& live,
               const Plan* plan);
  // Nothing was asked of a policy.
  void forget() { decision_ = {}; }

  // Completes the decision and writes it.
  void tell(const placement_outcome& outcome, const placement_plan& result, Mode mode);

 private:
  DecisionWriter ring_;
  Decision decision_;  // what is known of it so far
};

}  // namespace placement
