// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "common/util/random.hpp"
#include "mapping/fm.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// How many bisections are tried of graphs with at least a hundred vertices, and of smaller ones.
struct BisectionTries {
  std::int32_t of_large = 1;
  std::int32_t of_small = 2;
};

// Splits graphs in two: they are coarsened by heavy-edge matching, the coarsest graph is split by
// growing one side, and each level on the way back is refined after Fiduccia and Mattheyses.
class Bisection {
 public:
  // Of so many tries, each from another matching, the best stays: what decides the quality is how
  // the finest graph was matched. The watch must outlive the object.
  Bisection(std::uint64_t seed, const BisectionTries& tries, const WorkBudget& watch)
      : random_(seed), tries_(tries), watch_(watch) {}

  // For a graph whose vertices all have size 1: side 0 gets at least `least` and at most `most` of
  // them, with little traffic to the others. 0 <= least <= most <= vertices. Throws OutOfTime before
  // the first try has ended.
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
  std::int32_t freedom_ = 0;  // by how much side 0 may differ from its target, once all sizes are 1
  BisectionRefiner refiner_;
  std::int64_t work_ = 0;
};

}  // namespace placement
