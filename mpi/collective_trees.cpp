// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/collective_trees.hpp"

namespace placement::mpi {
namespace {

std::int32_t shifted(std::int32_t rank, std::int32_t size, std::int32_t root) { return (rank - root + size) % size; }
std::int32_t real(std::int32_t rank, std::int32_t size, std::int32_t root) { return (rank + root) % size; }

// Exchanges rank 0 and the root. The function is its own inverse.
std::int32_t swapped(std::int32_t rank, std::int32_t root) { return rank == 0 ? root : rank == root ? 0 : rank; }

}  // namespace

TreePosition complete_tree(std::int32_t fanout, std::int32_t rank, std::int32_t size, std::int32_t root) {
  // Level l has fanout^l ranks. The children of one parent are one level width apart.
  const std::int32_t me = shifted(rank, size, root);
  std::int64_t width = 1;
  std::int64_t first = 0;
  while (first + width <= me) {
    first += width;
    width *= fanout;
  }
  TreePosition position;
  for (std::int32_t k = 1; k <= fanout && me + k * width < size; ++k)
    position.children.push_back(real(static_cast<std::int32_t>(me + k * width), size, root));
  if (me == 0) return position;
  const std::int64_t above = width / fanout;
  const std::int64_t parent = first - above + (me - first) % above;
  position.parent = real(static_cast<std::int32_t>(parent), size, root);
  return position;
}

TreePosition binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root) {
  const std::int32_t me = shifted(rank, size, root);
  std::int64_t bit = 1;
  while (bit <= me) bit *= 2;
  TreePosition position;
  if (me > 0) position.parent = real(static_cast<std::int32_t>(me ^ (bit / 2)), size, root);
  for (; bit < size && (me ^ bit) < size; bit *= 2)
    position.children.push_back(real(static_cast<std::int32_t>(me ^ bit), size, root));
  return position;
}

TreePosition in_order_binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root) {
  const std::int32_t me = shifted(rank, size, root);
  TreePosition position;
  for (std::int64_t bit = 1; bit < size; bit *= 2) {
    if (me & bit) {
      position.parent = real(static_cast<std::int32_t>(me ^ bit), size, root);
      break;
    }
    if (me + bit < size) position.children.push_back(real(static_cast<std::int32_t>(me + bit), size, root));
  }
  return position;
}

TreePosition knomial_tree(std::int32_t radix, std::int32_t rank, std::int32_t size, std::int32_t root) {
  const std::int32_t me = shifted(rank, size, root);
  TreePosition position;
  std::int64_t step = 1;
  for (; step < size; step *= radix) {
    if (me % (radix * step) == 0) continue;
    position.parent = real(static_cast<std::int32_t>(me / (radix * step) * (radix * step)), size, root);
    break;
  }
  for (step /= radix; step > 0; step /= radix)
    for (std::int32_t k = 1; k < radix; ++k)
      if (me + step * k < size) position.children.push_back(real(static_cast<std::int32_t>(me + step * k), size, root));
  return position;
}

TreePosition in_order_binary_tree(std::int32_t rank, std::int32_t size) {
  // The ranks below .. below + size - 1 form a subtree whose root is the last of them. Its right child is the last
  // rank of the lower half of the others; its left child is the rank before the root.
  TreePosition position;
  std::int32_t below = 0;
  for (;;) {
    const std::int32_t top = below + size - 1;
    const std::int32_t lower = size / 2;
    const std::int32_t left = size > 1 ? top - 1 : -1;
    const std::int32_t right = size > 2 ? below + lower - 1 : -1;
    if (rank == top) {
      if (left >= 0) position.children.push_back(left);
      if (right >= 0) position.children.push_back(right);
      return position;
    }
    position.parent = top;
    if (right >= 0 && rank <= right) {
      size = lower;
    } else {
      below += lower;
      size -= lower + 1;
    }
  }
}

TreePosition chains(std::int32_t count, std::int32_t rank, std::int32_t size, std::int32_t root) {
  TreePosition position;
  if (size < 2) return position;
  if (count > size - 1) count = size - 1;
  const std::int32_t me = shifted(rank, size, root);
  const std::int32_t length = (size - 2) / count + 1;
  const std::int32_t longer = (size - 1) % count == 0 ? count : (size - 1) % count;  // number of chains of this length
  const auto head = [&](std::int32_t chain) { return 1 + chain * length - (chain > longer ? chain - longer : 0); };
  if (me == 0) {
    for (std::int32_t chain = 0; chain < count; ++chain) position.children.push_back(real(head(chain), size, root));
    return position;
  }
  std::int32_t chain = count - 1;
  while (head(chain) > me) --chain;
  position.parent = real(me == head(chain) ? 0 : me - 1, size, root);
  if (me + 1 < (chain + 1 < count ? head(chain + 1) : size)) position.children.push_back(real(me + 1, size, root));
  return position;
}

TreePosition swapped_binomial_tree(std::int32_t rank, std::int32_t size, std::int32_t root) {
  TreePosition position = binomial_tree(swapped(rank, root), size, 0);
  if (position.parent >= 0) position.parent = swapped(position.parent, root);
  for (std::int32_t& child : position.children) child = swapped(child, root);
  return position;
}

}  // namespace placement::mpi
