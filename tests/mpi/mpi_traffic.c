/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small programs, one per family of calls; tests/mpi/mpi_traffic.expected has what each pair of ranks
 * exchanges, worked out by hand. Usage: mpi_traffic CASE */
#define _GNU_SOURCE
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks;
static MPI_Comm thread_comm;
static char *program;
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

/* Each rank sends 10 ints to the next rank and 3 doubles to the rank before. Rank 0 has no rank before it. */
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

/* Derived types: the bytes of data count, not the extent of the type. */
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

/* One-sided calls of rank 0, and of rank 2 through a window of a reversed communicator. */
static void one_sided(void) {
  MPI_Win win;
  MPI_Comm reversed;
  MPI_Request request;
  int value = 1, result = 0, other = 2;
  MPI_Win_create(in, 4096, 1, MPI_INFO_NULL, WORLD, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(out, 10, MPI_INT, 1, 0, 10, MPI_INT, win);                                             /* 40 */
    MPI_Get(out, 5, MPI_DOUBLE, 1, 0, 5, MPI_DOUBLE, win);                                         /* 40 */
    MPI_Accumulate(out, 3, MPI_INT, 1, 64, 3, MPI_INT, MPI_SUM, win);                              /* 12 */
    MPI_Get_accumulate(out, 2, MPI_INT, in + 2048, 2, MPI_INT, 1, 64, 2, MPI_INT, MPI_SUM, win);   /* 8 + 8 */
    MPI_Fetch_and_op(&value, &result, MPI_INT, 1, 128, MPI_SUM, win);                              /* 4 + 4 */
    MPI_Compare_and_swap(&value, &other, &result, MPI_INT, 1, 128, win);                           /* 8 + 4 */
    MPI_Put(out, 100, MPI_INT, MPI_PROC_NULL, 0, 100, MPI_INT, win);
    MPI_Rput(out, 1000, MPI_BYTE, 2, 0, 1000, MPI_BYTE, win, &request);                            /* 1000 */
    MPI_Wait(&request, ANY);
    MPI_Rget(out, 500, MPI_BYTE, 2, 0, 500, MPI_BYTE, win, &request);                              /* 500 */
    MPI_Wait(&request, ANY);
    MPI_Raccumulate(out, 1, MPI_INT, 2, 0, 1, MPI_INT, MPI_REPLACE, win, &request);                /* 4 */
    MPI_Wait(&request, ANY);
    MPI_Rget_accumulate(out, 1, MPI_INT, in + 2048, 1, MPI_INT, 2, 0, 1, MPI_INT, MPI_NO_OP, win, &request); /* 0 + 4 */
    MPI_Wait(&request, ANY);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_split(WORLD, 0, -rank, &reversed);
  int *memory;
  MPI_Win_allocate(4096, 1, MPI_INFO_NULL, reversed, &memory, &win);
  MPI_Win_fence(0, win);
  if (rank == 2) MPI_Put(out, 7, MPI_BYTE, 1, 0, 7, MPI_BYTE, win); /* 1 of 2 1 0 is 1 */
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&reversed);
}

/* 4 ranks: a grid of 2 x 2 that wraps around in the second dimension, and two graphs. */
static void topologies(void) {
  MPI_Comm comm;
  MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 1}, 0, &comm);
  MPI_Comm_free(&comm);
  MPI_Graph_create(WORLD, 4, (int[]){1, 2, 3, 4}, (int[]){1, 0, 3, 2}, 0, &comm); /* 0-1, 2-3 */
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(WORLD, 1, (int[]){(rank + 3) % 4}, (int[]){100}, 1, (int[]){(rank + 1) % 4},
                                 (int[]){100}, MPI_INFO_NULL, 0, &comm);
  MPI_Comm_free(&comm);
  /* rank 0 says that 1 sends to 3 with weight 5000 */
  MPI_Dist_graph_create(WORLD, rank == 0, (int[]){1}, (int[]){1}, (int[]){3}, (int[]){5000}, MPI_INFO_NULL, 0, &comm);
  MPI_Comm_free(&comm);
}

/* Neighbourhood collectives over a graph in which rank r sends to r + 1 and r + 2, of 5. */
static void graph_neighbours(void) {
  MPI_Comm graph;
  MPI_Request request;
  int sources[2] = {(rank + 4) % 5, (rank + 3) % 5}, targets[2] = {(rank + 1) % 5, (rank + 2) % 5}, ones[2] = {1, 1};
  int two[2] = {1, 10}, zero[2] = {0, 0}, got[2] = {1, 10};
  MPI_Dist_graph_create_adjacent(WORLD, 2, sources, ones, 2, targets, ones, MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_allgather(out, 1, MPI_BYTE, in, 1, MPI_BYTE, graph);                  /* 1, 1 */
  MPI_Neighbor_alltoallv(out, two, zero, MPI_BYTE, in, got, zero, MPI_BYTE, graph);  /* 1, 10 */
  MPI_Ineighbor_alltoall(out, 100, MPI_BYTE, in, 100, MPI_BYTE, graph, &request);    /* 100, 100 */
  MPI_Wait(&request, ANY);
  MPI_Comm_free(&graph);
}

/* Two groups, 0 1 and 2 3 4: as the operation says, each way. */
static void inter_collectives(void) {
  MPI_Comm half, inter;
  const int low = rank < 2;
  MPI_Comm_split(WORLD, low, rank, &half);
  MPI_Intercomm_create(half, 0, WORLD, low ? 2 : 0, 1, &inter);
  MPI_Bcast(out, 10, MPI_BYTE, low ? (rank == 1 ? MPI_ROOT : MPI_PROC_NULL) : 1, inter); /* 1 to 2, 3, 4 */
  MPI_Gather(out, 100, MPI_BYTE, in, 100, MPI_BYTE, low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter);
  MPI_Alltoall(out, 1, MPI_BYTE, in, 1, MPI_BYTE, inter); /* each pair both ways */
  /* 24 bytes of each rank, in blocks of 3 ints in the one group and of 2 in the other: 8 to each of 2 3 4, 12 to 0 and 1 */
  MPI_Reduce_scatter_block(out, in, low ? 3 : 2, MPI_INT, MPI_MAX, inter);
  MPI_Reduce_scatter(out, in, low ? (int[]){3, 3} : (int[]){2, 2, 2}, MPI_INT, MPI_MAX, inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* A persistent broadcast that is started twice, where the library has it. */
static void persistent_collective(void) {
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define BCAST_INIT MPI_Bcast_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define BCAST_INIT MPIX_Bcast_init
#endif
#ifdef BCAST_INIT
  MPI_Request request;
  BCAST_INIT(out, 30, MPI_BYTE, 1, WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, ANY);
  }
  MPI_Request_free(&request);
#endif
}

#define THREADS 4
static void *talk(void *argument) {
  const int tag = *(int *)argument;
  MPI_Comm comm = tag % 2 ? WORLD : thread_comm;
  for (int i = 0; i < 500; ++i) {
    char bytes[3] = {0};
    if (rank == 0) MPI_Send(bytes, 3, MPI_BYTE, 1, tag, comm);
    if (rank == 1) MPI_Recv(bytes, 3, MPI_BYTE, 0, tag, comm, ANY);
  }
  return NULL;
}

/* Four threads send 500 messages of 3 bytes each, two of them on another communicator. */
static void threads(void) {
  pthread_t thread[THREADS];
  int tags[THREADS];
  MPI_Comm_dup(WORLD, &thread_comm);
  for (int i = 0; i < THREADS; ++i) {
    tags[i] = i;
    pthread_create(&thread[i], NULL, talk, &tags[i]);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
  MPI_Comm_free(&thread_comm);
}

/* Messages of 3 bytes to the own rank, as many as possible in two seconds of processor time: by four threads that wait for them, or by
 * one thread that asks whether they are through, and has no call that can wait. The program prints their number. */
static long flooded[THREADS];
static int polls;
static void send_window(int tag) {
  enum { window = 64 };
  MPI_Request requests[2 * window];
  char bytes[3] = {0}, received[window][3];
  for (int i = 0; i < window; ++i) MPI_Irecv(received[i], 3, MPI_BYTE, rank, tag, WORLD, &requests[i]);
  for (int i = 0; i < window; ++i) MPI_Isend(bytes, 3, MPI_BYTE, rank, tag, WORLD, &requests[window + i]);
  if (!polls) MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
  for (int done = !polls; !done;) MPI_Testall(2 * window, requests, &done, MPI_STATUSES_IGNORE);
  flooded[tag] += window;
}
static void *flood(void *argument) {
  while (clock() < 2 * CLOCKS_PER_SEC) send_window(*(int *)argument);
  return NULL;
}
/* Twenty bursts of many messages, which together take less processor time than is counted completely. */
static void flooding_bursts(void) {
  for (int burst = 0; burst < 20; ++burst) {
    for (int k = 0; k < 40; ++k) send_window(0);
    usleep(100000);
  }
  printf("sent %ld\n", flooded[0]);
}
static void flooding_polls(void) {
  polls = 1;
  flood(&(int){0});
  printf("sent %ld\n", flooded[0]);
}
static void flooding_threads(void) {
  pthread_t thread[THREADS];
  int tags[THREADS];
  long all = 0;
  for (int i = 0; i < THREADS; ++i) {
    tags[i] = i;
    pthread_create(&thread[i], NULL, flood, &tags[i]);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(thread[i], NULL);
    all += flooded[i];
  }
  printf("sent %ld\n", all);
}

/* Topologies of ranks that count in slices of time after many messages. */
static void flooded_topologies(void) {
  flood(&(int){0});
  topologies();
}

/* ---- how programs end */

static void say_five(void) { first_to_last(WORLD, 5); }

static void aborts(void) {
  say_five();
  MPI_Barrier(WORLD);
  if (rank == 1) MPI_Abort(WORLD, 3);
  MPI_Barrier(WORLD);
}

static void killed(void) {
  say_five();
  MPI_Barrier(WORLD);
  if (rank == 0) raise(SIGKILL);
  MPI_Barrier(WORLD);
}

/* Says when all have sent, and goes on until a signal ends it, for a minute at most. */
static void lingers(void) {
  alarm(60);
  say_five();
  MPI_Barrier(WORLD);
  if (rank == 0) puts("all have sent");
  fflush(stdout);
  for (;;) pause();
}

static void exits(void) {
  say_five();
  MPI_Barrier(WORLD);
  exit(0);
}

/* A child process that does not use MPI starts and ends. */
static void forks(void) {
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
  if (chdir("/") != 0) exit(5); /* the place of the profile is determined in MPI_Init */
  say_five();
}

/* The MPI library determines the effect of a second MPI_Init. */
static void init_twice(void) {
  say_five();
  MPI_Barrier(WORLD);
  MPI_Init(NULL, NULL);
  MPI_Barrier(WORLD);
}

/* Two more processes, with a world of their own, which send 7 bytes; and 9 bytes to each from rank 0. */
static MPI_Comm spawn(char *name) {
  MPI_Comm children;
  MPI_Comm_spawn(program, (char *[]){name, NULL}, 2, MPI_INFO_NULL, 0, WORLD, &children, MPI_ERRCODES_IGNORE);
  if (rank == 0)
    for (int child = 0; child < 2; ++child) MPI_Send(out, 9, MPI_BYTE, child, 0, children);
  return children;
}
static void spawns(void) {
  MPI_Comm children = spawn("spawned");
  say_five();
  MPI_Comm_disconnect(&children);
}
static void spawned_with(int bytes) {
  MPI_Comm parents;
  MPI_Comm_get_parent(&parents);
  MPI_Recv(in, 9, MPI_BYTE, 0, 0, parents, ANY);
  first_to_last(WORLD, bytes);
  MPI_Comm_disconnect(&parents);
}
static void spawned(void) { spawned_with(7); }

/* Two worlds at once. The second one sends 8 bytes. */
static void spawns_twice(void) {
  MPI_Comm first = spawn("spawned"), second = spawn("spawned_second");
  MPI_Comm_disconnect(&second);
  MPI_Comm_disconnect(&first);
}
static void spawned_second(void) { spawned_with(8); }

static void nothing(void) {}

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {
    {"send_modes", send_modes},       {"sendrecv", sendrecv}, {"persistent", persistent}, {"datatypes", datatypes},
    {"communicators", communicators}, {"pcontrol", pcontrol}, {"nothing", nothing},       {"alone", nothing},
    {"one_sided", one_sided},         {"topologies", topologies},
    {"graph_neighbours", graph_neighbours}, {"inter_collectives", inter_collectives},
    {"persistent_collective", persistent_collective}, {"threads", threads},
    {"flooding_threads", flooding_threads}, {"flooding_polls", flooding_polls}, {"flooding_bursts", flooding_bursts},
    {"flooded_topologies", flooded_topologies},
    {"aborts", aborts}, {"killed", killed}, {"lingers", lingers}, {"exits", exits}, {"forks", forks}, {"init_twice", init_twice},
    {"spawns", spawns}, {"spawned", spawned}, {"spawns_twice", spawns_twice}, {"spawned_second", spawned_second},
};

int main(int argc, char **argv) {
  program = argv[0];
  if (argc == 2 && strstr(argv[1], "threads")) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(WORLD, 4);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (argc != 2 || strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].run();
    MPI_Finalize();
    return 0;
  }
  fprintf(stderr, "unknown case\n");
  MPI_Abort(WORLD, 2);
  return 2;
}
