// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "tofa/prefix_sums.hpp"

namespace placement {

// The suspect positions of a torus, and how the routes between others meet them.
class RouteFaults {
 public:
  // suspect: one per position. extra: how much heavier a link at each suspect position is than others, 100 in
  // the paper, also when it is left out.
  RouteFaults(const TorusTopology& torus, std::vector<bool> suspect, const std::vector<std::int32_t>& extra = {});

  bool suspect(std::int32_t position) const { return suspect_[position]; }
  std::int32_t suspects() const { return count_; }

  // Suspect positions on R(from, to), both ends included.
  std::int32_t on_route(std::int32_t from, std::int32_t to) const {
    return static_cast<std::int32_t>(suspect_[from]) + nodes_.positions(from, to);
  }

  // Suspect positions on both routes between two positions.
  std::int32_t between(std::int32_t a, std::int32_t b) const {
    if (!table_.empty())
      return table_[static_cast<std::size_t>(a) * static_cast<std::size_t>(torus_.positions()) + static_cast<std::size_t>(b)];
    if (torus_.distance(a, b) < clear_[a]) return 0;  // no suspect is as near as that
    return on_route(a, b) + on_route(b, a);
  }

  // Makes between() quick where the torus is small enough for a table of all pairs.
  void tabulate();

  // The weight of the way from one node to another [TOFA §3, eq. 1] with c = 1: each link of R(from, to) counts
  // 1, and `extra` more when the node at either end of it is suspect (the larger one when both are).
  std::int64_t weight(std::int32_t from, std::int32_t to) const {
    return torus_.distance(from, to) + heavy_.links(from, to);
  }

 private:
  const TorusTopology& torus_;
  std::vector<bool> suspect_;
  std::int32_t count_ = 0;
  RoutePrefixSums nodes_;
  RoutePrefixSums heavy_;
  std::vector<std::int32_t> clear_;  // hops from each position to the nearest suspect
  std::vector<std::uint16_t> table_;
};

}  // namespace placement
