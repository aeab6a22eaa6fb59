/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs for the calls that MPI 4 added: large counts, partitioned messages, sessions. tests/mpi/mpi_traffic.c has
 * those for older calls. Usage: mpi_four CASE. The comment above a case has the traffic of its pairs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char out[1 << 16], in[1 << 16];

#define WORLD MPI_COMM_WORLD
#define ANY MPI_STATUS_IGNORE

/* Two ranks exchange 1000 + 0 + 40 + 24 + 48 + 8 + 4 = 1124 bytes in 9 messages. 0 is for a count beyond 2^31 of a type
 * without bytes, 48 for 3 x 16 bytes in both directions, 8 for a put and 4 for a get. */
static void large_counts(void) {
  MPI_Datatype empty;
  MPI_Request request;
  MPI_Type_contiguous_c(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  if (rank == 0) {
    MPI_Send_c(out, 1000, MPI_BYTE, 1, 0, WORLD);
    MPI_Send_c(out, (MPI_Count)3000000000, empty, 1, 0, WORLD);
    MPI_Isend_c(out, 10, MPI_INT, 1, 0, WORLD, &request);
    MPI_Wait(&request, ANY);
    MPI_Sendrecv_c(out, 3, MPI_DOUBLE, 1, 0, in, 0, MPI_BYTE, MPI_PROC_NULL, 0, WORLD, ANY);
    MPI_Send_init_c(out, 16, MPI_BYTE, 1, 0, WORLD, &request);
    for (int i = 0; i < 3; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, ANY);
    }
    MPI_Request_free(&request);
  } else {
    MPI_Recv_c(in, 1000, MPI_BYTE, 0, 0, WORLD, ANY);
    MPI_Recv_c(in, (MPI_Count)3000000000, empty, 0, 0, WORLD, ANY);
    for (int i = 0; i < 5; ++i) MPI_Recv_c(in, 100, MPI_BYTE, 0, 0, WORLD, ANY);
  }
  MPI_Type_free(&empty);
  MPI_Win win;
  MPI_Win_create_c(in, sizeof in, 1, MPI_INFO_NULL, WORLD, &win);
  MPI_Win_fence(0, win);
  if (rank == 0) {
    MPI_Put_c(out, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
    MPI_Get_c(out, 1, MPI_INT, 1, 64, 1, MPI_INT, win);
  }
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

/* Three ranks, counted as defined: the root sends 30 bytes to 1 and 2; each pair 2 x 5 bytes one way and
 * 2 x 5 the other; rank r gives r + 1 ints to the one before it: 0-1: 30 + 20 + 8 = 58 in 1 + 4 + 1,
 * 0-2: 30 + 20 + 4 = 54 in 6, 1-2: 20 + 12 = 32 in 5. */
static void large_collectives(void) {
  MPI_Count counts[3] = {0, 0, 0}, received[3] = {0, 0, 0};
  MPI_Aint offsets[3] = {0, 0, 0}, receive_offsets[3] = {0, 1000, 2000};
  MPI_Request request;
  MPI_Bcast_c(out, 30, MPI_BYTE, 0, WORLD);
  MPI_Alltoall_c(out, 5, MPI_BYTE, in, 5, MPI_BYTE, WORLD);
  MPI_Ialltoall_c(out, 5, MPI_BYTE, in, 5, MPI_BYTE, WORLD, &request);
  MPI_Wait(&request, ANY);
  counts[(rank + 2) % 3] = rank + 1;
  received[(rank + 1) % 3] = (rank + 1) % 3 + 1;
  MPI_Alltoallv_c(out, counts, offsets, MPI_INT, in, received, receive_offsets, MPI_INT, WORLD);
}

/* Two ranks: 4 partitions of 25 bytes, started twice: 200 bytes in 8 messages. */
static void partitioned(void) {
  MPI_Request request;
  if (rank == 0)
    MPI_Psend_init(out, 4, 25, MPI_BYTE, 1, 0, WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(in, 4, 25, MPI_BYTE, 0, 0, WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    if (rank == 0) {
      MPI_Pready(0, request);
      MPI_Pready_range(1, 2, request);
      MPI_Pready_list(1, (int[]){3}, request);
    }
    MPI_Wait(&request, ANY);
  }
  MPI_Request_free(&request);
}

/* Without MPI_Init there is no MPI_COMM_WORLD for which to count. The program runs, and no profile is written. */
static int session(void) {
  MPI_Session handle;
  MPI_Group group;
  MPI_Comm comm;
  int size = 0, sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &handle);
  MPI_Group_from_session_pset(handle, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "tests", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&handle);
  return sum == size && size > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  const char *name = argc == 2 ? argv[1] : "";
  if (!strcmp(name, "session")) return session();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  if (!strcmp(name, "large_counts") && ranks == 2) large_counts();
  else if (!strcmp(name, "large_collectives") && ranks == 3) large_collectives();
  else if (!strcmp(name, "partitioned") && ranks == 2) partitioned();
  else {
    fprintf(stderr, "mpi_four: unknown case, or a wrong number of ranks\n");
    MPI_Abort(WORLD, 2);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
