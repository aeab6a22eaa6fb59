// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "common/policy/config.hpp"
#include "plugins/select/decide.h"
#include "plugins/select/job_request.hpp"
#include "plugins/select/live_feed.hpp"
#include "plugins/select/machine.hpp"

namespace placement::select_plugin {

// What one decision goes by. All of it must outlive the object.
struct DecisionInput {
  const Machine& machine;
  const LiveNow& live;
  const placement_offer& offer;
  const placement_request& request;
  const JobRequest& job_request;
  const Config& config;
};

}  // namespace placement::select_plugin
