// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/topology/offered_cores.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/util/text.hpp"

namespace placement {

std::vector<bool> offered_cores(const NodeShape& node, const ReservedCores& reserved, bool from_first) {
  const std::int32_t cores = node.sockets * node.cores_per_socket;
  std::vector<bool> offered(static_cast<std::size_t>(cores), true);
  for (const std::int32_t cpu : reserved.cpus) offered[static_cast<std::size_t>(cpu / node.cpus_per_core)] = false;
  if (!reserved.cpus.empty()) return offered;
  const std::int32_t count = reserved.count < cores ? reserved.count : 1;
  for (std::int32_t k = 0; k < count; ++k) {
    const std::int32_t socket = k % node.sockets, core = k / node.sockets;
    const std::int32_t first = socket * node.cores_per_socket + core;
    offered[static_cast<std::size_t>(from_first ? first : cores - 1 - first)] = false;
  }
  return offered;
}

std::optional<bool> takes_jobs(std::string_view state) {
  const std::string word = lower_case(state);
  if (word == "down" || word == "error" || word == "future" || word.starts_with("drain") || word.starts_with("fail"))
    return false;
  if (word == "idle" || word == "allocated" || word == "mixed" || word == "unknown" || word.starts_with("cloud"))
    return true;
  return std::nullopt;
}

}  // namespace placement
