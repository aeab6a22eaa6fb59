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

// Returns the ranks as text: nodes are divided by ";", ranks by ",", and ranks that follow each other are a range, as
// in "5,0;1-3;4". Returns an empty text where that is longer than `max_bytes`.
std::string ranks_text(const RanksOfNodes& ranks, std::size_t max_bytes);

// The ranks for which the nodes of a job were chosen. They travel with the job, so that the ranks of its steps cost no
// more than was planned: the cores that a job is given do not tell which rank was to have which of them.
struct PlannedRanks {
  std::uint32_t job = 0;
  RanksOfNodes ranks;  // of each of the job's nodes, in the order of the job
};

// Returns the planned ranks as text that fits into an environment variable, "JOB.RANKS" with RANKS as ranks_text() has
// them; empty where it is longer than `max_bytes`.
std::string pack_planned_ranks(const PlannedRanks& planned, std::size_t max_bytes);

// Returns the ranks that pack_planned_ranks() wrote. Users can change the text. Throws Error on a text of another form
// or with more than CommMatrix::max_ranks ranks. A rank may be missing, or be there twice.
PlannedRanks unpack_planned_ranks(std::string_view text);

}  // namespace placement
