// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace placement {

// One direction of a grid: `size` positions in a row, whose ends are linked (torus) or not (mesh).
struct TorusDimension {
  std::int32_t size = 1;
  bool wraps = true;

  bool operator==(const TorusDimension&) const = default;
};

// Nodes at the points of a torus or mesh of 1 to 5 dimensions [TOFA §2]. Points are numbered
// 0 .. positions() - 1, the first coordinate (x) counting fastest; a point without a node still passes
// messages on. Memory is O(positions).
//
// Routing function R(u, v): the way from u to v goes along the first dimension until its coordinate
// is that of v, then along the second, and so on; in each the shorter way round, and where both are equally
// long (half of an even torus dimension) the one on which coordinates grow. So R(v, u) is in general
// not R(u, v) backwards.
class TorusTopology {
 public:
  static constexpr std::size_t max_dimensions = 5;
  static constexpr std::int32_t max_positions = 1 << 20;

  using Coordinates = std::array<std::int32_t, max_dimensions>;  // those beyond the dimensions are 0

  struct Node {
    std::string name;
    Coordinates at{};
  };

  // Throws Error on no or too many dimensions or positions, a node outside, two at one point, or two
  // of one name.
  TorusTopology(std::vector<TorusDimension> dimensions, std::vector<Node> nodes);

  // Every point is a node, called by its number.
  static TorusTopology full(std::vector<TorusDimension> dimensions);

  std::span<const TorusDimension> dimensions() const { return dimension_; }
  std::int32_t positions() const { return static_cast<std::int32_t>(node_at_.size()); }
  std::int32_t nodes() const { return static_cast<std::int32_t>(name_.size()); }

  const std::string& name(std::int32_t node) const { return name_[node]; }
  std::int32_t find(std::string_view name) const;  // the node, or -1
  std::int32_t position(std::int32_t node) const { return position_[node]; }
  std::int32_t node_at(std::int32_t position) const { return node_at_[position]; }  // -1: none

  std::int32_t coordinate(std::int32_t position, std::size_t dimension) const {
    return coordinate_[static_cast<std::size_t>(position) * dimension_.size() + dimension];
  }
  Coordinates coordinates(std::int32_t position) const;
  std::int32_t position_of(const Coordinates& at) const;

  // Steps along a dimension on the way from one coordinate to another: > 0 growing, < 0 shrinking.
  std::int32_t steps(std::size_t dimension, std::int32_t from, std::int32_t to) const {
    const TorusDimension& d = dimension_[dimension];
    std::int32_t delta = to - from;
    if (!d.wraps) return delta;
    if (delta < 0) delta += d.size;
    return 2 * delta <= d.size ? delta : delta - d.size;
  }

  // Links on R(u, v), for positions.
  std::int32_t distance(std::int32_t from, std::int32_t to) const {
    std::int32_t links = 0;
    for (std::size_t d = 0; d < dimension_.size(); ++d)
      links += std::abs(steps(d, coordinate(from, d), coordinate(to, d)));
    return links;
  }

  // Links are numbered by the position that they leave, and their direction:
  // (position * dimensions + dimension) * 2, and one more on the way on which coordinates shrink.
  std::int32_t links() const { return positions() * 2 * static_cast<std::int32_t>(dimension_.size()); }

  // Calls visit(link, position that it leads to) for each link of R(from, to) in turn.
  template <typename Visit>
  void walk(std::int32_t from, std::int32_t to, Visit visit) const {
    std::int32_t here = from;
    for (std::size_t d = 0; d < dimension_.size(); ++d) {
      std::int32_t at = coordinate(from, d);
      const std::int32_t way = steps(d, at, coordinate(to, d));
      const std::int32_t step = way < 0 ? -1 : 1;
      for (std::int32_t left = way; left != 0; left -= step) {
        const std::int32_t link =
            (here * static_cast<std::int32_t>(dimension_.size()) + static_cast<std::int32_t>(d)) * 2 + (way < 0 ? 1 : 0);
        std::int32_t next = at + step;
        if (next < 0) next += dimension_[d].size;
        if (next == dimension_[d].size) next = 0;
        here += (next - at) * stride_[d];
        at = next;
        visit(link, here);
      }
    }
  }

  // Positions on R(from, to), both ends included.
  std::vector<std::int32_t> route(std::int32_t from, std::int32_t to) const;

 private:
  std::vector<TorusDimension> dimension_;
  std::array<std::int32_t, max_dimensions> stride_{};
  std::vector<std::string> name_;
  std::vector<std::int32_t> position_;
  std::vector<std::int32_t> node_at_;
  std::vector<std::int32_t> coordinate_;  // of each position, its dimensions together: divisions take longer
  std::unordered_map<std::string_view, std::int32_t> by_name_;  // into name_

 public:
  TorusTopology(TorusTopology&&) = default;  // by_name_ points into the strings of name_
  TorusTopology(const TorusTopology&) = delete;
};

// A torus file, and what the arena form of it says about faults.
struct TorusDescription {
  TorusTopology torus;
  bool named = true;                   // false: the file names no nodes, all points are some
  std::vector<std::int32_t> faulty;    // positions, ascending; of a file without names
  std::int64_t fault_factor = 1;       // how much heavier links at a faulty node are
  std::vector<std::int64_t> line = {};  // where each node stands in the file; of a file with names
};

// Reads a torus file; '#' starts a comment:
//
//   torus 8 8 mesh 4           sizes of the dimensions, x first: the first two are rings, the third is not.
//                              Without such a line all dimensions are rings, as long as the coordinates need
//   n1       0 0 0             a node and its coordinates
//   n[2-8]   1 0 0             the further names go on from there, x fastest
//   m[1-16]  0-3 0-3 1         as many names as points: x fastest
//
// or, without names, all points being nodes that are called by their numbers,
//
//   torus 8 8 8
//   faulty 100 17 255          links at these nodes weigh 100 instead of 1
//
// Throws Error naming file, line and value.
TorusDescription parse_torus(std::string_view text, const std::string& file);
TorusDescription read_torus(const std::string& path);

// Whether the file is one for parse_torus() and not a tree: it begins with torus or mesh, or its
// first line is of names and coordinates.
bool is_torus_text(std::string_view text);

// Throws Error naming file and line when the torus names a node that is not `known`, or names none at all.
void check_torus_nodes(const TorusDescription& description, std::span<const std::string> known, const std::string& file);

// What a site should know that has nodes without coordinates; empty when all have some.
std::string missing_coordinates(const TorusTopology& torus, std::span<const std::string> nodes, const std::string& file);

}  // namespace placement
