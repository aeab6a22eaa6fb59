// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/node_order.hpp"

#include <numeric>

#include "tofa/slot_bisection.hpp"

namespace placement::tofa {

std::vector<std::int32_t> nodes_in_a_row(const TorusTopology& torus) {
  TorusSlots slots{&torus, {}, nullptr};
  for (std::int32_t node = 0; node < torus.nodes(); ++node) slots.position.push_back(torus.position(node));
  std::vector<std::int32_t> all(slots.position.size());
  std::iota(all.begin(), all.end(), 0);
  return cut_all(slots, std::move(all), CutAt::positions, mapping::WorkBudget()).slots;
}

}  // namespace placement::tofa
