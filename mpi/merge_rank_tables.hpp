// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "mpi/profile_file.hpp"

namespace placement {

// The tables FILE.rank* that ranks of a program left when it died.
bool has_tables(const std::string& file);

// Makes the matrix FILE, and FILE.summary, of what the tables hold, with traffic of the given kinds
// (bit k: kind k), and removes them. Tables of other runs than the latest are ignored and removed.
// Throws Error when there are none, or the matrix cannot be written; the tables are then left.
ProfileSummary merge_tables(const std::string& file, std::uint32_t kinds);

}  // namespace placement
