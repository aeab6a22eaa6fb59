// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>

#include "common/decision/decision.hpp"
#include "common/decision/decision_ring.hpp"
#include "plugins/planning/job_request.hpp"
#include "plugins/planning/decide.h"
#include "plugins/planning/live_feed.hpp"
#include "plugins/planning/machine.hpp"
#include "plugins/planning/planner.hpp"

namespace placement::planning {

// Writes decision records to the ring, from which placement-monitor and placectl read them. decided() notes the
// choice of the policy. tell() adds the outcome, once Slurm has allocated, and writes the record.
class DecisionLog {
 public:
  // Opens the ring at `path`, and makes it if it does not exist; `readers` may read it. Throws Error if that fails.
  DecisionLog(const std::string& path, RingReaders readers) : ring_(path, readers) {}

  // Returns where the ring is.
  const std::string& path() const { return ring_.path(); }

  // Starts a record with what the policy was offered and what it chose. `plan` is null if the policy made no plan.
  void decided(const Machine& machine, const placement_offer& offer, const JobRequest& job_request, const LiveNow& live,
               const Plan* plan);
  // Drops the record that decided() started, so that the next tell() says nothing of a policy's choice.
  void forget() { decision_ = {}; }

  // Completes the record with the outcome and its plan; writes it and forgets it.
  void tell(const placement_outcome& outcome, Mode mode);

 private:
  DecisionWriter ring_;
  Decision decision_;  // the record that decided() started
};

}  // namespace placement::planning
