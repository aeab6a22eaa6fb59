// SPDX-License-Identifier: GPL-2.0-or-later
// Reordering of communicators: new ranks from the traffic between ranks and the places of processes [JA §2, §4].
#pragma once
#include <mpi.h>
#include <string>
#include <vector>

#include "common/matrix/matrix_format.hpp"
#include "mpi/rank_order.hpp"

namespace placement::mpi::reorder {

// Traffic between two ranks as a topology call gives it. The weight is 1 where the program gave none.
struct Edge {
  int from;
  int to;
  int weight;
};

// The settings from the environment; libplacement-reorder(7) lists the variables.
struct Settings {
  bool enabled = true;
  OrderOptions order;
  std::string hardware;  // a hardware file instead of the places that hwloc finds; world ranks fill the places of the
                         // file in order
  std::string matrix;    // a matrix file by which MPI_COMM_WORLD itself is reordered
  TrafficWeight weight = TrafficWeight::bytes;  // of the matrix file
  std::string save;     // prefix of the published files .hardware, .matrix and .neighbours; empty: they are not written
  bool report = false;  // rank 0 prints the hop-bytes before and after
};
// Reads the settings after MPI_Init. It may set world_stand_in. The call is collective over MPI_COMM_WORLD.
void begin();
// Frees world_stand_in before MPI_Finalize and ends reordering.
void end();
// The communicator that replaces MPI_COMM_WORLD in calls of the program; MPI_COMM_NULL: it is not replaced.
extern MPI_Comm world_stand_in;

// Returns the communicator to use for `comm`: the one that replaces MPI_COMM_WORLD, or `comm` itself.
inline MPI_Comm stand_in(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD && world_stand_in != MPI_COMM_NULL ? world_stand_in : comm;
}

// Returns the new rank of each process of `comm`; empty when ranks do not change. The call is collective, with one
// result at all processes. `mine` has the edges that this process knows, in ranks of the new communicator.
std::vector<int> ranks_for(MPI_Comm comm, const std::vector<Edge>& mine);
// Returns the new rank of each process of `comm` by a matrix file; empty when ranks do not change. The call is
// collective. Rank 0 reads the file, and prints a warning when it cannot be used.
std::vector<int> ranks_for(MPI_Comm comm, const std::string& matrix_file);

// Makes a communicator of the processes of `comm`, in which process p has the rank rank_of_process[p]. If that is
// empty, duplicates `comm`. The call is collective. Returns the result of the MPI call.
int with_ranks(MPI_Comm comm, const std::vector<int>& rank_of_process, MPI_Comm* made);

// Returns the rank of this process in `comm`.
inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
// Returns the number of processes of `comm`.
inline int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

// Returns whether the statement is true at all processes. It is collective over `comm`.
bool all_agree(MPI_Comm comm, bool statement);
// Prints a warning at rank 0 of `comm`; does nothing at other ranks.
void warn(MPI_Comm comm, const std::string& text);

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
