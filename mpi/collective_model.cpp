// SPDX-License-Identifier: GPL-2.0-or-later
// The models of collective.hpp: the messages that one rank sends in each operation. Each function appends the messages
// of call.rank.
#include <algorithm>
#include <numeric>

#include "mpi/collective.hpp"

namespace placement::mpi {
namespace {

constexpr std::uint64_t long_allgather_bytes = 80 << 10;  // all blocks together

using Blocks = std::vector<std::uint64_t>;  // the bytes of each rank's block

std::uint64_t total(const Blocks& blocks) { return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}); }

// Returns a block of call.bytes() for each rank.
Blocks equal_blocks(const CollectiveCall& call) { return Blocks(static_cast<std::size_t>(call.size), call.bytes()); }

// Returns the largest power of two that is at most n; n is at least 1.
constexpr std::int32_t power_of_two_below(std::int32_t n) {
  std::int32_t power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

// Collects messages, except those of a rank to itself.
struct Output {
  void send(std::int32_t peer, std::uint64_t bytes) {
    if (peer != self) sends.push_back({peer, bytes});
  }

  Sends& sends;
  std::int32_t self;
};

// ---- operations with a root

// The position of a rank in a binomial tree whose subtrees are ranges of consecutive ranks from the root on.
struct TreePosition {
  std::int32_t parent = -1;  // -1 at the root
  std::vector<std::int32_t> children;
};

std::int32_t shifted(const CollectiveCall& call, std::int32_t rank) {
  return (rank - call.root + call.size) % call.size;
}

TreePosition binomial_tree(const CollectiveCall& call) {
  const auto real = [&](std::int64_t rank) { return static_cast<std::int32_t>((rank + call.root) % call.size); };
  const std::int32_t me = shifted(call, call.rank);
  TreePosition position;
  for (std::int64_t bit = 1; bit < call.size; bit *= 2) {
    if (me & bit) {
      position.parent = real(me ^ bit);
      break;
    }
    if (me + bit < call.size) position.children.push_back(real(me + bit));
  }
  return position;
}

// Returns the bytes of the blocks of `rank` and of the ranks below it in the tree.
std::uint64_t subtree_bytes(const CollectiveCall& call, std::int32_t rank) {
  const std::int32_t me = shifted(call, rank);
  return static_cast<std::uint64_t>(me == 0 ? call.size : std::min(me & -me, call.size - me)) * call.bytes();
}

void to_children(const CollectiveCall& call, Output& out) {
  for (const std::int32_t child : binomial_tree(call).children) out.send(child, call.bytes());
}

void to_parent(const CollectiveCall& call, std::uint64_t bytes, Output& out) {
  if (const std::int32_t parent = binomial_tree(call).parent; parent >= 0) out.send(parent, bytes);
}

void scatter_binomial(const CollectiveCall& call, Output& out) {
  for (const std::int32_t child : binomial_tree(call).children) out.send(child, subtree_bytes(call, child));
}

void to_root(const CollectiveCall& call, Output& out) {
  if (call.rank != call.root) out.send(call.root, call.bytes());
}

// ---- operations without a root

void to_all_others(const CollectiveCall& call, std::uint64_t bytes, Output& out) {
  for (std::int32_t peer = 0; peer < call.size; ++peer) out.send(peer, bytes);
}

void from_root(const CollectiveCall& call, Output& out) {
  if (call.rank == call.root) to_all_others(call, call.bytes(), out);
}

// Sends each block that is not empty to its rank.
void blocks_to_all(const CollectiveCall& call, Output& out) {
  for (std::int32_t peer = 0; peer < call.size; ++peer)
    if (call.blocks[peer] > 0) out.send(peer, call.blocks[peer]);
}

void blocks_from_root(const CollectiveCall& call, Output& out) {
  if (call.rank == call.root) blocks_to_all(call, out);
}

// Sends a message to the next rank: linear scan and exscan.
void to_next(const CollectiveCall& call, Output& out) {
  if (call.rank + 1 < call.size) out.send(call.rank + 1, call.bytes());
}

void barrier_dissemination(const CollectiveCall& call, Output& out) {
  for (std::int64_t distance = 1; distance < call.size; distance *= 2)
    out.send(static_cast<std::int32_t>((call.rank + distance) % call.size), 0);
}

void allgather_bruck(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  for (std::int32_t distance = 1; distance < call.size; distance *= 2) {
    const std::int32_t count = distance <= call.size / 2 ? distance : call.size - distance;
    std::uint64_t bytes = 0;
    for (std::int32_t i = 0; i < count; ++i) bytes += blocks[(call.rank + i) % call.size];
    out.send((call.rank - distance + call.size) % call.size, bytes);
  }
}

void allgather_recursive_doubling(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  if (power_of_two_below(call.size) != call.size) return allgather_bruck(call, blocks, out);
  for (std::int32_t distance = 1; distance < call.size; distance *= 2) {
    const std::int32_t first = call.rank / distance * distance;
    std::uint64_t bytes = 0;
    for (std::int32_t i = 0; i < distance; ++i) bytes += blocks[first + i];
    out.send(call.rank ^ distance, bytes);
  }
}

void allgather_ring(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  for (std::int32_t step = 0; step + 1 < call.size; ++step)
    out.send((call.rank + 1) % call.size, blocks[(call.rank - step + call.size) % call.size]);
}

// Short blocks use recursive doubling or Bruck's algorithm, long ones a ring, as in Open MPI and MPICH.
void allgather(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  return total(blocks) < long_allgather_bytes ? allgather_recursive_doubling(call, blocks, out)
                                              : allgather_ring(call, blocks, out);
}

// Maps `size` ranks to `power` virtual ranks, the largest power of two. Each of the first `rest` virtual ranks stands
// for two ranks; the odd one takes part.
struct Folding {
  explicit Folding(std::int32_t size) : power(power_of_two_below(size)), rest(size - power) {}

  std::int32_t virtual_rank(std::int32_t rank) const {
    return rank >= 2 * rest ? rank - rest : rank % 2 == 0 ? -1 : rank / 2;
  }
  std::int32_t real(std::int32_t index) const { return index < rest ? index * 2 + 1 : index + rest; }
  std::int32_t first_block(std::int32_t index) const { return index < rest ? index * 2 : index + rest; }
  // Returns the bytes of the blocks of the virtual ranks first .. last - 1.
  std::uint64_t bytes(const Blocks& blocks, std::int32_t first, std::int32_t last) const {
    std::uint64_t sum = 0;
    for (std::int32_t block = first_block(first); block <= real(last - 1); ++block) sum += blocks[block];
    return sum;
  }

  std::int32_t power;
  std::int32_t rest;
};

void allreduce_recursive_doubling(const CollectiveCall& call, Output& out) {
  const Folding folding(call.size);
  const std::int32_t me = folding.virtual_rank(call.rank);
  if (me < 0) return out.send(call.rank + 1, call.bytes());
  for (std::int32_t distance = 1; distance < folding.power; distance *= 2)
    out.send(folding.real(me ^ distance), call.bytes());
  if (call.rank < 2 * folding.rest) out.send(call.rank - 1, call.bytes());
}

void reduce_scatter_recursive_halving(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  const Folding folding(call.size);
  const std::int32_t me = folding.virtual_rank(call.rank);
  if (me < 0) return out.send(call.rank + 1, total(blocks));
  std::int32_t first = 0;
  std::int32_t last = folding.power;
  for (std::int32_t mask = folding.power / 2; mask > 0; mask /= 2) {
    const std::int32_t peer = me ^ mask;
    const bool low = me < peer;
    const std::uint64_t bytes =
        low ? folding.bytes(blocks, first + mask, last) : folding.bytes(blocks, first, first + mask);
    if (bytes > 0) out.send(folding.real(peer), bytes);
    (low ? last : first) = first + mask;
  }
  if (call.rank < 2 * folding.rest && blocks[call.rank - 1] > 0) out.send(call.rank - 1, blocks[call.rank - 1]);
}

// ---- the model `generic`: one textbook algorithm for each operation

void generic(const CollectiveCall& call, Output& out) {
  switch (call.operation) {
    case Collective::allgather: return allgather(call, equal_blocks(call), out);
    case Collective::allgatherv: return allgather_ring(call, call.blocks, out);
    case Collective::allreduce: return allreduce_recursive_doubling(call, out);
    case Collective::alltoall: return to_all_others(call, call.bytes(), out);
    case Collective::alltoallv: return blocks_to_all(call, out);
    case Collective::barrier: return barrier_dissemination(call, out);
    case Collective::bcast: return to_children(call, out);
    case Collective::gather: return to_parent(call, subtree_bytes(call, call.rank), out);
    case Collective::gatherv: return to_root(call, out);
    case Collective::reduce: return to_parent(call, call.bytes(), out);
    case Collective::reduce_scatter: return reduce_scatter_recursive_halving(call, call.blocks, out);
    case Collective::reduce_scatter_block: return reduce_scatter_recursive_halving(call, equal_blocks(call), out);
    case Collective::exscan:
    case Collective::scan: return to_next(call, out);
    case Collective::scatter: return scatter_binomial(call, out);
    case Collective::scatterv: return blocks_from_root(call, out);
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
    case Collective::reduce_scatter: return blocks_to_all(call, out);
    case Collective::reduce_scatter_block: return to_all_others(call, call.bytes(), out);
    case Collective::barrier: return;
    case Collective::bcast:
    case Collective::scatter: return from_root(call, out);
    case Collective::scatterv: return blocks_from_root(call, out);
    case Collective::gather:
    case Collective::gatherv:
    case Collective::reduce: return to_root(call, out);
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
    case Collective::allgather:
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::bcast:
    case Collective::exscan:
    case Collective::reduce:
    case Collective::reduce_scatter_block:
    case Collective::scan: return call.count == 0;
    case Collective::reduce_scatter: return total(call.blocks) == 0;
    default: return false;
  }
}

}  // namespace

void append_sends(CollectiveModel model, const CollectiveCall& call, Sends& out) {
  if (nothing_to_do(call)) return;
  Output output{out, call.rank};
  return model == CollectiveModel::generic ? generic(call, output) : direct(call, output);
}

}  // namespace placement::mpi
