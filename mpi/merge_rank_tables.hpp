// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "mpi/profile_file.hpp"

namespace placement::mpi {

// Writes the matrix FILE and the summary FILE.summary from the tables FILE.rank* (rank_tables_of()), and removes the
// tables. Returns the summary. `kinds` selects the traffic in the matrix (bit k: kind k). Tables of other runs than the
// latest are ignored and removed. Throws Error when there are no tables, or a file cannot be written; the tables then
// remain.
ProfileSummary merge_tables(const std::string& file, std::uint32_t kinds);

}  // namespace placement::mpi
