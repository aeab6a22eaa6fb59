/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs collective operations one after another. Usage: mpi_collectives OPERATION[:MODE]..=COUNT ..
 * MODE is i (non-blocking), p (in place), o (an operation that does not commute) or the root.
 * COUNT is a number of ints: of the whole message of broadcasts and reductions, of one block of
 * the others. The v forms give rank r a block of COUNT * (r % 3) ints. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, count, root, nonblocking, in_place;
static int *from, *to, *counts, *other_counts, *offsets;
static MPI_Datatype *types;
static MPI_Op op = MPI_SUM;
static MPI_Comm comm = MPI_COMM_WORLD;

static void subtract(void *in, void *inout, int *length, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

/* Runs a blocking or non-blocking form of a call. */
#define CALL(name, iname, ...)                     \
  do {                                             \
    if (nonblocking) {                             \
      MPI_Request request;                         \
      MPI_##iname(__VA_ARGS__, comm, &request);    \
      MPI_Wait(&request, MPI_STATUS_IGNORE);       \
    } else {                                       \
      MPI_##name(__VA_ARGS__, comm);               \
    }                                              \
  } while (0)
#define T MPI_INT
#define FROM (in_place ? MPI_IN_PLACE : (void *)from)
#define FROM_AT_ROOT (in_place && rank == root ? MPI_IN_PLACE : (void *)from)

static void blocks(void) {
  int at = 0;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = count * (r % 3);
    other_counts[r] = count * (rank % 3);
    offsets[r] = at;
    at += counts[r];
    types[r] = T;
  }
}

static int run(const char *name) {
  blocks();
  if (!strcmp(name, "barrier")) {
    if (nonblocking) {
      MPI_Request request;
      MPI_Ibarrier(comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Barrier(comm);
    }
  } else if (!strcmp(name, "bcast")) {
    CALL(Bcast, Ibcast, from, count, T, root);
  } else if (!strcmp(name, "reduce")) {
    CALL(Reduce, Ireduce, FROM_AT_ROOT, to, count, T, op, root);
  } else if (!strcmp(name, "allreduce")) {
    CALL(Allreduce, Iallreduce, FROM, to, count, T, op);
  } else if (!strcmp(name, "scan")) {
    CALL(Scan, Iscan, FROM, to, count, T, op);
  } else if (!strcmp(name, "exscan")) {
    CALL(Exscan, Iexscan, FROM, to, count, T, op);
  } else if (!strcmp(name, "gather")) {
    CALL(Gather, Igather, FROM_AT_ROOT, count, T, to, count, T, root);
  } else if (!strcmp(name, "gatherv")) {
    CALL(Gatherv, Igatherv, FROM_AT_ROOT, counts[rank], T, to, counts, offsets, T, root);
  } else if (!strcmp(name, "scatter")) {
    CALL(Scatter, Iscatter, from, count, T, in_place && rank == root ? MPI_IN_PLACE : (void *)to, count, T, root);
  } else if (!strcmp(name, "scatterv")) {
    CALL(Scatterv, Iscatterv, from, counts, offsets, T, to, counts[rank], T, root);
  } else if (!strcmp(name, "allgather")) {
    CALL(Allgather, Iallgather, FROM, count, T, to, count, T);
  } else if (!strcmp(name, "allgatherv")) {
    CALL(Allgatherv, Iallgatherv, FROM, counts[rank], T, to, counts, offsets, T);
  } else if (!strcmp(name, "alltoall")) {
    CALL(Alltoall, Ialltoall, FROM, count, T, to, count, T);
  } else if (!strcmp(name, "alltoallv")) {
    /* This rank sends counts[r] elements to rank r, and receives counts[rank] elements from each rank. */
    for (int r = 0; r < ranks; ++r) offsets[r] = count * 2 * r;
    CALL(Alltoallv, Ialltoallv, from, counts, offsets, T, to, other_counts, offsets, T);
  } else if (!strcmp(name, "alltoallw")) {
    for (int r = 0; r < ranks; ++r) offsets[r] = count * 2 * r * (int)sizeof(int);
    CALL(Alltoallw, Ialltoallw, from, counts, offsets, types, to, other_counts, offsets, types);
  } else if (!strcmp(name, "reduce_scatter")) {
    CALL(Reduce_scatter, Ireduce_scatter, FROM, to, counts, T, op);
  } else if (!strcmp(name, "reduce_scatter_block")) {
    CALL(Reduce_scatter_block, Ireduce_scatter_block, FROM, to, count, T, op);
  } else {
    return 0;
  }
  return 1;
}

/* "neighbour": each form on a Cartesian grid that wraps around in one dimension; "grid": only the grid. */
static void neighbours(int talk) {
  MPI_Comm grid;
  MPI_Aint displacements[4] = {0, 0, 0, 0};
  int dims[2] = {0, 0};
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){0, 1}, 0, &grid);
  if (!talk) {
    MPI_Comm_free(&grid);
    return;
  }
  int sent[4] = {count, 2 * count, 3 * count, 4 * count}, got[4], same[4] = {count, count, count, count};
  for (int i = 0; i < 4; ++i) got[i] = sent[i ^ 1];
  int zero[4] = {0, 0, 0, 0};
  MPI_Datatype four[4] = {T, T, T, T};
  MPI_Neighbor_allgather(from, count, T, to, count, T, grid);
  MPI_Neighbor_allgatherv(from, count, T, to, same, zero, T, grid);
  MPI_Neighbor_alltoall(from, count, T, to, count, T, grid);
  MPI_Neighbor_alltoallv(from, sent, zero, T, to, got, zero, T, grid);
  MPI_Neighbor_alltoallw(from, sent, displacements, four, to, got, displacements, four, grid);
  MPI_Request request;
  MPI_Ineighbor_alltoall(from, count, T, to, count, T, grid, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&grid);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  counts = malloc(sizeof(int) * ranks);
  other_counts = malloc(sizeof(int) * ranks);
  offsets = malloc(sizeof(int) * ranks);
  types = malloc(sizeof(MPI_Datatype) * ranks);
  int done = argc > 1;
  for (int i = 1; i < argc; ++i) {
    char name[64];
    snprintf(name, sizeof name, "%s", argv[i]);
    char *number = strchr(name, '=');
    count = number ? atoi(number + 1) : 0;
    if (number) *number = 0;
    root = nonblocking = in_place = 0;
    op = MPI_SUM;
    for (char *part = strchr(name, ':'); part;) {
      char *next = strchr(part + 1, ':');
      *part = 0;
      if (part[1] == 'i') nonblocking = 1;
      else if (part[1] == 'p') in_place = 1;
      else if (part[1] == 'o') MPI_Op_create(subtract, 0, &op);
      else root = atoi(part + 1) % ranks;
      part = next;
    }
    from = calloc((size_t)count * ranks * 2 + 64, sizeof(int));
    to = calloc((size_t)count * ranks * 2 + 64, sizeof(int));
    if (!strcmp(name, "grid") || !strcmp(name, "neighbour")) neighbours(name[0] == 'n');
    else if (!run(name)) done = 0;
    free(from);
    free(to);
    if (op != MPI_SUM) MPI_Op_free(&op);
  }
  free(counts);
  free(other_counts);
  free(offsets);
  free(types);
  if (!done) {
    fprintf(stderr, "mpi_collectives OPERATION[:MODE]..=COUNT ..\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
