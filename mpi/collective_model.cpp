// SPDX-License-Identifier: GPL-2.0-or-later
// The models of collective.hpp: the algorithm that each operation runs.
#include <numeric>

#include "mpi/collective_algorithms.hpp"
#include "mpi/collective_rules.hpp"

namespace placement::mpi {
namespace {

using namespace algorithms;

std::uint64_t total(const Blocks& blocks) { return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}); }

// Returns the call as another operation whose root is rank 0.
CollectiveCall as_rooted(const CollectiveCall& call, Collective operation, std::uint64_t count) {
  CollectiveCall part = call;
  part.operation = operation;
  part.root = 0;
  part.count = count;
  return part;
}

// ---- Open MPI 4.1: a blocking call runs in the component "tuned", or in "basic" where "tuned" has no algorithm.

void open_mpi_blocking(const CollectiveCall& call, Output& out);

void run(const CollectiveCall& call, open_mpi::Bcast algorithm, Output& out) {
  using open_mpi::Bcast;
  const auto down = [&](const TreePosition& tree) { to_children(tree, call.bytes(), out); };
  switch (algorithm) {
    case Bcast::linear: return bcast_linear(call, out);
    case Bcast::chain:
    case Bcast::pipeline: return down(chains(1, call.rank, call.size, call.root));
    case Bcast::split_binary: return bcast_split_binary(call, out);
    case Bcast::binary: return down(complete_tree(2, call.rank, call.size, call.root));
    case Bcast::binomial: return down(binomial_tree(call.rank, call.size, call.root));
    case Bcast::knomial: return down(knomial_tree(4, call.rank, call.size, call.root));
    case Bcast::scatter_allgather: return bcast_scatter_allgather(call, false, out);
    case Bcast::scatter_ring: return bcast_scatter_allgather(call, true, out);
  }
}

void run(const CollectiveCall& call, open_mpi::Reduce algorithm, Output& out) {
  using open_mpi::Reduce;
  const auto up = [&](const TreePosition& tree) { to_parent(tree, call.bytes(), out); };
  switch (algorithm) {
    case Reduce::linear: return reduce_linear(call, out);
    case Reduce::chain:
    case Reduce::pipeline: return up(chains(1, call.rank, call.size, call.root));
    case Reduce::binary: return up(complete_tree(2, call.rank, call.size, call.root));
    case Reduce::binomial: return up(in_order_binomial_tree(call.rank, call.size, call.root));
    case Reduce::in_order_binary: return reduce_in_order_binary(call, out);
    case Reduce::rabenseifner: return reduce_rabenseifner(call, out);
  }
}

void run(const CollectiveCall& call, open_mpi::Allgather algorithm, Output& out) {
  using open_mpi::Allgather;
  switch (algorithm) {
    case Allgather::linear:
      open_mpi_blocking(as_rooted(call, Collective::gather, call.count), out);
      return open_mpi_blocking(as_rooted(call, Collective::bcast, call.count * static_cast<std::uint64_t>(call.size)),
                               out);
    case Allgather::bruck: return allgather_bruck(call, equal_blocks(call), out);
    case Allgather::recursive_doubling: return allgather_recursive_doubling(call, equal_blocks(call), out);
    case Allgather::ring: return allgather_ring(call, equal_blocks(call), out);
    case Allgather::neighbour: return allgather_neighbour(call, equal_blocks(call), out);
    case Allgather::two_ranks: return to_all_others(call, call.bytes(), out);
  }
}

void run(const CollectiveCall& call, open_mpi::Allgatherv algorithm, Output& out) {
  using open_mpi::Allgatherv;
  switch (algorithm) {
    case Allgatherv::linear: {
      if (call.rank != 0 && call.blocks[call.rank] > 0) out.send(0, call.blocks[call.rank]);
      // The broadcast is of one element of a type that spans all blocks.
      CollectiveCall all = as_rooted(call, Collective::bcast, 1);
      all.element_bytes = total(call.blocks);
      return open_mpi_blocking(all, out);
    }
    case Allgatherv::bruck: return allgather_bruck(call, call.blocks, out);
    case Allgatherv::ring: return allgather_ring(call, call.blocks, out);
    case Allgatherv::neighbour: return allgather_neighbour(call, call.blocks, out);
    case Allgatherv::two_ranks: return to_all_others(call, call.blocks[call.rank], out);
  }
}

void run(const CollectiveCall& call, open_mpi::Allreduce algorithm, Output& out) {
  using open_mpi::Allreduce;
  switch (algorithm) {
    case Allreduce::linear:
      reduce_linear(as_rooted(call, Collective::reduce, call.count), out);
      return bcast_linear(as_rooted(call, Collective::bcast, call.count), out);
    case Allreduce::reduce_and_bcast:
      open_mpi_blocking(as_rooted(call, Collective::reduce, call.count), out);
      return open_mpi_blocking(as_rooted(call, Collective::bcast, call.count), out);
    case Allreduce::recursive_doubling: return allreduce_recursive_doubling(call, out);
    case Allreduce::ring:
    case Allreduce::segmented_ring: return allreduce_ring(call, out);  // one segment by default
    case Allreduce::rabenseifner: return allreduce_rabenseifner(call, out);
  }
}

void run(const CollectiveCall& call, open_mpi::Barrier algorithm, Output& out) {
  using open_mpi::Barrier;
  switch (algorithm) {
    case Barrier::linear: return barrier_linear(call, out);
    case Barrier::double_ring: return barrier_double_ring(call, out);
    case Barrier::recursive_doubling: return barrier_recursive_doubling(call, out);
    case Barrier::bruck: return barrier_dissemination(call, out);
    case Barrier::two_ranks: return to_all_others(call, 0, out);
    case Barrier::tree: return barrier_tree(call, out);
  }
}

void run(const CollectiveCall& call, open_mpi::ReduceScatter algorithm, Output& out) {
  using open_mpi::ReduceScatter;
  switch (algorithm) {
    case ReduceScatter::non_overlapping:
      open_mpi_blocking(
          as_rooted(call, Collective::reduce, call.element_bytes ? total(call.blocks) / call.element_bytes : 0), out);
      return scatterv_linear(as_rooted(call, Collective::scatterv, 0), false, out);
    case ReduceScatter::recursive_halving: return reduce_scatter_recursive_halving(call, call.blocks, out);
    case ReduceScatter::ring: return reduce_scatter_ring(call, call.blocks, out);
    case ReduceScatter::butterfly: return reduce_scatter_butterfly(call, call.blocks, out);
  }
}

void run(const CollectiveCall& call, open_mpi::ReduceScatterBlock algorithm, Output& out) {
  using open_mpi::ReduceScatterBlock;
  switch (algorithm) {
    case ReduceScatterBlock::linear:
      open_mpi_blocking(as_rooted(call, Collective::reduce, call.count * static_cast<std::uint64_t>(call.size)), out);
      return open_mpi_blocking(as_rooted(call, Collective::scatter, call.count), out);
    case ReduceScatterBlock::recursive_doubling: return reduce_scatter_block_recursive_doubling(call, out);
    case ReduceScatterBlock::recursive_halving: return reduce_scatter_recursive_halving(call, equal_blocks(call), out);
    case ReduceScatterBlock::butterfly: return reduce_scatter_block_butterfly(call, out);
  }
}

// Returns the size in bytes by which Open MPI chooses the algorithm.
std::uint64_t rule_bytes(const CollectiveCall& call) {
  switch (call.operation) {
    case Collective::allgather: return call.rule_bytes;
    case Collective::allgatherv: return total(call.blocks) / static_cast<std::uint64_t>(call.size);
    case Collective::reduce_scatter: return total(call.blocks);
    default: return call.bytes();
  }
}

void open_mpi_blocking(const CollectiveCall& call, Output& out) {
  const int algorithm = open_mpi::algorithm(call.operation, call.size, rule_bytes(call), call.commutative);
  switch (call.operation) {
    case Collective::allgather: return run(call, open_mpi::Allgather{algorithm}, out);
    case Collective::allgatherv: return run(call, open_mpi::Allgatherv{algorithm}, out);
    case Collective::allreduce: return run(call, open_mpi::Allreduce{algorithm}, out);
    case Collective::alltoall:
      if (open_mpi::Alltoall{algorithm} == open_mpi::Alltoall::bruck && !call.in_place)
        return alltoall_bruck(call, out);
      return to_all_others(call, call.bytes(), out);
    case Collective::alltoallv: return alltoallv_direct(call, !call.in_place && !call.by_type, out);
    case Collective::barrier: return run(call, open_mpi::Barrier{algorithm}, out);
    case Collective::bcast: return run(call, open_mpi::Bcast{algorithm}, out);
    case Collective::gather:
      if (open_mpi::Gather{algorithm} == open_mpi::Gather::binomial) return gather_binomial(call, out);
      if (open_mpi::Gather{algorithm} == open_mpi::Gather::linear_sync) return gather_linear_sync(call, out);
      return reduce_linear(call, out);
    case Collective::gatherv:
      if (call.bytes() > 0) reduce_linear(call, out);
      return;
    case Collective::reduce: return run(call, open_mpi::Reduce{algorithm}, out);
    case Collective::reduce_scatter: return run(call, open_mpi::ReduceScatter{algorithm}, out);
    case Collective::reduce_scatter_block: return run(call, open_mpi::ReduceScatterBlock{algorithm}, out);
    case Collective::exscan:
    case Collective::scan: return to_next(call, out);
    case Collective::scatter:
      if (open_mpi::Scatter{algorithm} == open_mpi::Scatter::binomial) return scatter_binomial(call, out);
      return scatter_linear(call, out);
    case Collective::scatterv: return scatterv_linear(call, false, out);
  }
}

// ---- Open MPI 4.1: a non-blocking or persistent call runs in the component "libnbc".

void open_mpi_nonblocking(const CollectiveCall& call, Output& out) {
  const std::int32_t power = power_of_two_below(call.size);
  const bool small = call.bytes() < 65536;
  switch (call.operation) {
    case Collective::allgather: return to_all_others(call, call.bytes(), out);
    case Collective::allgatherv: return to_all_others(call, call.blocks[call.rank], out);
    case Collective::allreduce:
      if (call.size >= 4 && !small && call.commutative && !call.in_place) return allreduce_rabenseifner(call, out);
      to_parent(in_order_binomial_tree(call.rank, call.size, 0), call.bytes(), out);
      return to_children(binomial_tree(call.rank, call.size, 0), call.bytes(), out);
    case Collective::alltoall: return to_all_others(call, call.bytes(), out);
    case Collective::alltoallv: return alltoallv_direct(call, false, out);
    case Collective::barrier: return barrier_dissemination(call, out);
    case Collective::bcast:
      if (call.size <= 4) return bcast_linear(call, out);
      return to_children(swapped_binomial_tree(call.rank, call.size, call.root), call.bytes(), out);
    case Collective::gather:
    case Collective::gatherv: return reduce_linear(call, out);
    case Collective::reduce: {
      if (call.commutative && call.size > 2 && call.count >= static_cast<std::uint64_t>(power))
        return reduce_rabenseifner(call, out);
      // Rank 0 and the root are exchanged. A reduction that does not commute runs to rank 0, which sends the result on.
      const std::int32_t root = call.commutative ? call.root : 0;
      const auto swapped = [&](std::int32_t rank) { return rank == 0 ? root : rank == root ? 0 : rank; };
      if (call.size <= 4 && !small && call.commutative) {
        if (swapped(call.rank) > 0) {
          const std::uint64_t parts = (call.bytes() + 8191) / 8192;
          const std::uint64_t part = call.count / parts;
          for (std::uint64_t k = 0; k < parts; ++k)
            out.send(swapped(swapped(call.rank) - 1),
                     (k + 1 < parts ? part : call.count - part * (parts - 1)) * call.element_bytes);
        }
        return;
      }
      const TreePosition tree = in_order_binomial_tree(swapped(call.rank), call.size, 0);
      if (tree.parent >= 0) out.send(swapped(tree.parent), call.bytes());
      if (root != call.root && call.rank == 0) out.send(call.root, call.bytes());
      return;
    }
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: {
      CollectiveCall part = as_rooted(call, Collective::scatterv, 0);
      if (call.operation == Collective::reduce_scatter_block) part.blocks = equal_blocks(call);
      to_parent(in_order_binomial_tree(call.rank, call.size, 0), total(part.blocks), out);
      return scatterv_linear(part, true, out);
    }
    case Collective::exscan:
    case Collective::scan: return to_next(call, out);
    case Collective::scatter: return scatter_linear(call, out);
    case Collective::scatterv: return scatterv_linear(call, true, out);
  }
}

// ---- the model `generic`: one textbook algorithm for each operation

void generic(const CollectiveCall& call, Output& out) {
  const TreePosition tree = in_order_binomial_tree(call.rank, call.size, call.root);
  switch (call.operation) {
    case Collective::allgather: return allgather_recursive_doubling(call, equal_blocks(call), out);
    case Collective::allgatherv: return allgather_ring(call, call.blocks, out);
    case Collective::allreduce: return allreduce_recursive_doubling(call, out);
    case Collective::alltoall: return to_all_others(call, call.bytes(), out);
    case Collective::alltoallv: return alltoallv_direct(call, false, out);
    case Collective::barrier: return barrier_dissemination(call, out);
    case Collective::bcast: return to_children(tree, call.bytes(), out);
    case Collective::gather: return gather_binomial(call, out);
    case Collective::gatherv: return reduce_linear(call, out);
    case Collective::reduce: return to_parent(tree, call.bytes(), out);
    case Collective::reduce_scatter: return reduce_scatter_recursive_halving(call, call.blocks, out);
    case Collective::reduce_scatter_block: return reduce_scatter_recursive_halving(call, equal_blocks(call), out);
    case Collective::exscan:
    case Collective::scan: return to_next(call, out);
    case Collective::scatter: return scatter_binomial(call, out);
    case Collective::scatterv: return scatterv_linear(call, false, out);
  }
}

// ---- the model `direct`: the data flow that the definition of the operation gives

void direct(const CollectiveCall& call, Output& out) {
  switch (call.operation) {
    case Collective::allgather:
    case Collective::allreduce:
    case Collective::alltoall: return to_all_others(call, call.bytes(), out);
    case Collective::allgatherv: return to_all_others(call, call.blocks[call.rank], out);
    case Collective::alltoallv:
    case Collective::reduce_scatter: return alltoallv_direct(call, false, out);
    case Collective::reduce_scatter_block: return to_all_others(call, call.bytes(), out);
    case Collective::barrier: return;
    case Collective::bcast:
    case Collective::scatter: return bcast_linear(call, out);
    case Collective::scatterv: return scatterv_linear(call, false, out);
    case Collective::gather:
    case Collective::gatherv:
    case Collective::reduce: return reduce_linear(call, out);
    case Collective::exscan:
    case Collective::scan:
      for (std::int32_t peer = call.rank + 1; peer < call.size; ++peer) out.send(peer, call.bytes());
      return;
  }
}

// Returns whether MPI returns at once because there is nothing to send. The condition differs between operations.
bool nothing_to_do(const CollectiveCall& call) {
  if (call.size < 2) return true;
  switch (call.operation) {
    case Collective::allreduce:
    case Collective::bcast:
    case Collective::reduce:
    case Collective::reduce_scatter_block: return call.count == 0;
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::exscan:
    case Collective::scan: return !call.nonblocking && call.count == 0;
    case Collective::reduce_scatter: return total(call.blocks) == 0;
    default: return false;
  }
}

}  // namespace

void append_sends(CollectiveModel model, const CollectiveCall& call, Sends& out) {
  if (nothing_to_do(call)) return;
  Output output(out, call.rank);
  switch (model) {
    case CollectiveModel::open_mpi:
      return call.nonblocking ? open_mpi_nonblocking(call, output) : open_mpi_blocking(call, output);
    case CollectiveModel::generic: return generic(call, output);
    case CollectiveModel::direct: return direct(call, output);
  }
}

}  // namespace placement::mpi
