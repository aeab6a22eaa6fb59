// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/slot_halves.hpp"

#include <algorithm>
#include <utility>

namespace placement {

namespace {

// The dimension with most different coordinates, the last of equal ones; -1: they are all one position.
std::int32_t widest(const TorusSlots& slots, const std::vector<std::int32_t>& among) {
  const TorusTopology& torus = *slots.torus;
  std::int32_t best = -1;
  std::int32_t most = 1;
  for (std::size_t d = 0; d < torus.dimensions().size(); ++d) {
    std::vector<bool> seen(static_cast<std::size_t>(torus.dimensions()[d].size), false);
    std::int32_t count = 0;
    for (const std::int32_t slot : among) {
      const std::int32_t at = torus.coordinate(slots.position[slot], d);
      if (!seen[at]) ++count;
      seen[at] = true;
    }
    if (count > 1 && count >= most) {
      most = count;
      best = static_cast<std::int32_t>(d);
    }
  }
  return best;
}

std::int32_t behind_gap(const TorusSlots& slots, const std::vector<std::int32_t>& among, std::size_t d) {
  const TorusTopology& torus = *slots.torus;
  const std::int32_t size = torus.dimensions()[d].size;
  std::vector<bool> seen(static_cast<std::size_t>(size), false);
  for (const std::int32_t slot : among) seen[torus.coordinate(slots.position[slot], d)] = true;
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

// Nodes stay whole where a cut between positions is near enough to the middle.
std::size_t cut_at(const TorusSlots& slots, const std::vector<std::int32_t>& among) {
  const std::size_t middle = among.size() / 2;
  for (std::size_t off = 0; off < among.size(); ++off)
    for (const std::size_t at : {middle - std::min(off, middle), middle + off})
      if (at > 0 && at < among.size() && slots.position[among[at]] != slots.position[among[at - 1]]) return at;
  return std::max<std::size_t>(1, middle);
}

}  // namespace

std::optional<SlotCut> cut_slots(const TorusSlots& slots, std::vector<std::int32_t>& among) {
  const TorusTopology& torus = *slots.torus;
  const std::int32_t dimension = widest(slots, among);
  if (dimension < 0) return std::nullopt;
  const auto d = static_cast<std::size_t>(dimension);
  const std::int32_t size = torus.dimensions()[d].size;
  const std::int32_t begin = torus.dimensions()[d].wraps ? behind_gap(slots, among, d) : 0;
  std::vector<std::pair<std::int64_t, std::int32_t>> keyed;
  keyed.reserve(among.size());
  for (const std::int32_t slot : among) {
    const std::int32_t along = (torus.coordinate(slots.position[slot], d) - begin + size) % size;
    keyed.emplace_back((static_cast<std::int64_t>(along) << 32) + slots.position[slot], slot);
  }
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t k = 0; k < among.size(); ++k) among[k] = keyed[k].second;
  return SlotCut{d, cut_at(slots, among)};
}

}  // namespace placement
