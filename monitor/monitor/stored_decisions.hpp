// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
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
  std::size_t most_bytes = 0;    // at most this many bytes from the history, the newest records; 0: all

  bool admits(const Decision& decision) const;  // by job, since_s and only_of
};

// Returns the SQL query for the first rows of a history, the oldest first, or for all of its rows, the newest first.
// Its parameters are job, since_s and the least id.
std::string history_query(const DecisionFilter& filter, bool newest_first);

// Calls `take` with each decision of the history at `path` that passes the filter, in the order of the records. No
// transaction is open meanwhile. Skips and notes an unreadable record. Throws Error for an unreadable file.
void read_history(const std::string& path, const DecisionFilter& filter, const std::function<void(Decision&)>& take,
                  std::vector<std::string>& notes);

// Opens the ring at `path`, or in a directory next to it, at its oldest decision. Unless `owners` is empty, the ring
// must belong to one of them. Throws Error when there is no ring.
DecisionReader open_ring(const std::string& path, std::vector<uid_t> owners);

// Sorts the decisions by time, the oldest first, and removes duplicates.
void settle_decisions(std::vector<Decision>& decisions);

// Returns whether `user` is root, SlurmUser or a member of the group `readers` (empty: no group), who see what
// PrivateData of slurm.conf hides from others.
bool sees_private_data(uid_t user, const std::string& slurm_conf_path, const std::string& readers);

// Returns whether `user` may see other users' jobs. With jobs in PrivateData of slurm.conf only root, SlurmUser and
// members of the group `readers` may (empty: no group). Throws Error when slurm.conf cannot be read.
bool sees_all_jobs(uid_t user, const std::string& slurm_conf_path, const std::string& readers);

}  // namespace placement::monitor
