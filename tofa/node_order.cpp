// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/node_order.hpp"

#include <numeric>

#include "tofa/slot_halves.hpp"

namespace placement {

std::vector<std::int32_t> nodes_in_a_row(const TorusTopology& torus) {
  TorusSlots slots{&torus, {}, nullptr};
  for (std::int32_t node = 0; node < torus.nodes(); ++node) slots.position.push_back(torus.position(node));
  std::vector<std::vector<std::int32_t>> parts(1, std::vector<std::int32_t>(slots.position.size()));
  std::iota(parts[0].begin(), parts[0].end(), 0);
  std::vector<std::int32_t> row;
  row.reserve(slots.position.size());
  while (!parts.empty()) {
    std::vector<std::int32_t> part = std::move(parts.back());
    parts.pop_back();
    const auto cut = cut_slots(slots, part);
    if (!cut) {
      row.insert(row.end(), part.begin(), part.end());
      continue;
    }
    const auto half = part.begin() + static_cast<std::ptrdiff_t>(cut->first);
    parts.emplace_back(half, part.end());
    parts.emplace_back(part.begin(), half);
  }
  return row;
}

}  // namespace placement
