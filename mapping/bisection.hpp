// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/fm.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// The number of bisections of one graph that are tried, at least 1; the best one is kept.
struct BisectionTries {
  std::int32_t of_large = 1;  // for graphs with at least 100 vertices
  std::int32_t of_small = 2;  // for smaller graphs
};

// Splits graphs in two. The graph is coarsened by heavy-edge matching, and the coarsest graph is split by growing one
// side. Each finer graph takes over this split and refines it by the method of Fiduccia and Mattheyses.
class Bisection {
 public:
  // Each try begins with another random matching, because the matching of the finest graph decides the quality.
  //   seed   seed of the random choices
  //   tries  number of tries for each graph
  //   watch  time budget; must outlive the object
  Bisection(std::uint64_t seed, const BisectionTries& tries, const WorkBudget& watch)
      : random_(seed),
        tries_(tries),
        watch_(watch) {}

  // Splits a graph whose vertices all have size 1, with little traffic between the sides. Side 0 gets at least `least`
  // and at most `most` vertices; 0 <= least <= most <= number of vertices. Returns the side of each vertex, 0 or 1.
  // Throws OutOfTime when the time ends before the first try has ended; afterwards returns the best split so far.
  std::vector<std::int8_t> split(const Graph& graph, std::int32_t least, std::int32_t most);

  std::int64_t work() const { return work_ + refiner_.work(); }  // arcs visited so far

 private:
  struct Sides {
    std::vector<std::int8_t> side;
    std::int64_t cut = 0;
    std::int32_t off_target = 0;
  };

  Sides multilevel(const Graph& graph, std::int32_t first, std::int32_t largest);
  std::vector<std::int8_t> grown(const Graph& graph, std::int32_t first);
  Sides refined(const Graph& graph, std::int32_t first, std::vector<std::int8_t> side);

  Random random_;
  BisectionTries tries_;
  const WorkBudget& watch_;
  std::int32_t freedom_ = 0;  // vertices by which side 0 may differ from its target in the finest graph
  BisectionRefiner refiner_;
  std::int64_t work_ = 0;
};

}  // namespace placement::mapping
