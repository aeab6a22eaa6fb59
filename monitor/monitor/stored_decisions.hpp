// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/decision/decision.hpp"
#include "common/decision/decision_ring.hpp"

namespace placement::monitor {

// Reads stored decisions: those in the monitor's history, and the latest ones in slurmctld's ring.

struct DecisionFilter {
  std::uint32_t job = 0;         // only decisions about this job; 0: about all jobs
  double since_s = 0;            // only decisions made at this time or later, in seconds since 1970
  std::optional<uid_t> only_of;  // only decisions about this user's jobs
  std::int64_t most = 0;         // at most this number from the history, the newest ones; 0: all
};

// Returns the query for the decisions of a history, newest first, with the columns record and id. Its parameters are
// those of the filter: job, since_s and the most rows, -1 for all.
std::string history_query(const DecisionFilter& filter);

// Adds the decisions of the history at `path` to `decisions`. A record that cannot be read is skipped, and `notes` gets
// a line about it. Throws Error when the file cannot be read.
void add_history(const std::string& path, const DecisionFilter& filter, std::vector<Decision>& decisions,
                 std::vector<std::string>& notes);

// Opens the ring at `path`, or in a directory beside it, at its oldest decision. Unless `owners` is empty, the ring
// must belong to one of them. Throws Error when there is no such ring.
DecisionReader open_ring(const std::string& path, std::vector<uid_t> owners);

// Removes the decisions that do not pass the filter and duplicates, and sorts the others by time, the oldest first.
void settle_decisions(const DecisionFilter& filter, std::vector<Decision>& decisions);

// Returns whether `user` is root, SlurmUser or a member of the group `readers` (empty: no group), who see what
// PrivateData of slurm.conf hides from others.
bool sees_private_data(uid_t user, const std::string& slurm_conf_path, const std::string& readers);

// Returns whether `user` may see other users' jobs. Every user may, unless PrivateData in slurm.conf contains jobs.
// Then only root, SlurmUser and members of the group `readers` may (empty: no group). Throws Error when slurm.conf
// cannot be read.
bool sees_all_jobs(uid_t user, const std::string& slurm_conf_path, const std::string& readers);

}  // namespace placement::monitor
