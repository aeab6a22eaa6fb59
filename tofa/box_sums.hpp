// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"

namespace placement::tofa {

// Sums of values over boxes of a torus of one to three dimensions. A query takes constant time, whatever the size of
// the box. The class stores the sums of all boxes that begin at the origin; each ring is unrolled twice, so that a box
// may cross the end of a ring.
class BoxSums {
 public:
  // The result for a box that does not fit into a mesh; less than each possible sum.
  static constexpr std::int64_t outside = -(std::int64_t{1} << 60);

  // of_position(position) returns the value of a position. The torus must outlive this object.
  template <typename OfPosition>
  BoxSums(const TorusTopology& torus, OfPosition of_position) : torus_(torus) {
    std::array<std::int32_t, 3> size{1, 1, 1};
    for (std::size_t d = 0; d < torus.dimensions().size(); ++d) {
      size[d] = torus.dimensions()[d].size;
      reach_[d] = torus.dimensions()[d].wraps ? 2 * size[d] - 1 : size[d];
    }
    sum_.assign(static_cast<std::size_t>(reach_[0] + 1) * static_cast<std::size_t>(reach_[1] + 1) * static_cast<std::size_t>(reach_[2] + 1), 0);
    std::vector<std::int64_t> value(static_cast<std::size_t>(torus.positions()));
    for (std::int32_t position = 0; position < torus.positions(); ++position) value[position] = of_position(position);
    for (std::int32_t z = 0; z < reach_[2]; ++z)
      for (std::int32_t y = 0; y < reach_[1]; ++y)
        for (std::int32_t x = 0; x < reach_[0]; ++x) {
          const std::int32_t position = x % size[0] + size[0] * (y % size[1] + size[1] * (z % size[2]));
          at(x + 1, y + 1, z + 1) = value[position] + at(x, y + 1, z + 1) + at(x + 1, y, z + 1) + at(x + 1, y + 1, z) -
                                    at(x, y, z + 1) - at(x, y + 1, z) - at(x + 1, y, z) + at(x, y, z);
        }
  }

  // Returns the sum over the box whose lowest corner is `position` and which has `extent` positions in each dimension.
  // Returns `outside` when the box leaves the mesh, or is longer than a ring permits.
  std::int64_t of_box(std::int32_t position, const std::array<std::int32_t, 3>& extent) const {
    std::array<std::int32_t, 3> low{}, high{1, 1, 1};
    for (std::size_t d = 0; d < torus_.dimensions().size(); ++d) {
      low[d] = torus_.coordinate(position, d);
      high[d] = low[d] + extent[d];
      if (high[d] > reach_[d]) return outside;
    }
    const auto [a, b, c] = low;
    const auto [x, y, z] = high;
    return at(x, y, z) - at(a, y, z) - at(x, b, z) - at(x, y, c) + at(a, b, z) + at(a, y, c) + at(x, b, c) - at(a, b, c);
  }

 private:
  std::size_t index(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(reach_[0] + 1) *
               (static_cast<std::size_t>(y) + static_cast<std::size_t>(reach_[1] + 1) * static_cast<std::size_t>(z));
  }
  std::int64_t& at(std::int32_t x, std::int32_t y, std::int32_t z) { return sum_[index(x, y, z)]; }
  std::int64_t at(std::int32_t x, std::int32_t y, std::int32_t z) const { return sum_[index(x, y, z)]; }

  const TorusTopology& torus_;
  std::array<std::int32_t, 3> reach_{1, 1, 1};
  std::vector<std::int64_t> sum_;
};

}  // namespace placement::tofa
