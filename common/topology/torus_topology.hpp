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

// One dimension of a torus or mesh: `size` positions in a row. With `wraps` both ends of the row are linked.
struct TorusDimension {
  std::int32_t size = 1;
  bool wraps = true;

  bool operator==(const TorusDimension&) const = default;
};

// A torus or mesh of 1 to 5 dimensions with nodes at its positions [TOFA §2]. Positions are numbered from 0 to
// positions() - 1; the first coordinate (x) counts fastest. A position without a node still forwards messages. Memory
// is O(positions).
//
// The route R(u, v) corrects one coordinate after another, the first dimension first, on the shorter way round. If both
// ways are equally long, the route takes the way on which coordinates grow. So R(v, u) may differ from the reverse of
// R(u, v).
class TorusTopology {
 public:
  static constexpr std::size_t max_dimensions = 5;
  static constexpr std::int32_t max_positions = 1 << 20;

  using Coordinates = std::array<std::int32_t, max_dimensions>;  // entries beyond the dimensions are 0

  // A node and its coordinates.
  struct Node {
    std::string name;
    Coordinates at{};
  };

  // Nodes are numbered in the order of `nodes`. Throws Error for no dimensions, too many dimensions or positions, a
  // node outside the torus, and two nodes with one position or name.
  TorusTopology(std::vector<TorusDimension> dimensions, std::vector<Node> nodes);

  // Returns a torus with a node at each position, whose name is the number of the position.
  static TorusTopology full(std::vector<TorusDimension> dimensions);

  std::span<const TorusDimension> dimensions() const { return dimension_; }
  std::int32_t positions() const { return static_cast<std::int32_t>(node_at_.size()); }
  std::int32_t nodes() const { return static_cast<std::int32_t>(name_.size()); }

  const std::string& name(std::int32_t node) const { return name_[node]; }
  // Returns the number of the node with this name, or -1.
  std::int32_t find(std::string_view name) const;
  std::int32_t position(std::int32_t node) const { return position_[node]; }
  // Returns the number of the node at the position, or -1.
  std::int32_t node_at(std::int32_t position) const { return node_at_[position]; }

  std::int32_t coordinate(std::int32_t position, std::size_t dimension) const {
    return coordinate_[static_cast<std::size_t>(position) * dimension_.size() + dimension];
  }
  Coordinates coordinates(std::int32_t position) const;
  // Returns the position with these coordinates. Throws Error when one is out of range.
  std::int32_t position_of(const Coordinates& at) const;

  // Returns the number of links that a route takes along a dimension from coordinate `from` to coordinate `to`. It is
  // above 0 when coordinates grow on the way, and below 0 when they shrink.
  std::int32_t steps(std::size_t dimension, std::int32_t from, std::int32_t to) const {
    const TorusDimension& d = dimension_[dimension];
    std::int32_t delta = to - from;
    if (!d.wraps) return delta;
    if (delta < 0) delta += d.size;
    return 2 * delta <= d.size ? delta : delta - d.size;
  }

  // Returns the number of links of R(from, to), for two positions.
  std::int32_t distance(std::int32_t from, std::int32_t to) const {
    std::int32_t links = 0;
    for (std::size_t d = 0; d < dimension_.size(); ++d)
      links += std::abs(steps(d, coordinate(from, d), coordinate(to, d)));
    return links;
  }

  // Links have the numbers 0 .. links() - 1, one for each direction: (position * dimensions + dimension) * 2 for the
  // position that the link leaves, plus 1 if coordinates shrink on the way. In a mesh, some numbers are unused.
  std::int32_t links() const { return positions() * 2 * static_cast<std::int32_t>(dimension_.size()); }

  // Calls visit(link, position) for each link of R(from, to) in turn, with the position to which the link leads.
  template <typename Visit>
  void walk(std::int32_t from, std::int32_t to, Visit visit) const {
    std::int32_t here = from;
    for (std::size_t d = 0; d < dimension_.size(); ++d) {
      std::int32_t at = coordinate(from, d);
      const std::int32_t way = steps(d, at, coordinate(to, d));
      const std::int32_t step = way < 0 ? -1 : 1;
      for (std::int32_t left = way; left != 0; left -= step) {
        const std::int32_t link =
            (here * static_cast<std::int32_t>(dimension_.size()) + static_cast<std::int32_t>(d)) * 2 +
            (way < 0 ? 1 : 0);
        std::int32_t next = at + step;
        if (next < 0) next += dimension_[d].size;
        if (next == dimension_[d].size) next = 0;
        here += (next - at) * stride_[d];
        at = next;
        visit(link, here);
      }
    }
  }

 private:
  std::vector<TorusDimension> dimension_;
  std::array<std::int32_t, max_dimensions> stride_{};
  std::vector<std::string> name_;
  std::vector<std::int32_t> position_;
  std::vector<std::int32_t> node_at_;
  std::vector<std::int32_t> coordinate_;  // all coordinates of each position: reading is faster than dividing
  std::unordered_map<std::string_view, std::int32_t> by_name_;  // indices into name_

 public:
  TorusTopology(TorusTopology&&) = default;  // by_name_ points into the strings of name_
  TorusTopology(const TorusTopology&) = delete;
};

// The content of a torus file.
struct TorusDescription {
  TorusTopology torus;
  bool named = true;                      // the file names its nodes; false: each position is a node
  std::vector<std::int32_t> faulty = {};  // positions of faulty nodes, ascending; for a file without names
  std::int64_t fault_factor = 1;          // the weight of a link at a faulty node, where others weigh 1
};

// Parses the text of a torus file, whose forms are in placement.conf(5), "Torus files". '#' starts a comment. `file` is
// the name of the file in errors. Throws Error with file, line and value.
TorusDescription parse_torus(std::string_view text, const std::string& file);
// Reads a torus file, in the form of parse_torus(). Throws Error with file, line and value.
TorusDescription read_torus(const std::string& path);

// Returns whether the text is a torus file and not a tree. A torus file starts with torus, mesh, faulty, a target of
// SCOTCH, or a name with coordinates.
bool is_torus_text(std::string_view text);

// Returns the torus with only its nodes among `known`, the nodes of slurm.conf. `warning` names the other nodes, and
// the nodes of slurm.conf without coordinates; it is empty if there are none. Throws Error when the file names no
// nodes, or none of `known`.
TorusTopology torus_of(const TorusDescription& description, std::span<const std::string> known, const std::string& file,
                       std::string& warning);

}  // namespace placement
