// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <mpi.h>

namespace placement::mpi::reorder {

// The four MPI calls that make a process topology, with the parameters of MPI. With `reorder`, a process gets the rank
// whose neighbours run close to it. Rank r of the new communicator has the neighbours that the program gave for r, in
// their order and with their weights. Without `reorder`, or if a check fails, the functions do what the MPI library
// does without reordering. They return the result of the MPI call.
int dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int reorder, MPI_Comm* made);
int dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int source_weights[],
                               int outdegree, const int destinations[], const int destination_weights[], MPI_Info info,
                               int reorder, MPI_Comm* made);
int graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* made);
int cart_create(MPI_Comm comm, int dimensions, const int dims[], const int periods[], int reorder, MPI_Comm* made);

}  // namespace placement::mpi::reorder
