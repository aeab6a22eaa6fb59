// SPDX-License-Identifier: GPL-2.0-or-later
// libplacement-reorder.so: the wrapped functions, made from the prototypes of mpi.h, and the calls of placement_mpi.h.
#include <exception>

#include "common/util/error.hpp"
#include "mpi/assignment_files.hpp"
#include "mpi/placement_mpi.h"
#include "mpi/reorder_calls.hpp"
#include "mpi/wrap.hpp"

namespace {
struct Timed {
  Timed() {}
};
using Untimed = Timed;
}  // namespace

#include "mpi/reorder_wrappers.inc"

#define EXPORTED extern "C" __attribute__((visibility("default")))

// Defines a call by hand, for C and Fortran; wrap.hpp explains the two symbols.
#define REPLACE(name, parameters, arguments, replacement)                                           \
  EXPORTED int name parameters { return replacement; }                                              \
  EXPORTED int P##name parameters {                                                                 \
    if (placement::mpi::wrap::in_fortran_bindings(__builtin_return_address(0))) return replacement; \
    static constinit std::atomic<decltype(&name)> known{nullptr};                                   \
    return placement::mpi::wrap::next(known, "P" #name) arguments;                                  \
  }

namespace reordering = placement::mpi::reorder;
using reordering::stand_in;

REPLACE(MPI_Dist_graph_create,
        (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
         MPI_Info info, int reorder, MPI_Comm* made),
        (comm, n, sources, degrees, destinations, weights, info, reorder, made),
        reordering::dist_graph_create(stand_in(comm), n, sources, degrees, destinations, weights, info, reorder, made))
REPLACE(MPI_Dist_graph_create_adjacent,
        (MPI_Comm comm, int indegree, const int sources[], const int source_weights[], int outdegree,
         const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* made),
        (comm, indegree, sources, source_weights, outdegree, destinations, weights, info, reorder, made),
        reordering::dist_graph_create_adjacent(stand_in(comm), indegree, sources, source_weights, outdegree,
                                               destinations, weights, info, reorder, made))
REPLACE(MPI_Graph_create, (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* made),
        (comm, nodes, index, edges, reorder, made),
        reordering::graph_create(stand_in(comm), nodes, index, edges, reorder, made))
REPLACE(MPI_Cart_create,
        (MPI_Comm comm, int dimensions, const int dims[], const int periods[], int reorder, MPI_Comm* made),
        (comm, dimensions, dims, periods, reorder, made),
        reordering::cart_create(stand_in(comm), dimensions, dims, periods, reorder, made))

// Returns the communicator with the attribute. Predefined attributes are on MPI_COMM_WORLD; the program's own
// attributes are on the communicator that replaces it.
static MPI_Comm holder_of(MPI_Comm comm, int keyval) {
  for (const int predefined :
       {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE})
    if (keyval == predefined) return comm;
  return stand_in(comm);
}
static int get_attribute(MPI_Comm comm, int keyval, void* value, int* found) {
  return PMPI_Comm_get_attr(holder_of(comm, keyval), keyval, value, found);
}
REPLACE(MPI_Comm_get_attr, (MPI_Comm comm, int keyval, void* value, int* found), (comm, keyval, value, found),
        get_attribute(comm, keyval, value, found))

// The calls of MPI 1 for attributes, in C only.
EXPORTED int MPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* found) {
  return get_attribute(comm, keyval, value, found);
}
EXPORTED int MPI_Attr_put(MPI_Comm comm, int keyval, void* value) {
  return PMPI_Comm_set_attr(stand_in(comm), keyval, value);
}
EXPORTED int MPI_Attr_delete(MPI_Comm comm, int keyval) { return PMPI_Comm_delete_attr(stand_in(comm), keyval); }

EXPORTED int placement_world(MPI_Comm* world) {
  *world = stand_in(MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

EXPORTED int placement_comm_reorder(MPI_Comm comm, const char* matrix_file, MPI_Comm* reordered) {
  *reordered = MPI_COMM_NULL;
  try {
    comm = stand_in(comm);
    return reordering::with_ranks(comm, reordering::ranks_for(comm, std::string(matrix_file)), reordered);
  } catch (const std::exception&) {  // for example, no memory
    return MPI_ERR_OTHER;
  }
}

EXPORTED int placement_comm_from_neighbours(MPI_Comm comm, const char* neighbour_file, int reorder, MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  try {
    comm = stand_in(comm);
    std::vector<int> sources, degrees, destinations;
    bool good = true;
    if (reordering::rank_in(comm) == 0) {
      try {
        const auto neighbours = placement::mpi::read_neighbours(neighbour_file);
        if (std::ssize(neighbours) != reordering::size_of(comm))
          throw placement::Error(std::string(neighbour_file) + ": " + std::to_string(neighbours.size()) +
                                 " processes in a communicator of " + std::to_string(reordering::size_of(comm)));
        for (std::size_t p = 0; p < neighbours.size(); ++p) {
          sources.push_back(static_cast<int>(p));
          degrees.push_back(static_cast<int>(neighbours[p].size()));
          destinations.insert(destinations.end(), neighbours[p].begin(), neighbours[p].end());
        }
      } catch (const placement::Error& error) {
        reordering::warn(comm, error.what());
        good = false;
      }
    }
    if (!reordering::all_agree(comm, good)) return MPI_ERR_ARG;
    return reordering::dist_graph_create(comm, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                                         destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, made);
  } catch (const std::exception&) {
    return MPI_ERR_OTHER;
  }
}
