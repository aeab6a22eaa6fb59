// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

#include "mpi/settings.hpp"
#include "mpi/traffic.hpp"

namespace placement::profile {

struct RunTime {
  double seconds = 0;           // between MPI_Init and MPI_Finalize
  double ticks_per_second = 1;  // of Traffic::ticks
};

// Collective over `comm`, a duplicate of MPI_COMM_WORLD. Sums both directions of each pair where the
// lower rank is, and lets rank 0 write the matrix row by row in the np format ("np RANKS", then
// "source target bytes messages" with source < target, ascending) and the summary beside it. No rank
// holds more than the rows of a few ranks. Returns on each rank whether the matrix is in place; when
// it is not, rank 0 has said why.
bool write_profile(const Traffic& traffic, const ProfileSettings& settings, MPI_Comm comm, const RunTime& time);

}  // namespace placement::profile
