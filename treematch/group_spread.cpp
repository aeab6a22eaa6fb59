// SPDX-License-Identifier: GPL-2.0-or-later
#include "treematch/group_spread.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mapping/tuning.hpp"

namespace placement::treematch {

using namespace mapping::tuning;

namespace {

constexpr std::int32_t none = -1;

// Returns the leaf switch with the least room for `tasks` tasks; none when no leaf switch has room for them.
std::int32_t tightest(const std::vector<std::int32_t>& room, std::int32_t tasks) {
  std::int32_t best = none;
  for (std::int32_t s = 0; s < std::ssize(room); ++s)
    if (room[s] >= tasks && (best == none || room[s] < room[best])) best = s;
  return best;
}

// Returns the two leaf switches with the least room together for `tasks` tasks.
std::pair<std::int32_t, std::int32_t> tightest_pair(const std::vector<std::int32_t>& room, std::int32_t tasks) {
  std::pair<std::int32_t, std::int32_t> best{none, none};
  for (std::int32_t a = 0; a < std::ssize(room); ++a) {
    if (room[a] == 0) continue;
    for (std::int32_t b = a + 1; b < std::ssize(room); ++b)
      if (room[b] > 0 && room[a] + room[b] >= tasks &&
          (best.first == none || room[a] + room[b] < room[best.first] + room[best.second]))
        best = {a, b};
  }
  return best;
}

// Takes room for one group. Returns its shares; none if there would be more than `span`.
std::vector<SwitchShare> take(std::vector<std::int32_t>& room, std::int32_t tasks, std::int32_t span) {
  std::vector<SwitchShare> shares;
  const auto put = [&](std::int32_t on) {
    const std::int32_t here = std::min(tasks, room[on]);
    room[on] -= here;
    tasks -= here;
    if (here > 0) shares.push_back({on, here});
  };
  while (tasks > 0) {
    const std::int32_t one = tightest(room, tasks);
    if (span < 1 || (span == 1 && one == none)) return {};
    const auto two = span > 1 ? tightest_pair(room, tasks) : std::pair{none, none};
    if (one != none && (two.first == none || room[one] <= room[two.first] + room[two.second])) {
      put(one);
    } else if (two.first != none) {
      put(two.first);
      put(two.second);
    } else {
      const auto most = std::max_element(room.begin(), room.end());
      if (*most == 0) return {};
      put(static_cast<std::int32_t>(most - room.begin()));
      --span;
    }
  }
  return shares;
}

}  // namespace

std::optional<std::vector<std::vector<SwitchShare>>> spread_groups(std::span<const std::int32_t> room,
                                                                   std::span<const std::int32_t> sizes,
                                                                   std::int32_t span) {
  if (std::ssize(room) * std::ssize(room) * std::ssize(sizes) > most_steps_of_spread) return std::nullopt;
  std::vector<std::int32_t> left(room.begin(), room.end());
  std::vector<std::int32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return sizes[a] > sizes[b]; });
  std::vector<std::vector<SwitchShare>> shares(sizes.size());
  for (const std::int32_t group : order) {
    shares[group] = take(left, sizes[group], span);
    if (shares[group].empty()) return std::nullopt;
  }
  return shares;
}

}  // namespace placement::treematch
