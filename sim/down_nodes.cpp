// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/down_nodes.hpp"

#include <algorithm>
#include <utility>

namespace placement::sim {

DownNodes::DownNodes(std::int32_t nodes, const Failures& failures)
    : failures_(failures),
      down_until_(static_cast<std::size_t>(nodes), 0),
      leaves_(static_cast<std::size_t>(nodes)) {
  for (std::int32_t n = 0; n < nodes; ++n) up_in_danger_ += failures_.strikes(n);
}

const std::vector<std::int32_t>& DownNodes::take_down(std::int32_t n, const NodeView& node, std::int64_t up_us) {
  for (std::int32_t c = 0; c < node.cores(); ++c)
    if (node.core_free[c]) leaves_[n].push_back(node.first_leaf + c);
  cores_ += std::ssize(leaves_[n]);
  down_until_[n] = up_us;
  next_repair_us_ = std::min(next_repair_us_, up_us);
  up_in_danger_ -= failures_.strikes(n);
  return leaves_[n];
}

std::vector<std::int32_t> DownNodes::repair(std::int64_t now_us) {
  std::vector<std::int32_t> freed;
  next_repair_us_ = never_us;
  for (std::size_t n = 0; n < leaves_.size(); ++n) {
    if (leaves_[n].empty()) continue;
    if (down_until_[n] > now_us) {
      next_repair_us_ = std::min(next_repair_us_, down_until_[n]);
      continue;
    }
    const std::vector<std::int32_t> leaves = std::exchange(leaves_[n], {});
    freed.insert(freed.end(), leaves.begin(), leaves.end());
    cores_ -= std::ssize(leaves);
    up_in_danger_ += failures_.strikes(static_cast<std::int32_t>(n));
  }
  return freed;
}

std::int64_t DownNodes::all_in_danger_down_until() const {
  if (up_in_danger_ > 0) return -1;
  std::int64_t up_us = never_us;
  for (std::size_t n = 0; n < down_until_.size(); ++n)
    if (failures_.strikes(static_cast<std::int32_t>(n))) up_us = std::min(up_us, down_until_[n]);
  return up_us;
}

}  // namespace placement::sim
