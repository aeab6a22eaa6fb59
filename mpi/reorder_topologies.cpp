// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/reorder.hpp"
#include "mpi/wrap.hpp"

// The next definition of an MPI call behind this library, so that other tools see the resulting topology.
#define NEXT(name)                                                \
  [] {                                                            \
    static constinit std::atomic<decltype(&name)> known{nullptr}; \
    return placement::mpi::wrap::next(known, #name);              \
  }()

namespace placement::mpi::reorder {
namespace {

bool usable(MPI_Comm comm) {
  int inter = 1;
  return comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

// A communicator that is freed at the end of its scope.
class OwnComm {
 public:
  ~OwnComm() {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }
  MPI_Comm* out() { return &comm_; }
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// The neighbours of one vertex of a distributed graph.
struct Vertex {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool operator==(const Vertex&) const = default;
};

// Returns a list for MPI: the weights, or MPI_UNWEIGHTED. It is never a null pointer, not even for an empty list.
const int* weights_of(const std::vector<int>& weights, bool weighted) {
  return !weighted ? MPI_UNWEIGHTED : weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
}

// Returns the values. A wrong count gives an empty list; the MPI library reports it.
std::vector<int> list_of(const int values[], int count) {
  return values && count > 0 ? std::vector<int>(values, values + count) : std::vector<int>{};
}

// Each process sends its vertex to the process whose rank in `made` is that of the vertex. Returns the received vertex.
Vertex exchanged(MPI_Comm made, int old_rank, int old_rank_of_mine, const std::vector<int>& rank_of_process,
                 const Vertex& mine) {
  const int from = rank_of_process[old_rank_of_mine];
  int sent[2] = {static_cast<int>(mine.sources.size()), static_cast<int>(mine.destinations.size())};
  int got[2] = {0, 0};
  PMPI_Sendrecv(sent, 2, MPI_INT, old_rank, 0, got, 2, MPI_INT, from, 0, made, MPI_STATUS_IGNORE);
  std::vector<int> out;
  for (const auto* list : {&mine.sources, &mine.source_weights, &mine.destinations, &mine.destination_weights})
    out.insert(out.end(), list->begin(), list->end());
  std::vector<int> in(2 * static_cast<std::size_t>(got[0] + got[1]));
  PMPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_INT, old_rank, 1, in.data(), static_cast<int>(in.size()),
                MPI_INT, from, 1, made, MPI_STATUS_IGNORE);
  const int* at = in.data();
  const auto take = [&](int length) {
    at += length;
    return std::vector<int>(at - length, at);
  };
  Vertex theirs;
  theirs.sources = take(got[0]);
  theirs.source_weights = take(got[0]);
  theirs.destinations = take(got[1]);
  theirs.destination_weights = take(got[1]);
  return theirs;
}

// Returns the vertex of this process as MPI has it; without weights when the graph is not weighted.
Vertex vertex_in(MPI_Comm graph, bool weighted) {
  int in = 0;
  int out = 0;
  int has_weights = 0;
  PMPI_Dist_graph_neighbors_count(graph, &in, &out, &has_weights);
  Vertex vertex;
  for (auto* list : {&vertex.sources, &vertex.source_weights}) list->resize(static_cast<std::size_t>(in) + 1);
  for (auto* list : {&vertex.destinations, &vertex.destination_weights})
    list->resize(static_cast<std::size_t>(out) + 1);
  PMPI_Dist_graph_neighbors(
      graph, in, vertex.sources.data(), has_weights ? vertex.source_weights.data() : MPI_UNWEIGHTED, out,
      vertex.destinations.data(), has_weights ? vertex.destination_weights.data() : MPI_UNWEIGHTED);
  vertex.sources.resize(in);
  vertex.destinations.resize(out);
  vertex.source_weights.resize(weighted && has_weights ? static_cast<std::size_t>(in) : 0);
  vertex.destination_weights.resize(weighted && has_weights ? static_cast<std::size_t>(out) : 0);
  return vertex;
}

// Makes a topology with the ranks that `edges` choose. The call is collective over `comm`.
//   unchanged  makes the topology without reordering
//   create     makes it on a communicator with these ranks, and returns the result of the MPI call
//   right      returns whether `made` is the requested topology at this process
template <class Unchanged, class Create, class Right>
int reordered(MPI_Comm comm, const std::vector<Edge>& edges, MPI_Comm* made, const Unchanged& unchanged,
              const Create& create, const Right& right) {
  const std::vector<int> ranks = ranks_for(comm, edges);
  OwnComm base;
  if (ranks.empty() || with_ranks(comm, ranks, base.out()) != MPI_SUCCESS) return unchanged(0);
  if (const int result = create(base.get(), ranks); result != MPI_SUCCESS) return result;
  if (all_agree(comm, right(base.get(), ranks))) return MPI_SUCCESS;
  warn(comm, "a reordered topology differs from the requested one; ranks stay as they are");
  if (*made != MPI_COMM_NULL) PMPI_Comm_free(made);
  return unchanged(0);
}

}  // namespace

int dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int source_weights[],
                               int outdegree, const int destinations[], const int destination_weights[], MPI_Info info,
                               int reorder, MPI_Comm* made) {
  const auto create = NEXT(MPI_Dist_graph_create_adjacent);
  const auto unchanged = [&](int flag) {
    return create(comm, indegree, sources, source_weights, outdegree, destinations, destination_weights, info, flag,
                  made);
  };
  if (!reorder || !usable(comm)) return unchanged(reorder);
  const bool weighted = source_weights != MPI_UNWEIGHTED && destination_weights != MPI_UNWEIGHTED;
  const int me = rank_in(comm);
  Vertex mine{list_of(sources, indegree), {}, list_of(destinations, outdegree), {}};
  mine.source_weights = weighted ? list_of(source_weights, indegree) : std::vector<int>(mine.sources.size(), 1);
  mine.destination_weights =
      weighted ? list_of(destination_weights, outdegree) : std::vector<int>(mine.destinations.size(), 1);
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < mine.destinations.size(); ++k)
    edges.push_back({me, mine.destinations[k], mine.destination_weights[k]});
  Vertex vertex;
  const auto create_on = [&](MPI_Comm base, const std::vector<int>& ranks) {
    vertex = exchanged(base, me, ranks[me], ranks, mine);
    return create(base, static_cast<int>(vertex.sources.size()), vertex.sources.data(),
                  weights_of(vertex.source_weights, weighted), static_cast<int>(vertex.destinations.size()),
                  vertex.destinations.data(), weights_of(vertex.destination_weights, weighted), info, 0, made);
  };
  return reordered(comm, edges, made, unchanged, create_on, [&](MPI_Comm, const std::vector<int>& ranks) {
    if (!weighted) {
      vertex.source_weights.clear();
      vertex.destination_weights.clear();
    }
    return rank_in(*made) == ranks[me] && vertex_in(*made, weighted) == vertex;
  });
}

int dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int reorder, MPI_Comm* made) {
  const auto create = NEXT(MPI_Dist_graph_create);
  const auto unchanged = [&](int flag) {
    return create(comm, n, sources, degrees, destinations, weights, info, flag, made);
  };
  if (!reorder || !usable(comm)) return unchanged(reorder);
  const int size = size_of(comm);
  std::vector<Edge> edges;
  // out- and in-degree of each rank by the edges known here
  std::vector<int> wanted(2 * static_cast<std::size_t>(size), 0);
  int at = 0;
  for (int k = 0; k < n; ++k)
    for (int d = 0; d < degrees[k]; ++d, ++at) {
      const int to = destinations[at];
      if (sources[k] < 0 || sources[k] >= size || to < 0 || to >= size) continue;  // MPI reports this error
      edges.push_back({sources[k], to, weights == MPI_UNWEIGHTED ? 1 : weights[at]});
      ++wanted[2 * static_cast<std::size_t>(sources[k])];
      ++wanted[2 * static_cast<std::size_t>(to) + 1];
    }
  // Edges are in ranks of the new communicator, so they need no translation.
  const auto create_on = [&](MPI_Comm base, const std::vector<int>&) {
    return create(base, n, sources, degrees, destinations, weights, info, 0, made);
  };
  return reordered(comm, edges, made, unchanged, create_on, [&](MPI_Comm base, const std::vector<int>& ranks) {
    int mine[2] = {0, 0};
    PMPI_Reduce_scatter_block(wanted.data(), mine, 2, MPI_INT, MPI_SUM, base);
    const Vertex vertex = vertex_in(*made, weights != MPI_UNWEIGHTED);
    return rank_in(*made) == ranks[rank_in(comm)] && vertex.destinations.size() == static_cast<std::size_t>(mine[0]) &&
           vertex.sources.size() == static_cast<std::size_t>(mine[1]);
  });
}

int graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* made) {
  const auto create = NEXT(MPI_Graph_create);
  const auto unchanged = [&](int flag) { return create(comm, nodes, index, edges, flag, made); };
  if (!reorder || !usable(comm) || nodes < 1 || nodes > size_of(comm)) return unchanged(reorder);
  const int me = rank_in(comm);
  const auto first = [&](int vertex) { return vertex == 0 ? 0 : index[vertex - 1]; };
  std::vector<Edge> mine;
  if (me < nodes)
    for (int k = first(me); k < index[me]; ++k)
      if (edges[k] >= 0 && edges[k] < nodes) mine.push_back({me, edges[k], 1});
  const auto create_on = [&](MPI_Comm base, const std::vector<int>&) {
    return create(base, nodes, index, edges, 0, made);
  };
  return reordered(comm, mine, made, unchanged, create_on, [&](MPI_Comm, const std::vector<int>& ranks) {
    const int rank = ranks[me];
    if ((*made == MPI_COMM_NULL) != (rank >= nodes)) return false;
    if (rank >= nodes) return true;
    std::vector<int> neighbours(index[rank] - first(rank));
    int count = 0;
    PMPI_Graph_neighbors_count(*made, rank, &count);
    if (rank_in(*made) != rank || count != static_cast<int>(neighbours.size())) return false;
    PMPI_Graph_neighbors(*made, rank, count, neighbours.data());
    return std::equal(neighbours.begin(), neighbours.end(), edges + first(rank));
  });
}

int cart_create(MPI_Comm comm, int dimensions, const int dims[], const int periods[], int reorder, MPI_Comm* made) {
  const auto create = NEXT(MPI_Cart_create);
  const auto unchanged = [&](int flag) { return create(comm, dimensions, dims, periods, flag, made); };
  if (!reorder || !usable(comm) || dimensions < 1) return unchanged(reorder);
  std::int64_t cells = 1;
  for (int d = 0; d < dimensions; ++d) {
    if (dims[d] < 1) return unchanged(reorder);
    cells *= dims[d];
    if (cells > size_of(comm)) return unchanged(reorder);
  }
  const int me = rank_in(comm);
  std::vector<Edge> mine;  // to the next cell of each dimension; the last dimension varies fastest
  int stride = static_cast<int>(cells);
  for (int d = 0; d < dimensions && me < cells; ++d) {
    stride /= dims[d];
    const int at = me / stride % dims[d];
    if (at + 1 < dims[d])
      mine.push_back({me, me + stride, 1});
    else if (periods[d] && dims[d] > 1)
      mine.push_back({me, me - at * stride, 1});
  }
  const auto create_on = [&](MPI_Comm base, const std::vector<int>&) {
    return create(base, dimensions, dims, periods, 0, made);
  };
  return reordered(comm, mine, made, unchanged, create_on, [&](MPI_Comm, const std::vector<int>& ranks) {
    const int rank = ranks[me];
    if ((*made == MPI_COMM_NULL) != (rank >= cells)) return false;
    if (rank >= cells) return true;
    std::vector<int> coordinates(dimensions);
    if (rank_in(*made) != rank || PMPI_Cart_coords(*made, rank, dimensions, coordinates.data()) != MPI_SUCCESS)
      return false;
    int cell = 0;
    for (int d = 0; d < dimensions; ++d) cell = cell * dims[d] + coordinates[d];
    return cell == rank;
  });
}

}  // namespace placement::mpi::reorder
