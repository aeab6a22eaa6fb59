/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints messages per second, for windows of 64 small non-blocking messages from rank 0 to rank 1. A rank that runs
 * alone sends them to itself and counts CPU time, which other load on the machine does not disturb.
 * Usage: message_rate [BYTES [MESSAGES [multiple]]]     multiple: under MPI_THREAD_MULTIPLE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WINDOW 64

static int ranks;

static double now(void) {
  if (ranks > 1) return MPI_Wtime();
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec + 1e-9 * used.tv_nsec;
}

int main(int argc, char **argv) {
  static char buffer[1 << 20];
  MPI_Request requests[2 * WINDOW];
  int rank;
  if (argc > 3) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc > 1 ? atoi(argv[1]) : 8;
  const int windows = (argc > 2 ? atoi(argv[2]) : 1000000) / WINDOW;
  double begin = 0;
  for (int w = -windows / 10; w < windows; ++w) {
    if (w == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      begin = now();
    }
    if (ranks == 1) {
      for (int i = 0; i < WINDOW; ++i) MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
      for (int i = 0; i < WINDOW; ++i) MPI_Isend(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[WINDOW + i]);
      MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 0) {
      for (int i = 0; i < WINDOW; ++i) MPI_Isend(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i]);
      MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
      MPI_Recv(buffer, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      for (int i = 0; i < WINDOW; ++i) MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
      MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
      MPI_Send(buffer, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
  if (rank == 0) printf("%.0f\n", windows * (double)WINDOW / (now() - begin));
  MPI_Finalize();
  return 0;
}
