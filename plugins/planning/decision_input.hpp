// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "plugins/planning/decide.h"
#include "plugins/planning/job_request.hpp"
#include "plugins/planning/live_feed.hpp"
#include "plugins/planning/machine.hpp"

namespace placement::planning {

// What one decision goes by. All of it must outlive the object.
struct DecisionInput {
  const Machine& machine;
  const LiveNow& live;
  const placement_offer& offer;
  const placement_request& request;
  const JobRequest& job_request;
  const Config& config;
};

}  // namespace placement::planning
