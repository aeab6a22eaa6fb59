// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/route_faults.hpp"

#include <algorithm>
#include <utility>

namespace placement::tofa {

namespace {

constexpr std::int32_t table_positions = 2048;
constexpr std::int32_t published_extra = 100;

}  // namespace

RouteFaults::RouteFaults(const TorusTopology& torus, const std::vector<bool>& suspect, std::vector<std::int32_t> extra)
    : torus_(torus),
      suspect_(suspect.begin(), suspect.end()),
      extra_(std::move(extra)),
      count_(static_cast<std::int32_t>(std::count(suspect.begin(), suspect.end(), true))) {
  extra_.resize(suspect.size(), published_extra);
  for (std::size_t at = 0; at < suspect.size(); ++at) extra_[at] *= suspect_[at];
  clear_.assign(suspect_.size(), INT32_MAX);
  std::vector<std::int32_t> queue;  // breadth first from all suspect positions at once
  for (std::size_t at = 0; at < suspect_.size(); ++at) {
    if (suspect_[at] == 0) continue;
    clear_[at] = 0;
    queue.push_back(static_cast<std::int32_t>(at));
  }
  for (std::size_t head = 0; head < queue.size(); ++head)
    for_each_neighbour(torus, queue[head], [&, hops = clear_[queue[head]]](std::int32_t next) {
      if (next < 0 || clear_[next] < INT32_MAX) return;
      clear_[next] = hops + 1;
      queue.push_back(next);
    });
}

void RouteFaults::tabulate() {
  const std::int32_t n = torus_.positions();
  if (n > table_positions || count_ == 0 || !table_.empty()) return;
  std::vector<std::uint16_t> table(static_cast<std::size_t>(n) * n, 0);
  for (std::int32_t a = 0; a < n; ++a)
    for (std::int32_t b = 0; b <= a; ++b) {
      const auto met = static_cast<std::uint16_t>(on_route(a, b) + on_route(b, a));
      table[static_cast<std::size_t>(a) * n + b] = met;
      table[static_cast<std::size_t>(b) * n + a] = met;
    }
  table_ = std::move(table);
}

}  // namespace placement::tofa
