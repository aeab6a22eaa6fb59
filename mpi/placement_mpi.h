/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of libplacement-reorder for MPI programs; see libplacement-reorder(7). Link with
 * -lplacement-reorder before the MPI library. */
#ifndef PLACEMENT_MPI_H
#define PLACEMENT_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a communicator of the processes of comm in which the ranks are reordered. Ranks with much traffic are then
 * placed few hops from each other. The call is collective over comm, an intra-communicator.
 *   matrix_file  the traffic between ranks, in any form that the project reads; rank 0 alone reads it. Rank r of the
 *                new communicator has the traffic of row r
 *   reordered    the new communicator
 * The order remains that of comm when the gain is too small, or when anything fails; a failure is reported on standard
 * error. Returns MPI_SUCCESS, or the error of an MPI call. */
int placement_comm_reorder(MPI_Comm comm, const char *matrix_file, MPI_Comm *reordered);

/* Makes a communicator with the distributed graph topology of a neighbour file. The call is collective over comm.
 *   neighbour_file  the number of processes, then for each process its degree and its neighbours; rank 0 alone reads it
 *   reorder         whether ranks are reordered as by MPI_Dist_graph_create with reorder
 *   made            the new communicator
 * Returns MPI_SUCCESS, or the error of an MPI call. When the file cannot be used it returns MPI_ERR_ARG; rank 0 then
 * prints the reason, and *made is MPI_COMM_NULL. */
int placement_comm_from_neighbours(MPI_Comm comm, const char *neighbour_file, int reorder, MPI_Comm *made);

/* Sets *world to the communicator that stands for MPI_COMM_WORLD in calls of the program. It differs from
 * MPI_COMM_WORLD while PLACEMENT_REORDER_MATRIX is in effect. The call is for other preloaded tools. The caller must
 * not free the communicator. Returns MPI_SUCCESS. */
int placement_world(MPI_Comm *world);

#ifdef __cplusplus
}
#endif

#endif
