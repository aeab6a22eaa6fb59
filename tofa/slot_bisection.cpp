// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/slot_bisection.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "common/util/sequence.hpp"

namespace placement::tofa {

namespace {

// Returns the dimension with the most different coordinates and sets `coordinates` to them; ties go to the last
// dimension. Returns -1 when all slots are at one position.
std::int32_t widest(const TorusSlots& slots, std::span<const std::int32_t> among, std::vector<bool>& coordinates) {
  std::int32_t best = -1;
  std::int64_t most = 2;
  for (std::size_t d = 0; d < slots.torus->dimensions().size(); ++d) {
    if (slots.torus->dimensions()[d].size < most) continue;
    std::vector<bool> seen(slots.torus->dimensions()[d].size, false);
    for (const std::int32_t slot : among) seen[slots.torus->coordinate(slots.position[slot], d)] = true;
    const std::int64_t count = std::count(seen.begin(), seen.end(), true);
    if (count < most) continue;
    most = count;
    best = static_cast<std::int32_t>(d);
    coordinates.swap(seen);
  }
  return best;
}

// Returns the first coordinate behind the widest gap of a ring.
std::int32_t behind_gap(const std::vector<bool>& seen) {
  const auto size = static_cast<std::int32_t>(seen.size());
  std::int32_t widest = 0;
  std::int32_t begin = 0;
  std::int32_t gap = 0;
  for (std::int32_t k = 0; k < 2 * size; ++k) {
    if (!seen[k % size]) {
      ++gap;
      continue;
    }
    if (gap > widest) {
      widest = gap;
      begin = k % size;
    }
    gap = 0;
  }
  return begin;
}

// Returns the index at which the sorted slots are cut. The cut is between positions, so nodes remain whole. With
// CutAt::planes it is between coordinates, if that cut is at most a quarter of the slots away from the middle.
std::size_t cut_at(const TorusSlots& slots, std::span<const std::int32_t> among, std::size_t d, CutAt where) {
  const std::size_t middle = among.size() / 2;
  const auto nearest = [&](std::size_t farthest, const auto& key) -> std::size_t {
    for (std::size_t off = 0; off <= farthest; ++off)
      for (const std::size_t at : {middle - std::min(off, middle), middle + off})
        if (at > 0 && at < among.size() && key(among[at]) != key(among[at - 1])) return at;
    return 0;
  };
  if (where == CutAt::planes)
    if (const std::size_t at = nearest(
            among.size() / 4, [&](std::int32_t slot) { return slots.torus->coordinate(slots.position[slot], d); }))
      return at;
  const std::size_t at = nearest(among.size(), [&](std::int32_t slot) { return slots.position[slot]; });
  return at > 0 ? at : std::max<std::size_t>(1, middle);
}

struct Cut {
  std::size_t dimension = 0;
  std::size_t first = 0;  // slots in the first half
};

// Sorts the slots along the dimension across which they are cut. Returns nothing when all are at one position.
std::optional<Cut> cut_slots(const TorusSlots& slots, std::span<std::int32_t> among, CutAt where) {
  const TorusTopology& torus = *slots.torus;
  std::vector<bool> coordinates;
  const std::int32_t dimension = widest(slots, among, coordinates);
  if (dimension < 0) return std::nullopt;
  const auto d = static_cast<std::size_t>(dimension);
  const std::int32_t size = torus.dimensions()[d].size;
  const std::int32_t begin = torus.dimensions()[d].wraps ? behind_gap(coordinates) : 0;
  std::vector<std::pair<std::int64_t, std::int32_t>> keyed;
  keyed.reserve(among.size());
  for (const std::int32_t slot : among) {
    const std::int32_t along = torus.coordinate(slots.position[slot], d) - begin;
    keyed.emplace_back((static_cast<std::int64_t>(along < 0 ? along + size : along) << 32) + slots.position[slot],
                       slot);
  }
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t k = 0; k < among.size(); ++k) among[k] = keyed[k].second;
  return Cut{d, cut_at(slots, among, d, where)};
}

}  // namespace

SlotCuts cut_all(const TorusSlots& slots, std::vector<std::int32_t> among, CutAt where,
                 const mapping::WorkBudget& watch) {
  SlotCuts cuts;
  cuts.slots = std::move(among);
  cuts.parts.push_back({0, static_cast<std::int32_t>(cuts.slots.size())});
  for (std::size_t k = 0; k < cuts.parts.size(); ++k) {
    SlotCuts::Part part = cuts.parts[k];
    const auto size = static_cast<std::size_t>(part.end - part.begin);
    watch.spend(static_cast<std::int64_t>(4 * size));
    const auto cut =
        size < 2 ? std::nullopt
                 : cut_slots(slots, std::span(cuts.slots).subspan(static_cast<std::size_t>(part.begin), size), where);
    if (!cut) continue;
    part.middle = part.begin + static_cast<std::int32_t>(cut->first);
    part.dimension = cut->dimension;
    part.first_half = static_cast<std::int32_t>(cuts.parts.size());
    cuts.parts[k] = part;
    cuts.parts.push_back({part.begin, part.middle});
    cuts.parts.push_back({part.middle, part.end});
  }
  return cuts;
}

std::vector<std::int32_t> nodes_in_a_row(const TorusTopology& torus) {
  TorusSlots slots{&torus, {}, nullptr};
  for (std::int32_t node = 0; node < torus.nodes(); ++node) slots.position.push_back(torus.position(node));
  return cut_all(slots, numbers(slots.position.size()), CutAt::positions, mapping::WorkBudget()).slots;
}

}  // namespace placement::tofa
