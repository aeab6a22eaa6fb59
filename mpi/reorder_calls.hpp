// SPDX-License-Identifier: GPL-2.0-or-later
// Which MPI calls the reorder library takes part in. Every other call with a communicator is wrapped
// too, and gets the one that stands in for MPI_COMM_WORLD. The lines that begin with //@ are read by
// wrappers.awk.
#pragma once
#include "mpi/reorder.hpp"

namespace placement::reorder {

// Defined by hand in reorder_library.cpp. Attributes belong to the real MPI_COMM_WORLD: the
// predefined ones are there alone.
//@ skip: MPI_Dist_graph_create MPI_Dist_graph_create_adjacent MPI_Graph_create MPI_Cart_create
//@ skip: MPI_Comm_get_attr MPI_Attr_get MPI_Attr_put MPI_Attr_delete

//@ made initialised: MPI_Init
inline void initialised(int*, char***) { begin(); }

//@ made initialised_thread: MPI_Init_thread
inline void initialised_thread(int*, char***, int, int*) { begin(); }

//@ before finalizing: MPI_Finalize
inline void finalizing() { end(); }

// Errors without a communicator go to the handler of the real MPI_COMM_WORLD.
//@ made errhandler_set: MPI_Comm_set_errhandler
inline void errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
  if (comm == world_stand_in && comm != MPI_COMM_NULL) PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}

}  // namespace placement::reorder
