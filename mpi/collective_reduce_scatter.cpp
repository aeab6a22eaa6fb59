// SPDX-License-Identifier: GPL-2.0-or-later
#include <numeric>

#include "mpi/collective_algorithms.hpp"

namespace placement::mpi::algorithms {
namespace {

// Ranks reduced to the largest power of two. Each of the first `rest` virtual ranks stands for two ranks, of which the
// odd one takes part.
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

std::uint64_t total(const Blocks& blocks) { return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}); }

// Returns the bits of an index below `power` in reverse order.
std::int32_t mirrored(std::int32_t index, std::int32_t power) {
  std::int32_t mirror = 0;
  for (std::int32_t bit = 1; bit < power; bit *= 2) mirror = mirror * 2 + ((index & bit) != 0);
  return mirror;
}

}  // namespace

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

void reduce_scatter_ring(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  for (std::int32_t step = 1; step < call.size; ++step)
    out.send((call.rank + 1) % call.size, blocks[(call.rank - step + call.size) % call.size]);
}

void reduce_scatter_butterfly(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  const Folding folding(call.size);
  const std::int32_t me = folding.virtual_rank(call.rank);
  if (me < 0) return out.send(call.rank + 1, total(blocks));
  std::int32_t mine = 0;  // first virtual rank of the window that remains here
  std::int32_t width = folding.power;
  for (std::int32_t mask = 1; mask < folding.power; mask *= 2) {
    width /= 2;
    const bool low = (me & mask) == 0;
    const std::int32_t theirs = low ? mine + width : mine;
    if (!low) mine += width;
    out.send(folding.real(me ^ mask), folding.bytes(blocks, theirs, theirs + width));
  }
  const std::int32_t owner = mirrored(me, folding.power);
  std::int32_t block = folding.first_block(mine);
  if (owner < folding.rest) out.send(folding.real(owner) - 1, blocks[block++]);
  if (owner != me) out.send(folding.real(owner), blocks[block]);
}

// For a power of two of ranks, blocks are first put in mirrored order, so that each ends at its own rank.
void reduce_scatter_block_butterfly(const CollectiveCall& call, Output& out) {
  if (power_of_two_below(call.size) != call.size) return reduce_scatter_butterfly(call, equal_blocks(call), out);
  std::uint64_t blocks = static_cast<std::uint64_t>(call.size);
  for (std::int32_t mask = 1; mask < call.size; mask *= 2) {
    blocks /= 2;
    out.send(call.rank ^ mask, blocks * call.bytes());
  }
}

void reduce_scatter_block_recursive_doubling(const CollectiveCall& call, Output& out) {
  // The bytes of all blocks except those of the sender's own group, whose sums the sender does not need.
  const auto bytes = [&](std::int32_t group, std::int32_t width) {
    const std::int32_t after = call.size >= group + width ? call.size - group - width : 0;
    return static_cast<std::uint64_t>(group + after) * call.bytes();
  };
  for (std::int32_t mask = 1; mask < call.size; mask *= 2) {
    const std::int32_t peer = call.rank ^ mask;
    const std::int32_t my_root = call.rank / mask * mask;
    const std::int32_t peer_root = peer / mask * mask;
    if (peer < call.size) out.send(peer, bytes(my_root, mask));
    if (peer_root + mask <= call.size) continue;
    const std::int32_t complete = call.size - my_root - mask;
    for (std::int32_t half = mask / 2; half > 0; half /= 2) {
      const std::int32_t other = call.rank ^ half;
      const std::int32_t tree = call.rank / (half * 2) * (half * 2);
      if (other > call.rank && call.rank < tree + complete && other >= tree + complete)
        out.send(other, bytes(peer_root, mask));
    }
  }
}

}  // namespace placement::mpi::algorithms
