// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "common/policy/config.hpp"
#include "common/state/live_state.hpp"
#include "sim/metrics.hpp"
#include "tools/simulate/simulate_run.hpp"

namespace placement::tools {

// A policy that goes by the state of the cluster, replayed beside stock Slurm. A log does not tell the state of its
// time, so that one state holds from the begin of the replay to its end.
struct StateReplay {
  std::string policy;
  std::string state;                 // what the state is, for the reader of the report
  std::vector<sim::LogJob> sample;   // the jobs that are replayed
  std::vector<sim::Replay> replays;  // of stock Slurm, and of the policy; none where there is no state for it
  std::vector<sim::Summary> summaries;
  std::string why_not;  // the reason why there are no replays; else empty
};

// How many jobs are replayed by a state at most, the last ones: a decision by the state of many nodes takes long.
inline constexpr std::int64_t most_state_replay_jobs = 1000;

// Returns whether replays_by_state() replays the policy with this name.
bool is_by_state(std::string_view policy);

// Replays the last jobs of `input` under NLA by the load and network in `live`, and under TOFA by its outage
// probabilities on the torus of the site's TorusFile, or on the switches where the site has none. With TOFA nodes fail
// at random, as often as these probabilities say.
//   live    may be null: there is none
//   source  where `live` comes from, or why there is none
// Returns one entry for each of the two policies. Does not throw Error.
std::vector<StateReplay> replays_by_state(const ReplayInput& input, const LiveState* live, const std::string& source,
                                          const Config& config, std::size_t threads);

}  // namespace placement::tools
