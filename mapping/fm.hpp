// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "mapping/gain_buckets.hpp"
#include "mapping/graph.hpp"
#include "mapping/work_budget.hpp"

namespace placement {

// Fiduccia-Mattheyses refinement of a graph split in two. Holds the memory that all calls share.
class BisectionRefiner {
 public:
  // Vertices change sides one after the other, the best gain first even where it is a loss, each at
  // most once a pass; the best point of the pass stays. The result is within `slack` of `first` in
  // the size of side 0, as far as the sizes allow: exactly, when slack is 0 and all sizes are 1.
  // The cut does not grow where the sides were within the slack before. Returns the cut.
  std::int64_t refine(const Graph& graph, std::int32_t first, std::int32_t slack,
                      std::int32_t passes, std::vector<std::int8_t>& side, const WorkBudget& watch = WorkBudget());

  std::int32_t off_target() const { return off_; }  // of the last call: size of side 0 less `first`
  std::int64_t work() const { return work_; }       // arcs visited, in all calls

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
  std::int32_t patience_ = 0;  // moves without a new best after which a pass ends
  std::int64_t work_ = 0;

  enum State : std::int8_t { outside, queued, moved };
  struct Vertex {
    std::int32_t gain;      // what the cut loses when the vertex changes sides
    std::int32_t cut_arcs;
  };
  std::vector<Vertex> vertex_;
  std::vector<State> state_;
  std::vector<std::int32_t> moved_;
  GainBuckets queue_[2];
};

}  // namespace placement
