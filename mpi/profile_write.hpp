// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

#include "mpi/settings.hpp"
#include "mpi/traffic.hpp"

namespace placement::mpi::profile {

// The time of a run, and the rate of the clock that Traffic uses.
struct RunTime {
  double seconds = 0;           // from MPI_Init to MPI_Finalize
  double ticks_per_second = 1;  // rate of Traffic::ticks()
};

// Writes the matrix and, if settings.summary is set, the summary next to it. The call is collective over `comm`, a
// duplicate of MPI_COMM_WORLD. Both directions of a pair are added at the lower rank. Rank 0 writes the matrix row by
// row in the np format: "np RANKS", then lines "source target bytes messages" with source < target, ascending. No rank
// holds more than its own row and 2 MiB. Returns on each rank whether the matrix is written. If it is not, rank 0 has
// printed the reason.
bool write_profile(const Traffic& traffic, const ProfileSettings& settings, MPI_Comm comm, const RunTime& time);

}  // namespace placement::mpi::profile
