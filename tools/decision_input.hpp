// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/decision/decision_ring.hpp"
#include "common/policy/config.hpp"
#include "tools/command_line.hpp"

namespace placement {

// Where decisions are kept: the monitor's history, and what it has not fetched yet from slurmctld's ring.
inline constexpr Option history_option{0, "history", "FILE", "placement-monitor's history [below StateDirectory]"};
inline constexpr Option ring_option{0, "ring", "FILE", "slurmctld's ring of decisions [DecisionFile]"};

// slurmctld's ring, from its oldest decision on. One that the command line does not name must be root's, SlurmUser's or
// one's own. Throws Error when the file is not there.
DecisionReader ring_reader(const CommandLine& line, const Config& config);

struct DecisionInput {
  std::vector<Decision> decisions;  // the oldest first, each one once
  std::vector<std::string> notes;   // which source was not to be had, and why
  std::string told_by;              // "placement-monitor on head"; empty: from files of this host
};

// Decisions of a job, or of all for job 0, not older than since_s (seconds since 1970), as far as the caller may see
// them. What this host's files do not tell is asked of the monitors on the controllers. Throws Error only on a source
// that the command line names.
DecisionInput read_decisions(const CommandLine& line, const Config& config, std::uint32_t job, double since_s);

// What is known of slurmctld's ring as a whole.
struct RingInput {
  std::uint64_t written = 0;      // decisions, ever
  double last_s = unknown_value;  // when the last was made
  std::string trouble;            // why nothing is known; empty: it is
};
RingInput read_ring(const CommandLine& line, const Config& config);

}  // namespace placement
