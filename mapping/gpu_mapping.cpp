// SPDX-License-Identifier: GPL-2.0-or-later
#include "mapping/gpu_mapping.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "common/util/error.hpp"
#include "common/util/sequence.hpp"
#include "common/util/text.hpp"
#include "mapping/assignment.hpp"
#include "mapping/tuning.hpp"

namespace placement::mapping {

using namespace tuning;

namespace {

using Indices = std::vector<std::int32_t>;

// The slots of the node that a mapping may need. Slots with equal distances from all GPUs are interchangeable, so at
// most one per rank is kept.
struct GpuSlots {
  GpuSlots(const NodeTopology& node, std::int32_t ranks, std::int32_t width) {
    slots = core_slots(node, width);
    if (std::ssize(slots) < ranks)
      throw Error(printable(node.name) + " has " + std::to_string(node.cores.size()) + " usable cores, but " +
                  std::to_string(ranks) + " ranks with " + std::to_string(width) + " cores each require " +
                  std::to_string(static_cast<std::int64_t>(ranks) * width));
    std::ranges::stable_sort(slots, {}, &CoreSlot::level);
    std::map<std::vector<std::int64_t>, std::int32_t> alike;
    std::vector<CoreSlot> needed;
    for (CoreSlot& slot : slots) {
      std::vector<std::int64_t> far;
      for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) far.push_back(slot_distance(node, slot, gpu));
      if (++alike[far] > ranks) continue;
      needed.push_back(std::move(slot));
      distance.push_back(std::move(far));
    }
    slots = std::move(needed);
    if (slots.size() > most_slots_assigned)
      throw Error(printable(node.name) + " has more than " + std::to_string(most_slots_assigned) +
                  " different sets of " + std::to_string(width) + " cores for a rank: request more cores per rank");
  }

  std::vector<CoreSlot> slots;
  std::vector<std::vector<std::int64_t>> distance;  // of each slot from each GPU
};

// Some GPUs and their slots, in the order of the slots' first cores.
struct Pairing {
  std::int64_t far = 0;
  Indices gpus;
  Indices slots;
};

// Assigns a slot to each of `gpus`, which ascend, so that the sum of distances is least. Ties go to the first slots, in
// the order of the GPUs.
Pairing pair_up(const GpuSlots& all, const Indices& gpus) {
  const std::size_t count = all.slots.size();
  const auto first = std::ssize(gpus) + 1;
  const std::int64_t weight = first * static_cast<std::int64_t>(count * count) + 1;
  std::vector<std::int64_t> cost(gpus.size() * count, 0);
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (std::size_t slot = 0; slot < count; ++slot)
      cost[i * count + slot] = weight * all.distance[slot][gpus[i]] +
                               (first - static_cast<std::int64_t>(i)) * static_cast<std::int64_t>(slot);
  const Indices slot_of = least_cost_assignment(cost, gpus.size(), count);
  Pairing pairing;
  for (const std::int32_t i :
       ordered_numbers(gpus.size(), [&](std::int32_t i) { return all.slots[slot_of[i]].cores; })) {
    pairing.gpus.push_back(gpus[i]);
    pairing.slots.push_back(slot_of[i]);
    pairing.far += all.distance[pairing.slots.back()][pairing.gpus.back()];
  }
  return pairing;
}

std::vector<std::int64_t> costs_among(const std::vector<std::int64_t>& cost, std::size_t all, const Indices& gpus) {
  std::vector<std::int64_t> among;
  for (const std::int32_t gpu : gpus)
    for (const std::int32_t other : gpus) among.push_back(cost[gpu * all + other]);
  return among;
}

// Returns the sum over all network interfaces of the square of the number of ranks that use it.
std::int64_t sharing(const NodeTopology& node, const Indices& gpus) {
  std::map<std::int32_t, std::int64_t> ranks_at;
  for (const std::int32_t gpu : gpus)
    if (node.gpus[gpu].nic >= 0) ++ranks_at[node.gpus[gpu].nic];
  std::int64_t sum = 0;
  for (const auto& [nic, ranks] : ranks_at) sum += ranks * ranks;
  return sum;
}

// Calls take(gpus) for each choice of `ranks` GPUs, in lexical order.
template <typename Take>
void for_each_choice(std::size_t all, std::size_t ranks, Take take) {
  Indices chosen = numbers(ranks);
  for (;;) {
    take(chosen);
    std::size_t i = ranks;
    while (i > 0 && std::cmp_equal(chosen[i - 1], all - ranks + i - 1)) --i;
    if (i == 0) return;
    std::int32_t next = ++chosen[i - 1];
    for (; i < ranks; ++i) chosen[i] = ++next;
  }
}

// Returns choices of GPUs on a node with more than eight, one for each first GPU. With traffic, the next GPU has the
// lowest cost to those chosen so far; without, its interface has the fewest chosen GPUs.
std::vector<Indices> grown_choices(const NodeTopology& node, const std::vector<std::int64_t>& cost, std::size_t ranks,
                                   bool has_traffic) {
  const std::size_t all = node.gpus.size();
  std::vector<Indices> choices;
  for (std::size_t start = 0; start < all; ++start) {
    Indices chosen{static_cast<std::int32_t>(start)};
    while (chosen.size() < ranks) {
      std::pair<std::int64_t, std::int32_t> best{INT64_MAX, 0};
      for (std::size_t gpu = 0; gpu < all; ++gpu) {
        if (std::find(chosen.begin(), chosen.end(), static_cast<std::int32_t>(gpu)) != chosen.end()) continue;
        Indices with = chosen;
        with.push_back(static_cast<std::int32_t>(gpu));
        std::int64_t sum = 0;
        for (const std::int32_t other : chosen) sum += cost[gpu * all + other];
        best = std::min(best, {has_traffic ? sum : sharing(node, with), static_cast<std::int32_t>(gpu)});
      }
      chosen.push_back(best.second);
    }
    std::sort(chosen.begin(), chosen.end());
    choices.push_back(std::move(chosen));
  }
  return choices;
}

// Keeps the best mapping so far.
class Best {
 public:
  Best(const NodeTopology& node, const GpuSlots& slots, std::span<const std::int64_t> traffic)
      : node_(node),
        slots_(slots),
        cost_(gpu_costs(node)),
        traffic_(traffic) {}

  const std::vector<std::int64_t>& costs() const { return cost_; }

  void consider(const Indices& gpus) {
    const Pairing pairing = pair_up(slots_, gpus);
    if (found_ && pairing.far > std::get<0>(key_)) return;
    Indices place = numbers(gpus.size());
    std::int64_t cost = 0;
    if (!traffic_.empty()) {
      const std::vector<std::int64_t> among = costs_among(cost_, node_.gpus.size(), pairing.gpus);
      place = quadratic_assignment(traffic_, among, gpus.size());
      cost = assignment_cost(traffic_, among, place);
    }
    const Key key(pairing.far, cost, sharing(node_, gpus), pairing.slots, pairing.gpus);
    if (found_ && key_ <= key) return;
    found_ = true;
    key_ = key;
    pairing_ = pairing;
    place_ = place;
  }

  GpuMapping mapping() const {
    GpuMapping mapping;
    mapping.far = std::get<0>(key_);
    for (const std::int32_t place : place_)
      mapping.of_rank.push_back({pairing_.gpus[place], slots_.slots[pairing_.slots[place]].cores});
    return mapping;
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, Indices, Indices>;

  const NodeTopology& node_;
  const GpuSlots& slots_;
  std::vector<std::int64_t> cost_;
  std::span<const std::int64_t> traffic_;
  bool found_ = false;
  Key key_;
  Pairing pairing_;
  Indices place_;
};

GpuMapping best_mapping(const NodeTopology& node, const GpuSlots& slots, std::size_t ranks,
                        std::span<const std::int64_t> traffic) {
  Best best(node, slots, traffic);
  if (ranks == node.gpus.size() || node.gpus.size() <= most_gpus_for_all_choices)
    for_each_choice(node.gpus.size(), ranks, [&](const Indices& gpus) { best.consider(gpus); });
  else
    for (const Indices& gpus : grown_choices(node, best.costs(), ranks, !traffic.empty())) best.consider(gpus);
  GpuMapping mapping = best.mapping();
  mapping.exact = node.gpus.size() <= most_gpus_for_all_choices;
  return mapping;
}

// A core's package, NUMA node and cache (-1 if a slot may span several), and for each GPU whether the core is near.
using Domain = std::pair<std::array<std::int32_t, 3>, std::vector<bool>>;

Domain domain_of(const NodeTopology& node, std::int32_t index, std::int32_t level, bool of_gpus) {
  const NodeCore& core = node.cores[index];
  Domain domain{{level < 3 ? core.package : -1, level < 2 ? core.numa : -1, level < 1 ? core.cache : -1}, {}};
  for (std::size_t gpu = 0; of_gpus && gpu < node.gpus.size(); ++gpu)
    domain.second.push_back(std::binary_search(node.gpus[gpu].cores.begin(), node.gpus[gpu].cores.end(), core.number));
  return domain;
}

}  // namespace

GpuMapping map_to_gpus(const NodeTopology& node, std::int32_t ranks, std::int32_t cores_per_rank,
                       std::span<const std::int64_t> traffic) {
  if (ranks > std::ssize(node.gpus))
    throw Error(printable(node.name) + " has " + std::to_string(node.gpus.size()) + " GPUs for " +
                std::to_string(ranks) + " ranks: each rank requires its own GPU");
  return best_mapping(node, GpuSlots(node, ranks, cores_per_rank), ranks, traffic);
}

std::vector<CoreSlot> core_slots(const NodeTopology& node, std::int32_t width) {
  std::vector<std::int32_t> left = numbers(node.cores.size());
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
  std::ranges::sort(slots, {}, &CoreSlot::cores);
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
    const NodeCore& core = node.cores[index];
    if (is_near(core)) continue;
    sum += std::any_of(node.cores.begin(), node.cores.end(),
                       [&](const NodeCore& other) { return other.package == core.package && is_near(other); })
               ? 1
               : 2;
  }
  return sum;
}

}  // namespace placement::mapping
