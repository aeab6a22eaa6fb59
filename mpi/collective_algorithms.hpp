// SPDX-License-Identifier: GPL-2.0-or-later
// The known algorithms of collectives, for the models of collective.hpp only. Each function appends the messages that
// call.rank sends in this algorithm. The names are those of the literature and of Open MPI's "tuned" component.
#pragma once
#include "mpi/collective.hpp"
#include "mpi/collective_trees.hpp"

namespace placement::mpi::algorithms {

// Collects messages, except those of a rank to itself.
class Output {
 public:
  Output(Sends& sends, std::int32_t self) : sends_(sends), self_(self) {}
  void send(std::int32_t peer, std::uint64_t bytes) {
    if (peer != self_) sends_.push_back({peer, bytes});
  }

 private:
  Sends& sends_;
  std::int32_t self_;
};

// ---- algorithms with a root (collective_rooted.cpp)
void to_children(const TreePosition& tree, std::uint64_t bytes, Output& out);
void to_parent(const TreePosition& tree, std::uint64_t bytes, Output& out);
void bcast_linear(const CollectiveCall& call, Output& out);
void bcast_split_binary(const CollectiveCall& call, Output& out);
// Scatters over a binomial tree, then runs an allgather by recursive doubling, or around a ring if `ring` is set.
void bcast_scatter_allgather(const CollectiveCall& call, bool ring, Output& out);
void reduce_linear(const CollectiveCall& call, Output& out);
void reduce_in_order_binary(const CollectiveCall& call, Output& out);
void reduce_rabenseifner(const CollectiveCall& call, Output& out);
void gather_binomial(const CollectiveCall& call, Output& out);
void gather_linear_sync(const CollectiveCall& call, Output& out);
void scatter_linear(const CollectiveCall& call, Output& out);
void scatter_binomial(const CollectiveCall& call, Output& out);
// empty_ones: blocks of 0 bytes are sent too.
void scatterv_linear(const CollectiveCall& call, bool empty_ones, Output& out);

// ---- algorithms without a root (collective_symmetric.cpp); `blocks` has the bytes of each rank's block
using Blocks = std::vector<std::uint64_t>;
void barrier_linear(const CollectiveCall& call, Output& out);
void barrier_double_ring(const CollectiveCall& call, Output& out);
void barrier_recursive_doubling(const CollectiveCall& call, Output& out);
void barrier_dissemination(const CollectiveCall& call, Output& out);
void barrier_tree(const CollectiveCall& call, Output& out);
void allgather_bruck(const CollectiveCall& call, const Blocks& blocks, Output& out);
void allgather_recursive_doubling(const CollectiveCall& call, const Blocks& blocks, Output& out);
void allgather_ring(const CollectiveCall& call, const Blocks& blocks, Output& out);
void allgather_neighbour(const CollectiveCall& call, const Blocks& blocks, Output& out);
// Sends a message of `bytes` bytes to each other rank.
void to_all_others(const CollectiveCall& call, std::uint64_t bytes, Output& out);
void alltoall_bruck(const CollectiveCall& call, Output& out);
// Sends its block to each other rank. empty_ones: blocks of 0 bytes are sent too.
void alltoallv_direct(const CollectiveCall& call, bool empty_ones, Output& out);
void allreduce_recursive_doubling(const CollectiveCall& call, Output& out);
void allreduce_ring(const CollectiveCall& call, Output& out);
void allreduce_rabenseifner(const CollectiveCall& call, Output& out);
// Sends a message to the next rank: linear scan and exscan.
void to_next(const CollectiveCall& call, Output& out);

// ---- reduce_scatter (collective_reduce_scatter.cpp)
void reduce_scatter_recursive_halving(const CollectiveCall& call, const Blocks& blocks, Output& out);
void reduce_scatter_ring(const CollectiveCall& call, const Blocks& blocks, Output& out);
void reduce_scatter_butterfly(const CollectiveCall& call, const Blocks& blocks, Output& out);
void reduce_scatter_block_butterfly(const CollectiveCall& call, Output& out);
void reduce_scatter_block_recursive_doubling(const CollectiveCall& call, Output& out);

// Returns a block of call.bytes() for each rank.
Blocks equal_blocks(const CollectiveCall& call);

// One step of Rabenseifner's algorithms: recursive halving over the largest power of two of ranks. The other ranks
// have given their data to one of these before.
struct HalvingStep {
  std::int32_t peer;
  std::uint64_t sent;      // number of elements that go to the peer
  std::uint64_t received;  // number of elements that remain here; the peer sends its values of them
};
// The halving phase of one rank.
struct Halving {
  std::int32_t virtual_rank = -1;  // rank among the power of two; -1: the rank does not take part
  std::vector<HalvingStep> steps;
};
// Appends the messages of the reduction phase and returns its steps.
Halving halve(const CollectiveCall& call, Output& out);

}  // namespace placement::mpi::algorithms
