// SPDX-License-Identifier: GPL-2.0-or-later
// libplacement-profile.so: the wrapped functions, from the prototypes of mpi.h.
#include <cstdarg>

#include "mpi/profile_calls.hpp"
#include "mpi/profile_collectives.hpp"
#include "mpi/wrap.hpp"

using placement::profile::Timed;
using placement::profile::Untimed;

#include "mpi/profile_wrappers.inc"

// Has no form with a va_list, so that arguments after the level cannot be handed on; MPI libraries
// define none.
extern "C" __attribute__((visibility("default"))) int MPI_Pcontrol(const int level, ...) {
  placement::profile::set_level(level);
  return PMPI_Pcontrol(level);
}
