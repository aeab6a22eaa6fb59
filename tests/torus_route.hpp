// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"

namespace placement {

// Returns the positions on R(from, to) of the torus, including both ends.
inline std::vector<std::int32_t> route_on(const TorusTopology& torus, std::int32_t from, std::int32_t to) {
  std::vector<std::int32_t> positions{from};
  torus.walk(from, to, [&](std::int32_t, std::int32_t next) { positions.push_back(next); });
  return positions;
}

}  // namespace placement
