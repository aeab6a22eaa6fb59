// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/collective_algorithms.hpp"

namespace placement::mpi::algorithms {

Blocks equal_blocks(const CollectiveCall& call) { return Blocks(static_cast<std::size_t>(call.size), call.bytes()); }

void barrier_linear(const CollectiveCall& call, Output& out) {
  if (call.rank == 0)
    to_all_others(call, 0, out);
  else
    out.send(0, 0);
}

void barrier_double_ring(const CollectiveCall& call, Output& out) {
  out.send((call.rank + 1) % call.size, 0);
  out.send((call.rank + 1) % call.size, 0);
}

void barrier_recursive_doubling(const CollectiveCall& call, Output& out) {
  const std::int32_t power = power_of_two_below(call.size);
  if (call.rank >= power) return out.send(call.rank - power, 0);
  for (std::int32_t mask = 1; mask < power; mask *= 2) out.send(call.rank ^ mask, 0);
  if (call.rank + power < call.size) out.send(call.rank + power, 0);
}

void barrier_dissemination(const CollectiveCall& call, Output& out) {
  for (std::int64_t distance = 1; distance < call.size; distance *= 2)
    out.send(static_cast<std::int32_t>((call.rank + distance) % call.size), 0);
}

void barrier_tree(const CollectiveCall& call, Output& out) {
  const TreePosition tree = in_order_binomial_tree(call.rank, call.size, 0);
  to_parent(tree, 0, out);
  to_children(tree, 0, out);
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

// Neighbours exchange the two blocks that they received in the step before.
void allgather_neighbour(const CollectiveCall& call, const Blocks& blocks, Output& out) {
  if (call.size % 2 != 0) return allgather_ring(call, blocks, out);
  const bool even = call.rank % 2 == 0;
  const std::int32_t right = (call.rank + 1) % call.size;
  const std::int32_t left = (call.rank - 1 + call.size) % call.size;
  const std::int32_t neighbour[2] = {even ? right : left, even ? left : right};
  const std::int32_t offset[2] = {even ? 2 : -2, even ? -2 : 2};
  std::int32_t from[2] = {even ? call.rank : left, even ? call.rank : left};
  out.send(neighbour[0], blocks[call.rank]);
  std::int32_t first = from[0];  // first of the two blocks to send
  for (std::int32_t step = 1; step < call.size / 2; ++step) {
    const std::int32_t parity = step % 2;
    from[parity] = (from[parity] + offset[parity] + call.size) % call.size;
    out.send(neighbour[parity], blocks[first] + blocks[first + 1]);
    first = from[parity];
  }
}

void to_all_others(const CollectiveCall& call, std::uint64_t bytes, Output& out) {
  for (std::int32_t peer = 0; peer < call.size; ++peer) out.send(peer, bytes);
}

void alltoall_bruck(const CollectiveCall& call, Output& out) {
  for (std::int32_t distance = 1; distance < call.size; distance *= 2) {
    std::uint64_t blocks = 0;
    for (std::int32_t i = 1; i < call.size; ++i) blocks += (i & distance) != 0;
    out.send((call.rank + distance) % call.size, blocks * call.bytes());
  }
}

void alltoallv_direct(const CollectiveCall& call, bool empty_ones, Output& out) {
  for (std::int32_t peer = 0; peer < call.size; ++peer)
    if (empty_ones || call.blocks[peer] > 0) out.send(peer, call.blocks[peer]);
}

void allreduce_recursive_doubling(const CollectiveCall& call, Output& out) {
  const std::int32_t power = power_of_two_below(call.size);
  const std::int32_t rest = call.size - power;
  if (call.rank < 2 * rest && call.rank % 2 == 0) return out.send(call.rank + 1, call.bytes());
  const std::int32_t me = call.rank < 2 * rest ? call.rank / 2 : call.rank - rest;
  for (std::int32_t distance = 1; distance < power; distance *= 2) {
    const std::int32_t peer = me ^ distance;
    out.send(peer < rest ? peer * 2 + 1 : peer + rest, call.bytes());
  }
  if (call.rank < 2 * rest) out.send(call.rank - 1, call.bytes());
}

void allreduce_ring(const CollectiveCall& call, Output& out) {
  const auto size = static_cast<std::uint64_t>(call.size);
  if (call.count < size) return allreduce_recursive_doubling(call, out);
  // The first count % size blocks have one element more.
  const auto block = [&](std::int32_t index) {
    const auto b = static_cast<std::uint64_t>((index % call.size + call.size) % call.size);
    return (call.count / size + (b < call.count % size ? 1 : 0)) * call.element_bytes;
  };
  const std::int32_t next = (call.rank + 1) % call.size;
  for (std::int32_t step = 0; step + 1 < call.size; ++step) out.send(next, block(call.rank - step));
  for (std::int32_t step = 0; step + 1 < call.size; ++step) out.send(next, block(call.rank + 1 - step));
}

Halving halve(const CollectiveCall& call, Output& out) {
  const std::int32_t power = power_of_two_below(call.size);
  const std::int32_t rest = call.size - power;
  Halving part;
  if (call.rank < 2 * rest) {
    const std::uint64_t left = call.count / 2;
    const std::uint64_t right = call.count - left;
    if (call.rank % 2 != 0) {
      out.send(call.rank - 1, left * call.element_bytes);
      out.send(call.rank - 1, right * call.element_bytes);
      return part;
    }
    out.send(call.rank + 1, right * call.element_bytes);
    part.virtual_rank = call.rank / 2;
  } else {
    part.virtual_rank = call.rank - rest;
  }
  std::uint64_t window = call.count;
  for (std::int32_t mask = 1; mask < power; mask *= 2) {
    const std::int32_t peer = part.virtual_rank ^ mask;
    const std::int32_t real = peer < rest ? peer * 2 : peer + rest;
    const std::uint64_t lower = window / 2;
    HalvingStep step{real, window - lower, lower};
    if (call.rank > real) step = {real, lower, window - lower};
    out.send(real, step.sent * call.element_bytes);
    window = step.received;
    part.steps.push_back(step);
  }
  return part;
}

void allreduce_rabenseifner(const CollectiveCall& call, Output& out) {
  const std::int32_t power = power_of_two_below(call.size);
  if (call.count < static_cast<std::uint64_t>(power) || !call.commutative) {
    CollectiveCall to_first = call;
    to_first.root = 0;
    reduce_linear(to_first, out);
    return bcast_linear(to_first, out);
  }
  const Halving part = halve(call, out);
  for (std::size_t step = part.steps.size(); step-- > 0;)
    out.send(part.steps[step].peer, part.steps[step].received * call.element_bytes);
  if (call.rank < 2 * (call.size - power) && call.rank % 2 == 0) out.send(call.rank + 1, call.bytes());
}

void to_next(const CollectiveCall& call, Output& out) {
  if (call.rank + 1 < call.size) out.send(call.rank + 1, call.bytes());
}

}  // namespace placement::mpi::algorithms
