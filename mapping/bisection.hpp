// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/fm.hpp"
#include "mapping/graph.hpp"
#include "mapping/tuning.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// The number of bisections of one graph that are tried, at least 1; the best one is kept.
struct BisectionTries {
  std::int32_t of_large = 1;  // for graphs with at least 100 vertices
  std::int32_t of_small = 2;  // for smaller graphs
};

// A split of a graph in two.
struct Sides {
  std::vector<std::int8_t> side;  // of each vertex, 0 or 1
  std::int64_t cut = 0;           // the traffic between the sides
};

// The results of tries on one small graph. A try is stored only if its start vertex alone decides the result, which is
// not so in a graph of several components.
struct BisectionsFound {
  struct Try {
    std::int32_t start;  // the start vertex
    Sides sides;
    std::int64_t spent;  // work that the try reported to the time budget
  };
  std::vector<Try> tries;  // in the order in which they were made
};

// Remembers the tries on small parts of one graph, because repeated searches often split equal parts.
class BisectionMemory {
 public:
  // Returns the stored tries to split the part with the vertices `part`, in this order, so that side 0 has `least` to
  // `most` vertices. The reference is valid until the next call.
  BisectionsFound& of(std::span<const std::int32_t> part, std::int32_t least, std::int32_t most) {
    if (found_.size() == tuning::most_parts_remembered) found_.clear();
    std::vector<std::int32_t> key(part.begin(), part.end());
    key.insert(key.end(), {least, most});
    return found_[std::move(key)];
  }

 private:
  std::map<std::vector<std::int32_t>, BisectionsFound> found_;
};

// Splits graphs in two. Heavy-edge matching coarsens the graph, and growing one side splits the coarsest graph. Each
// finer graph inherits the split and refines it by the method of Fiduccia and Mattheyses.
class Bisection {
 public:
  // Each try starts with another random matching, because the matching of the finest graph decides the quality.
  //   seed   seed of the random choices
  //   tries  number of tries for each graph
  //   watch  time budget; must outlive the object
  Bisection(std::uint64_t seed, const BisectionTries& tries, const WorkBudget& watch)
      : random_(seed),
        tries_(tries),
        watch_(watch) {}

  // Splits a graph whose vertices all have size 1, with little traffic between the sides. Side 0 gets at least `least`
  // and at most `most` vertices; 0 <= least <= most <= number of vertices. Returns the side of each vertex, 0 or 1.
  // `found` has the earlier tries on an equal graph with equal bounds. They are reused, but count as work; new tries
  // are added. Throws OutOfTime if the time ends during the first try; later returns the best split so far.
  std::vector<std::int8_t> split(const Graph& graph, std::int32_t least, std::int32_t most, BisectionsFound& found);
  // Splits without earlier tries.
  std::vector<std::int8_t> split(const Graph& graph, std::int32_t least, std::int32_t most) {
    BisectionsFound none;
    return split(graph, least, most, none);
  }

 private:
  Sides tried(const Graph& graph, std::int32_t first, std::int32_t largest, BisectionsFound& found);
  Sides multilevel(const Graph& graph, std::int32_t first, std::int32_t largest);
  std::vector<std::int8_t> grown(const Graph& graph, std::int32_t first);
  Sides refined(const Graph& graph, std::int32_t first, std::vector<std::int8_t> side);

  Random random_;
  BisectionTries tries_;
  const WorkBudget& watch_;
  std::int32_t freedom_ = 0;  // largest error of the size of side 0 in the finest graph, in vertices
  BisectionRefiner refiner_;
};

}  // namespace placement::mapping
