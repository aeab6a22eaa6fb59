// SPDX-License-Identifier: GPL-2.0-or-later
// The known algorithms of collectives: what call.rank sends in each. Used by the models of
// collective.hpp alone. Names are those of the literature and of Open MPI's "tuned" component.
#pragma once
#include "mpi/collective.hpp"
#include "mpi/collective_trees.hpp"

namespace placement::algorithms {

// Where sends go; drops those to the sender itself.
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

// ---- from the root, to the root (collective_rooted.cpp)
void to_children(const TreePosition& tree, std::uint64_t bytes, Output& out);
void to_parent(const TreePosition& tree, std::uint64_t bytes, Output& out);
void bcast_linear(const CollectiveCall& call, Output& out);
void bcast_split_binary(const CollectiveCall& call, Output& out);
// Scatter over a binomial tree, then allgather by recursive doubling, or around a ring.
void bcast_scatter_allgather(const CollectiveCall& call, bool ring, Output& out);
void reduce_linear(const CollectiveCall& call, Output& out);
void reduce_in_order_binary(const CollectiveCall& call, Output& out);
void reduce_rabenseifner(const CollectiveCall& call, Output& out);
void gather_binomial(const CollectiveCall& call, Output& out);
void gather_linear_sync(const CollectiveCall& call, Output& out);
void scatter_linear(const CollectiveCall& call, Output& out);
void scatter_binomial(const CollectiveCall& call, Output& out);
// Blocks of no bytes are sent or not.
void scatterv_linear(const CollectiveCall& call, bool empty_ones, Output& out);

// ---- among all (collective_symmetric.cpp); `blocks` holds the bytes of each rank's block
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
void to_all_others(const CollectiveCall& call, std::uint64_t bytes, Output& out);
void alltoall_bruck(const CollectiveCall& call, Output& out);
void alltoallv_direct(const CollectiveCall& call, bool empty_ones, Output& out);
void allreduce_recursive_doubling(const CollectiveCall& call, Output& out);
void allreduce_ring(const CollectiveCall& call, Output& out);
void allreduce_rabenseifner(const CollectiveCall& call, Output& out);
void to_next(const CollectiveCall& call, Output& out);  // scan and exscan, linear

// ---- reduce_scatter (collective_reduce_scatter.cpp)
void reduce_scatter_recursive_halving(const CollectiveCall& call, const Blocks& blocks, Output& out);
void reduce_scatter_ring(const CollectiveCall& call, const Blocks& blocks, Output& out);
void reduce_scatter_butterfly(const CollectiveCall& call, const Blocks& blocks, Output& out);
void reduce_scatter_block_butterfly(const CollectiveCall& call, Output& out);
void reduce_scatter_block_recursive_doubling(const CollectiveCall& call, Output& out);

// Equal blocks of call.bytes(), one per rank.
Blocks equal_blocks(const CollectiveCall& call);

// The steps of Rabenseifner's algorithms: recursive halving over the largest power of two of ranks,
// to which the others have given their half.
struct HalvingStep {
  std::int32_t peer;
  std::uint64_t sent;      // elements that go to the peer
  std::uint64_t received;  // elements that stay
};
struct Halving {
  std::int32_t virtual_rank = -1;  // -1: has no part
  std::vector<HalvingStep> steps;
};
// Appends the sends of the reduction phase.
Halving halve(const CollectiveCall& call, Output& out);

}  // namespace placement::algorithms
