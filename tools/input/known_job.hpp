// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace placement::tools {

// What slurmctld says of a job, of one task of a job array or of one component of a heterogeneous job.
struct KnownJob {
  std::uint32_t id = 0;
  std::string name;                   // as its user calls it: 42, or 42_7 for a task of an array
  std::uint32_t leader = 0;           // the ID of the heterogeneous job, 0 if it is none
  std::optional<std::uint32_t> offset;  // the number of the component
  std::int64_t restarts = 0;          // how often it was started again, or will be
  bool pending = false;               // it waits for its next start, or its first one
  std::string record;                 // our part of its system comment, empty if there is none
};

// Reads the output of "scontrol show job". Tasks of an array that still wait together are left out.
std::vector<KnownJob> parse_known_jobs(std::string_view shown_jobs);

// Returns what slurmctld knows of the job `id`: one entry for a plain job, else one for each task or component. Returns
// nothing if slurmctld does not know the job or does not answer, or on a host without a slurm.conf.
std::vector<KnownJob> known_jobs(std::uint32_t id);

}  // namespace placement::tools
