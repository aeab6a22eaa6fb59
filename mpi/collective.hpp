// SPDX-License-Identifier: GPL-2.0-or-later
// A collective call as the messages that one rank sends for it [TOFA §1]. Knows no MPI library's
// types, so that every algorithm can be tested for any number of ranks without running one.
#pragma once
#include <cstdint>
#include <vector>

#include "mpi/settings.hpp"

namespace placement {

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

// What one rank knows of a collective call on a communicator of its own group (no inter-communicator).
struct CollectiveCall {
  Collective operation = Collective::barrier;
  bool nonblocking = false;  // also persistent
  bool in_place = false;     // MPI_IN_PLACE at this rank
  bool commutative = true;   // of the reduction
  bool by_type = false;      // alltoallw
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::int32_t root = 0;
  // Broadcast and reductions: elements in all (reduce_scatter_block: in the block of one rank).
  // Gather, scatter, allgather, alltoall: elements of one block.
  std::uint64_t count = 0;
  std::uint64_t element_bytes = 0;
  // The v forms and reduce_scatter, in bytes. alltoallv, scatterv (at the root): what goes to each rank.
  // gatherv: at the root what each rank gives, elsewhere `count` and `element_bytes` say it.
  // allgatherv, reduce_scatter: the block of each rank, the same at all ranks.
  std::vector<std::uint64_t> blocks;
  // What Open MPI looks at to choose the algorithm of an allgather, where MPI_IN_PLACE makes the
  // count that was passed meaningless, and yet it is used. In bytes.
  std::uint64_t rule_bytes = 0;

  std::uint64_t bytes() const { return count * element_bytes; }
};

struct Send {
  std::int32_t peer;  // in the communicator
  std::uint64_t bytes;
};

using Sends = std::vector<Send>;

// Appends what call.rank sends, in the model. Messages to itself are left out.
void append_sends(CollectiveModel model, const CollectiveCall& call, Sends& out);

}  // namespace placement
