// SPDX-License-Identifier: GPL-2.0-or-later
// A collective call as the messages that one rank sends for it [TOFA §1]. This header does not use types of an MPI
// library. So each algorithm can be tested for any number of ranks without MPI.
#pragma once
#include <cstdint>
#include <vector>

#include "mpi/settings.hpp"

namespace placement::mpi {

// The operations, each with its blocking, non-blocking and persistent calls.
enum class Collective : std::uint32_t {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  alltoallv,  // and alltoallw
  barrier,
  bcast,
  exscan,
  gather,
  gatherv,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter,
  scatterv,
};

// The data that one rank has of a collective call on an intra-communicator.
struct CollectiveCall {
  Collective operation = Collective::barrier;
  std::int32_t rank = 0;  // rank of this process in the communicator
  std::int32_t size = 1;  // ranks of the communicator
  std::int32_t root = 0;  // the root of a call that has one
  // For broadcast and reductions: all elements; for reduce_scatter_block: the elements of the block of one rank.
  // For gather, scatter, allgather and alltoall: the elements of one block.
  std::uint64_t count = 0;
  std::uint64_t element_bytes = 0;
  // Block sizes in bytes for the calls whose blocks differ.
  //   alltoallv, and scatterv at the root: the block that goes to each rank
  //   gatherv: not used; `count` and `element_bytes` give the block of a rank that is not the root
  //   allgatherv, reduce_scatter: the block of each rank, equal at all ranks
  std::vector<std::uint64_t> blocks;

  std::uint64_t bytes() const { return count * element_bytes; }
};

// One message.
struct Send {
  std::int32_t peer;  // rank in the communicator
  std::uint64_t bytes;
};

using Sends = std::vector<Send>;

// Appends the messages that call.rank sends according to the model. Messages of a rank to itself are left out.
void append_sends(CollectiveModel model, const CollectiveCall& call, Sends& out);

}  // namespace placement::mpi
