/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes communicators with reorder and checks each against the rules of MPI. Rank r
 * communicates with r + half of the ranks. Prints "moved N" for each communicator: processes with a new rank.
 * Usage: mpi_reorder CASE [FILE] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_PLACEMENT
#include "mpi/placement_mpi.h"
#endif

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* MPI_Attr_put and its like are of MPI 1 */

static int rank, ranks;

/* Prints a line that begins with a sequence number and the rank, because processes print in any order. */
static void tell_if(int it_is_me, int moved) {
  static int when;
  ++when;
  if (it_is_me) printf("%d %d moved %d\n", when, rank, moved);
}

static void check(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Checks that `made` has each process of comm once, and that it works. */
static void check_members(MPI_Comm comm, MPI_Comm made) {
  int old, now, size, made_size, moved, sum = 0, result;
  MPI_Comm_rank(comm, &old);
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(made, &now);
  MPI_Comm_size(made, &made_size);
  check(size == made_size, "a process is missing");
  MPI_Comm_compare(comm, made, &result);
  check(result == MPI_CONGRUENT || result == MPI_SIMILAR, "other processes");
  MPI_Allreduce(&now, &sum, 1, MPI_INT, MPI_SUM, made);
  check(sum == size * (size - 1) / 2, "ranks are no permutation");
  now = now != old;
  MPI_Allreduce(&now, &moved, 1, MPI_INT, MPI_SUM, comm);
  tell_if(old == 0, moved);
}

/* The neighbours of vertex v: its partner with weight 1000 + v, and the next rank with weight 1. */
static void vertex(int v, int n, int *to, int *weights) {
  to[0] = (v + n / 2) % n;
  to[1] = (v + 1) % n;
  weights[0] = 1000 + v;
  weights[1] = 1;
}
static void sources_of(int v, int n, int *from, int *weights) {
  from[0] = (v + n - n / 2) % n;
  from[1] = (v + n - 1) % n;
  weights[0] = 1000 + from[0];
  weights[1] = 1;
}

static void check_graph(MPI_Comm comm, MPI_Comm made, int weighted, int ordered) {
  int n, v, in, out, has_weights, from[2], to[2], in_weights[2], out_weights[2];
  int want_from[2], want_to[2], want_in[2], want_out[2];
  MPI_Comm_size(made, &n);
  MPI_Comm_rank(made, &v);
  vertex(v, n, want_to, want_out);
  sources_of(v, n, want_from, want_in);
  MPI_Dist_graph_neighbors_count(made, &in, &out, &has_weights);
  check(in == 2 && out == 2 && has_weights == weighted, "degrees");
  MPI_Dist_graph_neighbors(made, 2, from, weighted ? in_weights : MPI_UNWEIGHTED, 2, to,
                           weighted ? out_weights : MPI_UNWEIGHTED);
  int flip_in = !ordered && from[0] != want_from[0], flip_out = !ordered && to[0] != want_to[0];
  for (int k = 0; k < 2; ++k) {
    check(from[k] == want_from[k ^ flip_in] && to[k] == want_to[k ^ flip_out], "neighbours");
    if (weighted)
      check(in_weights[k] == want_in[k ^ flip_in] && out_weights[k] == want_out[k ^ flip_out], "weights");
  }
  int sent[2] = {10 * v, 10 * v + 1}, got[2] = {-1, -1};
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, made);
  if (ordered) check(got[0] == 10 * want_from[0] && got[1] == 10 * want_from[1] + 1, "neighbourhood collective");
  check_members(comm, made);
}

static void adjacent(MPI_Comm comm, int weighted) {
  int n, v, from[2], to[2], in_weights[2], out_weights[2];
  MPI_Comm made;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &v);
  vertex(v, n, to, out_weights);
  sources_of(v, n, from, in_weights);
  MPI_Dist_graph_create_adjacent(comm, 2, from, weighted ? in_weights : MPI_UNWEIGHTED, 2, to,
                                 weighted ? out_weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &made);
  check_graph(comm, made, weighted, 1);
  MPI_Comm_free(&made);
}

/* The last rank knows all edges. */
static void distributed(MPI_Comm comm) {
  int n, v;
  MPI_Comm made;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &v);
  int *sources = malloc(sizeof(int) * n), *degrees = malloc(sizeof(int) * n);
  int *to = malloc(2 * sizeof(int) * n), *weights = malloc(2 * sizeof(int) * n);
  const int known = v == n - 1 ? n : 0;
  for (int k = 0; k < known; ++k) {
    sources[k] = k;
    degrees[k] = 2;
    vertex(k, n, to + 2 * k, weights + 2 * k);
  }
  MPI_Dist_graph_create(comm, known, sources, degrees, to, weights, MPI_INFO_NULL, 1, &made);
  check_graph(comm, made, 1, 0);
  MPI_Comm_free(&made);
  free(sources);
  free(degrees);
  free(to);
  free(weights);
}

/* One rank is left out of the graph. */
static void graph(void) {
  const int n = ranks % 2 ? ranks - 1 : ranks - 2;
  int *index = malloc(sizeof(int) * n), *edges = malloc(sizeof(int) * n), count, neighbour;
  MPI_Comm made;
  for (int v = 0; v < n; ++v) {
    index[v] = v + 1;
    edges[v] = (v + n / 2) % n;
  }
  MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 1, &made);
  int in = made != MPI_COMM_NULL, all, moved = 0, sum;
  MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(all == n, "size of the graph");
  if (in) {
    int v;
    MPI_Comm_rank(made, &v);
    MPI_Graph_neighbors_count(made, v, &count);
    check(count == 1, "degree");
    MPI_Graph_neighbors(made, v, 1, &neighbour);
    check(neighbour == (v + n / 2) % n, "neighbour");
    moved = v != rank;
    MPI_Comm_free(&made);
  }
  MPI_Allreduce(&moved, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell_if(rank == 0, sum);
  free(index);
  free(edges);
}

/* A grid whose long dimension varies slowest. */
static void cart(void) {
  MPI_Comm made;
  int coordinates[2], below, above, v;
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, ranks / 2}, (int[]){1, 0}, 1, &made);
  int in = made != MPI_COMM_NULL, all;
  const int cells = ranks / 2 * 2;
  MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(all == cells, "size of the grid");
  if (!in) return;
  MPI_Comm_rank(made, &v);
  MPI_Cart_coords(made, v, 2, coordinates);
  check(coordinates[0] * (ranks / 2) + coordinates[1] == v, "coordinates");
  MPI_Cart_shift(made, 0, 1, &below, &above);
  check(below == (v + cells / 2) % cells && above == below, "shift");
  if (cells == ranks) check_members(MPI_COMM_WORLD, made);
  MPI_Comm_free(&made);
}

static void subsets(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  adjacent(half, 1);
  distributed(half);
  MPI_Comm_free(&half);
}

/* A graph with an impossible degree is an error of the MPI library, and no end of the process. */
static void wrong_degree(void) {
  MPI_Comm made;
  const int one = 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, -1, &one, &one, 0, &one, &one, MPI_INFO_NULL, 1, &made) != MPI_SUCCESS, "degree -1");
  check(MPI_Dist_graph_create(MPI_COMM_WORLD, -1, &rank, &one, &one, &one, MPI_INFO_NULL, 1, &made) != MPI_SUCCESS, "-1 sources");
  if (rank == 0) puts("0 0 refused");
}

/* The new calls get the attributes that the old calls have set, and the reverse. */
static void attributes(void) {
  int key, value = 7, other = 8, found, *got;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Attr_put(MPI_COMM_WORLD, key, &value);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &found);
  check(found && *got == 7, "an attribute of MPI_Attr_put");
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &other);
  MPI_Attr_get(MPI_COMM_WORLD, key, &got, &found);
  check(found && *got == 8, "an attribute for MPI_Attr_get");
  MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &got, &found);
  check(found, "MPI_TAG_UB by MPI_Attr_get");
  MPI_Attr_delete(MPI_COMM_WORLD, key);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &found);
  check(!found, "MPI_Attr_delete");
  MPI_Comm_free_keyval(&key);
}

/* A program that does not use this project. SLOT gives the place of a process; the caller checks where it should be. */
static void plain(void) {
  int *bound, flag, sum, hers, me = rank;
  MPI_Comm copy;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  check(flag && *bound >= 32767, "MPI_TAG_UB");
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == ranks * (ranks - 1) / 2, "ranks");
  const int partner = (rank + ranks / 2) % ranks;
  MPI_Sendrecv(&me, 1, MPI_INT, partner, 0, &hers, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(hers == partner, "partner");
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_rank(copy, &me);
  check(me == rank, "rank in a duplicate");
  MPI_Comm_free(&copy);
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &sum);
  check(!strcmp(name, "MPI_COMM_WORLD"), "name");
  attributes();
  const char *first = getenv("OMPI_COMM_WORLD_RANK"); /* the rank from the launcher */
  if (!first) first = getenv("PMI_RANK");
  int moved = first && atoi(first) != rank, all;
  MPI_Allreduce(&moved, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell_if(rank == 0, all);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *name = argc > 1 ? argv[1] : "";
  if (!strcmp(name, "topologies")) {
    adjacent(MPI_COMM_WORLD, 1);
    adjacent(MPI_COMM_WORLD, 0);
    distributed(MPI_COMM_WORLD);
    graph();
    cart();
    subsets();
  } else if (!strcmp(name, "plain")) {
    plain();
  } else if (!strcmp(name, "wrong_degree")) {
    wrong_degree();
#ifdef WITH_PLACEMENT
  } else if (!strcmp(name, "matrix") && argc == 3) {
    MPI_Comm made;
    check(placement_comm_reorder(MPI_COMM_WORLD, argv[2], &made) == MPI_SUCCESS, "placement_comm_reorder");
    check_members(MPI_COMM_WORLD, made);
    MPI_Comm_free(&made);
  } else if (!strcmp(name, "neighbours") && argc == 3) {
    MPI_Comm made;
    int in, out, weighted;
    const int result = placement_comm_from_neighbours(MPI_COMM_WORLD, argv[2], 1, &made);
    if (result != MPI_SUCCESS) {
      check(made == MPI_COMM_NULL, "a communicator in spite of an error");
      if (rank == 0) puts("refused");
    } else {
      MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
      check(in == out && !weighted, "degrees of a neighbour file");
      check_members(MPI_COMM_WORLD, made);
      MPI_Comm_free(&made);
    }
#endif
  } else {
    check(0, "unknown case");
  }
  MPI_Finalize();
  return 0;
}
