// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"

namespace placement::tofa {

// Calls visit(position) for the neighbours of a position along each dimension of two or more positions, the neighbour
// with the larger coordinate first. Passes -1 where a mesh ends. In a ring of two, both neighbours are one position.
template <typename Visit>
void for_each_neighbour(const TorusTopology& torus, std::int32_t position, Visit visit) {
  std::int32_t stride = 1;
  for (std::size_t d = 0; d < torus.dimensions().size(); ++d) {
    const auto [size, wraps] = torus.dimensions()[d];
    const std::int32_t at = torus.coordinate(position, d);
    if (size > 1) {
      visit(at + 1 < size ? position + stride : wraps ? position - at * stride : -1);
      visit(at > 0 ? position - stride : wraps ? position + (size - 1) * stride : -1);
    }
    stride *= size;
  }
}

// The suspect positions of a torus, and their effect on the routes between positions.
class RouteFaults {
 public:
  // `suspect` has one entry for each position. `extra` has the weight that each suspect position adds to its links;
  // empty: 100, as in the paper. The torus must outlive this object.
  RouteFaults(const TorusTopology& torus, const std::vector<bool>& suspect, std::vector<std::int32_t> extra = {});

  // Returns whether a torus position is suspect.
  bool suspect(std::int32_t position) const { return suspect_[position] != 0; }
  std::int32_t suspects() const { return count_; }  // number of suspect positions

  // Returns the number of suspect positions on R(from, to), both ends included.
  std::int32_t on_route(std::int32_t from, std::int32_t to) const {
    std::int32_t met = suspect_[from];
    torus_.walk(from, to, [&](std::int32_t, std::int32_t next) { met += suspect_[next]; });
    return met;
  }

  // Returns the number of suspect positions on R(a, b) plus the number on R(b, a).
  std::int32_t between(std::int32_t a, std::int32_t b) const {
    if (!table_.empty()) return table_[static_cast<std::size_t>(a) * torus_.positions() + b];
    if (torus_.distance(a, b) < clear_[a]) return 0;  // every suspect is farther away than the route is long
    return on_route(a, b) + on_route(b, a);
  }

  // Makes between() fast with a table of all pairs, unless the torus is too large for it.
  void tabulate();

  // Returns the weight of the route R(from, to) [TOFA §3, eq. 1] with c = 1. Each link counts 1. A link at a suspect
  // node counts its `extra` more, or the larger `extra` of two suspect nodes.
  std::int64_t weight(std::int32_t from, std::int32_t to) const {
    std::int64_t sum = 0;
    std::int32_t here = from;
    torus_.walk(from, to, [&](std::int32_t, std::int32_t next) {
      sum += 1 + std::max(extra_[here], extra_[next]);
      here = next;
    });
    return sum;
  }

 private:
  const TorusTopology& torus_;
  std::vector<std::uint8_t> suspect_;  // of each position: 1 if it is suspect
  std::vector<std::int32_t> extra_;    // additional weight of a link at the position
  std::int32_t count_ = 0;
  std::vector<std::int32_t> clear_;  // hops from each position to the nearest suspect position
  std::vector<std::uint16_t> table_;
};

}  // namespace placement::tofa
