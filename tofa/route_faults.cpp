// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/route_faults.hpp"

#include <algorithm>

namespace placement::tofa {

namespace {

constexpr std::int32_t table_positions = 2048;
constexpr std::int32_t published_extra = 100;

}  // namespace

RouteFaults::RouteFaults(const TorusTopology& torus, std::vector<bool> suspect, const std::vector<std::int32_t>& extra)
    : torus_(torus),
      suspect_(std::move(suspect)),
      nodes_(torus),
      heavy_(torus) {
  count_ = static_cast<std::int32_t>(std::count(suspect_.begin(), suspect_.end(), true));
  clear_.assign(suspect_.size(), INT32_MAX);
  if (count_ == 0) return;  // all sums are 0
  nodes_.fill([&](std::size_t, std::int32_t position) { return suspect_[position] ? 1 : 0; });
  heavy_.fill([&](std::size_t d, std::int32_t position) {
    TorusTopology::Coordinates next = torus.coordinates(position);
    next[d] = next[d] + 1 < torus.dimensions()[d].size ? next[d] + 1 : 0;
    const auto of = [&](std::int32_t at) { return !suspect_[at] ? 0 : extra.empty() ? published_extra : extra[at]; };
    return std::max(of(position), of(torus.position_of(next)));
  });
  std::vector<std::int32_t> queue;  // breadth first from all suspect positions at once
  for (std::size_t at = 0; at < suspect_.size(); ++at) {
    if (!suspect_[at]) continue;
    clear_[at] = 0;
    queue.push_back(static_cast<std::int32_t>(at));
  }
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (std::size_t d = 0; d < torus.dimensions().size(); ++d)
      for (const std::int32_t step : {1, -1}) {
        TorusTopology::Coordinates next = torus.coordinates(queue[head]);
        const auto [size, wraps] = torus.dimensions()[d];
        next[d] += step;
        if (wraps) next[d] = (next[d] + size) % size;
        if (next[d] < 0 || next[d] >= size) continue;
        const std::int32_t there = torus.position_of(next);
        if (clear_[there] < INT32_MAX) continue;
        clear_[there] = clear_[queue[head]] + 1;
        queue.push_back(there);
      }
}

void RouteFaults::tabulate() {
  const std::int32_t n = torus_.positions();
  if (n > table_positions || count_ == 0 || !table_.empty()) return;
  std::vector<std::uint16_t> table(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0);
  for (std::int32_t a = 0; a < n; ++a)
    for (std::int32_t b = 0; b <= a; ++b) {
      const auto met = static_cast<std::uint16_t>(on_route(a, b) + on_route(b, a));
      table[static_cast<std::size_t>(a) * static_cast<std::size_t>(n) + static_cast<std::size_t>(b)] = met;
      table[static_cast<std::size_t>(b) * static_cast<std::size_t>(n) + static_cast<std::size_t>(a)] = met;
    }
  table_ = std::move(table);
}

}  // namespace placement::tofa
