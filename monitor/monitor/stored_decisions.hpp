// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/decision/decision_ring.hpp"

namespace placement {

// Decisions as they are kept: in the monitor's history, and the last ones in slurmctld's ring.

struct DecisionFilter {
  std::uint32_t job = 0;         // of this job alone; 0: of all
  double since_s = 0;            // not older, in seconds since 1970
  std::optional<uid_t> only_of;  // about this user's jobs alone
  std::int64_t most = 0;         // the newest so many of the history; 0: all
};

// Adds those of the history at `path`. A record that cannot be read hides no other one, and is told in a note. Throws
// Error when the file cannot be read.
void add_history(const std::string& path, const DecisionFilter& filter, std::vector<Decision>& decisions,
                 std::vector<std::string>& notes);

// The ring at `path`, or in a directory beside it, from its oldest decision on; with `owners` it must be one of
// theirs. Throws Error when there is none.
DecisionReader open_ring(const std::string& path, std::vector<uid_t> owners);

// Takes out what the filter does not let through, and doubles; then the oldest come first.
void settle_decisions(const DecisionFilter& filter, std::vector<Decision>& decisions);

// Whether the user may see other users' jobs: everybody, or where PrivateData= of the slurm.conf has jobs, root,
// SlurmUser, and members of the group `readers` (empty: no group). Throws Error when the slurm.conf cannot be read.
bool sees_all_jobs(uid_t user, const std::string& slurm_conf_path, const std::string& readers);

}  // namespace placement
