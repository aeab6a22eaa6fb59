// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "mpi/collective_algorithms.hpp"

namespace placement::mpi::algorithms {
namespace {

// Returns the number of ranks in the subtree of an in-order binomial tree that begins at the shifted rank.
std::int32_t subtree_size(std::int32_t shifted, std::int32_t size) {
  return shifted == 0 ? size : std::min(shifted & -shifted, size - shifted);
}

std::int32_t shifted_rank(const CollectiveCall& call) { return (call.rank - call.root + call.size) % call.size; }

}  // namespace

void to_children(const TreePosition& tree, std::uint64_t bytes, Output& out) {
  for (const std::int32_t child : tree.children) out.send(child, bytes);
}

void to_parent(const TreePosition& tree, std::uint64_t bytes, Output& out) {
  if (tree.parent >= 0) out.send(tree.parent, bytes);
}

void bcast_linear(const CollectiveCall& call, Output& out) {
  if (call.rank == call.root) to_all_others(call, call.bytes(), out);
}

// The two halves of the data go down the left and the right part of a binary tree. Then pairs of ranks exchange them.
void bcast_split_binary(const CollectiveCall& call, Output& out) {
  const std::uint64_t halves[2] = {(call.count + 1) / 2, call.count / 2};
  if (halves[1] == 0) return to_children(chains(1, call.rank, call.size, call.root), call.bytes(), out);
  const TreePosition tree = complete_tree(2, call.rank, call.size, call.root);
  const std::int32_t last = (call.root + call.size - 1) % call.size;
  if (call.rank == call.root) {
    for (std::size_t side = 0; side < tree.children.size(); ++side)
      out.send(tree.children[side], halves[side] * call.element_bytes);
    if (call.size % 2 == 0) out.send(last, halves[1] * call.element_bytes);
    return;
  }
  const bool right = shifted_rank(call) % 2 == 0;
  const std::uint64_t mine = halves[right ? 1 : 0] * call.element_bytes;
  to_children(tree, mine, out);
  if (call.size % 2 == 0 && call.rank == last) return;
  out.send((call.rank + (right ? call.size - 1 : 1)) % call.size, mine);
}

void bcast_scatter_allgather(const CollectiveCall& call, bool ring, Output& out) {
  const auto size = static_cast<std::uint64_t>(call.size);
  if (call.count < size) return bcast_linear(call, out);
  const std::uint64_t part = (call.count + size - 1) / size;
  const std::int32_t me = shifted_rank(call);
  const auto send = [&](std::int32_t shifted, std::uint64_t elements) {
    out.send((shifted + call.root) % call.size, elements * call.element_bytes);
  };
  // Returns the number of elements in the parts first .. first + parts - 1.
  const auto elements = [&](std::int32_t first, std::int32_t parts) {
    const std::uint64_t begin = std::min(call.count, part * static_cast<std::uint64_t>(first));
    return std::min(call.count, begin + part * static_cast<std::uint64_t>(parts)) - begin;
  };
  std::int32_t reach = 1;  // size of my subtree in the scatter
  while (reach < call.size && (me & reach) == 0) reach *= 2;
  for (std::int32_t child = reach / 2; child > 0; child /= 2)
    if (me + child < call.size && elements(me + child, child) > 0) send(me + child, elements(me + child, child));
  if (ring) {
    for (std::int32_t step = 0; step + 1 < call.size; ++step)
      send((me + 1) % call.size, elements((me - step + call.size) % call.size, 1));
    return;
  }
  std::uint64_t received = elements(me, 1);
  for (std::int32_t mask = 1; mask < call.size; mask *= 2) {
    const std::int32_t peer = me ^ mask;
    const std::int32_t my_root = me / mask * mask;
    const std::int32_t peer_root = peer / mask * mask;
    if (peer < call.size) {
      send(peer, elements(my_root, mask));
      received = elements(peer_root, mask);
    }
    if (peer_root + mask <= call.size) continue;
    // The group of the peer is incomplete at the last ranks. Ranks with a partner send its data to those without.
    const std::int32_t complete = call.size - my_root - mask;
    for (std::int32_t half = mask / 2; half > 0; half /= 2) {
      const std::int32_t other = me ^ half;
      const std::int32_t tree = me / (half * 2) * (half * 2);
      if (other > me && me < tree + complete && other >= tree + complete) send(other, received);
      if (other < me && other < tree + complete && me >= tree + complete) received = elements(peer_root, mask);
    }
  }
}

void reduce_linear(const CollectiveCall& call, Output& out) {
  if (call.rank != call.root) out.send(call.root, call.bytes());
}

void reduce_in_order_binary(const CollectiveCall& call, Output& out) {
  to_parent(in_order_binary_tree(call.rank, call.size), call.bytes(), out);
  if (call.rank == call.size - 1) out.send(call.root, call.bytes());
}

void reduce_rabenseifner(const CollectiveCall& call, Output& out) {
  const std::int32_t power = power_of_two_below(call.size);
  if (power < 2 || call.count < static_cast<std::uint64_t>(power) || !call.commutative) return reduce_linear(call, out);
  const std::int32_t rest = call.size - power;
  Halving part = halve(call, out);
  // A root that has given its data away takes the place of virtual rank 0.
  const bool stand_in = call.root < 2 * rest && call.root % 2 != 0;
  const std::int32_t root = call.root >= 2 * rest ? call.root - rest : stand_in ? 0 : call.root / 2;
  if (part.virtual_rank == 0 && stand_in) {
    out.send(call.root, part.steps.back().received * call.element_bytes);
    return;
  }
  if (part.virtual_rank < 0) return;
  for (std::size_t step = part.steps.size(); step-- > 0;) {
    const std::int32_t peer = part.virtual_rank ^ (1 << step);
    if (peer >> step != root >> step) continue;
    const bool to_stand_in = peer == 0 && stand_in;
    out.send(to_stand_in ? call.root : part.steps[step].peer, part.steps[step].received * call.element_bytes);
    break;
  }
}

void gather_binomial(const CollectiveCall& call, Output& out) {
  const auto ranks = static_cast<std::uint64_t>(subtree_size(shifted_rank(call), call.size));
  to_parent(in_order_binomial_tree(call.rank, call.size, call.root), ranks * call.bytes(), out);
}

void gather_linear_sync(const CollectiveCall& call, Output& out) {
  if (call.rank == call.root) return to_all_others(call, 0, out);
  out.send(call.root, call.bytes());
  out.send(call.root, 0);
}

void scatter_linear(const CollectiveCall& call, Output& out) { bcast_linear(call, out); }

void scatter_binomial(const CollectiveCall& call, Output& out) {
  for (const std::int32_t child : in_order_binomial_tree(call.rank, call.size, call.root).children) {
    const std::int32_t shifted = (child - call.root + call.size) % call.size;
    out.send(child, static_cast<std::uint64_t>(subtree_size(shifted, call.size)) * call.bytes());
  }
}

void scatterv_linear(const CollectiveCall& call, bool empty_ones, Output& out) {
  if (call.rank == call.root) alltoallv_direct(call, empty_ones, out);
}

}  // namespace placement::mpi::algorithms
