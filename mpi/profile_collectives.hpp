// SPDX-License-Identifier: GPL-2.0-or-later
// How collective calls are counted. wrappers.awk reads the lines that begin with //@.
//
// The arguments behind the communicator determine the form of a call. A blocking call has none, a non-blocking call
// has a request, a persistent call has an info and a request. A persistent call is counted at each start.
#pragma once
#include "mpi/collective.hpp"
#include "mpi/profile.hpp"

namespace placement::mpi::profile {

// ---- counting the messages of a call in each of its three forms (profile_collectives.cpp)

// Returns the request of a persistent call from the arguments behind the communicator; null for other calls.
inline MPI_Request* persistent_request() { return nullptr; }
inline MPI_Request* persistent_request(MPI_Request*) { return nullptr; }
inline MPI_Request* persistent_request(MPI_Info, MPI_Request* request) { return request; }

// Counts the messages of a call on `comm`. If `persistent` is not null, they are counted at each start of that request.
void count_collective(MPI_Comm comm, CollectiveCall& call, MPI_Request* persistent);
// Counts the messages of a neighbourhood collective, as count_collective() does. `bytes` has the bytes to each
// neighbour, in the order of the topology.
void count_neighbours(MPI_Comm comm, const std::vector<std::uint64_t>& bytes, MPI_Request* persistent);

// Returns the number of neighbours to which this rank sends; 0 without a topology.
std::size_t neighbour_count(MPI_Comm comm);

// Returns the length of the arrays of a call: the size of the group with which this rank communicates.
int peers_of(MPI_Comm comm);

// Returns the bytes of data in one element of the type.
inline std::uint64_t type_bytes(MPI_Datatype type) { return bytes_of(1, type); }
// Returns whether a collective call must be examined. `Form` has the types of its arguments after the communicator. The
// messages of a persistent call (MPI_Info and MPI_Request*) are stored while the profiler runs, because counting may be
// on when it starts. Other calls are examined only while messages are counted.
template <class... Form>
bool wanted() {
  return sizeof...(Form) == 2 ? running.load(std::memory_order_relaxed) : traffic() != nullptr;
}

// Sets the number and the size of the elements of a call. A negative count becomes 0.
template <class Count>
void set_elements(CollectiveCall& call, Count count, MPI_Datatype type) {
  call.count = static_cast<std::uint64_t>(count > 0 ? count : 0);
  call.element_bytes = type_bytes(type);
}

// Returns the bytes of the block of each peer, for blocks of one type.
template <class Count>
std::vector<std::uint64_t> block_bytes(const Count counts[], MPI_Datatype type, int peers) {
  const std::uint64_t element = type_bytes(type);
  std::vector<std::uint64_t> blocks(peers);
  for (int peer = 0; peer < peers; ++peer)
    blocks[peer] = static_cast<std::uint64_t>(counts[peer] > 0 ? counts[peer] : 0) * element;
  return blocks;
}

// Returns the bytes of the block of each peer, if each block has its own type.
template <class Count>
std::vector<std::uint64_t> block_bytes(const Count counts[], const MPI_Datatype types[], int peers) {
  std::vector<std::uint64_t> blocks(peers);
  for (int peer = 0; peer < peers; ++peer) blocks[peer] = counts[peer] > 0 ? bytes_of(counts[peer], types[peer]) : 0;
  return blocks;
}

// Returns whether this rank is the root of a call with the argument `root`.
inline bool is_root(MPI_Comm comm, int root) {
  const CommInfo* info = comm_info(comm);
  return root == MPI_ROOT || (info && !info->inter && info->rank == root);
}

// Counts the messages of a call of `operation` with the root `root`, 0 if it has none. `describe` sets its elements or
// blocks. Does nothing unless the collective must be examined.
template <class Describe, class... Form>
void collective(Collective operation, int root, MPI_Comm comm, Describe describe, Form... form) {
  if (!wanted<Form...>()) return;
  CollectiveCall call;
  call.operation = operation;
  call.root = root;
  describe(call);
  count_collective(comm, call, persistent_request(form...));
}

// As collective(), where the elements of a call are (count, type) if `own` returns true, and (to_count, to_type) if
// not.
template <class Own, class Count, class... Form>
void collective_of_either(Collective operation, int root, MPI_Comm comm, Own own, Count count, MPI_Datatype type,
                          Count to_count, MPI_Datatype to_type, Form... form) {
  const auto describe = [&](CollectiveCall& call) {
    if (own())
      set_elements(call, count, type);
    else
      set_elements(call, to_count, to_type);
  };
  collective(operation, root, comm, describe, form...);
}

// ---- broadcast, barrier, reductions

//@ before barrier: MPI_Barrier MPI_Ibarrier
//@ made barrier: MPI_Barrier_init MPIX_Barrier_init
template <class... Form>
void barrier(MPI_Comm comm, Form... form) {
  collective(
      Collective::barrier, 0, comm, [](CollectiveCall&) {}, form...);
}

// Counts a broadcast or reduction of `count` elements; `root` is 0 if the operation has no root.
template <class Count, class... Form>
void of_elements(Collective operation, Count count, MPI_Datatype type, int root, MPI_Comm comm, Form... form) {
  collective(
      operation, root, comm, [&](CollectiveCall& call) { set_elements(call, count, type); }, form...);
}

//@ before bcast: MPI_Bcast MPI_Ibcast
//@ made bcast: MPI_Bcast_init MPIX_Bcast_init
template <class Count, class... Form>
void bcast(void*, Count count, MPI_Datatype type, int root, MPI_Comm comm, Form... form) {
  of_elements(Collective::bcast, count, type, root, comm, form...);
}

//@ before reduce: MPI_Reduce MPI_Ireduce
//@ made reduce: MPI_Reduce_init MPIX_Reduce_init
template <class Count, class... Form>
void reduce(const void*, void*, Count count, MPI_Datatype type, MPI_Op, int root, MPI_Comm comm, Form... form) {
  of_elements(Collective::reduce, count, type, root, comm, form...);
}

//@ before allreduce: MPI_Allreduce MPI_Iallreduce
//@ made allreduce: MPI_Allreduce_init MPIX_Allreduce_init
template <class Count, class... Form>
void allreduce(const void*, void*, Count count, MPI_Datatype type, MPI_Op, MPI_Comm comm, Form... form) {
  of_elements(Collective::allreduce, count, type, 0, comm, form...);
}

//@ before scan: MPI_Scan MPI_Iscan
//@ made scan: MPI_Scan_init MPIX_Scan_init
template <class Count, class... Form>
void scan(const void*, void*, Count count, MPI_Datatype type, MPI_Op, MPI_Comm comm, Form... form) {
  of_elements(Collective::scan, count, type, 0, comm, form...);
}

//@ before exscan: MPI_Exscan MPI_Iexscan
//@ made exscan: MPI_Exscan_init MPIX_Exscan_init
template <class Count, class... Form>
void exscan(const void*, void*, Count count, MPI_Datatype type, MPI_Op, MPI_Comm comm, Form... form) {
  of_elements(Collective::exscan, count, type, 0, comm, form...);
}

//@ before reduce_scatter_block: MPI_Reduce_scatter_block MPI_Ireduce_scatter_block
//@ made reduce_scatter_block: MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
template <class Count, class... Form>
void reduce_scatter_block(const void*, void*, Count count, MPI_Datatype type, MPI_Op, MPI_Comm comm, Form... form) {
  of_elements(Collective::reduce_scatter_block, count, type, 0, comm, form...);
}

//@ before reduce_scatter: MPI_Reduce_scatter MPI_Ireduce_scatter
//@ made reduce_scatter: MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
template <class Count, class... Form>
void reduce_scatter(const void*, void*, const Count block_counts[], MPI_Datatype type, MPI_Op, MPI_Comm comm,
                    Form... form) {
  const auto describe = [&](CollectiveCall& call) {
    call.element_bytes = type_bytes(type);
    const CommInfo* info = comm_info(comm);
    call.blocks = block_bytes(block_counts, type, info ? info->size : 0);
  };
  collective(Collective::reduce_scatter, 0, comm, describe, form...);
}

// ---- gather, scatter, allgather, alltoall

//@ before gather: MPI_Gather MPI_Igather
//@ made gather: MPI_Gather_init MPIX_Gather_init
template <class Count, class... Form>
void gather(const void*, Count count, MPI_Datatype type, void*, Count to_count, MPI_Datatype to_type, int root,
            MPI_Comm comm, Form... form) {
  const auto own = [&] { return !is_root(comm, root); };
  collective_of_either(Collective::gather, root, comm, own, count, type, to_count, to_type, form...);
}

//@ before gatherv: MPI_Gatherv MPI_Igatherv
//@ made gatherv: MPI_Gatherv_init MPIX_Gatherv_init
template <class Count, class Offset, class... Form>
void gatherv(const void*, Count count, MPI_Datatype type, void*, const Count[], const Offset[], MPI_Datatype, int root,
             MPI_Comm comm, Form... form) {
  const auto describe = [&](CollectiveCall& call) {
    if (!is_root(comm, root) && root >= 0) set_elements(call, count, type);
  };
  collective(Collective::gatherv, root, comm, describe, form...);
}

//@ before scatter: MPI_Scatter MPI_Iscatter
//@ made scatter: MPI_Scatter_init MPIX_Scatter_init
template <class Count, class... Form>
void scatter(const void*, Count count, MPI_Datatype type, void*, Count to_count, MPI_Datatype to_type, int root,
             MPI_Comm comm, Form... form) {
  const auto own = [&] { return is_root(comm, root); };
  collective_of_either(Collective::scatter, root, comm, own, count, type, to_count, to_type, form...);
}

//@ before scatterv: MPI_Scatterv MPI_Iscatterv
//@ made scatterv: MPI_Scatterv_init MPIX_Scatterv_init
template <class Count, class Offset, class... Form>
void scatterv(const void*, const Count block_counts[], const Offset[], MPI_Datatype type, void*, Count, MPI_Datatype,
              int root, MPI_Comm comm, Form... form) {
  const auto describe = [&](CollectiveCall& call) {
    if (is_root(comm, root)) call.blocks = block_bytes(block_counts, type, peers_of(comm));
  };
  collective(Collective::scatterv, root, comm, describe, form...);
}

//@ before allgather: MPI_Allgather MPI_Iallgather
//@ made allgather: MPI_Allgather_init MPIX_Allgather_init
template <class Count, class... Form>
void allgather(const void*, Count count, MPI_Datatype type, void*, Count to_count, MPI_Datatype to_type, MPI_Comm comm,
               Form... form) {
  const auto own = [&] {  // the two groups of an inter-communicator may send different amounts
    const CommInfo* info = comm_info(comm);
    return info && info->inter;
  };
  collective_of_either(Collective::allgather, 0, comm, own, count, type, to_count, to_type, form...);
}

//@ before allgatherv: MPI_Allgatherv MPI_Iallgatherv
//@ made allgatherv: MPI_Allgatherv_init MPIX_Allgatherv_init
template <class Count, class Offset, class... Form>
void allgatherv(const void*, Count count, MPI_Datatype type, void*, const Count block_counts[], const Offset[],
                MPI_Datatype to_type, MPI_Comm comm, Form... form) {
  const auto describe = [&](CollectiveCall& call) {
    const CommInfo* info = comm_info(comm);
    if (info && info->inter)
      set_elements(call, count, type);
    else
      call.blocks = block_bytes(block_counts, to_type, peers_of(comm));
  };
  collective(Collective::allgatherv, 0, comm, describe, form...);
}

//@ before alltoall: MPI_Alltoall MPI_Ialltoall
//@ made alltoall: MPI_Alltoall_init MPIX_Alltoall_init
template <class Count, class... Form>
void alltoall(const void* from, Count count, MPI_Datatype type, void*, Count to_count, MPI_Datatype to_type,
              MPI_Comm comm, Form... form) {
  const auto own = [&] { return from != MPI_IN_PLACE; };
  collective_of_either(Collective::alltoall, 0, comm, own, count, type, to_count, to_type, form...);
}

// `Type` is the type of all blocks, or an array with a type for each block.
//@ before alltoallv: MPI_Alltoallv MPI_Ialltoallv MPI_Alltoallw MPI_Ialltoallw
//@ made alltoallv: MPI_Alltoallv_init MPIX_Alltoallv_init MPI_Alltoallw_init MPIX_Alltoallw_init
template <class Count, class Offset, class Type, class... Form>
void alltoallv(const void* from, const Count block_counts[], const Offset[], Type type, void*, const Count to_counts[],
               const Offset[], Type to_type, MPI_Comm comm, Form... form) {
  const auto describe = [&](CollectiveCall& call) {
    call.blocks = from == MPI_IN_PLACE ? block_bytes(to_counts, to_type, peers_of(comm))
                                       : block_bytes(block_counts, type, peers_of(comm));
  };
  collective(Collective::alltoallv, 0, comm, describe, form...);
}

// ---- neighbourhood collectives: one message to each neighbour

//@ before neighbour_equal: MPI_Neighbor_allgather MPI_Ineighbor_allgather MPI_Neighbor_alltoall MPI_Ineighbor_alltoall
//@ made neighbour_equal: MPI_Neighbor_allgather_init MPIX_Neighbor_allgather_init
//@ made neighbour_equal: MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
template <class Count, class... Form>
void neighbour_equal(const void*, Count count, MPI_Datatype type, void*, Count, MPI_Datatype, MPI_Comm comm,
                     Form... form) {
  if (!wanted<Form...>()) return;
  count_neighbours(comm, std::vector<std::uint64_t>(neighbour_count(comm), bytes_of(count, type)),
                   persistent_request(form...));
}

//@ before neighbour_allgatherv: MPI_Neighbor_allgatherv MPI_Ineighbor_allgatherv
//@ made neighbour_allgatherv: MPI_Neighbor_allgatherv_init MPIX_Neighbor_allgatherv_init
template <class Count, class Offset, class... Form>
void neighbour_allgatherv(const void*, Count count, MPI_Datatype type, void*, const Count[], const Offset[],
                          MPI_Datatype, MPI_Comm comm, Form... form) {
  neighbour_equal(nullptr, count, type, nullptr, count, type, comm, form...);
}

//@ before neighbour_alltoallv: MPI_Neighbor_alltoallv MPI_Ineighbor_alltoallv
//@ before neighbour_alltoallv: MPI_Neighbor_alltoallw MPI_Ineighbor_alltoallw
//@ made neighbour_alltoallv: MPI_Neighbor_alltoallv_init MPIX_Neighbor_alltoallv_init
//@ made neighbour_alltoallv: MPI_Neighbor_alltoallw_init MPIX_Neighbor_alltoallw_init
template <class Count, class Offset, class Type, class... Form>
void neighbour_alltoallv(const void*, const Count block_counts[], const Offset[], Type type, void*, const Count[],
                         const Offset[], Type, MPI_Comm comm, Form... form) {
  if (!wanted<Form...>()) return;
  count_neighbours(comm, block_bytes(block_counts, type, static_cast<int>(neighbour_count(comm))),
                   persistent_request(form...));
}

}  // namespace placement::mpi::profile
