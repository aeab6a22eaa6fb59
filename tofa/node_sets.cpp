// SPDX-License-Identifier: GPL-2.0-or-later
#include "tofa/node_sets.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "common/topology/torus_topology.hpp"
#include "common/util/random.hpp"

namespace placement::tofa {

namespace {

// Sums of values over boxes of a torus of one to three dimensions, each in constant time. Stores the sums of all boxes
// that start at the origin. Each ring is unrolled twice, so a box may cross its end.
class BoxSums {
 public:
  // The result for a box that does not fit into a mesh; less than any possible sum.
  static constexpr std::int64_t outside = -(std::int64_t{1} << 60);

  // of_position(position) returns the value of a position. The torus must outlive this object.
  template <typename OfPosition>
  BoxSums(const TorusTopology& torus, OfPosition of_position) : torus_(torus) {
    std::array<std::int32_t, 3> size{1, 1, 1};
    for (std::size_t d = 0; d < torus.dimensions().size(); ++d) {
      size[d] = torus.dimensions()[d].size;
      reach_[d] = torus.dimensions()[d].wraps ? 2 * size[d] - 1 : size[d];
    }
    sum_.assign(static_cast<std::size_t>(reach_[0] + 1) * static_cast<std::size_t>(reach_[1] + 1) *
                    static_cast<std::size_t>(reach_[2] + 1),
                0);
    std::vector<std::int64_t> value(torus.positions());
    for (std::int32_t position = 0; position < torus.positions(); ++position) value[position] = of_position(position);
    for (std::int32_t z = 0; z < reach_[2]; ++z)
      for (std::int32_t y = 0; y < reach_[1]; ++y)
        for (std::int32_t x = 0; x < reach_[0]; ++x) {
          const std::int32_t position = x % size[0] + size[0] * (y % size[1] + size[1] * (z % size[2]));
          at(x + 1, y + 1, z + 1) = value[position] + at(x, y + 1, z + 1) + at(x + 1, y, z + 1) + at(x + 1, y + 1, z) -
                                    at(x, y, z + 1) - at(x, y + 1, z) - at(x + 1, y, z) + at(x, y, z);
        }
  }

  // Returns the sum over the box with the lowest corner `position` and `extent` positions in each dimension. Returns
  // `outside` when the box leaves the mesh, or is longer than a ring permits.
  std::int64_t of_box(std::int32_t position, const std::array<std::int32_t, 3>& extent) const {
    std::array<std::int32_t, 3> low{}, high{1, 1, 1};
    for (std::size_t d = 0; d < torus_.dimensions().size(); ++d) {
      low[d] = torus_.coordinate(position, d);
      high[d] = low[d] + extent[d];
      if (high[d] > reach_[d]) return outside;
    }
    const auto [a, b, c] = low;
    const auto [x, y, z] = high;
    return at(x, y, z) - at(a, y, z) - at(x, b, z) - at(x, y, c) + at(a, b, z) + at(a, y, c) + at(x, b, c) -
           at(a, b, c);
  }

 private:
  std::size_t index(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(reach_[0] + 1) *
               (static_cast<std::size_t>(y) + static_cast<std::size_t>(reach_[1] + 1) * z);
  }
  std::int64_t& at(std::int32_t x, std::int32_t y, std::int32_t z) { return sum_[index(x, y, z)]; }
  std::int64_t at(std::int32_t x, std::int32_t y, std::int32_t z) const { return sum_[index(x, y, z)]; }

  const TorusTopology& torus_;
  std::array<std::int32_t, 3> reach_{1, 1, 1};
  std::vector<std::int64_t> sum_;
};

constexpr std::size_t most_centres = 64;
constexpr std::int32_t most_slabs = 16;             // slabs that are tried in each dimension
constexpr std::size_t most_nodes_sorted = 150'000;  // of all balls together
constexpr std::int32_t pairs_sampled = 256;
constexpr double suspect_hops = 64;                      // penalty in hops for each suspect node on a route
constexpr std::int64_t most_boxes = 100'000;             // examined in all
constexpr std::int64_t boxes_in_the_time_of_a_node = 8;  // examining 8 boxes takes as long as trying one node
constexpr std::int64_t never_enough = -(std::int64_t{1} << 40);

class NodeSets {
 public:
  NodeSets(const OfferedNodes& nodes, const mapping::NodeLimits& limits)
      : nodes_(nodes),
        limits_(limits),
        torus_(*nodes.torus) {
    at_.assign(torus_.positions(), -1);
    for (std::size_t n = 0; n < nodes.position.size(); ++n) {
      if (nodes.position[n] < 0 || limits.capacity()[n] == 0) continue;
      usable_.push_back(static_cast<std::int32_t>(n));
      at_[nodes.position[n]] = static_cast<std::int32_t>(n);
    }
    std::ranges::sort(usable_, {}, [&](std::int32_t node) { return nodes.position[node]; });
    for (std::size_t n = 0; n < nodes.position.size(); ++n)
      if (limits.required(static_cast<std::int32_t>(n))) {
        required_.push_back(static_cast<std::int32_t>(n));
        required_room_ += limits.capacity()[n];
      }
  }

  std::optional<mapping::NodeCounts> window() const {
    for (std::size_t begin = 0; begin < usable_.size(); ++begin) {
      std::vector<std::int32_t> healthy;
      for (std::size_t k = begin; k < usable_.size() && !nodes_.suspect(usable_[k]); ++k) healthy.push_back(usable_[k]);
      // Small pieces are skipped: if most nodes may fail, there are as many pieces as nodes.
      if (large_enough(healthy))
        if (auto counts = first_that_fit(healthy)) return counts;
      begin += healthy.size();  // a start within this piece would find fewer nodes
    }
    return std::nullopt;
  }

  std::vector<mapping::NodeCounts> compact(std::size_t most) {
    struct Scored {
      double score;
      mapping::NodeCounts counts;
    };
    std::vector<Scored> found;
    const auto add = [&](std::optional<mapping::NodeCounts> counts) {
      if (!counts) return;
      for (const Scored& other : found)
        if (other.counts == *counts) return;
      const double score = score_of(*counts);
      found.push_back({score, std::move(*counts)});
    };
    for (const std::int32_t centre : centres()) add(first_that_fit(ball(centre)));
    if (torus_.dimensions().size() <= 3) add(box());
    const std::size_t round_ones = found.size();
    for (std::size_t d = 0; d < torus_.dimensions().size(); ++d) {
      const auto affordable =
          static_cast<std::int32_t>(most_nodes_sorted / (torus_.dimensions().size() * (usable_.size() + 1)));
      const std::int32_t starts = std::min(torus_.dimensions()[d].size, std::clamp(affordable, 1, most_slabs));
      const std::vector<std::vector<std::int32_t>> planes = planes_across(d);
      for (std::int32_t k = 0; k < starts; ++k)
        add(first_that_fit(slab(planes, static_cast<std::size_t>(torus_.dimensions()[d].size * k / starts))));
    }
    const auto by_score = [](const Scored& a, const Scored& b) { return a.score < b.score; };
    // A slab has whole rings, which suit periodic grids. The score does not count this, so the best slab becomes the
    // second set.
    const auto first_slab = found.begin() + round_ones;
    std::optional<Scored> best_slab;
    if (first_slab != found.end() && round_ones > 0) best_slab = *std::min_element(first_slab, found.end(), by_score);
    std::stable_sort(found.begin(), found.end(), by_score);
    if (best_slab && found.size() > 1 && found[0].counts != best_slab->counts)
      found.insert(found.begin() + 1, std::move(*best_slab));
    std::vector<mapping::NodeCounts> best;
    for (std::size_t k = 0; k < std::min(most, found.size()); ++k) best.push_back(std::move(found[k].counts));
    return best;
  }

 private:
  // Returns whether these nodes and the required ones have room for all tasks and number at least least_nodes().
  bool large_enough(const std::vector<std::int32_t>& nodes) const {
    std::int64_t room = required_room_;
    std::size_t count = required_.size();
    for (const std::int32_t node : nodes) {
      if (limits_.required(node)) continue;
      room += limits_.capacity()[node];
      ++count;
    }
    return room >= limits_.tasks() && static_cast<std::int64_t>(count) >= limits_.least_nodes();
  }

  // Returns the tasks on the first nodes of the order that serve the request. Required nodes are always used.
  std::optional<mapping::NodeCounts> first_that_fit(const std::vector<std::int32_t>& order) const {
    std::vector<std::int32_t> picked = required_;
    std::optional<mapping::NodeCounts> counts = limits_.first_that_fit(order, picked);
    if (counts || order.empty()) return counts;
    // Too many nodes: keep those with the most room.
    std::ranges::stable_sort(
        picked, {}, [&](std::int32_t node) { return std::pair(!limits_.required(node), -limits_.capacity()[node]); });
    while (!picked.empty() && static_cast<std::int32_t>(picked.size()) > limits_.most_nodes()) picked.pop_back();
    return limits_.spread(picked);
  }

  std::vector<std::int32_t> centres() const {
    std::vector<std::int32_t> healthy;
    for (const std::int32_t node : usable_)
      if (!nodes_.suspect(node)) healthy.push_back(node);
    if (healthy.empty()) healthy = usable_;
    std::vector<std::int32_t> chosen;
    const std::size_t count =
        std::min(healthy.size(), std::clamp<std::size_t>(most_nodes_sorted / (usable_.size() + 1), 8, most_centres));
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(healthy[k * healthy.size() / count]);
    return chosen;
  }

  // Returns nodes around `centre`, no more than the request can need: healthy nodes by distance, then suspect ones.
  std::vector<std::int32_t> ball(std::int32_t centre) const {
    std::vector<std::int32_t> key(usable_.size());
    std::int32_t beyond = 1;  // more than any distance between two nodes
    for (const TorusDimension& dimension : torus_.dimensions()) beyond += dimension.size;
    std::vector<std::int32_t> first(static_cast<std::size_t>(2 * beyond) + 1, 0);
    std::vector<std::int64_t> room(first.size(), 0);
    for (std::size_t k = 0; k < usable_.size(); ++k) {
      const std::int32_t node = usable_[k];
      key[k] = torus_.distance(nodes_.position[centre], nodes_.position[node]) + (nodes_.suspect(node) ? beyond : 0);
      ++first[key[k] + 1];
      room[key[k]] += limits_.capacity()[node];
    }
    std::int32_t last = 0;
    std::int64_t enough = limits_.tasks();
    for (; last < 2 * beyond && (enough -= room[last]) > 0; ++last) {
    }
    for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
    while (last < 2 * beyond - 1 && first[last + 1] < limits_.least_nodes()) ++last;
    std::vector<std::int32_t> order(last < 2 * beyond ? first[last + 1] : first[last]);
    for (std::size_t k = 0; k < usable_.size(); ++k)
      if (key[k] <= last) order[first[key[k]]++] = usable_[k];
    return order;
  }

  // Returns the usable nodes of each coordinate of one dimension, healthy nodes first.
  std::vector<std::vector<std::int32_t>> planes_across(std::size_t dimension) const {
    std::vector<std::vector<std::int32_t>> planes(torus_.dimensions()[dimension].size);
    for (const bool suspect : {false, true})
      for (const std::int32_t node : usable_)
        if (nodes_.suspect(node) == suspect)
          planes[torus_.coordinate(nodes_.position[node], dimension)].push_back(node);
    return planes;
  }

  // Returns the nodes of whole planes from coordinate `start` on, no more planes than the request can need.
  std::vector<std::int32_t> slab(const std::vector<std::vector<std::int32_t>>& planes, std::size_t start) const {
    std::vector<std::int32_t> order;
    std::int64_t room = required_room_;
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const std::vector<std::int32_t>& plane = planes[(start + k) % planes.size()];
      order.insert(order.end(), plane.begin(), plane.end());
      for (const std::int32_t node : plane)
        if (!limits_.required(node)) room += limits_.capacity()[node];
      if (room >= limits_.tasks() && static_cast<std::int32_t>(order.size()) >=
                                         limits_.least_nodes() + static_cast<std::int32_t>(required_.size()))
        break;
    }
    return order;
  }

  // Returns the mean hops between two tasks of the set, plus a penalty for suspect nodes on routes between them.
  double score_of(const mapping::NodeCounts& counts) const {
    double hops = 0;
    std::vector<std::int32_t> used;
    for (const std::int32_t node : usable_)
      if (counts[node] > 0) used.push_back(node);
    double tasks = 0;
    for (const std::int32_t node : used) tasks += counts[node];
    for (std::size_t d = 0; d < torus_.dimensions().size(); ++d) {
      const std::int32_t size = torus_.dimensions()[d].size;
      std::vector<double> histogram(size, 0);
      for (const std::int32_t node : used) histogram[torus_.coordinate(nodes_.position[node], d)] += counts[node];
      if (size > 512) {  // too many pairs of coordinates: distances from one node only
        for (std::size_t k = 1; k < used.size(); ++k)
          hops += std::abs(torus_.steps(d, torus_.coordinate(nodes_.position[used[0]], d),
                                        torus_.coordinate(nodes_.position[used[k]], d))) /
                  tasks;
        continue;
      }
      for (std::int32_t a = 0; a < size; ++a)
        for (std::int32_t b = 0; histogram[a] > 0 && b < a; ++b)
          hops += 2 * histogram[a] * histogram[b] * std::abs(torus_.steps(d, a, b)) / (tasks * tasks);
    }
    if (!nodes_.faults || nodes_.faults->suspects() == 0) return hops;
    Random random(1);
    std::int64_t met = 0;
    const auto count = static_cast<std::int32_t>(used.size());
    for (std::int32_t k = 0; k < pairs_sampled; ++k)
      met += nodes_.faults->on_route(nodes_.position[used[random.below(count)]],
                                     nodes_.position[used[random.below(count)]]);
    return hops + suspect_hops * static_cast<double>(met) / pairs_sampled;
  }

  // Returns the tasks on the nodes of a box that suffices for the job, with the least sum of its three lengths. No node
  // of the box is suspect. All routes between its nodes stay in the box.
  std::optional<mapping::NodeCounts> box() const {
    std::array<std::int32_t, 3> size{1, 1, 1};
    std::array<bool, 3> wraps{};
    for (std::size_t d = 0; d < torus_.dimensions().size(); ++d) {
      size[d] = torus_.dimensions()[d].size;
      wraps[d] = torus_.dimensions()[d].wraps;
    }
    struct Shape {
      std::array<std::int32_t, 3> extent;
      std::int32_t reach, volume;
    };
    std::vector<Shape> shapes;
    const std::int32_t least = limits_.least_nodes();
    const auto closed = [&](std::size_t d, std::int32_t extent) {
      return extent == size[d] || !wraps[d] || 2 * (extent - 1) < size[d];
    };
    if (size[0] > 64 || size[1] > 64 || size[2] > 64) return std::nullopt;
    for (std::int32_t a = 1; a <= size[0]; ++a)
      for (std::int32_t b = 1; closed(0, a) && b <= size[1]; ++b)
        for (std::int32_t c = 1; closed(1, b) && c <= size[2]; ++c)
          if (closed(2, c) && a * b * c >= least && a * b * c <= 2 * least)
            shapes.push_back({{a, b, c}, a + b + c, a * b * c});
    std::ranges::stable_sort(shapes, {}, [](const Shape& shape) { return std::pair(shape.reach, shape.volume); });
    const BoxSums room(torus_, [&](std::int32_t position) {
      if (nodes_.faults && nodes_.faults->suspect(position)) return never_enough;
      return at_[position] < 0 ? 0 : static_cast<std::int64_t>(limits_.capacity()[at_[position]]);
    });
    const BoxSums count(torus_, [&](std::int32_t position) { return std::int64_t{at_[position] >= 0}; });
    const std::int64_t boxes_of_a_try = 1 + std::ssize(usable_) / boxes_in_the_time_of_a_node;
    std::int64_t boxes_left = most_boxes;
    for (const Shape& shape : shapes)
      for (const std::int32_t origin : usable_) {
        if (--boxes_left < 0) return std::nullopt;
        if (room.of_box(nodes_.position[origin], shape.extent) < limits_.tasks() ||
            count.of_box(nodes_.position[origin], shape.extent) < least)
          continue;
        boxes_left -= boxes_of_a_try;
        if (auto counts = first_that_fit(in_box(nodes_.position[origin], shape.extent))) return counts;
      }
    return std::nullopt;
  }

  std::vector<std::int32_t> in_box(std::int32_t origin, const std::array<std::int32_t, 3>& extent) const {
    std::vector<std::int32_t> inside;
    for (const std::int32_t node : usable_) {
      bool within = true;
      for (std::size_t d = 0; d < torus_.dimensions().size() && within; ++d) {
        const std::int32_t off = torus_.coordinate(nodes_.position[node], d) - torus_.coordinate(origin, d);
        within = (off < 0 ? off + torus_.dimensions()[d].size : off) < extent[d];
      }
      if (within) inside.push_back(node);
    }
    return inside;
  }

  const OfferedNodes& nodes_;
  const mapping::NodeLimits& limits_;
  const TorusTopology& torus_;
  std::vector<std::int32_t> usable_;  // sorted by position
  std::vector<std::int32_t> at_;      // the usable node at each position, or -1
  std::vector<std::int32_t> required_;
  std::int64_t required_room_ = 0;
};

}  // namespace

std::optional<mapping::NodeCounts> window_counts(const OfferedNodes& nodes, const mapping::NodeLimits& limits) {
  return NodeSets(nodes, limits).window();
}

std::vector<mapping::NodeCounts> compact_sets(const OfferedNodes& nodes, const mapping::NodeLimits& limits,
                                              std::size_t most) {
  return NodeSets(nodes, limits).compact(most);
}

}  // namespace placement::tofa
