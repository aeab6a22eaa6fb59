// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/planning/step_layout.hpp"

namespace placement::planning {

std::vector<std::int32_t> block_layout(std::span<const std::uint32_t> room, std::uint64_t tasks, bool pack) {
  std::vector<std::int32_t> given(room.size(), 0);
  const auto round = [&](auto may_take) {
    bool took = false;
    for (std::size_t n = 0; n < room.size() && tasks > 0; ++n)
      while (tasks > 0 && may_take(n)) {
        ++given[n];
        --tasks;
        took = true;
        if (!pack) break;
      }
    return took;
  };
  const auto has_room = [&](std::size_t n) { return static_cast<std::uint32_t>(given[n]) < room[n]; };
  if (pack)  // each node gets one task first, so that no node stays empty
    for (std::size_t n = 0; n < room.size() && tasks > 0; ++n, --tasks) ++given[n];
  while (round(has_room)) {
  }
  pack = false;
  while (!room.empty() && tasks > 0) round([](std::size_t) { return true; });
  return given;
}

}  // namespace placement::planning
