// SPDX-License-Identifier: GPL-2.0-or-later
// libplacement-profile.so: the wrapped functions, made from the prototypes of mpi.h.
#include <cstdarg>

#include "mpi/profile_calls.hpp"
#include "mpi/profile_collectives.hpp"
#include "mpi/wrap.hpp"

using placement::mpi::profile::Timed;
using placement::mpi::profile::Untimed;

#include "mpi/profile_wrappers.inc"

// MPI_Pcontrol has no form with a va_list, so arguments behind the level are not passed on. MPI libraries do not
// define further arguments.
extern "C" __attribute__((visibility("default"))) int MPI_Pcontrol(const int level, ...) {
  placement::mpi::profile::set_level(level);
  return PMPI_Pcontrol(level);
}
