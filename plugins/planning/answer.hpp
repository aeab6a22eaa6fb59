// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "plugins/planning/decision_types.h"
#include "plugins/planning/plugin_state.hpp"

namespace placement::planning {

// Returns the answer for a user who has no time for decisions left, as answer_of() would: the decision is put off, or
// the job runs as stock. Returns null if the question needs the offer: there is time, an answer for the job is kept, or
// the job was not put off before, and the record of the first time names the candidates. Sets wait_told of `decision`.
// The pointer is valid until the next call. Throws bad_alloc.
const Answer* answer_without_offer(PluginState& now, const placement_request& request, placement_decision& decision);

// Returns the policy's answer to a question about a job. An answer to an equal question is reused; otherwise the policy
// is asked within the user's part of the processor time. Sets live_age_s, remembered and wait_told of `decision`, and
// starts the record of the decision. The reference is valid until the next call. Throws bad_alloc and Error.
const Answer& answer_of(PluginState& now, const placement_offer& offer, const placement_request& request,
                        placement_decision& decision);

}  // namespace placement::planning
