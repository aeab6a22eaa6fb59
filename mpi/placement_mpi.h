/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of libplacement-reorder for MPI programs; see libplacement-reorder(7). Link with
 * -lplacement-reorder before the MPI library. */
#ifndef PLACEMENT_MPI_H
#define PLACEMENT_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over comm, an intra-communicator. Makes a communicator of the same processes, in which
 * ranks are laid out on the machine so that what the matrix file says they exchange travels few hops:
 * rank r of it does what row r of the matrix describes. The file may have any form that the project
 * reads; rank 0 alone reads it. Where the gain does not pay, or on any doubt (then with a warning on
 * standard error), the order is that of comm. Returns MPI_SUCCESS, or the error of an MPI call. */
int placement_comm_reorder(MPI_Comm comm, const char *matrix_file, MPI_Comm *reordered);

/* Collective over comm. A communicator with the distributed graph topology of a neighbour file
 * ("n", then per process its degree and neighbours); rank 0 alone reads it. Ranks are reordered as
 * for MPI_Dist_graph_create with reorder. Returns MPI_SUCCESS, MPI_ERR_ARG when the file cannot be
 * used (rank 0 says why; *made is then MPI_COMM_NULL), or the error of an MPI call. */
int placement_comm_from_neighbours(MPI_Comm comm, const char *neighbour_file, int reorder, MPI_Comm *made);

/* The communicator that calls of the program mean by MPI_COMM_WORLD: another one while
 * PLACEMENT_REORDER_MATRIX is in force. For tools that are preloaded too; not to be freed. */
int placement_world(MPI_Comm *world);

#ifdef __cplusplus
}
#endif

#endif
