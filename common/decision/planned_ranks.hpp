// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placement {

// The ranks of each node of a job, in the order of their cores.
using RanksOfNodes = std::vector<std::vector<std::int32_t>>;

// Returns the ranks as text: ";" separates nodes, "," separates ranks, and consecutive ranks form a range, as in
// "5,0;1-3;4". Returns an empty text if that is longer than `max_bytes`.
std::string ranks_text(const RanksOfNodes& ranks, std::size_t max_bytes);

// The ranks that the plan of a job has on each node. slurmctld sends them with the job, because the allocated cores do
// not identify their planned ranks. With them, a step costs no more hop-bytes than planned.
struct PlannedRanks {
  std::uint32_t job = 0;
  RanksOfNodes ranks;  // of each of the job's nodes, in the order of the job
};

// Returns the planned ranks as text for an environment variable: "JOB.RANKS", with RANKS from ranks_text(). Returns an
// empty text if that is longer than `max_bytes`.
std::string pack_planned_ranks(const PlannedRanks& planned, std::size_t max_bytes);

// Returns the ranks that pack_planned_ranks() wrote. Users can change the text. Throws Error on a text of another form
// or with more than CommMatrix::max_ranks ranks. Does not check that each rank occurs exactly once.
PlannedRanks unpack_planned_ranks(std::string_view text);

}  // namespace placement
