// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"

namespace placement::tofa {

// Sums over the routes of a torus in constant time. A route is one piece of a line for each dimension, and prefix sums
// along all lines give the sum over each piece without walking it. The torus must outlive this object.
class RoutePrefixSums {
 public:
  explicit RoutePrefixSums(const TorusTopology& torus)
      : torus_(torus),
        prefix_(torus.dimensions().size() * static_cast<std::size_t>(torus.positions())) {}

  // Sets the values. of_link(dimension, position) returns the value of the link that leaves `position` towards
  // growing coordinates; the value counts in both directions. At the end of a mesh there is no link, and the value
  // for it is never read.
  template <typename OfLink>
  void fill(OfLink of_link) {
    for (std::size_t d = 0; d < torus_.dimensions().size(); ++d) {
      std::int32_t stride = 1;
      for (std::size_t k = 0; k < d; ++k) stride *= torus_.dimensions()[k].size;
      for (std::int32_t position = 0; position < torus_.positions(); ++position) {
        const std::int32_t before = torus_.coordinate(position, d) == 0 ? 0 : at(d, position - stride);
        at(d, position) = before + of_link(d, position);
      }
    }
  }

  // Returns the sum over the links of R(from, to).
  std::int32_t links(std::int32_t from, std::int32_t to) const { return sum<false>(from, to); }

  // Returns the sum over all positions of R(from, to) except `from`. fill() must have been given values of positions.
  std::int32_t positions(std::int32_t from, std::int32_t to) const { return sum<true>(from, to); }

 private:
  std::int32_t& at(std::size_t d, std::int32_t position) {
    return prefix_[d * static_cast<std::size_t>(torus_.positions()) + static_cast<std::size_t>(position)];
  }
  std::int32_t at(std::size_t d, std::int32_t position) const {
    return prefix_[d * static_cast<std::size_t>(torus_.positions()) + static_cast<std::size_t>(position)];
  }

  template <bool of_positions>
  std::int32_t sum(std::int32_t from, std::int32_t to) const {
    std::int32_t total = 0;
    std::int32_t here = from;
    std::int32_t stride = 1;
    for (std::size_t d = 0; d < torus_.dimensions().size(); ++d) {
      const std::int32_t size = torus_.dimensions()[d].size;
      const std::int32_t x = torus_.coordinate(from, d);
      const std::int32_t y = torus_.coordinate(to, d);
      const std::int32_t way = torus_.steps(d, x, y);
      if (way != 0) {
        const std::int32_t line = here - x * stride;
        // The piece has `length` values. They begin at coordinate `first` and may continue past the end of a ring.
        const std::int32_t length = way > 0 ? way : -way;
        std::int32_t first = way > 0 ? x + (of_positions ? 1 : 0) : x - length;
        if (first < 0) first += size;
        if (first >= size) first -= size;
        const std::int32_t end = first + length;
        const std::int32_t before = first == 0 ? 0 : at(d, line + (first - 1) * stride);
        if (end <= size)
          total += at(d, line + (end - 1) * stride) - before;
        else
          total += at(d, line + (size - 1) * stride) - before + at(d, line + (end - size - 1) * stride);
        here = line + y * stride;
      }
      stride *= size;
    }
    return total;
  }

  const TorusTopology& torus_;
  std::vector<std::int32_t> prefix_;
};

}  // namespace placement::tofa
