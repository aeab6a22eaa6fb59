// SPDX-License-Identifier: GPL-2.0-or-later
// The MPI calls that the reorder library changes. All other calls with a communicator are wrapped too, and get the
// communicator that replaces MPI_COMM_WORLD. The lines that start with //@ are for wrappers.awk.
#pragma once
#include "mpi/reorder.hpp"

namespace placement::mpi::reorder {

// reorder_library.cpp defines these calls by hand. Predefined attributes exist on the real MPI_COMM_WORLD only.
//@ skip: MPI_Dist_graph_create MPI_Dist_graph_create_adjacent MPI_Graph_create MPI_Cart_create
//@ skip: MPI_Comm_get_attr MPI_Attr_get MPI_Attr_put MPI_Attr_delete

//@ made initialised: MPI_Init MPI_Init_thread
template <class... Arguments>
void initialised(Arguments...) {
  begin();
}

//@ before finalizing: MPI_Finalize
inline void finalizing() { end(); }

// MPI reports errors without a communicator to the handler of the real MPI_COMM_WORLD, so the handler is set there too.
//@ made errhandler_set: MPI_Comm_set_errhandler
inline void errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
  if (comm == world_stand_in && comm != MPI_COMM_NULL) PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}

}  // namespace placement::mpi::reorder
