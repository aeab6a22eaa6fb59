// SPDX-License-Identifier: GPL-2.0-or-later
// Reordering of communicators: from what is known of traffic and machine to new ranks [JA §2, §4].
#pragma once
#include <mpi.h>

#include <string>
#include <vector>

#include "mpi/rank_order.hpp"

namespace placement::reorder {

// Traffic between two ranks as a topology call gives it; weight 1 where the program gave none.
struct Edge {
  int from;
  int to;
  int weight;
};

// What the environment asks for; libplacement-reorder.7 lists the variables. Throws Error.
struct Settings {
  bool enabled = true;
  OrderOptions order;
  std::string hardware;  // a hardware file in place of what hwloc finds; places go to world ranks in turn
  std::string matrix;    // reorders MPI_COMM_WORLD itself
  std::string save;      // prefix of the published files: .hardware, .matrix, .neighbours
  bool report = false;
};
Settings read_settings();

// After MPI_Init and before MPI_Finalize. begin() may put another communicator in the place of MPI_COMM_WORLD.
void begin();
void end();
extern MPI_Comm world_stand_in;  // MPI_COMM_NULL: none

inline MPI_Comm stand_in(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD && world_stand_in != MPI_COMM_NULL ? world_stand_in : comm;
}

// Collective: the rank that each process of `comm` should have, the same answer everywhere; empty for
// "as it is". `mine` are edges known to this process, in ranks of the communicator to be made.
std::vector<int> ranks_for(MPI_Comm comm, const std::vector<Edge>& mine);
// The same from a matrix file that rank 0 reads.
std::vector<int> ranks_for(MPI_Comm comm, const std::string& matrix_file);

// Collective: the processes of comm, this one as `rank_of_process[its rank]`; a duplicate in the same
// order for an empty permutation. split_by_ranks leaves it to the caller to see whether it came out so.
int split_by_ranks(MPI_Comm comm, const std::vector<int>& rank_of_process, MPI_Comm* made);
int with_ranks(MPI_Comm comm, const std::vector<int>& rank_of_process, MPI_Comm* made);

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

// Collective: true when the statement holds at all processes.
bool all_agree(MPI_Comm comm, bool statement);
void warn(MPI_Comm comm, const std::string& text);  // by rank 0 of comm

}  // namespace placement::reorder
