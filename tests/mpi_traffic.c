/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small programs, one per family of calls; tests/mpi_traffic.expected has what each pair of ranks
 * exchanges, worked out by hand. Usage: mpi_traffic CASE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char out[1 << 20], in[1 << 20];

#define WORLD MPI_COMM_WORLD
#define ANY MPI_STATUS_IGNORE

/* Rank 0 sends to rank 1 in each mode: 1, 2, 4 .. 128 bytes, 255 in all, 8 messages. */
static void send_modes(void) {
  MPI_Request requests[4];
  if (rank == 0) {
    char *buffer = malloc(65536);
    MPI_Buffer_attach(buffer, 65536);
    MPI_Send(out, 1, MPI_BYTE, 1, 0, WORLD);
    MPI_Ssend(out, 2, MPI_BYTE, 1, 0, WORLD);
    MPI_Bsend(out, 4, MPI_BYTE, 1, 0, WORLD);
    MPI_Recv(in, 0, MPI_BYTE, 1, 1, WORLD, ANY);
    MPI_Rsend(out, 8, MPI_BYTE, 1, 0, WORLD);
    MPI_Isend(out, 16, MPI_BYTE, 1, 0, WORLD, &requests[0]);
    MPI_Issend(out, 32, MPI_BYTE, 1, 0, WORLD, &requests[1]);
    MPI_Ibsend(out, 64, MPI_BYTE, 1, 0, WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(in, 0, MPI_BYTE, 1, 1, WORLD, ANY);
    MPI_Irsend(out, 128, MPI_BYTE, 1, 0, WORLD, &requests[0]);
    MPI_Wait(&requests[0], ANY);
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
  } else if (rank == 1) {
    for (int i = 0; i < 3; ++i) MPI_Recv(in, 256, MPI_BYTE, 0, 0, WORLD, ANY);
    MPI_Irecv(in, 256, MPI_BYTE, 0, 0, WORLD, &requests[0]);
    MPI_Send(out, 0, MPI_BYTE, 0, 1, WORLD); /* 0 bytes, 1 message */
    MPI_Wait(&requests[0], ANY);
    for (int i = 0; i < 3; ++i) MPI_Recv(in, 256, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, ANY);
    MPI_Irecv(in, 256, MPI_BYTE, 0, 0, WORLD, &requests[0]);
    MPI_Send(out, 0, MPI_BYTE, 0, 1, WORLD);
    MPI_Wait(&requests[0], ANY);
  }
}

/* Each rank sends 10 ints to the next one and 3 doubles back; rank 0 has nobody before it. */
static void sendrecv(void) {
  const int next = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const int previous = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Sendrecv(out, 10, MPI_INT, next, 0, in, 10, MPI_INT, previous, 0, WORLD, ANY);
  MPI_Sendrecv_replace(out, 3, MPI_DOUBLE, previous, 0, next, 0, WORLD, ANY);
  MPI_Send(out, 1000, MPI_INT, MPI_PROC_NULL, 0, WORLD);
}

/* Persistent sends, each started three times; one is freed and its handle may be used again. */
static void persistent(void) {
  MPI_Request requests[5];
  if (rank == 0) {
    char *buffer = malloc(65536);
    MPI_Buffer_attach(buffer, 65536);
    MPI_Send_init(out, 100, MPI_BYTE, 1, 0, WORLD, &requests[0]);
    MPI_Ssend_init(out, 200, MPI_BYTE, 1, 0, WORLD, &requests[1]);
    MPI_Bsend_init(out, 400, MPI_BYTE, 1, 0, WORLD, &requests[2]);
    MPI_Send_init(out, 77, MPI_BYTE, MPI_PROC_NULL, 0, WORLD, &requests[3]);
    MPI_Recv_init(in, 50, MPI_BYTE, 2, 0, WORLD, &requests[4]);
    for (int i = 0; i < 3; ++i) {
      MPI_Start(&requests[0]);
      MPI_Startall(4, requests + 1);
      MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 5; ++i) MPI_Request_free(&requests[i]);
    MPI_Recv_init(in, 50, MPI_BYTE, 2, 0, WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], ANY);
    MPI_Request_free(&requests[0]);
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
  } else if (rank == 1) {
    for (int i = 0; i < 9; ++i) MPI_Recv(in, 400, MPI_BYTE, 0, 0, WORLD, ANY);
  } else if (rank == 2) {
    for (int i = 0; i < 4; ++i) MPI_Send(out, 50, MPI_BYTE, 0, 0, WORLD);
  }
}

/* Derived types: what is sent counts, not what it spans. */
static void datatypes(void) {
  MPI_Datatype column, pair, empty;
  MPI_Type_vector(10, 2, 7, MPI_INT, &column); /* 80 bytes */
  MPI_Type_commit(&column);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &pair); /* 9 */
  MPI_Type_commit(&pair);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  if (rank == 0) {
    MPI_Send(out, 3, column, 1, 0, WORLD);   /* 240 */
    MPI_Send(out, 5, pair, 1, 0, WORLD);     /* 45 */
    MPI_Send(out, 5, empty, 1, 0, WORLD);    /* 0 */
    MPI_Send(out, 1, MPI_DOUBLE_INT, 1, 0, WORLD); /* 12 */
  } else if (rank == 1) {
    for (int i = 0; i < 4; ++i) MPI_Recv(in, 4096, MPI_BYTE, 0, 0, WORLD, ANY);
  }
  MPI_Type_free(&column);
  MPI_Type_free(&pair);
  MPI_Type_free(&empty);
}

/* The first rank of a communicator sends to its last one. */
static void first_to_last(MPI_Comm comm, int bytes) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  if (size < 2) return;
  if (me == 0) MPI_Send(out, bytes, MPI_BYTE, size - 1, 0, comm);
  if (me == size - 1) MPI_Recv(in, bytes, MPI_BYTE, 0, 0, comm, ANY);
}

/* 6 ranks in communicators of every kind. */
static void communicators(void) {
  MPI_Comm comm, half, other;
  MPI_Comm_dup(WORLD, &comm);
  first_to_last(comm, 1); /* 0-5 */
  MPI_Comm_free(&comm);
  for (int i = 0; i < 20; ++i) { /* the library uses handles again */
    MPI_Comm_split(WORLD, rank % 2, i % 2 ? rank : -rank, &half);
    first_to_last(half, 10); /* 0-4 and 1-5, or 4-0 and 5-1 */
    MPI_Comm_free(&half);
  }
  MPI_Group world, some;
  MPI_Comm_group(WORLD, &world);
  MPI_Group_incl(world, 3, (int[]){4, 1, 2}, &some);
  MPI_Comm_create(WORLD, some, &comm);
  if (comm != MPI_COMM_NULL) {
    first_to_last(comm, 100); /* 4-2 */
    MPI_Comm_free(&comm);
  }
  if (rank == 1 || rank == 2 || rank == 4) {
    MPI_Comm_create_group(WORLD, some, 7, &comm);
    first_to_last(comm, 1000); /* 4-2 */
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comm);
  first_to_last(comm, 7); /* 5-0 */
  MPI_Comm_free(&comm);
  MPI_Comm_split(WORLD, rank < 2, rank, &half);
  MPI_Intercomm_create(half, 0, WORLD, rank < 2 ? 2 : 0, 5, &comm);
  if (rank == 0) MPI_Send(out, 10000, MPI_BYTE, 3, 0, comm); /* 0-5 */
  if (rank == 5) MPI_Recv(in, 10000, MPI_BYTE, 0, 0, comm, ANY);
  MPI_Intercomm_merge(comm, rank < 2, &other); /* 2 3 4 5 0 1 */
  first_to_last(other, 20000); /* 2-1 */
  MPI_Comm_free(&other);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&half);
  MPI_Cart_create(WORLD, 2, (int[]){3, 2}, (int[]){0, 1}, 0, &comm);
  MPI_Cart_sub(comm, (int[]){1, 0}, &half); /* 0 2 4 and 1 3 5 */
  first_to_last(half, 3);                   /* 0-4, 1-5 */
  MPI_Comm_free(&half);
  MPI_Comm_free(&comm);
  MPI_Send(out, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF);
  MPI_Sendrecv(out, 9, MPI_BYTE, 0, 0, in, 9, MPI_BYTE, 0, 0, MPI_COMM_SELF, ANY); /* to itself: no pair */
}

/* MPI_Pcontrol(0) stops counting, 1 goes on. */
static void pcontrol(void) {
  first_to_last(WORLD, 5);
  MPI_Pcontrol(0);
  first_to_last(WORLD, 50);
  MPI_Pcontrol(1);
  first_to_last(WORLD, 500);
}

static void nothing(void) {}

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {
    {"send_modes", send_modes},       {"sendrecv", sendrecv}, {"persistent", persistent}, {"datatypes", datatypes},
    {"communicators", communicators}, {"pcontrol", pcontrol}, {"nothing", nothing},       {"alone", nothing},
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (argc != 2 || strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].run();
    MPI_Finalize();
    return 0;
  }
  fprintf(stderr, "no such case\n");
  MPI_Abort(WORLD, 2);
  return 2;
}
