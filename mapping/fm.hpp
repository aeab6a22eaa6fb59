// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/gain_buckets.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement::mapping {

// Refines a graph that is split in two, by the method of Fiduccia and Mattheyses. Calls reuse the object's memory.
class BisectionRefiner {
 public:
  // Improves a split. In each pass, each vertex changes sides at most once; the largest gain comes first, even if it is
  // negative. Keeps the best state of the pass. Returns the cut: the traffic between the sides. It does not grow if the
  // sides were within the slack. Throws OutOfTime; `side` is then a split between two states of a pass.
  //   first   target size of side 0, in ranks
  //   slack   largest difference from `first`, if the vertices' sizes allow it; 0 with vertices of size 1: exactly
  //           `first`
  //   passes  largest number of passes
  //   side    in and out: the side of each vertex, 0 or 1
  std::int64_t refine(const Graph& graph, std::int32_t first, std::int32_t slack, std::int32_t passes,
                      std::vector<std::int8_t>& side, const WorkBudget& watch = WorkBudget());

 private:
  void start(std::int32_t first);
  bool pass();
  std::int32_t next();
  void refill(int from);
  void flip(std::int32_t v, bool queued);
  std::int32_t excess() const { return off_ > slack_ ? off_ - slack_ : off_ < -slack_ ? -slack_ - off_ : 0; }

  const Graph* graph_ = nullptr;
  const WorkBudget* watch_ = nullptr;
  std::vector<std::int8_t>* side_ = nullptr;
  std::int32_t slack_ = 0;
  std::int32_t off_ = 0;
  std::int64_t cut_ = 0;
  std::int32_t patience_ = 0;  // a pass ends after this number of moves without a new best state

  enum State : std::int8_t { outside, queued, moved };
  struct Vertex {
    std::int32_t gain;  // decrease of the cut when the vertex changes sides
    std::int32_t cut_arcs;
  };
  std::vector<Vertex> vertex_;
  std::vector<State> state_;
  std::vector<std::int32_t> moved_;
  GainBuckets queue_[2];
};

}  // namespace placement::mapping
