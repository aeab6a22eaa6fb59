// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/core_slots.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace placement::mapping {

namespace {

using Domain = std::array<std::int32_t, 3>;  // package, NUMA node, cache; the last ones are -1 in a wider domain

Domain domain_of(const NodeCore& core, std::int32_t level) {
  return {level < 3 ? core.package : -1, level < 2 ? core.numa : -1, level < 1 ? core.cache : -1};
}

}  // namespace

std::vector<CoreSlot> core_slots(const NodeTopology& node, std::int32_t width) {
  std::vector<std::int32_t> left(node.cores.size());
  for (std::size_t core = 0; core < left.size(); ++core) left[core] = static_cast<std::int32_t>(core);
  std::vector<CoreSlot> slots;
  for (std::int32_t level = 0; level <= 3; ++level) {
    std::map<Domain, std::vector<std::int32_t>> domains;
    for (const std::int32_t core : left)
      domains[domain_of(node.cores[static_cast<std::size_t>(core)], level)].push_back(core);
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
