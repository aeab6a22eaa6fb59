// SPDX-License-Identifier: GPL-2.0-or-later
// The program whose traffic the .prof files here hold: a ring, collectives, one-sided calls and a split
// communicator. Made by Open MPI 4.1.4:
//   mpicc -o traffic traffic.c
//   mpirun -np 4 --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3
//          --mca pml_monitoring_filename $PWD/split ./traffic
// and with pml_monitoring_enable 1, which counts internal messages as external ones, joint.*.prof.
#include <mpi.h>

static char out[100000], in[100000];

static void exchange(MPI_Comm comm, int bytes, int to, int from) {
  MPI_Sendrecv(out, bytes, MPI_CHAR, to, 0, in, sizeof in, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank, ranks, part_rank, part_ranks;
  double value = 1, sum;
  char *base;
  MPI_Win window;
  MPI_Comm part;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  for (int k = 0; k < 3; k++)
    exchange(MPI_COMM_WORLD, 1000 * (rank + 1), (rank + 1) % ranks, (rank + ranks - 1) % ranks);
  exchange(MPI_COMM_WORLD, 77, rank, rank);
  if (rank == 0) MPI_Send(out, 0, MPI_CHAR, 2, 1, MPI_COMM_WORLD);
  if (rank == 2) MPI_Recv(in, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  for (int k = 0; k < 2; k++) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(out, 4096, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Alltoall(out, 10, MPI_CHAR, in, 10, MPI_CHAR, MPI_COMM_WORLD);

  MPI_Win_allocate(5000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, 500, MPI_CHAR, (rank + 1) % ranks, 0, 500, MPI_CHAR, window);
  MPI_Get(in, 300, MPI_CHAR, (rank + 2) % ranks, 0, 300, MPI_CHAR, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);

  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
  MPI_Comm_set_name(part, "odd even");
  MPI_Comm_rank(part, &part_rank);
  MPI_Comm_size(part, &part_ranks);
  exchange(part, 9, (part_rank + 1) % part_ranks, (part_rank + 1) % part_ranks);
  MPI_Bcast(out, 10, MPI_CHAR, 0, part);

  MPI_Finalize();
  return 0;
}
