// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/core_slots.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace placement::mapping {

namespace {

// Package, NUMA node and cache, the last ones -1 in a wider domain, and for each GPU whether it is next to the core.
using Domain = std::pair<std::array<std::int32_t, 3>, std::vector<bool>>;

Domain domain_of(const NodeTopology& node, std::int32_t index, std::int32_t level, bool of_gpus) {
  const NodeCore& core = node.cores[static_cast<std::size_t>(index)];
  Domain domain{{level < 3 ? core.package : -1, level < 2 ? core.numa : -1, level < 1 ? core.cache : -1}, {}};
  for (std::size_t gpu = 0; of_gpus && gpu < node.gpus.size(); ++gpu)
    domain.second.push_back(std::binary_search(node.gpus[gpu].cores.begin(), node.gpus[gpu].cores.end(), core.number));
  return domain;
}

}  // namespace

std::vector<CoreSlot> core_slots(const NodeTopology& node, std::int32_t width) {
  std::vector<std::int32_t> left(node.cores.size());
  for (std::size_t core = 0; core < left.size(); ++core) left[core] = static_cast<std::int32_t>(core);
  std::vector<CoreSlot> slots;
  for (std::int32_t step = 0; step <= 7; ++step) {
    const std::int32_t level = step / 2;
    std::map<Domain, std::vector<std::int32_t>> domains;
    for (const std::int32_t core : left) domains[domain_of(node, core, level, step % 2 == 0)].push_back(core);
    left.clear();
    for (const auto& [domain, cores] : domains) {
      auto next = cores.begin();
      for (; cores.end() - next >= width; next += width) slots.push_back({{next, next + width}, level});
      left.insert(left.end(), next, cores.end());
    }
    std::sort(left.begin(), left.end());
  }
  std::sort(slots.begin(), slots.end(), [](const CoreSlot& a, const CoreSlot& b) { return a.cores < b.cores; });
  return slots;
}

std::int64_t slot_distance(const NodeTopology& node, const CoreSlot& slot, std::size_t gpu) {
  const std::vector<std::int32_t>& next_to = node.gpus[gpu].cores;
  if (next_to.empty()) return 0;
  const auto is_near = [&](const NodeCore& core) {
    return std::binary_search(next_to.begin(), next_to.end(), core.number);
  };
  std::int64_t sum = 0;
  for (const std::int32_t index : slot.cores) {
    const NodeCore& core = node.cores[static_cast<std::size_t>(index)];
    if (is_near(core)) continue;
    sum += std::any_of(node.cores.begin(), node.cores.end(),
                       [&](const NodeCore& other) { return other.package == core.package && is_near(other); })
               ? 1
               : 2;
  }
  return sum;
}

}  // namespace placement::mapping
