// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "mpi/collective.hpp"

namespace placement::mpi {

// The algorithms of Open MPI's component "tuned", with its own numbers.
namespace open_mpi {
enum class Allgather { linear = 1, bruck, recursive_doubling, ring, neighbour, two_ranks };
enum class Allgatherv { linear = 1, bruck, ring, neighbour, two_ranks };
enum class Allreduce { linear = 1, reduce_and_bcast, recursive_doubling, ring, segmented_ring, rabenseifner };
enum class Alltoall { linear = 1, pairwise, bruck, linear_sync, two_ranks };
enum class Alltoallv { linear = 1, pairwise };
enum class Barrier { linear = 1, double_ring, recursive_doubling, bruck, two_ranks, tree };
enum class Bcast {
  linear = 1,
  chain,
  pipeline,
  split_binary,
  binary,
  binomial,
  knomial,
  scatter_allgather,
  scatter_ring
};
enum class Gather { linear = 1, binomial, linear_sync };
enum class Reduce { linear = 1, chain, pipeline, binary, binomial, in_order_binary, rabenseifner };
enum class ReduceScatter { non_overlapping = 1, recursive_halving, ring, butterfly };
enum class ReduceScatterBlock { linear = 1, recursive_doubling, recursive_halving, butterfly };
enum class Scatter { linear = 1, binomial, linear_nonblocking };

// Returns the number of the algorithm that Open MPI 4.1 takes by default for a blocking call on `ranks` ranks.
//   bytes        the size by which it chooses. Broadcast and reductions: the whole message; reduce_scatter: all blocks
//                together; allgatherv: the mean block; other operations: the block of one rank
//   commutative  whether the operation of a reduction commutes
int algorithm(Collective operation, std::int32_t ranks, std::uint64_t bytes, bool commutative);
}  // namespace open_mpi

}  // namespace placement::mpi
